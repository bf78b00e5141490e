"""Variance formulas against published and simulated figures, and against sketches simulated with random numbers."""

import numpy as np
import pytest
from scipy.stats import norm

from minhash_nb import theory

UNIONS = [30, 60, 128, 300, 1000]


def ratio(variance, **options):
    return variance(0.5, 128, UNIONS, **options) / theory.jaccard_variance(0.5, 128)


def test_standard_errors_of_128_hashes():
    spread = np.sqrt(theory.jaccard_variance([0.5, 0.7, 0.8, 0.9], 128))
    assert spread.round(4).tolist() == [0.0442, 0.0405, 0.0354, 0.0265]
    assert theory.jaccard_variance(0.5, 128) == 1 / (4 * 128)


def test_superminhash_alpha_table():
    assert theory.superminhash_alpha(128, UNIONS).round(3).tolist() == [0.496, 0.507, 0.538, 0.649, 0.873]
    assert theory.superminhash_variance(0.3, 128, UNIONS) == pytest.approx(
        theory.superminhash_alpha(128, UNIONS) * 0.21 / 128, rel=1e-14
    )


def test_superminhash_alpha_limits():
    assert theory.superminhash_alpha(4096, 64) == pytest.approx(0.5, abs=0.01)  # 1 << f << k
    assert theory.superminhash_alpha(128, 10**6) == pytest.approx(1 - 127 / (10**6 - 1), rel=1e-12)
    assert theory.superminhash_alpha([1, 128], [50, 1]).tolist() == [1.0, 1.0]


# Variance over J(1-J)/128 from up to 4,000 simulated pairs each, J about .5 and .8: standard error sqrt(2/4000).
SIMULATED = {
    "none": [0.56, 0.55, 0.56, 0.70, 0.85],
    "rotation": [4.04, 2.16, 1.14, 0.79, 0.88],
    "optimal": [1.35, 1.14, 0.97, 0.77, 0.85],
    "push": [1.01, 0.96, 0.88, 0.74, 0.86],
    "fast similarity sketch": [0.52, 0.49, 0.52, 0.63, 0.87],
    "superminhash": [0.51, 0.49, 0.53, 0.61, 0.83],
}


@pytest.mark.parametrize("scheme", SIMULATED)
def test_table_of_all_schemes(scheme):
    if scheme == "superminhash":
        formula = ratio(theory.superminhash_variance)
    elif scheme == "fast similarity sketch":
        formula = ratio(theory.fast_similarity_sketch_variance)
    else:
        formula = ratio(theory.one_permutation_variance, densification=scheme)
    assert np.abs(np.array(SIMULATED[scheme]) / formula - 1).max() < 4 * np.sqrt(2 / 4000)


def test_minmax_saves_little():
    unions = np.array([21, 51, 101])
    saved = theory.minmax_variance(0.5, 128, unions) / theory.jaccard_variance(0.5, 128)
    assert saved == pytest.approx((unions - 2) / (unions - 1), rel=1e-12)


# -- simulation: k slots over the union 0 .. f-1 of which 0 .. shared-1 lie in both sets; independent of the formulas

K, TRIALS = 16, 20_000
SETS = {"short": (4, 2), "long": (40, 12)}  # union size, shared
EMPTY = -1


def members(f, shared):
    """Masks of A and B: the shared elements, and half of the rest each."""
    element = np.arange(f)
    middle = (f + shared) // 2
    return element < middle, (element < shared) | (element >= middle)


def first_of(value, fits):
    """Element of least value among those that fit, for each trial and slot; value (T, f), fits (T, k, f)."""
    seen = np.where(fits, value[:, None, :], np.inf)
    return np.where(fits.any(axis=2), seen.argmin(axis=2), EMPTY)


def one_permutation(rng, f, inside, way):
    bins, value, walk = rng.integers(0, K, (TRIALS, f)), rng.random((TRIALS, f)), np.random.default_rng(5)
    source = first_of(value, (bins[:, None, :] == np.arange(K)[:, None]) & inside)
    out, filled, trial = source.copy(), source != EMPTY, np.arange(TRIALS)[:, None]
    step = 0
    while way != "none" and (out == EMPTY).any():
        step += 1
        if way == "push":
            target = walk.integers(0, K, (TRIALS, K))
            for slot in range(K):
                goal = target[:, slot]
                hit = np.flatnonzero(filled[:, slot] & (out[trial[:, 0], goal] == EMPTY))
                out[hit, goal[hit]] = source[hit, slot]
            continue
        goal = (np.arange(K) + step) % K + 0 * trial if way == "rotation" else walk.integers(0, K, (TRIALS, K))
        copied = source[trial, goal]
        tagged = copied + f * step if way == "rotation" else copied
        out = np.where((out == EMPTY) & (copied != EMPTY), tagged, out)
    return out


def fast_similarity_sketch(rng, f, inside, rounds):
    out = np.full((TRIALS, K), EMPTY)
    for _ in range(rounds):
        bins, value = rng.integers(0, K, (TRIALS, f)), rng.random((TRIALS, f))
        thrown = first_of(value, (bins[:, None, :] == np.arange(K)[:, None]) & inside)
        out = np.where(out == EMPTY, thrown, out)
    for slot in range(K):
        own = np.where(inside, rng.random((TRIALS, f)), np.inf).argmin(axis=1)
        out[:, slot] = np.where(out[:, slot] == EMPTY, own, out[:, slot])
    return out


def superminhash(rng, f, inside):
    place = rng.random((TRIALS, f, K)).argsort(axis=2) + rng.random((TRIALS, f, K))
    return np.where(inside[:, None], place, np.inf).argmin(axis=1)


def minmax(rng, f, inside):
    value = rng.random((TRIALS, K // 2, f))
    return np.concatenate(
        [np.where(inside, value, np.inf).argmin(axis=2), np.where(inside, value, -np.inf).argmax(axis=2)], axis=1
    )


def classic(rng, f, inside):
    return np.where(inside, rng.random((TRIALS, K, f)), np.inf).argmin(axis=2)


SCHEMES = {
    "classic": (classic, (), lambda j, f: theory.jaccard_variance(j, K)),
    "minmax": (minmax, (), lambda j, f: theory.minmax_variance(j, K, f)),
    "superminhash": (superminhash, (), lambda j, f: theory.superminhash_variance(j, K, f)),
    "fss": (fast_similarity_sketch, (K,), lambda j, f: theory.fast_similarity_sketch_variance(j, K, f)),
    "fss, one round": (
        fast_similarity_sketch,
        (1,),
        lambda j, f: theory.fast_similarity_sketch_variance(j, K, f, rounds=1),
    ),
    "fss, two rounds": (
        fast_similarity_sketch,
        (2,),
        lambda j, f: theory.fast_similarity_sketch_variance(j, K, f, rounds=2),
    ),
} | {
    way: (one_permutation, (way,), lambda j, f, way=way: theory.one_permutation_variance(j, K, f, way))
    for way in ("none", "rotation", "optimal", "push")
}


@pytest.mark.parametrize("size", SETS)
@pytest.mark.parametrize("name", SCHEMES)
def test_simulated_sketches(name, size):
    """Mean and variance of the estimate over independent draws of the hash functions; 40 checks share 4 sigma."""
    sketch, options, formula = SCHEMES[name]
    f, shared = SETS[size]
    first, second = (sketch(np.random.default_rng(11), f, mask, *options) for mask in members(f, shared))
    matches = ((first == second) & (first != EMPTY)).sum(axis=1)
    estimate = matches / ((first != EMPTY) | (second != EMPTY)).sum(axis=1)
    jaccard, variance = shared / f, formula(shared / f, f)
    sigmas = norm.isf(norm.sf(4) / (2 * len(SCHEMES) * len(SETS)))
    squared = (estimate - jaccard) ** 2  # its spread is the fourth moment
    assert abs(estimate.mean() - jaccard) < sigmas * np.sqrt(variance / TRIALS)
    assert abs(squared.mean() - variance) < sigmas * squared.std() / np.sqrt(TRIALS)
    if name not in {"classic", "minmax"} and size == "short":  # and the simulation can tell it from classic MinHash
        assert abs(squared.mean() - theory.jaccard_variance(jaccard, K)) > sigmas * squared.std() / np.sqrt(TRIALS)


# -- identities


def test_no_slot_is_empty_in_the_limit():
    """With f far above k, densification has nothing to do, and all ways agree with the undensified sketch."""
    ways = [theory.one_permutation_variance(0.4, 64, 10**6, way) for way in ("none", "rotation", "optimal", "push")]
    assert ways == pytest.approx([ways[0]] * 4, rel=1e-12)
    assert ways[0] == pytest.approx(0.24 / 64 * (1 - 63 / (10**6 - 1)), rel=1e-12)
    assert theory.fast_similarity_sketch_variance(0.4, 64, 10**6) == pytest.approx(ways[0], rel=1e-12)


def test_undensified_by_enumeration():
    """k = 2: one slot is empty with probability 2^(1 - f)."""
    f = np.array([2, 3, 5])
    one = 2.0 ** (1 - f)
    inverse = one + (1 - one) / 2
    expected = 0.25 * (inverse * (1 + 1 / (f - 1)) - 1 / (f - 1))
    assert theory.one_permutation_variance(0.5, 2, f) == pytest.approx(expected, rel=1e-13)


def test_rounds_beyond_the_last_empty_slot_change_nothing():
    many = theory.fast_similarity_sketch_variance(0.5, 64, 500, rounds=64)
    assert theory.fast_similarity_sketch_variance(0.5, 64, 500) == many
    fewer = [theory.fast_similarity_sketch_variance(0.5, 64, 20, rounds=r) for r in (1, 2, 4, 8, 64)]
    assert (np.diff(fewer) < 0).all()


def test_single_slots_and_single_elements():
    for scheme in (
        theory.one_permutation_variance,
        theory.fast_similarity_sketch_variance,
        theory.superminhash_variance,
    ):
        assert scheme(0.3, 1, 20) == pytest.approx(0.21, rel=1e-12)  # one slot: a Bernoulli trial
        assert scheme([0.0, 1.0], 16, 1).tolist() == [0.0, 0.0]
    assert theory.one_permutation_variance([0.0, 1.0], 16, 1, "push").tolist() == [0.0, 0.0]
    for way in ("rotation", "optimal", "push"):
        assert theory.one_permutation_variance(0.3, 1, 20, way) == pytest.approx(0.21, rel=1e-12)


def test_broadcasting_and_scalars():
    jaccard, hashes, union = np.full((2, 1, 1), 0.5), np.array([[16], [32], [64]]), np.array([10, 50, 90, 3000])
    for scheme in (
        theory.superminhash_variance,
        theory.minmax_variance,
        theory.fast_similarity_sketch_variance,
        theory.one_permutation_variance,
    ):
        grid = scheme(jaccard, hashes, union)
        assert grid.shape == (2, 3, 4)
        assert grid[1, 2, 1] == pytest.approx(scheme(0.5, 64, 50), rel=1e-14)
        assert type(scheme(0.5, 64, 50)) is float


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: theory.jaccard_variance(-0.1, 128), ValueError, r"`jaccard` must be in \[0, 1\], got -0.1"),
        (lambda: theory.jaccard_variance(0.5, 0), ValueError, "`num_hashes` must be at least 1, got 0"),
        (lambda: theory.superminhash_alpha(128, 0), ValueError, "`union_size` must be at least 1, got 0"),
        (lambda: theory.superminhash_alpha(128, 9.5), TypeError, "`union_size` must be an integer at least 1"),
        (lambda: theory.minmax_variance(0.5, 127, 9), ValueError, "`num_hashes` must be even for MinMax hash, got 127"),
        (lambda: theory.one_permutation_variance(0.5, 128, 9, "pull"), ValueError, "`densification` must be one of"),
        (
            lambda: theory.fast_similarity_sketch_variance(0.5, 128, 9, rounds=0),
            ValueError,
            "`rounds` must be at least 1, got 0",
        ),
    ],
)
def test_refuses_bad_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()
