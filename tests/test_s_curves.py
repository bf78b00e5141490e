"""How often planted pairs become candidates: the textbook's S-curve, and where sketches leave it."""

import ideal_sketches as ideal
import numpy as np
import planted
import pytest
from numpy.random import default_rng
from scipy.stats import norm, poisson

import minhash_nb as mnb

SEEDS = 60


def measure(scheme_of, banding, cells, num_pairs):
    """Return the share of candidates by seed and cell; `num_pairs` of each cell for every seed."""
    shares, strays = np.empty((SEEDS, len(cells))), 0
    for seed in range(SEEDS):
        shingles, pairs, cell = planted.plant(cells, num_pairs, default_rng([77, seed]))
        signatures = mnb.compute_signatures(shingles, scheme_of(seed))
        found = mnb.candidate_pairs(signatures, banding)
        planted_keys, keys = (array @ [len(signatures), 1] for array in (pairs, found))
        hit = np.isin(planted_keys, keys)
        strays += len(found) - hit.sum()
        shares[seed] = planted.by_cell(hit, cell)
    # Unrelated documents agree in a band only if some 32 bits do; with rotation that may be one value and its copies.
    chances = SEEDS * (len(shingles) ** 2 / 2) * banding.num_bands
    assert strays <= poisson.isf(norm.sf(4), chances / 2**32)
    return shares


def errors_of(shares, num_pairs, expected):
    """Return the standard error of the mean share: from the seeds, and no less than that of independent pairs."""
    binomial = np.sqrt(expected * (1 - expected) / (SEEDS * num_pairs))
    return np.maximum(shares.std(axis=0, ddof=1) / np.sqrt(SEEDS), binomial)


BANDING = mnb.Banding(16, 8)
TRIALS = 4000
SCHEMES = {
    "multiply-add": (lambda seed: mnb.MinHash(128, seed), None),
    "mersenne31": (lambda seed: mnb.MinHash(128, seed, family="mersenne31"), None),
    "4 rounds": (lambda seed: mnb.FastSimilaritySketch(128, seed), lambda *args: ideal.fast_similarity(*args, 4)),
    "all rounds": (
        lambda seed: mnb.FastSimilaritySketch(128, seed, rounds=128),
        lambda *args: ideal.fast_similarity(*args, 128),
    ),
    "superminhash": (lambda seed: mnb.SuperMinHash(128, seed), ideal.super_minhash),
    "rotation": (lambda seed: mnb.OnePermutation(128, seed, "rotation"), ideal.rotation),
    "optimal": (lambda seed: mnb.OnePermutation(128, seed, "optimal"), ideal.optimal),
    "push": (lambda seed: mnb.OnePermutation(128, seed, "push"), ideal.push),
}
CELLS = planted.cells((10, 50, 200), (0.5, 0.6, 0.7, 0.8, 0.9))


def ideal_shares(sketch, cells, banding):
    """Share of ideal sketches with a band whose slots all keep shared elements, by cell."""
    rng, expected = default_rng(5), np.zeros(len(cells))
    for union in dict.fromkeys(union for union, _ in cells):
        for _ in range(TRIALS // 1000):
            kept = sketch(rng, 1000, union, banding.num_hashes)
            bands = kept.reshape(1000, banding.num_bands, banding.rows_per_band).max(axis=2)
            for at, cell in enumerate(cells):
                if cell[0] == union:
                    expected[at] += (bands < cell[1]).any(axis=1).sum()
    return (expected + 1) / (TRIALS + 2)  # never quite 0 or 1, so that neither is the error


@pytest.mark.parametrize("name", SCHEMES)
def test_planted_pairs_are_found_as_often_as_expected(name):
    """Classic families by the textbook's formula, sketches like the ideal ones."""
    scheme_of, sketch = SCHEMES[name]
    share = measure(scheme_of, BANDING, CELLS, num_pairs=100)
    if sketch is None:
        expected, error = BANDING.detection_probability(planted.similarity(CELLS)), 0.0
    else:
        expected = ideal_shares(sketch, CELLS, BANDING)
        error = np.sqrt(expected * (1 - expected) / TRIALS)
    score = (share.mean(axis=0) - expected) / np.hypot(errors_of(share, 100, expected), error)
    assert np.abs(score).max() < planted.bound(len(SCHEMES) * len(CELLS), SEEDS)


def test_curve_of_fast_similarity_is_steeper_than_the_textbook_s():
    """16 bands of 8, 50 ids in the union: fewer candidates at J = .5, more at .8 (.957 where the formula has .947)."""
    low, high = measure(SCHEMES["4 rounds"][0], BANDING, [(50, 25), (50, 40)], num_pairs=1400).T
    assert planted.scores(low, BANDING.detection_probability(0.5)) < -planted.bound(2, SEEDS, sides=1)
    assert planted.scores(high, BANDING.detection_probability(0.8)) > planted.bound(2, SEEDS, sides=1)


def test_rotation_has_no_s_curve():
    """Its neighbouring slots copy one value, so short documents agree in whole bands: .9 where the formula has .06."""
    share = measure(SCHEMES["rotation"][0], BANDING, [(50, 25)], num_pairs=100)
    assert BANDING.detection_probability(0.5) < 0.07
    assert share.mean() > 0.9


# -- the promise of the default scheme


@pytest.mark.parametrize("threshold", [0.5, 0.6, 0.7, 0.8, 0.9])
def test_recall_at_the_threshold_is_kept(threshold):
    """Pairs exactly at the threshold become candidates with the probability asked for, or a greater one."""
    banding = mnb.Banding.for_recall(threshold, recall=0.95)
    sizes = [size for size in (5, 10, 20, 50, 200, 1000) if round(threshold * size, 9).is_integer()]
    cells = [(size, round(threshold * size)) for size in sizes]
    shares = measure(
        lambda seed: mnb.FastSimilaritySketch(banding.num_hashes, seed),
        banding,
        cells,
        [80 if size == 1000 else 300 for size in sizes],
    )
    assert (planted.scores(shares, 0.95) > -planted.bound(26, SEEDS, sides=1)).all()
