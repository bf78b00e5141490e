"""The reference against the chapter's golden values, against definitions spelled out, and against theory."""

import hashlib
import inspect
import os
import random
import subprocess
import sys
from itertools import combinations, product
from math import sqrt
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from minhash_nb import reference
from minhash_nb.datasets import generate_corpus

LEVELS = (0.5, 0.7, 0.8, 0.9, 1.0)


def sha256(values, dtype):
    return hashlib.sha256(np.array(values, dtype=dtype).tobytes()).hexdigest()


def run(texts):
    """Shingles, signatures and candidates with the default parameters (the chapter's), and the truth."""
    sets = [reference.shingle_ids(text) for text in texts]
    signatures = reference.signatures(sets)
    return SimpleNamespace(
        sets=sets,
        signatures=signatures,
        candidates=reference.candidate_pairs(signatures),
        similar=reference.brute_force_pairs(sets, min(LEVELS)),
    )


def counts_by_level(pairs):
    return {level: sum(jaccard >= level for *_, jaccard in pairs) for level in LEVELS}


@pytest.fixture(scope="module")
def chapter(golden):
    texts = generate_corpus(
        golden["num_docs"],
        golden["dup_fraction"],
        golden["corpus_seed"],
        base_texts=golden["base_texts"],
        words=golden["words"],
    )
    return run(texts)


@pytest.fixture(scope="module")
def own():
    return run(generate_corpus())


def parameters(function):
    return inspect.signature(function).parameters


# -- the chapter's figures


def test_golden_parameters_are_the_defaults(golden):
    for function in (reference.shingle_ids, reference.signatures, reference.candidate_pairs):
        for name in {"k", "num_hashes", "seed", "num_bands", "rows_per_band"} & set(parameters(function)):
            assert parameters(function)[name].default == golden[name]


def test_golden_shingle_ids(golden):
    for text, ids in golden["shingle_ids_of"].items():
        assert sorted(reference.shingle_ids(text, golden["k"])) == ids


def test_golden_coefficients(golden):
    a, b = reference.coefficients(golden["num_hashes"], golden["seed"])
    assert a[:4] == golden["a_first"]
    assert b[:4] == golden["b_first"]


def test_golden_shingles(chapter, golden):
    counts = [len(ids) for ids in chapter.sets]
    assert counts[:10] == golden["shingle_counts_first_ten"]
    assert sum(counts) == golden["total_shingles"]
    assert len(set().union(*chapter.sets)) == golden["distinct_shingles"]


def test_golden_signatures(chapter, golden):
    assert chapter.signatures[0] == golden["signature_first_row"]
    assert np.shape(chapter.signatures) == (1000, 128)
    assert sha256(chapter.signatures, "<u4") == golden["signatures_sha256"]


def test_golden_candidates(chapter, golden):
    assert len(chapter.candidates) == golden["candidate_pairs"] == 2260
    assert [list(pair) for pair in chapter.candidates[:5]] == golden["first_pairs"]
    assert sha256(chapter.candidates, "<i8") == golden["pairs_sha256"]
    possible = golden["num_docs"] * (golden["num_docs"] - 1) // 2
    assert possible == golden["possible_pairs"]
    assert round(possible / len(chapter.candidates), 1) == golden["reduction_factor"] == 221.0


def test_golden_counts_by_exact_jaccard(chapter, golden):
    def as_json(counts):
        return {str(level): count for level, count in counts.items()}

    candidates = set(chapter.candidates)
    found = [pair for pair in chapter.similar if pair[:2] in candidates]
    assert as_json(counts_by_level(chapter.similar)) == golden["all_pairs_with_exact_jaccard_at_least"]
    assert as_json(counts_by_level(found)) == golden["candidates_with_exact_jaccard_at_least"]


def test_figures_that_need_no_data_file():
    a, b = reference.coefficients(128, 42)
    assert a[:4] == [1373158607, 239081664, 53710185, 1592467582]
    assert b[:4] == [1810010706, 1649940838, 1666447132, 120125830]
    assert sorted(reference.shingle_ids("abcdefg")) == [844212018, 1673035171, 2245310342]
    assert sorted(reference.shingle_ids("naïve café")) == [
        *(71039588, 1446020641, 1881119578, 2011455430, 2326868401, 2900737853),
    ]


def test_own_corpus_has_its_own_figures(own):
    assert sum(map(len, own.sets)) == 60_997
    assert len(set().union(*own.sets)) == 2_047
    assert sha256(own.signatures, "<u4") == "ba0fb4fef771b220a7f4b26245ee7e2083d2844bdbeafb2c3d82e69c4a257348"
    assert len(own.candidates) == 2_044
    assert sha256(own.candidates, "<i8") == "75a77d03a97c0b44ea9f82756c0c66654a16952849375b8cc8ab21723a86c8e5"
    assert counts_by_level(own.similar) == {0.5: 5711, 0.7: 484, 0.8: 109, 0.9: 31, 1.0: 31}
    candidates = set(own.candidates)
    found = [pair for pair in own.similar if pair[:2] in candidates]
    assert counts_by_level(found) == {0.5: 1603, 0.7: 414, 0.8: 109, 0.9: 31, 1.0: 31}


def test_results_do_not_depend_on_the_hash_seed_of_python():
    code = (
        "from minhash_nb.reference import *; from minhash_nb.datasets import generate_corpus\n"
        "sets = [shingle_ids(text) for text in generate_corpus(60)]; found = signatures(sets, 16)\n"
        "print(found, candidate_pairs(found, 4, 4), brute_force_pairs(sets, .3))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert len(outputs.pop()) > 1000


# -- shingles


def test_normalize_collapses_every_white_space_that_python_knows():
    spaces = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
    assert len(spaces) > 20
    assert reference.normalize(f"{spaces}A{spaces}b{spaces}") == "a b"
    assert reference.normalize(spaces) == ""
    assert reference.normalize("a\u200bb") == "a\u200bb"  # a zero-width space is no white space


def test_shingle_id_is_the_end_of_the_digest():
    for shingle in ("abcde", "straße", "日本語テキ", "\0\0\0\0\0"):
        assert reference.shingle_id(shingle) == int(hashlib.md5(shingle.encode()).hexdigest()[-8:], 16)


def test_lone_surrogates_pass_and_differ():
    assert reference.shingle_id("\ud800bcde") != reference.shingle_id("\ud801bcde")
    assert len(reference.shingle_ids("ab\udcffcdef")) == 3


@pytest.mark.parametrize(("text", "count"), [("", 0), (" \t\n", 0), ("abcd", 0), ("abcde", 1), ("aaaaaaaaaa", 1)])
def test_short_and_repetitive_texts(text, count):
    assert len(reference.shingle_ids(text)) == count


@pytest.mark.parametrize("k", [1, 3, 9])
def test_windows_of_other_lengths(k):
    text = "never odd or even"
    windows = {text[start:][:k] for start in range(len(text)) if len(text[start:]) >= k}
    assert reference.shingle_ids(text, k) == {reference.shingle_id(window) for window in windows}


# -- signatures

ids = st.sets(st.integers(0, 2**32 - 1), max_size=12)


@given(ids, ids)
def test_signature_of_a_union_is_the_elementwise_minimum(first, second):
    a, b = reference.coefficients(6, seed=1)
    one, two = reference.signature(first, a, b), reference.signature(second, a, b)
    assert reference.signature(first | second, a, b) == [min(pair) for pair in zip(one, two, strict=True)]


def test_signature_by_hand():
    p = reference.PRIME
    values = reference.signature({0, 5, 2**32 - 1}, a=[1, p - 1, 3], b=[0, 0, p - 1])
    assert p == 2147483647
    # x: 0, 5, 1; -x: 0, p - 5, p - 1; 3x - 1: p - 1, 14, 2
    assert values == [0, 0, 2]


def test_empty_sets_are_marked_and_similar_to_nothing():
    empty, full = reference.signatures([set(), {1, 2}], num_hashes=32)
    assert set(empty) == {2**32 - 1}
    assert max(full) < reference.PRIME
    assert reference.estimate_jaccard(empty, empty) == reference.estimate_jaccard(empty, full) == 0.0
    assert reference.estimate_jaccard(full, full) == 1.0


def test_a_shorter_signature_has_the_slopes_of_a_longer_one():
    assert reference.coefficients(8, 3)[0] == reference.coefficients(128, 3)[0][:8]
    assert reference.coefficients(8, 3) != reference.coefficients(8, 4)


def test_random_module_is_left_alone():
    before = random.getstate()
    reference.coefficients()
    assert random.getstate() == before


def test_unequal_lengths_are_refused():
    with pytest.raises(ValueError, match="zip"):
        reference.estimate_jaccard([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="zip"):
        reference.signature({1}, [1, 2], [3])


def planted_pair(rng, shared, own):
    """Return two sets of random ids with J = shared / (shared + 2 own)."""
    drawn = rng.choice(2**31 - 1, size=shared + 2 * own, replace=False).tolist()
    common = set(drawn[:shared])
    return common | set(drawn[shared : shared + own]), common | set(drawn[shared + own :])


FOUR_SIGMA = 6.3e-5  # two-sided probability of a normal variate beyond four standard deviations


def test_estimate_is_unbiased_with_binomial_spread(rng):
    jaccard, num_hashes, trials = 23 / 33, 128, 500
    estimates = []
    for trial in range(trials):
        sets = planted_pair(rng, shared=23, own=5)
        assert reference.exact_jaccard(*sets) == jaccard
        estimates.append(reference.estimate_jaccard(*reference.signatures(sets, num_hashes, seed=trial)))
    spread = jaccard * (1 - jaccard)
    assert abs(np.mean(estimates) - jaccard) < 4 * sqrt(spread / num_hashes / trials)
    ratio = np.var(estimates, ddof=1) / (spread / num_hashes)
    excess_kurtosis = (1 - 6 * spread) / (num_hashes * spread)
    assert abs(ratio - 1) < 4 * sqrt(2 / (trials - 1) + excess_kurtosis / trials)


def test_the_estimate_that_the_chapter_shows_is_one_draw_in_thirty_from_above(rng):
    trials = 500
    as_high = binom.sf(98, 128, 23 / 33)  # 99 of 128 equal positions or more, .7734, for a true .6970
    assert as_high == pytest.approx(0.034, abs=5e-4)
    hits = 0
    for trial in range(trials):
        first, second = reference.signatures(planted_pair(rng, shared=23, own=5), 128, seed=1000 + trial)
        hits += reference.estimate_jaccard(first, second) >= 99 / 128
    assert binomtest(hits, trials, as_high).pvalue > FOUR_SIGMA


@pytest.mark.parametrize(("shared", "own", "jaccard"), [(6, 7, 0.3), (10, 5, 0.5), (14, 3, 0.7)])
def test_detection_follows_the_s_curve(rng, shared, own, jaccard):
    num_bands, rows_per_band, trials = 6, 4, 400
    hits = 0
    for trial in range(trials):
        found = reference.signatures(planted_pair(rng, shared, own), num_bands * rows_per_band, seed=trial)
        hits += len(reference.candidate_pairs(found, num_bands, rows_per_band))
    expected = 1 - (1 - jaccard**rows_per_band) ** num_bands
    assert binomtest(hits, trials, expected).pvalue > FOUR_SIGMA / 3  # three cells


# -- bands

tiny_signatures = st.lists(st.lists(st.integers(0, 2), min_size=6, max_size=6), max_size=8)


@given(tiny_signatures, st.sampled_from([(1, 6), (2, 3), (3, 2), (6, 1), (2, 2)]))
def test_candidates_are_those_that_share_a_band(signatures, shape):
    num_bands, rows = shape
    expected = [
        (i, j)
        for i, j in combinations(range(len(signatures)), 2)
        if any(
            signatures[i][band * rows : (band + 1) * rows] == signatures[j][band * rows : (band + 1) * rows]
            for band in range(num_bands)
        )
    ]
    assert reference.candidate_pairs(signatures, num_bands, rows) == expected
    assert reference.candidate_pairs(np.array(signatures), num_bands, rows) == expected


def test_a_band_is_a_place_not_only_a_value():
    assert reference.candidate_pairs([[1, 2, 3, 4], [3, 4, 1, 2]], 2, 2) == []


def test_empty_documents_are_never_candidates():
    signatures = reference.signatures([set(), {1, 2}, set(), {1, 2}], num_hashes=4)
    assert reference.candidate_pairs(signatures, 2, 2) == [(1, 3)]
    assert reference.candidate_pairs(signatures, 2, 2, is_empty=[True, False, True, True]) == []
    everything = list(combinations(range(4), 2))
    assert reference.candidate_pairs([[7, 7]] * 4, 1, 2) == everything
    # with a mask, the mark of empty sets is a value like others
    assert reference.candidate_pairs([[reference.EMPTY] * 2] * 4, 1, 2, is_empty=[False] * 4) == everything


def test_bands_that_need_more_values_are_refused():
    with pytest.raises(ValueError, match="16 bands of 9 rows need signatures of at least 144 values"):
        reference.candidate_pairs(reference.signatures([{1}, {1}]), 16, 9)


# -- exact similarity and clusters

small_sets = st.sets(st.integers(0, 9))


@given(small_sets, small_sets)
def test_exact_jaccard_is_intersection_over_union(first, second):
    union = len(first | second)
    assert reference.exact_jaccard(first, second) == (len(first & second) / union if union else 0.0)


@given(st.lists(small_sets, max_size=7), st.sampled_from([0.0, 0.2, 0.5, 1.0]))
def test_brute_force_pairs(sets, threshold):
    expected = []
    for i, j in product(range(len(sets)), repeat=2):
        if i < j and sets[i] and sets[j]:
            jaccard = len(sets[i] & sets[j]) / len(sets[i] | sets[j])
            if jaccard >= threshold:
                expected.append((i, j, jaccard))
    assert reference.brute_force_pairs(sets, threshold) == expected


@st.composite
def graphs(draw):
    n_docs = draw(st.integers(1, 12))
    document = st.integers(0, n_docs - 1)
    pairs = draw(st.lists(st.tuples(document, document).filter(lambda pair: pair[0] < pair[1]), max_size=20))
    return n_docs, pairs


@given(graphs())
def test_connected_components_agree_with_scipy(graph):
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n_docs, pairs = graph
    i, j = np.array(pairs, dtype=int).reshape(-1, 2).T
    _, component = connected_components(coo_array((np.ones(len(i)), (i, j)), shape=(n_docs, n_docs)))
    least = [int(np.flatnonzero(component == component[document])[0]) for document in range(n_docs)]
    assert reference.connected_components(pairs, n_docs) == least
    assert reference.connected_components([(j, i, 0.9) for i, j in reversed(pairs)], n_docs) == least


@given(graphs())
def test_star_clusters_keep_the_first_and_only_what_no_kept_one_covers(graph):
    n_docs, pairs = graph
    linked = {frozenset(pair) for pair in pairs}
    labels = reference.star_clusters(pairs, n_docs)
    kept = [document for document in range(n_docs) if labels[document] == document]
    assert not any({i, j} in linked for i, j in combinations(kept, 2))
    for document in set(range(n_docs)) - set(kept):
        assert labels[document] == min(other for other in kept if {other, document} in linked)
        assert labels[document] < document
    assert reference.star_clusters([(j, i, 0.9) for i, j in reversed(pairs)], n_docs) == labels


def test_a_chain_is_one_component_but_several_stars():
    chain = [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert reference.connected_components(chain, 5) == [0, 0, 0, 0, 0]
    assert reference.star_clusters(chain, 5) == [0, 0, 2, 2, 4]


def test_no_documents():
    assert reference.signatures([]) == []
    assert reference.candidate_pairs([]) == []
    assert reference.brute_force_pairs([], 0.5) == []
    assert reference.connected_components([], 0) == reference.star_clusters([], 0) == []
