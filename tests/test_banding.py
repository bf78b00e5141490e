"""Choosing bands, and candidate pairs against the reference."""

import re
import subprocess
import sys
import textwrap
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minhash_nb as mnb
from minhash_nb import reference


def matrix(values, is_empty=None):
    values = np.array(values, dtype=np.uint32)
    empty = np.zeros(len(values), dtype=bool) if is_empty is None else is_empty
    return mnb.SignatureMatrix(values, empty, mnb.MinHash(values.shape[1]))


def listed(pairs):
    assert pairs.dtype == np.int64
    assert pairs.ndim == 2
    assert pairs.shape[1] == 2
    return [tuple(pair) for pair in pairs.tolist()]


@st.composite
def signatures(draw, values=3):
    """Signatures of few different values, so that buckets are large, with some documents empty."""
    documents, hashes = draw(st.integers(1, 25)), draw(st.integers(1, 12))
    row = st.lists(st.integers(0, draw(st.integers(0, values))), min_size=hashes, max_size=hashes)
    table = draw(st.lists(row, min_size=documents, max_size=documents))
    return matrix(table, draw(st.lists(st.booleans(), min_size=documents, max_size=documents)))


@st.composite
def signatures_and_banding(draw):
    made = draw(signatures())
    hashes = made.values.shape[1]
    rows = draw(st.integers(1, hashes))
    return made, mnb.Banding(draw(st.integers(1, hashes // rows)), rows)


def naive_stars(made, banding):
    """Return each bucket's first document with each of the others."""
    pairs = set()
    for band in range(banding.num_bands):
        buckets = defaultdict(list)
        columns = slice(band * banding.rows_per_band, (band + 1) * banding.rows_per_band)
        for document, row in enumerate(made.values[:, columns].tolist()):
            if not made.is_empty[document]:
                buckets[tuple(row)].append(document)
        pairs.update((members[0], other) for members in buckets.values() for other in members[1:])
    return sorted(pairs)


# -- candidate pairs


@settings(max_examples=150)
@given(signatures_and_banding())
def test_pairs_are_the_reference_s(case):
    made, banding = case
    expected = reference.candidate_pairs(
        made.values.tolist(), banding.num_bands, banding.rows_per_band, made.is_empty.tolist()
    )
    assert listed(mnb.candidate_pairs(made, banding)) == expected


@settings(max_examples=150)
@given(signatures_and_banding())
def test_stars_are_a_part_with_the_same_components(case):
    made, banding = case
    every = listed(mnb.candidate_pairs(made, banding))
    stars = listed(mnb.candidate_pairs(made, banding, bucket_pairs="star"))
    assert stars == naive_stars(made, banding)
    assert set(stars) <= set(every)
    np.testing.assert_array_equal(
        mnb.connected_components(stars, len(made)), mnb.connected_components(every, len(made))
    )


@settings(max_examples=40)
@given(signatures(), st.sampled_from(["all", "star"]))
def test_adding_a_band_only_adds_pairs(made, bucket_pairs):
    before = set()
    for bands in range(1, made.values.shape[1] + 1):
        pairs = set(listed(mnb.candidate_pairs(made, mnb.Banding(bands, 1), bucket_pairs=bucket_pairs)))
        assert before <= pairs
        before = pairs


@settings(max_examples=40)
@given(signatures())
def test_more_rows_only_take_pairs_away(made):
    before = None
    for rows in range(1, made.values.shape[1] + 1):
        pairs = set(listed(mnb.candidate_pairs(made, mnb.Banding(1, rows))))
        assert before is None or pairs <= before
        before = pairs


@given(signatures_and_banding(), st.randoms())
def test_permuting_documents_permutes_pairs(case, random):
    made, banding = case
    order = list(range(len(made)))
    random.shuffle(order)
    pairs = listed(mnb.candidate_pairs(matrix(made.values[order], made.is_empty[order]), banding))
    original = sorted(tuple(sorted((order[i], order[j]))) for i, j in pairs)
    assert original == listed(mnb.candidate_pairs(made, banding))


def test_identical_texts_share_every_band():
    made = mnb.sign_texts(["same text", "Same  Text", "quite another"], mnb.MinHash(64))
    for rows in (8, 33, 64):
        for band in range(64 // rows):
            part = matrix(made.values[:, band * rows : (band + 1) * rows])
            assert (0, 1) in listed(mnb.candidate_pairs(part, mnb.Banding(1, rows)))


def test_only_the_first_columns_count(rng):
    values = rng.integers(0, 3, (40, 12))
    for banding in (mnb.Banding(2, 3), mnb.Banding(3, 2)):
        expected = listed(mnb.candidate_pairs(matrix(values[:, :6]), banding))
        assert listed(mnb.candidate_pairs(matrix(values), banding)) == expected


def test_empty_documents_are_in_no_pair():
    made = mnb.sign_texts(["", "a text", " ", "a text", ""], mnb.MinHash(16))
    for bucket_pairs in ("all", "star"):
        assert listed(mnb.candidate_pairs(made, mnb.Banding(16, 1), bucket_pairs=bucket_pairs)) == [(1, 3)]


def test_no_pairs_have_the_right_shape():
    for made in (mnb.sign_texts([], mnb.MinHash(8)), mnb.sign_texts(["alone"], mnb.MinHash(8)), matrix([[1], [2]])):
        assert mnb.candidate_pairs(made, mnb.Banding(1, 1)).shape == (0, 2)


def test_values_of_all_32_bits(rng):
    values = rng.choice(np.array([0, 2**31 - 1, 2**31, 2**32 - 1], dtype=np.uint32), (60, 8))
    for banding in (mnb.Banding(8, 1), mnb.Banding(4, 2), mnb.Banding(2, 4), mnb.Banding(1, 8)):
        expected = reference.candidate_pairs(
            values.tolist(), banding.num_bands, banding.rows_per_band, [False] * len(values)
        )
        assert listed(mnb.candidate_pairs(matrix(values), banding)) == expected


def test_equality_of_the_band_decides_even_if_all_digests_collide():
    script = """
        import numpy as np
        import minhash_nb as mnb
        from minhash_nb import reference
        from minhash_nb.kernels import banding as kernels

        kernels._digest = lambda row, start, stop: np.uint64(2**64 - 1)
        values = np.random.default_rng(1).integers(0, 3, (30, 6), dtype=np.uint32)
        made = mnb.SignatureMatrix(values, np.zeros(30, dtype=bool), mnb.MinHash(6))
        pairs = [tuple(pair) for pair in mnb.candidate_pairs(made, mnb.Banding(3, 2)).tolist()]
        assert pairs == reference.candidate_pairs(values.tolist(), 3, 2, [False] * 30), pairs
        assert 0 < len(pairs) < 435
    """
    environment = {"NUMBA_DISABLE_JIT": "1", "PATH": ""}
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True, env=environment)


# -- limits and refusals


@given(signatures_and_banding(), st.sampled_from(["all", "star"]))
def test_max_pairs_is_exact(case, bucket_pairs):
    made, banding = case
    pairs = mnb.candidate_pairs(made, banding, bucket_pairs=bucket_pairs)
    again = mnb.candidate_pairs(made, banding, bucket_pairs=bucket_pairs, max_pairs=len(pairs))
    np.testing.assert_array_equal(again, pairs)
    if len(pairs):
        with pytest.raises(ValueError, match="`max_pairs` is "):
            mnb.candidate_pairs(made, banding, bucket_pairs=bucket_pairs, max_pairs=len(pairs) - 1)


def test_giant_bucket_is_refused_before_it_costs_anything():
    made = matrix(np.ones((60_000, 4)))
    says = (
        "`max_pairs` is 100,000,000, but there are 1,799,970,000 candidate pairs or more: use more rows per band, "
        'bucket_pairs="star" or a larger max_pairs (16 bytes a pair)'
    )
    with pytest.raises(ValueError, match=re.escape(says)):
        mnb.candidate_pairs(made, mnb.Banding(2, 2))
    stars = mnb.candidate_pairs(made, mnb.Banding(2, 2), bucket_pairs="star")
    assert len(stars) == 59_999
    assert (stars[:, 0] == 0).all()
    with pytest.raises(ValueError, match=r"there are 59,999 candidate pairs or more: use more rows per band or a"):
        mnb.candidate_pairs(made, mnb.Banding(2, 2), bucket_pairs="star", max_pairs=59_998)


@pytest.mark.parametrize(
    ("banding", "says"),
    [
        ((16, 9), "signatures have 128 hashes but Banding(16, 9) needs 144: use rows_per_band=8 or num_hashes=144"),
        ((129, 1), "signatures have 128 hashes but Banding(129, 1) needs 129: use num_hashes=129"),
        ((20, 450), "needs 9000: use rows_per_band=6 or num_hashes=9000"),
    ],
)
def test_signatures_that_are_too_short(banding, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        mnb.candidate_pairs(mnb.sign_texts(["a text"], mnb.MinHash(128)), mnb.Banding(*banding))


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"banding": (16, 8)}, TypeError, "`banding` must be a Banding, got tuple: Banding(16, 8) or"),
        ({"signatures": np.ones((2, 8))}, TypeError, "`signatures` must be a SignatureMatrix, got ndarray: "),
        ({"bucket_pairs": "chain"}, ValueError, "`bucket_pairs` must be one of 'all', 'star', got 'chain'"),
        ({"max_pairs": -1}, ValueError, "`max_pairs` must be at least 0, got -1"),
        ({"max_pairs": 1e6}, TypeError, "`max_pairs` must be an integer at least 0, got 1000000.0"),
    ],
)
def test_bad_arguments_are_named(options, error, says):
    arguments = {"signatures": matrix([[1] * 8]), "banding": mnb.Banding(1, 1)} | options
    with pytest.raises(error, match=re.escape(says)):
        mnb.candidate_pairs(**arguments)


# -- choosing bands


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ((0, 8), ValueError, "`num_bands` must be at least 1, got 0"),
        ((8, 0), ValueError, "`rows_per_band` must be at least 1, got 0"),
        ((8.0, 8), TypeError, "`num_bands` must be an integer at least 1, got 8.0"),
    ],
)
def test_bad_bandings_are_refused(arguments, error, says):
    with pytest.raises(error, match=re.escape(says)):
        mnb.Banding(*arguments)


def test_properties_are_the_theory_s():
    banding = mnb.Banding(20, 5)
    assert banding.num_hashes == 100
    s = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    np.testing.assert_allclose(  # MMDS, figure 3.8
        banding.detection_probability(s), [0.006, 0.047, 0.186, 0.470, 0.802, 0.975, 0.9996], atol=5.1e-4
    )
    assert banding.threshold == pytest.approx((1 / 20) ** (1 / 5), rel=1e-12)
    assert banding.detection_probability(banding.half_point) == pytest.approx(0.5, rel=1e-12)
    grid = np.linspace(0.01, 0.99, 981)
    slope = np.gradient(banding.detection_probability(grid), grid)
    assert banding.steepest == pytest.approx(grid[slope.argmax()], abs=0.002)
    assert mnb.Banding(16, 8).threshold == pytest.approx(0.707, abs=5e-4)
    assert mnb.Banding(16, 8).half_point == pytest.approx(0.674, abs=5e-4)


@pytest.mark.parametrize("num_hashes", [1, 2, 3, 16, 100, 128, 256, 1000])
@pytest.mark.parametrize("recall", [0.01, 0.25, 0.5, 0.75, 0.875, 0.9, 0.95, 0.96875, 0.999])
def test_for_recall_takes_most_rows_then_fewest_bands(recall, num_hashes):
    for threshold in (0.05, 0.25, 0.5, 0.7, 0.75, 0.8, 0.9, 0.99, 1.0):
        best = None
        for rows in range(num_hashes, 0, -1):
            bands = np.arange(1, num_hashes // rows + 1)
            enough = bands[mnb.theory.s_curve(threshold, bands, rows) >= recall]
            if enough.size:
                best = int(enough[0]), rows
                break
        if best is None:
            with pytest.raises(ValueError, match="is too small for recall"):
                mnb.Banding.for_recall(threshold, recall, num_hashes)
        else:
            banding = mnb.Banding.for_recall(threshold, recall, num_hashes)
            assert (banding.num_bands, banding.rows_per_band) == best


def test_for_recall_names_a_budget_that_will_do():
    for threshold, recall in ((0.1, 0.95), (0.01, 0.5), (0.003, 0.999)):
        with pytest.raises(ValueError, match="the least that will do is num_hashes=") as caught:
            mnb.Banding.for_recall(threshold, recall, num_hashes=2)
        least = int(str(caught.value).rsplit("=", 1)[1])
        assert mnb.Banding.for_recall(threshold, recall, least).num_hashes == least
        with pytest.raises(ValueError, match="is too small for recall"):
            mnb.Banding.for_recall(threshold, recall, least - 1)


@pytest.mark.parametrize("num_hashes", [1000, 1074, 1100, 4096, 2**14])
@pytest.mark.parametrize("threshold", [1e-300, 1e-3, 0.4, 0.5, 0.9])
def test_for_recall_where_powers_vanish(threshold, num_hashes):
    if threshold * num_hashes < 3:  # P = 1 - (1 - s)^b at most, about b s
        with pytest.raises(ValueError, match=r"is too small for recall 0\.95"):
            mnb.Banding.for_recall(threshold, num_hashes=num_hashes)
        return
    banding = mnb.Banding.for_recall(threshold, num_hashes=num_hashes)
    assert banding.num_hashes <= num_hashes
    assert banding.detection_probability(threshold) >= 0.95


@pytest.mark.parametrize("call", [mnb.Banding.for_recall, mnb.Banding.for_threshold])
@pytest.mark.parametrize("threshold", [0, 0.0, -0.1, 1.2, float("nan"), float("inf")])
def test_thresholds_out_of_range(call, threshold):
    with pytest.raises(ValueError, match=re.escape(f"`threshold` must be in (0, 1], got {threshold}")):
        call(threshold)


@pytest.mark.parametrize("recall", [0, 1, 1.0, float("nan")])
def test_recalls_out_of_range(recall):
    with pytest.raises(ValueError, match=re.escape(f"`recall` must be in (0, 1), got {recall}")):
        mnb.Banding.for_recall(0.8, recall)


def test_threshold_one_is_one_band_of_all():
    assert mnb.Banding.for_recall(1.0, num_hashes=64) == mnb.Banding(1, 64)
    assert mnb.Banding.for_recall(1, num_hashes=64) == mnb.Banding(1, 64)


def test_for_threshold_known_choices():
    choices = {0.5: (25, 5), 0.8: (9, 13), 0.9: (5, 25)}
    for threshold, (bands, rows) in choices.items():
        assert mnb.Banding.for_threshold(threshold, num_hashes=128) == mnb.Banding(bands, rows)


@pytest.mark.parametrize("num_hashes", [1, 2, 16, 64, 128])
def test_for_threshold_is_datasketch_s(num_hashes):
    lsh = pytest.importorskip("datasketch.lsh", reason="datasketch (extra: bench) is not installed")
    for threshold in (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
        expected = lsh._optimal_param(threshold, num_hashes, 0.5, 0.5)
        banding = mnb.Banding.for_threshold(threshold, num_hashes=num_hashes)
        if num_hashes == 2 and threshold == 0.5:  # a tie: both have areas of 1/4, and rounding decides
            assert banding in (mnb.Banding(1, 1), mnb.Banding(1, 2))
            continue
        assert (banding.num_bands, banding.rows_per_band) == expected
