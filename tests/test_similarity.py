"""Estimates, exact similarities, equal rows, and the comparison of two texts."""

import re

import numpy as np
import pandas as pd
import pytest
import twins
from hypothesis import given
from hypothesis import strategies as st

import minhash_nb as mnb
from minhash_nb import reference
from minhash_nb.kernels import similarity as kernels
from minhash_nb.similarity import first_equal, similar_pairs

small_sets = st.lists(st.sets(st.integers(0, 8)), min_size=1, max_size=8)
wide_sets = st.lists(st.sets(st.sampled_from([0, 1, 2**32 - 1, 2**32, 2**63, 2**64 - 1])), min_size=1, max_size=8)


def all_pairs(n_docs):
    return [(i, j) for i in range(n_docs) for j in range(n_docs)]


# -- exact and estimated similarity


@given(small_sets | wide_sets)
def test_exact_jaccard_of_any_sets(sets):
    pairs = all_pairs(len(sets))
    found = mnb.exact_jaccard(mnb.ShingleMatrix.from_sets(sets), pairs)
    assert found.dtype == np.float64
    assert found.tolist() == [twins.jaccard(sets[i], sets[j]) for i, j in pairs]
    assert found.tolist() == [reference.exact_jaccard(sets[i], sets[j]) for i, j in pairs]


@given(small_sets, st.sampled_from([0.01, 1 / 3, 0.5, 2 / 3, 0.75, 0.8, 1.0]))
def test_similar_pairs_are_those_at_or_above_the_threshold(sets, threshold):
    pairs = np.array(all_pairs(len(sets)))
    found, values = similar_pairs(mnb.ShingleMatrix.from_sets(sets), pairs, threshold)
    expected = [(i, j, twins.jaccard(sets[i], sets[j])) for i, j in pairs.tolist()]
    assert [(*pair, value) for pair, value in zip(found.tolist(), values.tolist(), strict=True)] == [
        pair for pair in expected if pair[2] >= threshold
    ]


def test_similar_pairs_of_large_sets_at_the_very_threshold(rng):
    """Where verification stops early it must not stop a pair that just reaches the threshold."""
    sets, expected = [], []
    for shared, first, second in (
        (400, 50, 50),
        (400, 100, 0),
        (401, 49, 50),
        (399, 50, 51),
        (400, 0, 101),
        (80, 20, 0),
    ):
        ids = rng.choice(2**32, shared + first + second, replace=False).tolist()
        sets += [set(ids[: shared + first]), set(ids[first + shared :] + ids[:shared])]
        if shared >= 0.8 * len(ids):
            expected.append(((len(sets) - 2, len(sets) - 1), shared / len(ids)))
    pairs = np.arange(len(sets)).reshape(-1, 2)
    found, values = similar_pairs(mnb.ShingleMatrix.from_sets(sets), pairs, 0.8)
    assert [*zip(map(tuple, found.tolist()), values.tolist(), strict=True)] == expected
    assert len(expected) == 4
    assert values.min() == 0.8


def test_exact_jaccard_of_large_sets(rng):
    sets = [set(rng.integers(0, 3000, size).tolist()) for size in (10, 500, 3000, 9000)]
    pairs = all_pairs(4)
    found = mnb.exact_jaccard(mnb.ShingleMatrix.from_sets(sets), pairs)
    assert found.tolist() == [twins.jaccard(sets[i], sets[j]) for i, j in pairs]


@given(small_sets, st.integers(1, 70))
def test_estimate_is_the_fraction_of_equal_slots(sets, num_hashes):
    signatures = mnb.compute_signatures(mnb.ShingleMatrix.from_sets(sets), mnb.MinHash(num_hashes))
    pairs = all_pairs(len(sets))
    rows = np.asarray(signatures).tolist()
    expected = [
        sum(x == y for x, y in zip(rows[i], rows[j], strict=True)) / num_hashes if sets[i] and sets[j] else 0.0
        for i, j in pairs
    ]
    found = mnb.estimate_jaccard(signatures, pairs)
    assert found.dtype == np.float64
    assert found.tolist() == expected


def test_documents_are_like_themselves_and_empty_ones_like_nothing():
    texts = ["a text", "", "a text", "\t"]
    shingles = mnb.shingle(texts)
    signatures = mnb.compute_signatures(shingles, mnb.MinHash(16))
    pairs = [(0, 0), (0, 2), (1, 1), (1, 3), (0, 1)]
    assert mnb.exact_jaccard(shingles, pairs).tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert mnb.estimate_jaccard(signatures, pairs).tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]


def test_pairs_as_they_come():
    shingles = mnb.shingle(["one text", "one text!", "another"])
    signatures = mnb.compute_signatures(shingles, mnb.MinHash(16))
    expected = mnb.exact_jaccard(shingles, [(0, 1), (1, 2)])
    array = np.array([[0, 1], [1, 2]])
    frozen = array.copy()
    frozen.flags.writeable = False
    frame = pd.DataFrame({"jaccard": [0.5, 0.5], "i": [0, 1], "j": [1, 2]}, index=[9, 3])
    for pairs in (((0, 1), (1, 2)), array.astype(np.int8), array.astype(np.uint64), array[::-1][::-1], frozen, frame):
        np.testing.assert_array_equal(mnb.exact_jaccard(shingles, pairs), expected)
        assert len(mnb.estimate_jaccard(signatures, pairs)) == 2
    for pairs in ([], np.empty((0, 2), dtype=np.int64), frame[:0]):
        assert mnb.exact_jaccard(shingles, pairs).shape == (0,)
        assert mnb.estimate_jaccard(signatures, pairs).shape == (0,)
    assert array.tolist() == [[0, 1], [1, 2]]


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        ([(0, 3)], "`pairs` must hold positions from 0 to 2, got 3"),
        ([(-1, 0)], "`pairs` must hold positions from 0 to 2, got -1"),
        ([(0, 1, 2)], "`pairs` must be an integer array of shape (n_pairs, 2), got int64 of shape (1, 3)"),
        ([0, 1], "`pairs` must be an integer array of shape (n_pairs, 2), got int64 of shape (2,)"),
        ([(0.0, 1.0)], "`pairs` must be an integer array of shape (n_pairs, 2), got float64 of shape (1, 2)"),
        ([(True, False)], "`pairs` must be an integer array of shape (n_pairs, 2), got bool of shape (1, 2)"),
        (np.array([[0, 2**63]], dtype=np.uint64), "`pairs` must hold positions from 0 to 2, got 9223372036854775808"),
    ],
)
def test_bad_pairs_are_refused(pairs, says):
    shingles = mnb.shingle(["a", "b", "c"])
    for call in (
        lambda: mnb.exact_jaccard(shingles, pairs),
        lambda: mnb.estimate_jaccard(mnb.compute_signatures(shingles, mnb.MinHash(8)), pairs),
        lambda: mnb.connected_components(pairs, 3),
    ):
        with pytest.raises(ValueError, match=re.escape(says)):
            call()


def test_wrong_kinds_are_refused():
    shingles = mnb.shingle(["a", "b"])
    signatures = mnb.compute_signatures(shingles, mnb.MinHash(8))
    with pytest.raises(TypeError, match="`shingles` must be a ShingleMatrix, got SignatureMatrix"):
        mnb.exact_jaccard(signatures, [(0, 1)])
    with pytest.raises(TypeError, match="`signatures` must be a SignatureMatrix, got ShingleMatrix"):
        mnb.estimate_jaccard(shingles, [(0, 1)])


# -- equal rows


def naive_first_equal(sets):
    return [sets.index(ids) if ids else document for document, ids in enumerate(sets)]


@given(st.lists(st.sets(st.integers(0, 2)), max_size=20) | wide_sets)
def test_first_equal_of_any_sets(sets):
    found = first_equal(mnb.ShingleMatrix.from_sets(sets))
    assert found.dtype == np.int64
    assert found.tolist() == naive_first_equal(sets)


def test_first_equal_compares_rows_even_if_all_digests_collide(rng):
    sets = [set(rng.integers(0, 4, 3).tolist()) for _ in range(60)]
    shingles = mnb.ShingleMatrix.from_sets(sets)
    table = np.full(128, -1, dtype=np.int32)
    out = np.empty(60, dtype=np.int64)
    kernels.first_equal_row(shingles.indptr, shingles.indices, np.full(60, 2**64 - 1, dtype=np.uint64), table, out)
    assert out.tolist() == naive_first_equal(sets)


# -- why two texts match


@given(
    st.sampled_from(twins.TEXTS),
    st.sampled_from(twins.TEXTS),
    st.integers(1, 6),
    st.sampled_from(["char", "word", "byte"]),
    st.sampled_from(["whole", "drop"]),
)
def test_compare_agrees_with_sets(first, second, k, unit, short_texts):
    comparison = mnb.compare(first, second, k=k, unit=unit, short_texts=short_texts)
    a, b = (mnb.Shingling(k=k, unit=unit, short_texts=short_texts).texts(text) for text in (first, second))
    shared = set(a) & set(b)
    assert comparison.jaccard == twins.jaccard(set(a), set(b))
    assert comparison.containment_first == (len(shared) / len(set(a)) if shared else 0.0)
    assert comparison.containment_second == (len(shared) / len(set(b)) if shared else 0.0)
    assert comparison.shared == tuple(shingle for shingle in dict.fromkeys(a) if shingle in shared)
    assert comparison.only_first == tuple(shingle for shingle in dict.fromkeys(a) if shingle not in shared)
    assert comparison.only_second == tuple(shingle for shingle in dict.fromkeys(b) if shingle not in shared)
    mirrored = mnb.compare(second, first, k=k, unit=unit, short_texts=short_texts)
    assert mirrored.jaccard == comparison.jaccard
    assert mirrored.only_first == comparison.only_second
    exact = mnb.exact_jaccard(mnb.shingle([first, second], k=k, unit=unit, short_texts=short_texts), [(0, 1)])
    assert exact[0] == pytest.approx(comparison.jaccard, abs=1e-12)


def test_comparison_reads_well():
    shown = repr(mnb.compare("the quick brown fox", "the quick brown dog", k=4))
    assert shown.splitlines()[0] == "Jaccard 0.6842 = 13 shared of 19 shingles (k=4, unit='char')"
    assert "containment: 0.8125 of the first in the second, 0.8125 of the second in the first" in shown
    assert "... (13 in all)" in shown
    assert "'fox'" not in shown
    assert "' fox'" in shown
    assert "only in the first:" in repr(mnb.compare("", "abc"))
    assert "none" in repr(mnb.compare("", "abc"))


def test_comparison_shows_a_wide_gap_between_similarity_and_containment():
    comparison = mnb.compare("clause one", "clause one, and then much more text behind it")
    assert comparison.containment_first == 1.0
    assert comparison.jaccard < 0.5


@pytest.mark.parametrize("texts", [("a", None), (1, "a"), (b"a", "a")])
def test_compare_refuses_what_is_no_text(texts):
    with pytest.raises(TypeError, match=r"`texts\[[01]\]` must be a str, got"):
        mnb.compare(*texts)
