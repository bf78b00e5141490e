"""Bias and spread of every scheme against theory, over sizes, similarities and kinds of ids."""

from itertools import product

import numpy as np
import planted
import pytest
from test_statistics import PATTERNS, SIZES

import minhash_nb as mnb
from minhash_nb import theory

K = 128
SEEDS = 60
CELLS = planted.cells()
PAIRS = [{1000: 25, 5000: 6}.get(union, 60) for union, _ in CELLS]
SCHEMES = {
    "multiply-add": lambda seed: mnb.MinHash(K, seed),
    "mersenne31": lambda seed: mnb.MinHash(K, seed, family="mersenne31"),
    "fast similarity, 4 rounds": lambda seed: mnb.FastSimilaritySketch(K, seed),
    "fast similarity, 1 round": lambda seed: mnb.FastSimilaritySketch(K, seed, rounds=1),
    "fast similarity, all rounds": lambda seed: mnb.FastSimilaritySketch(K, seed, rounds=K),
    "superminhash": lambda seed: mnb.SuperMinHash(K, seed),
    "one permutation, none": lambda seed: mnb.OnePermutation(K, seed, "none"),
    "one permutation, rotation": lambda seed: mnb.OnePermutation(K, seed, "rotation"),
    "one permutation, optimal": lambda seed: mnb.OnePermutation(K, seed, "optimal"),
    "one permutation, push": lambda seed: mnb.OnePermutation(K, seed, "push"),
}
# mersenne31 does not mix the ids: its bias on consecutive ones is asserted in test_statistics.
CASES = [*product(("random", "consecutive"), SCHEMES)]
CASES.remove(("consecutive", "mersenne31"))
# Bias and variance in every cell, and over all cells of a case.
BOUND = planted.bound(len(CASES) * 2 * (len(CELLS) + 1), SEEDS)


@pytest.fixture(scope="module")
def measured():
    """Mean error and mean squared error by seed and cell, both (SEEDS, cells), for every case."""
    results = {case: np.empty((2, SEEDS, len(CELLS))) for case in CASES}
    for ids in ("random", "consecutive"):
        for seed in range(SEEDS):
            shingles, pairs, cell = planted.plant(CELLS, PAIRS, np.random.default_rng([seed, len(ids)]), ids)
            jaccard = planted.similarity(CELLS)[cell]
            for name in (name for kind, name in CASES if kind == ids):
                signatures = mnb.compute_signatures(shingles, SCHEMES[name](seed))
                error = mnb.estimate_jaccard(signatures, pairs) - jaccard
                results[ids, name][:, seed] = planted.by_cell(error, cell), planted.by_cell(error**2, cell)
    return results


def variances(name):
    union, _ = np.array(CELLS).T
    return SCHEMES[name](0).variance(planted.similarity(CELLS), union)


def all_scores(errors, squares, variance):
    """Return the scores of bias and of variance, the last over all cells (each in units of its variance)."""
    bias, ratio = errors / np.sqrt(variance / PAIRS), squares / variance
    return (
        planted.scores(np.column_stack((bias, bias.mean(axis=1))), 0.0),
        planted.scores(np.column_stack((ratio, ratio.mean(axis=1))), 1.0),
    )


@pytest.mark.parametrize(("ids", "name"), CASES)
def test_unbiased_with_the_variance_of_theory(measured, ids, name):
    bias, spread = all_scores(*measured[ids, name], variances(name))
    where = [*CELLS, "all"]
    assert np.abs(bias).max() < BOUND, f"bias at {where[np.abs(bias).argmax()]}"
    assert np.abs(spread).max() < BOUND, f"variance at {where[np.abs(spread).argmax()]}"


@pytest.mark.parametrize(("ids", "name"), CASES)
def test_bounds_tell_the_schemes_apart(measured, ids, name):
    """The same bounds refuse the variance of another kind of scheme, and a bias of one in a hundred slots."""
    errors, squares = measured[ids, name]
    classic = name in {"multiply-add", "mersenne31"}
    wrong = variances("fast similarity, 4 rounds" if classic else "multiply-add")
    assert np.abs(all_scores(errors, squares, wrong)[1]).max() > BOUND
    assert np.abs(all_scores(errors + 0.01, squares, variances(name))[0]).max() > BOUND


def test_few_rounds_have_nearly_the_spread_of_all(measured):
    """From 60 shingles in the union, 4 rounds are within 5 % of the paper's schedule, and in the data as well."""
    union, _ = np.array(CELLS).T
    few, every = variances("fast similarity, 4 rounds"), variances("fast similarity, all rounds")
    assert (few / every)[union >= 60].max() < 1.05
    _, few_squares = measured["random", "fast similarity, 4 rounds"]
    _, every_squares = measured["random", "fast similarity, all rounds"]
    ratio = (few_squares / few - every_squares / every).mean(axis=1)  # on the same pairs
    assert abs(planted.scores(ratio, 0.0)) < planted.bound(1, SEEDS)


# -- intervals

COVERED = planted.cells((10, 60, 300), (0.3, 0.5, 0.8))
BINOMIAL = [name for name in SCHEMES if SCHEMES[name](0).at_most_binomial]


@pytest.mark.parametrize("name", BINOMIAL)
def test_intervals_cover_the_truth(name):
    """Clopper-Pearson intervals hold it in 95 % of the cases at least, also those of signatures of few bits."""
    bits = (32, 8, 1) if SCHEMES[name](0).bandable else (32,)
    covered = np.empty((SEEDS, len(bits), len(COVERED)))
    for seed in range(SEEDS):
        shingles, pairs, cell = planted.plant(COVERED, 60, np.random.default_rng([5, seed]))
        jaccard = planted.similarity(COVERED)[cell]
        signatures = mnb.compute_signatures(shingles, SCHEMES[name](seed))
        for at, kept in enumerate(bits):
            found = mnb.estimate_jaccard(signatures if kept == 32 else signatures.truncate(kept), pairs, interval=0.95)
            held = (found["low"] <= jaccard) & (jaccard <= found["high"])
            covered[seed, at] = planted.by_cell(held, cell)
            assert ((found["low"] < found["high"]) & (found["estimate"] <= found["high"])).all()
    independent = np.sqrt(0.95 * 0.05 / (SEEDS * 60))  # no cell of less spread than that is wrongly trusted
    error = np.maximum(covered.std(axis=0, ddof=1) / np.sqrt(SEEDS), independent)
    bound = planted.bound(3 * len(BINOMIAL) * len(COVERED), SEEDS, sides=1)
    assert ((covered.mean(axis=0) - 0.95) / error > -bound).all()


@pytest.mark.parametrize("name", [name for name in SCHEMES if name not in BINOMIAL])
def test_no_intervals_where_the_spread_may_exceed_the_binomial(name):
    signatures = mnb.sign_texts(["a text", "another"], SCHEMES[name](1))
    with pytest.raises(ValueError, match=r"`interval` needs a scheme .*: use FastSimilaritySketch or MinHash"):
        mnb.estimate_jaccard(signatures, [(0, 1)], interval=0.95)
    assert name in {"one permutation, rotation", "one permutation, optimal", "one permutation, push"}


# -- fixed sets of ids with a pattern, new hash functions every time

FIXED = [*product(PATTERNS, SIZES)]
DRAWS = 200


@pytest.mark.parametrize("name", [name for name in SCHEMES if name not in {"multiply-add", "mersenne31"}])
def test_sketches_of_ids_of_any_kind(name):
    """All that is random are the hash functions, and it is enough (classic families: see test_statistics)."""
    sets, jaccard, union = [], [], []
    for pattern, (size, shared) in FIXED:
        ids = [PATTERNS[pattern](x) for x in range(size)]
        middle = (size - shared) // 2
        sets += [ids[: middle + shared], ids[middle:]]
        jaccard.append(shared / size)
        union.append(size)
    shingles = mnb.ShingleMatrix.from_sets(sets)
    pairs = np.arange(len(sets)).reshape(-1, 2)
    error = np.array(
        [
            mnb.estimate_jaccard(mnb.compute_signatures(shingles, SCHEMES[name](seed)), pairs) - jaccard
            for seed in range(DRAWS)
        ]
    )
    variance = SCHEMES[name](0).variance(np.array(jaccard), np.array(union))
    limit = planted.bound(2 * len(FIXED) * (len(SCHEMES) - 2), DRAWS)
    assert np.abs(planted.scores(error, 0.0)).max() < limit
    assert np.abs(planted.scores(error**2, variance)).max() < limit


# -- correlation between slots

CORRELATED = (300, 150)


def matches(scheme_of, seeds=100, num_pairs=200):
    """Return which slots agree, bool (seeds, num_pairs, K), for pairs of J = 1/2 and 300 shingles in the union."""
    result = np.empty((seeds, num_pairs, K), dtype=bool)
    for seed in range(seeds):
        shingles, pairs, _ = planted.plant([CORRELATED], num_pairs, np.random.default_rng([9, seed]))
        values = mnb.compute_signatures(shingles, scheme_of(seed)).values
        result[seed] = values[pairs[:, 0]] == values[pairs[:, 1]]
    return result


def correlations(agree):
    """Return the correlation (J = 1/2) of every two slots by seed, (seeds, K * (K - 1) / 2)."""
    signs = np.where(agree, 1.0, -1.0)
    products = np.einsum("spi,spj->sij", signs, signs, optimize=True) / agree.shape[1]
    return products[:, *np.triu_indices(K, 1)]


@pytest.mark.parametrize("name", ["multiply-add", "mersenne31"])
def test_slots_of_classic_families_are_uncorrelated(name):
    found = correlations(matches(SCHEMES[name]))
    seeds, pairs_of_slots = found.shape
    assert np.abs(planted.scores(found, 0.0)).max() < planted.bound(pairs_of_slots + 1, seeds)
    assert abs(planted.scores(found.mean(axis=1), 0.0)) < planted.bound(pairs_of_slots + 1, seeds)


def test_slots_of_fast_similarity_sketches_are_negatively_correlated():
    found = correlations(matches(SCHEMES["fast similarity, 4 rounds"])).mean(axis=1)
    ratio = theory.fast_similarity_sketch_variance(0.5, K, 300, 4) / theory.jaccard_variance(0.5, K)
    expected = (ratio - 1) / (K - 1)
    assert abs(planted.scores(found, expected)) < planted.bound(1, len(found))
    assert planted.scores(found, 0.0) < -planted.bound(1, len(found))
