"""The exact join, the similarity histogram and the audit against brute force."""

import itertools
import time
import tracemalloc
from fractions import Fraction

import numba
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minhash_nb as mnb
from minhash_nb.joins import Audit, audit_recall, similarity_histogram, similarity_join
from minhash_nb.joins import join as join_module
from minhash_nb.kernels import joins as kernels
from minhash_nb.similarity import first_equal

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="only when kernels are compiled")
THRESHOLDS = (0.1, 0.2, 0.25, 0.3, 1 / 3, 0.4, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9, 0.95, 1.0)


def brute_force(first, second, threshold):
    """All pairs of a row of `first` and one of `second` (ids below 100), with Jaccard as common / union."""

    def membership(matrix):
        members = np.zeros((len(matrix), 100), dtype=np.int64)
        members[np.repeat(np.arange(len(matrix)), matrix.sizes), matrix.indices] = 1
        return members

    a, b = membership(first), membership(second)
    common = a @ b.T
    union = a.sum(axis=1)[:, None] + b.sum(axis=1) - common
    jaccard = common / np.maximum(union, 1)
    wanted = jaccard >= threshold
    if first is second:
        wanted &= np.arange(len(first))[:, None] < np.arange(len(first))
    i, j = np.nonzero(wanted)
    return i, j, jaccard[i, j]


def assert_equal(frame, expected):
    i, j, jaccard = expected
    assert frame.columns.tolist() == ["i", "j", "jaccard"]
    assert [str(kind) for kind in frame.dtypes] == ["int64", "int64", "float64"]
    np.testing.assert_array_equal(frame["i"], i)
    np.testing.assert_array_equal(frame["j"], j)
    np.testing.assert_array_equal(frame["jaccard"], jaccard)


def random_corpus(rng):
    """Skewed ids, rows of any size from 0, copies and near-copies."""
    vocabulary, largest = int(rng.integers(2, 60)), int(rng.integers(1, 25))
    weights = rng.random(vocabulary) ** 3 + 1e-3
    weights /= weights.sum()
    rows = []
    for _ in range(int(rng.integers(1, 25))):
        if rows and rng.random() < 0.4:
            row = set(rows[rng.integers(len(rows))])
            for _ in range(int(rng.integers(0, 4))):
                row ^= {int(rng.integers(vocabulary))}
        else:
            size = min(int(rng.integers(0, largest + 1)), vocabulary)
            row = set(rng.choice(vocabulary, size=size, replace=False, p=weights).tolist())
        rows.append(row)
    return mnb.ShingleMatrix.from_sets(rows)


@pytest.fixture
def one_thread():
    """Thousands of tiny joins wait less when no second thread has to be woken for each."""
    with mnb.num_threads(1):
        yield


def compare_with_brute_force(seed, trials):
    rng = np.random.default_rng(seed)
    found = 0
    for trial in range(trials):
        threshold = THRESHOLDS[trial % len(THRESHOLDS)]
        first, second = random_corpus(rng), random_corpus(rng)
        frame = similarity_join(first, threshold=threshold)
        assert_equal(frame, brute_force(first, first, threshold))
        assert_equal(similarity_join(first, second, threshold), brute_force(first, second, threshold))
        found += len(frame)
    assert found > trials  # the corpora do hold pairs


@pytest.mark.usefixtures("one_thread")
def test_join_equals_brute_force_on_2000_random_corpora():
    compare_with_brute_force(seed=1000, trials=2000)


def test_join_equals_brute_force_with_all_threads():
    compare_with_brute_force(seed=1001, trials=150)


sets = st.sets(st.integers(0, 12), max_size=12)


# The fixture holds for all examples of a test.
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.usefixtures("one_thread")
@given(
    st.lists(sets, min_size=1, max_size=12),
    st.lists(sets, min_size=1, max_size=12),
    st.fractions(Fraction(1, 12), 1, max_denominator=12),
)
def test_join_decides_exact_rationals_as_exact_jaccard_does(rows, others, threshold):
    first, second = mnb.ShingleMatrix.from_sets(rows), mnb.ShingleMatrix.from_sets(others)
    threshold = float(threshold)
    assert_equal(similarity_join(first, threshold=threshold), brute_force(first, first, threshold))
    assert_equal(similarity_join(first, second, threshold), brute_force(first, second, threshold))


@pytest.mark.usefixtures("one_thread")
def test_every_pair_exactly_at_the_threshold_is_found():
    """Two sets with c common ids of u have similarity c / u, and are found at the threshold c / u, not above it."""
    for union in range(1, 30):
        for common in range(1, union + 1):
            for only_first in {0, (union - common) // 2}:
                first = range(common + only_first)
                second = [*range(common), *range(common + only_first, union)]
                pair = mnb.ShingleMatrix.from_sets([first, second])
                assert similarity_join(pair, threshold=common / union)["jaccard"].tolist() == [common / union]
                if common < union:
                    assert similarity_join(pair, threshold=np.nextafter(common / union, 1)).empty


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_integer_bounds_are_the_least_that_reach_the_threshold_in_float64(threshold):
    need = join_module._least_common(400, threshold)
    for total in range(2, 401):
        overlaps = np.arange(total)
        assert need[total] == np.flatnonzero(overlaps / (total - overlaps) >= threshold)[0]
    sizes = np.arange(1, 400)
    least = join_module._least_size(sizes, threshold)
    for size, smallest in zip(sizes, least, strict=True):
        assert smallest == np.flatnonzero(np.arange(size + 1) / size >= threshold)[0]


def test_ids_of_64_bits_and_of_two_widths():
    high = 2**64 - 1
    first = mnb.ShingleMatrix.from_sets([{high - 1, high, 5}, {high, 5}])
    second = mnb.ShingleMatrix.from_sets([{5, 6}, {2**32 - 1, 5}])
    assert first.indices.dtype == np.uint64
    assert second.indices.dtype == np.uint32
    assert_equal(similarity_join(first, threshold=0.5), ([0], [1], [2 / 3]))
    assert_equal(similarity_join(first, second, 1 / 3), ([1, 1], [0, 1], [1 / 3, 1 / 3]))
    assert_equal(similarity_join(second, first, 1 / 3), ([0, 1], [1, 1], [1 / 3, 1 / 3]))


def test_vocabulary_grows_past_its_first_room():
    rng = np.random.default_rng(0)
    rows = [set(rng.integers(0, 2**32, 40).tolist()) for _ in range(40)]
    rows += [set(range(row * 10**6, row * 10**6 + 9000)) for row in range(60)]  # 540,000 ids
    rows.append(rows[-1] | {1, 2, 3})
    assert_equal(similarity_join(mnb.ShingleMatrix.from_sets(rows), threshold=0.9), ([99], [100], [9000 / 9003]))


def test_empty_documents_and_empty_corpora_have_no_pair():
    nothing = mnb.ShingleMatrix([0], np.empty(0, dtype=np.uint32))
    empties = mnb.ShingleMatrix.from_sets([[], [], []])
    some = mnb.ShingleMatrix.from_sets([[], {1}, [], {1}])
    for corpus in (nothing, empties, mnb.ShingleMatrix.from_sets([{1}])):
        assert_equal(similarity_join(corpus, threshold=0.1), ([], [], []))
        assert_equal(similarity_join(corpus, empties, 0.1), ([], [], []))
    assert_equal(similarity_join(some, threshold=1.0), ([1], [3], [1.0]))
    assert_equal(similarity_join(some, nothing, 1.0), ([], [], []))
    assert_equal(similarity_join(nothing, some, 1.0), ([], [], []))


def test_copies_are_multiplied_out_in_both_kinds_of_join():
    a, b = {1, 2, 3, 4}, {1, 2, 3, 4, 5}
    corpus = mnb.ShingleMatrix.from_sets([a, b, a, b, a])
    assert_equal(similarity_join(corpus, threshold=0.8), brute_force(corpus, corpus, 0.8))
    assert len(similarity_join(corpus, threshold=0.8)) == 10
    assert_equal(similarity_join(corpus, corpus, 0.8), brute_force(corpus, corpus.take(np.arange(5)), 0.8))
    assert len(similarity_join(corpus, corpus, 0.8)) == 25


@compiled
@pytest.mark.parametrize("options", [{}, {"threshold": 1.0}])
def test_twenty_thousand_copies_are_refused_before_they_are_paired(options):
    corpus = mnb.ShingleMatrix.from_sets([range(50)] * 20_000)
    similarity_join(corpus.take(np.arange(2)))  # compile
    start = time.perf_counter()
    with pytest.raises(ValueError, match=r"`max_pairs` is 100,000,000, but at least 199,990,000 pairs"):
        similarity_join(corpus, **options)
    assert time.perf_counter() - start < 5  # quadratic work would take minutes


def test_max_pairs_is_exact_and_counts_copies():
    rows = [set(range(50)) | {100 + number} for number in range(60)]
    corpus = mnb.ShingleMatrix.from_sets(rows + rows[:1])
    pairs = 61 * 60 // 2
    assert len(similarity_join(corpus, threshold=0.9, max_pairs=pairs)) == pairs
    with pytest.raises(ValueError, match="raise the threshold"):
        similarity_join(corpus, threshold=0.9, max_pairs=pairs - 1)
    assert len(similarity_join(corpus, corpus, 0.9, max_pairs=61 * 61)) == 61 * 61
    with pytest.raises(ValueError, match="max_pairs"):
        similarity_join(corpus, corpus, 0.9, max_pairs=61 * 61 - 1)


def test_more_pairs_than_a_chunk_has_room_for(monkeypatch):
    monkeypatch.setattr(join_module, "ROOM", 1)
    monkeypatch.setattr(join_module, "BLOCK", 7)
    rng = np.random.default_rng(5)
    for _ in range(50):
        corpus = random_corpus(rng)
        assert_equal(similarity_join(corpus, threshold=0.2), brute_force(corpus, corpus, 0.2))


def test_thread_count_and_order_of_documents_do_not_matter(load_texts):
    corpus = mnb.shingle(load_texts("febrl2"))
    both = similarity_join(corpus, threshold=0.6)
    with mnb.num_threads(1):
        one = similarity_join(corpus, threshold=0.6)
    assert both.equals(one)
    order = np.random.default_rng(3).permutation(len(corpus))
    permuted = similarity_join(corpus.take(order), threshold=0.6)
    ends = np.sort(np.stack((order[permuted["i"]], order[permuted["j"]])), axis=0)
    again = np.lexsort((ends[1], ends[0]))
    np.testing.assert_array_equal(ends[:, again], both[["i", "j"]].to_numpy().T)
    np.testing.assert_array_equal(permuted["jaccard"].to_numpy()[again], both["jaccard"])


# Pairs of documents that differ, by the least similarity: char-5 shingles of texts in lower case.
LEVELS = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
KNOWN = {
    "spdx_licenses": (774, (9_544, 3_053, 837, 434, 207, 69)),
    "febrl2": (5_000, (1_906, 1_526, 700, 320, 30, 0)),
    "sms": (5_164, (994, 485, 211, 130, 57, 28)),
}


def distinct(texts):
    shingles = mnb.shingle(texts)
    is_first = first_equal(shingles) == np.arange(len(shingles))
    return shingles.take(np.flatnonzero(is_first & ~shingles.is_empty))


@pytest.mark.parametrize("name", KNOWN)
def test_known_counts_on_real_text(load_texts, name):
    corpus = distinct(load_texts(name))
    documents, counts = KNOWN[name]
    assert len(corpus) == documents
    for level, count in zip(LEVELS, counts, strict=True):
        pairs = similarity_join(corpus, threshold=level)
        assert len(pairs) == count
        np.testing.assert_array_equal(pairs["jaccard"], mnb.exact_jaccard(corpus, pairs))
    histogram = similarity_histogram(corpus)
    assert [histogram.counts[round(100 * level) :].sum() for level in LEVELS] == list(counts)


def test_civil_codes_at_one_half_in_linear_memory(load_texts):
    corpus = mnb.shingle(load_texts("civil_codes"))
    assert len(corpus) == 39_062
    similarity_join(corpus.take(np.arange(10)))  # compile
    tracemalloc.start()
    try:
        pairs = similarity_join(corpus, threshold=0.5)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20 * corpus.indices.size + 250 * len(pairs)  # bytes
    assert (pairs["i"] < pairs["j"]).all()
    np.testing.assert_array_equal(pairs["jaccard"], mnb.exact_jaccard(corpus, pairs))
    sample = np.random.default_rng(0).choice(len(corpus), 300, replace=False)
    some = similarity_join(corpus.take(sample), corpus, 0.5)  # larger and smaller ones, each from its own side
    other = sample[some["i"]] != some["j"]
    members = np.isin(pairs["i"], sample).sum() + np.isin(pairs["j"], sample).sum()
    assert other.sum() == members


def test_progress_bar_and_read_only_input(capsys):
    indices = np.array([1, 2, 3, 1, 2, 3, 4], dtype=np.uint32)
    indptr = np.array([0, 3, 7])
    for array in (indices, indptr):
        array.flags.writeable = False
    before = indices.copy(), indptr.copy()
    pairs = similarity_join(mnb.ShingleMatrix(indptr, indices), threshold=0.5, progress=True)
    assert pairs["jaccard"].tolist() == [0.75]
    assert "joining" in capsys.readouterr().err
    np.testing.assert_array_equal(indices, before[0])
    np.testing.assert_array_equal(indptr, before[1])


@compiled
def test_one_compiled_signature_for_each_id_width():
    for ids in ([1, 2, 9], np.array([1, 2, 9], dtype=np.int32), np.array([1, 2, 9], dtype=np.uint64)):
        corpus = mnb.ShingleMatrix([0, 2, 3], ids)
        for other in (corpus, mnb.ShingleMatrix([0, 1], np.array([9], dtype=np.uint32))):
            similarity_join(corpus, other, 0.5)
        similarity_join(corpus)
        similarity_histogram(corpus)
        similarity_histogram(corpus, bins=[0, 0.5, 1])
    for name in ("number_rows", "fill_table"):
        assert len(getattr(kernels, name).signatures) == 2
    for name in ("rank_tokens", "list_rows", "fill_tokens", "count_postings", "fill_postings", "join_rows"):
        assert len(getattr(kernels, name).signatures) == 1
    assert len(kernels.count_similarities.signatures) == 1


@pytest.mark.parametrize("function", [similarity_join, similarity_histogram])
def test_other_things_than_shingles_are_refused(function):
    with pytest.raises(TypeError, match="`shingles` must be a ShingleMatrix, got list"):
        function([{1, 2}])


def test_join_refuses_bad_options():
    corpus = mnb.ShingleMatrix.from_sets([{1}, {1}])
    for threshold in (0, -0.1, 1.2, float("nan")):
        with pytest.raises(ValueError, match=r"`threshold` must be in \(0, 1\]"):
            similarity_join(corpus, threshold=threshold)
    with pytest.raises(TypeError, match="threshold"):
        similarity_join(corpus, threshold="high")
    with pytest.raises(ValueError, match="max_pairs"):
        similarity_join(corpus, max_pairs=-1)
    with pytest.raises(ValueError, match="only with the same shingling"):
        similarity_join(mnb.shingle(["a text"], k=3), mnb.shingle(["a text"], k=4), 0.5)
    with pytest.raises(ValueError, match="only with the same shingling"):
        similarity_join(mnb.shingle(["a text"]), corpus, 0.5)


# -- the histogram


def brute_histogram(corpus, edges):
    _, _, jaccard = brute_force(corpus, corpus, -1.0)
    return np.histogram(jaccard[jaccard > 0], edges)[0], int((jaccard == 0).sum())


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("bins", [1, 10, 100, [0, 0.1, 1 / 3, 0.5, 0.9, 1]])
def test_histogram_equals_brute_force(bins):
    rng = np.random.default_rng(7)
    for _ in range(60):
        corpus = random_corpus(rng)
        histogram = similarity_histogram(corpus, bins)
        counts, disjoint = brute_histogram(corpus, histogram.edges)
        np.testing.assert_array_equal(histogram.counts, counts)
        assert histogram.disjoint == disjoint
        assert histogram.exact
        assert not histogram.standard_errors.any()
        assert histogram.n_docs == len(corpus)
        assert histogram.counts.sum() + histogram.disjoint == histogram.n_pairs


def test_histogram_of_edges_that_similarities_hit():
    rows = [range(10), range(7), range(8)]  # .7, .8, 7/8
    histogram = similarity_histogram(mnb.ShingleMatrix.from_sets(rows), bins=10)
    assert histogram.counts.tolist() == [0, 0, 0, 0, 0, 0, 0, 1, 2, 0]


@pytest.mark.usefixtures("one_thread")
def test_sampled_histogram_is_unbiased_and_its_errors_are_the_spread():
    rng = np.random.default_rng(11)
    rows = [set(rng.integers(0, 40, rng.integers(1, 20)).tolist()) for _ in range(150)]
    rows += rows[:30]  # copies weigh
    corpus, bins, draws = mnb.ShingleMatrix.from_sets(rows), 8, 400
    truth = similarity_histogram(corpus, bins)
    results = [similarity_histogram(corpus, bins, sample=30, seed=seed) for seed in range(draws)]
    counts = np.array([result.counts for result in results])
    spread = counts.std(axis=0, ddof=1)
    present = truth.counts > 0
    # Each bin within 4.5 standard errors of the mean over the draws (8 bins: family-wise 6e-5).
    assert (np.abs(counts.mean(axis=0) - truth.counts) < 4.5 * spread / np.sqrt(draws))[present].all()
    # The mean estimated variance is the variance, up to the standard errors of both (fourth moments).
    estimated = np.array([result.standard_errors for result in results]) ** 2
    fourth = ((counts - counts.mean(axis=0)) ** 4).mean(axis=0)
    error = np.sqrt((fourth - spread**4) / draws + estimated.var(axis=0) / draws)
    assert (np.abs(estimated.mean(axis=0) - spread**2) < 4.5 * error)[present].all()
    assert not results[0].exact
    assert results[0].n_sampled == 30
    for result in results:
        assert result.disjoint == pytest.approx(max(truth.n_pairs - result.counts.sum(), 0))


def test_histogram_samples_as_many_documents_as_the_budget_allows(monkeypatch):
    monkeypatch.setattr("minhash_nb.joins.histogram.READS", 2_000)
    monkeypatch.setattr("minhash_nb.joins.histogram.LEAST_SAMPLE", 5)
    corpus = mnb.ShingleMatrix.from_sets([{0, number + 1} for number in range(100)])
    histogram = similarity_histogram(corpus)  # 101 reads a document
    assert histogram.n_sampled == 19
    np.testing.assert_allclose(histogram.counts.sum(), 4950)
    assert similarity_histogram(corpus, sample=100).exact
    assert similarity_histogram(corpus, sample=101).exact
    first, second = similarity_histogram(corpus, seed=1), similarity_histogram(corpus, seed=1)
    np.testing.assert_array_equal(first.counts, second.counts)


def test_histogram_is_frozen_readable_and_fits_theory():
    corpus = mnb.ShingleMatrix.from_sets([{1, 2}, {1, 2}, {3}, [], {2, 3}])
    histogram = similarity_histogram(corpus, bins=4)
    assert np.asarray(histogram).tolist() == histogram.counts.tolist() == [0, 2, 1, 1]
    assert len(histogram) == 4
    with pytest.raises(ValueError, match="read-only"):
        histogram.counts[0] = 1
    assert repr(histogram).startswith("SimilarityHistogram: 5 documents, 10 pairs (all counted), 6 without")
    edges, weights = histogram.density
    assert edges.tolist() == [0, 0, 0.25, 0.5, 0.75, 1]
    assert weights.tolist() == [6, 0, 2, 1, 1]
    # One band of one row finds a pair with probability s: the expected candidates are the sum of bin middles.
    expected = mnb.theory.expected_candidates(5, histogram.density, 1, 1)
    assert expected == pytest.approx(2 * 0.375 + 0.625 + 0.875)
    sampled = repr(similarity_histogram(mnb.ShingleMatrix.from_sets([{1}, {1, 2}, {2}, {2, 3}]), sample=2))
    assert "2 documents against all" in sampled
    assert " +- " in sampled


def test_histogram_with_exact_counts_from_a_threshold_on():
    rng = np.random.default_rng(2)
    corpus = mnb.ShingleMatrix.from_sets([set(rng.integers(0, 30, 12).tolist()) for _ in range(80)])
    truth = similarity_histogram(corpus, 20)
    sampled = similarity_histogram(corpus, 20, sample=20)
    refined = sampled.with_exact(similarity_join(corpus, threshold=0.3)["jaccard"].to_numpy(), 0.3)
    np.testing.assert_array_equal(refined.counts[6:], truth.counts[6:])
    np.testing.assert_array_equal(refined.counts[:6], sampled.counts[:6])
    assert not refined.standard_errors[6:].any()
    assert refined.standard_errors[:6].any()
    assert refined.counts.sum() + refined.disjoint == pytest.approx(refined.n_pairs)
    with pytest.raises(ValueError, match="must be an edge"):
        sampled.with_exact(np.array([0.5]), 0.33)


def test_histogram_of_nothing_and_of_copies_only():
    nothing = similarity_histogram(mnb.ShingleMatrix([0], np.empty(0, dtype=np.uint32)))
    assert (nothing.n_pairs, nothing.counts.sum(), nothing.disjoint, nothing.exact) == (0, 0, 0, True)
    copies = similarity_histogram(mnb.ShingleMatrix.from_sets([{1, 2}] * 20_000))
    assert copies.counts[-1] == copies.n_pairs == 199_990_000


@pytest.mark.parametrize("bins", [0, -1, [0, 1, 0.5], [0.1, 1], [0, 0.9], [0, 0, 1], [[0, 1]], [0.0]])
def test_histogram_refuses_bad_bins(bins):
    with pytest.raises(ValueError, match="`bins` must be"):
        similarity_histogram(mnb.ShingleMatrix.from_sets([{1}]), bins)


def test_histogram_refuses_bad_samples():
    with pytest.raises(ValueError, match="`sample` must be at least 2"):
        similarity_histogram(mnb.ShingleMatrix.from_sets([{1}]), sample=1)


# -- the audit


def near_copies(rng, families):
    """Families of one to four documents whose similarities are near .8."""
    rows = []
    for family in range(families):
        base = set(range(1000 * family, 1000 * family + 60))
        for _ in range(int(rng.integers(1, 5))):
            dropped = set(rng.choice(sorted(base), 6, replace=False).tolist())
            rows.append(base - dropped)
    return mnb.ShingleMatrix.from_sets(rows)


def test_audit_of_all_documents_is_the_recall():
    rng = np.random.default_rng(4)
    corpus = near_copies(rng, 40)
    truth = similarity_join(corpus, threshold=0.8)
    for part in (0.0, 0.3, 1.0):
        reported = truth.sample(frac=part, random_state=1)
        audit = audit_recall(corpus, reported, 0.8, n=10**6)
        assert audit.documents == len(corpus)
        assert audit.neighbours == 2 * len(truth)
        assert audit.found == 2 * len(reported)
        assert audit.recall == len(reported) / len(truth)
        assert audit.low <= audit.recall <= audit.high
        assert audit.with_neighbours == np.unique(truth[["i", "j"]]).size
    swapped = reported[["j", "i"]].to_numpy()
    assert audit_recall(corpus, swapped, 0.8, n=10**6).recall == 1.0


def test_audit_that_finds_everything_still_doubts():
    corpus = near_copies(np.random.default_rng(4), 40)
    audit = audit_recall(corpus, similarity_join(corpus, threshold=0.8), 0.8, n=30)
    assert (audit.recall, audit.high) == (1.0, 1.0)
    assert audit.low == pytest.approx(0.025 ** (1 / audit.with_neighbours))


@pytest.mark.usefixtures("one_thread")
def test_audit_interval_covers_the_recall_of_the_run():
    rng = np.random.default_rng(9)
    corpus = near_copies(rng, 200)
    truth = similarity_join(corpus, threshold=0.75)
    reported = truth.sample(frac=0.7, random_state=0)
    recall = len(reported) / len(truth)
    audits = [audit_recall(corpus, reported, 0.75, n=150, seed=seed) for seed in range(200)]
    # A ratio of two means, so unbiased up to 1 / n: the mean within 4 standard errors.
    values = np.array([audit.recall for audit in audits])
    assert abs(values.mean() - recall) < 4 * values.std(ddof=1) / np.sqrt(len(audits)) + 1 / 150
    covered = sum(audit.low <= recall <= audit.high for audit in audits)
    assert covered >= 0.95 * 200 - 4 * np.sqrt(200 * 0.95 * 0.05)


def test_audit_leaves_out_copies_and_empty_documents():
    rows = [{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3}, [], []]
    audit = audit_recall(mnb.ShingleMatrix.from_sets(rows), [(0, 1), (0, 2)], 0.7, n=5)
    assert audit == Audit(2, 2, 2, 2, 1.0, pytest.approx(0.025**0.5), 1.0, 0.95)
    alone = audit_recall(mnb.ShingleMatrix.from_sets([{1}, {2}]), [], 0.7, n=5)
    assert np.isnan(alone.recall)
    assert (alone.neighbours, alone.low, alone.high) == (0, 0.0, 1.0)
    empty = audit_recall(mnb.ShingleMatrix.from_sets([[], []]), [], 0.7, n=5)
    assert (empty.documents, empty.neighbours) == (0, 0)


def test_audit_sees_what_a_run_has_missed(load_texts):
    texts = load_texts("febrl2")
    result = mnb.find_near_duplicates(texts, threshold=0.7, banding=mnb.Banding(25, 10))
    shingles = mnb.shingle(texts)
    truth = similarity_join(shingles, threshold=0.7)
    everything = audit_recall(shingles, result.pairs, 0.7, n=len(texts))
    assert everything.recall == len(result.pairs) / len(truth) < 1
    sampled = audit_recall(shingles, result.pairs, 0.7, n=2500)
    assert sampled.low < everything.recall < sampled.high


def test_audit_refuses_bad_options():
    corpus = mnb.ShingleMatrix.from_sets([{1}, {1, 2}])
    with pytest.raises(ValueError, match="`n` must be at least 1"):
        audit_recall(corpus, [], 0.5, n=0)
    with pytest.raises(ValueError, match="threshold"):
        audit_recall(corpus, [], 1.5, n=1)
    with pytest.raises(ValueError, match=r"`confidence` must be in \(0, 1\)"):
        audit_recall(corpus, [], 0.5, n=1, confidence=1.0)
    with pytest.raises(ValueError, match="`pairs` must hold positions from 0 to 1"):
        audit_recall(corpus, [(0, 2)], 0.5, n=1)


@pytest.mark.usefixtures("one_thread")
def test_all_subsets_of_four_ids_at_all_similarities():
    """All subsets of four ids at every similarity they can have: the smallest place where filters go wrong."""
    subsets = [set(c) for size in range(5) for c in itertools.combinations(range(4), size)]
    corpus = mnb.ShingleMatrix.from_sets(subsets)
    for threshold in sorted({a / b for b in range(1, 5) for a in range(1, b + 1)}):
        assert_equal(similarity_join(corpus, threshold=threshold), brute_force(corpus, corpus, threshold))
