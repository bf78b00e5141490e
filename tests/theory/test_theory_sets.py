"""Containment, similarity after edits, colliding ids."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minhash_nb import theory

SIZES = st.integers(1, 10**6)


@settings(deadline=None)
@given(SIZES, SIZES, st.floats(0, 1))
def test_containment_and_jaccard_of_real_sets(query_size, other_size, part):
    shared = int(part * min(query_size, other_size))
    containment, jaccard = shared / query_size, shared / (query_size + other_size - shared)
    assert theory.jaccard_from_containment(containment, query_size, other_size) == pytest.approx(jaccard, rel=1e-12)
    assert theory.containment_from_jaccard(jaccard, query_size, other_size) == pytest.approx(containment, rel=1e-12)


def test_a_contained_text_is_not_similar():
    assert round(theory.jaccard_from_containment(1.0, 100, 600), 2) == 0.17
    assert theory.jaccard_from_containment([0.5, 0.9], 100, [[100], [1000]]).shape == (2, 2)
    assert type(theory.containment_from_jaccard(0.1, 100, 600)) is float


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: theory.jaccard_from_containment(0.9, 100, 50),
            ValueError,
            "`containment` cannot exceed other_size / query_size = 0.5, got 0.9",
        ),
        (
            lambda: theory.containment_from_jaccard(0.9, 100, 50),
            ValueError,
            "`jaccard` cannot exceed the smaller size over the larger = 0.5, got 0.9",
        ),
        (lambda: theory.jaccard_from_containment(0.9, 0, 50), ValueError, "`query_size` must be at least 1, got 0"),
        (
            lambda: theory.jaccard_from_containment(1.1, 9, 50),
            ValueError,
            r"`containment` must be in \[0, 1\], got 1.1",
        ),
        (
            lambda: theory.expected_jaccard_under_edits(0, 0.1, 5),
            ValueError,
            "`num_shingles` must be at least 1, got 0",
        ),
        (
            lambda: theory.expected_jaccard_under_edits(9, 1.1, 5),
            ValueError,
            r"`edit_rate` must be in \[0, 1\], got 1.1",
        ),
        (lambda: theory.expected_jaccard_under_edits(9, 0.1, 0), ValueError, "`k` must be at least 1, got 0"),
        (lambda: theory.expected_lost_shingles(0), ValueError, "`num_shingles` must be at least 1, got 0"),
        (lambda: theory.expected_lost_shingles(10, 0), ValueError, "`bits` must be at least 1, got 0"),
        (lambda: theory.collision_bias(1, -1, 1), ValueError, "`only_first` must be at least 0, got -1"),
    ],
)
def test_refuses_bad_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()


# -- edits


def survivors(n, p, k):
    """Exact distribution of the number of surviving shingles, unit by unit: state (kept in a row, survivors)."""
    state = np.zeros((k + 1, n + 1))
    state[0, 0] = 1.0
    for _ in range(n + k - 1):
        after = np.zeros_like(state)
        after[0] = p * state.sum(axis=0)
        after[1:k] = (1 - p) * state[: k - 1]
        after[k, 1:] += (1 - p) * (state[k - 1, :-1] + state[k, :-1])
        state = after
    return state.sum(axis=0)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("n", [1, 3, 20, 200])
def test_edits_against_the_exact_distribution(n, k):
    """Off by at most the stated remainder, 2 E|S - E[S]|^3 / n^3."""
    for p in (0.0, 0.01, 0.1, 0.4, 1.0):
        share, count = survivors(n, p, k), np.arange(n + 1)
        mean = share @ count
        assert mean == pytest.approx(n * (1 - p) ** k, abs=1e-9)
        exact = share @ (count / (2 * n - count))
        remainder = 2 * (share @ np.abs(count - mean) ** 3) / n**3
        assert abs(theory.expected_jaccard_under_edits(n, p, k) - exact) <= remainder + 1e-12


def test_edits_on_shingled_words():
    """Word 5-grams of 104 different words, new words put in at random: the mean of J over 3,000 copies."""
    rng, n, k, p, copies = np.random.default_rng(17), 100, 5, 0.04, 3000
    words = np.arange(n + k - 1)
    shingles = set(zip(*(words[i : n + i].tolist() for i in range(k)), strict=True))
    similarities = np.empty(copies)
    for copy in range(copies):
        edited = np.where(rng.random(words.size) < p, words + 1000, words)
        others = set(zip(*(edited[i : n + i].tolist() for i in range(k)), strict=True))
        similarities[copy] = len(shingles & others) / len(shingles | others)
    share, count = survivors(n, p, k), np.arange(n + 1)
    remainder = 2 * (share @ np.abs(count - share @ count) ** 3) / n**3
    error = 4 * similarities.std() / np.sqrt(copies)
    assert abs(theory.expected_jaccard_under_edits(n, p, k) - similarities.mean()) < error + remainder


@pytest.mark.parametrize("n", [30, 100])
def test_the_second_order_is_worth_its_term(n):
    share, count = survivors(n, 0.04, 5), np.arange(n + 1)
    exact = share @ (count / (2 * n - count))
    survive = (1 - 0.04) ** 5
    first_order = survive / (2 - survive)
    assert abs(theory.expected_jaccard_under_edits(n, 0.04, 5) - exact) < abs(first_order - exact) / 10


def test_edits_at_the_ends_and_shapes():
    assert theory.expected_jaccard_under_edits(50, [0.0, 1.0], 5).tolist() == [1.0, 0.0]
    assert theory.expected_jaccard_under_edits([[50], [500]], [0.0, 0.1, 1.0], 5).shape == (2, 3)
    assert type(theory.expected_jaccard_under_edits(50, 0.1, 5)) is float


# -- colliding ids


def test_lost_shingles_at_known_sizes():
    lost = theory.expected_lost_shingles([10**4, 10**5, 10**6])
    assert [f"{x:.2g}" for x in lost] == ["0.012", "1.2", "1.2e+02"]
    assert round(lost[2]) == 116
    assert round(theory.expected_lost_shingles(10**9) / 1e9, 3) == 0.108
    assert theory.expected_lost_shingles(10**4, bits=64) == pytest.approx(1e8 / 2**65, rel=2e-4)
    assert theory.expected_lost_shingles(1) == 0


@pytest.mark.parametrize("bits", [8, 12])
def test_lost_shingles_by_enumeration(bits):
    ids = 2**bits
    n = np.array([2, 10, 50, 200, 2000])
    exact = n - ids * (1 - (1 - 1 / ids) ** n)
    assert theory.expected_lost_shingles(n, bits) == pytest.approx(exact, rel=1 / ids)


def test_collision_bias_at_known_sizes():
    """Disjoint sets of n each: n / 2m."""
    n = np.array([10**4, 10**6, 10**7])
    assert [f"{x:.1e}" for x in theory.collision_bias(0, n, n)] == ["1.2e-06", "1.2e-04", "1.2e-03"]
    assert theory.collision_bias(0, 0, 0) == theory.collision_bias(5, 3, 0) == 0


def test_collision_bias_by_simulation():
    """Ids of 12 bits, 40 shared and 30 own shingles on each side: the mean excess over 20,000 draws."""
    rng, draws, shared, own, bits = np.random.default_rng(23), 20_000, 40, 30, 12
    jaccard = shared / (shared + 2 * own)
    ids = rng.integers(0, 2**bits, (draws, shared + 2 * own))
    first = np.zeros((draws, 2**bits), dtype=bool)
    second = first.copy()
    rows = np.arange(draws)[:, None]
    first[rows, ids[:, : shared + own]] = True
    second[rows, np.delete(ids, np.s_[shared : shared + own], axis=1)] = True
    observed = (first & second).sum(axis=1) / (first | second).sum(axis=1)
    bias = theory.collision_bias(shared, own, own, bits)
    # second order: pairs of collisions, at most half the square of all expected collisions, each worth 2/f
    union = shared + 2 * own
    collisions = comb(union, 2) / 2**bits
    assert abs(observed.mean() - jaccard - bias) < 4 * observed.std() / np.sqrt(draws) + collisions**2 / union
