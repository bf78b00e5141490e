"""Bandings measured against the S-curve: planted pairs, candidates of a corpus, sweeps, buckets."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import minhash_nb as mnb
from minhash_nb import theory
from minhash_nb.experiments import (
    banding_recall,
    bucket_sizes,
    candidates_predicted_vs_observed,
    parameter_sweep,
)
from minhash_nb.joins import similarity_join

FALSE_ALARM = 1e-3  # of each family of statistical checks


@pytest.fixture(scope="module")
def chapter():
    """Shingles of the chapter-like corpus."""
    return mnb.shingle(mnb.datasets.generate_corpus(1000))


@pytest.fixture(scope="module")
def small():
    return mnb.shingle(mnb.datasets.generate_corpus(150, seed=4))


def all_pairs(shingles):
    pairs = np.stack(np.triu_indices(len(shingles), 1), axis=1)
    return pairs, mnb.exact_jaccard(shingles, pairs)


# -- banding_recall


def test_recall_of_planted_pairs_lies_on_the_s_curve():
    bandings = [mnb.Banding(16, 8), mnb.Banding(32, 4), mnb.Banding(5, 1), mnb.Banding(1, 6)]
    table = banding_recall(bandings, trials=1500, seed=3)
    assert len(table) == 4 * 18
    curve = [theory.s_curve(row.jaccard, row.num_bands, row.rows_per_band) for row in table.itertuples()]
    assert table["theory"].to_list() == curve
    p = [
        min(stats.binom.cdf(found, 1500, chance), stats.binom.sf(found - 1, 1500, chance))
        for found, chance in zip(table["found"], curve, strict=True)
    ]
    assert min(p) > FALSE_ALARM / (2 * len(table))
    assert table["recall"].to_list() == (table["found"] / 1500).to_list()
    low, high = theory.wilson(table["found"].to_numpy(), 1500)
    assert table["low"].to_list() == low.tolist()
    assert table["high"].to_list() == high.tolist()


def test_recall_counts_planted_pairs_only_and_for_every_scheme():
    schemes = [mnb.MinHash(12, seed=1), mnb.FastSimilaritySketch(12, seed=1)]
    table = banding_recall(mnb.Banding(12, 1), [0.02, 0.5], schemes, 100, trials=50, seed=5)
    assert table["scheme"].to_list() == ["FastSimilaritySketch"] * 2 + ["MinHash"] * 2
    assert table["jaccard"].to_list() == [0.02, 0.5] * 2
    for cell, jaccard in enumerate([0.02, 0.5]):
        seed = int(np.random.SeedSequence((5, cell)).generate_state(1, np.uint64)[0])
        shingles, _ = mnb.datasets.pairs_with_jaccard(50, jaccard, 100, seed=seed)
        for scheme in schemes:
            values = np.asarray(mnb.compute_signatures(shingles, scheme))
            found = (values[::2] == values[1::2]).any(axis=1).sum()
            row = table[(table["scheme"] == type(scheme).__name__) & (table["jaccard"] == jaccard)]
            assert row["found"].to_list() == [found]


def test_recall_needs_enough_hashes_and_bands_that_make_sense():
    with pytest.raises(ValueError, match=r"signatures have 16 hashes but Banding\(4, 8\) needs 32"):
        banding_recall(mnb.Banding(4, 8), 0.5, mnb.MinHash(16), trials=3)
    with pytest.raises(ValueError, match="densification"):
        banding_recall(mnb.Banding(4, 8), 0.5, mnb.OnePermutation(32, densification="none"), trials=3)
    with pytest.raises(ValueError, match="`bandings` must hold at least one Banding, got none"):
        banding_recall([])
    with pytest.raises(TypeError, match="`bandings` must be Bandings such as"):
        banding_recall([(16, 8)])


# -- candidates_predicted_vs_observed


def test_candidates_of_a_corpus_are_predicted(chapter):
    bandings = [mnb.Banding(16, 8), mnb.Banding(32, 4), mnb.Banding(8, 16), mnb.Banding(20, 5), mnb.Banding(4, 25)]
    table = candidates_predicted_vs_observed(chapter, bandings, draws=24, seed=2)
    # Student's t with the spread between the draws: all pairs of a corpus share one draw of the hashes.
    assert table["z"].abs().max() < stats.t.isf(FALSE_ALARM / (2 * len(table)), 23)
    _, jaccard = all_pairs(chapter)
    for row, banding in zip(table.itertuples(), bandings, strict=True):
        assert (row.num_bands, row.rows_per_band) == (banding.num_bands, banding.rows_per_band)
        assert row.predicted == pytest.approx(banding.detection_probability(jaccard).sum(), rel=1e-3)
        assert row.z == pytest.approx((row.observed - row.predicted) / (row.spread / 24**0.5))
    # One run would be judged far too harshly by a binomial.
    chance = bandings[0].detection_probability(jaccard)
    assert table["spread"][0] > 2 * np.sqrt((chance * (1 - chance)).sum())


def test_draws_differ_by_their_seed_only(small):
    banding = mnb.Banding(8, 4)
    table = candidates_predicted_vs_observed(small, banding, mnb.FastSimilaritySketch(32), draws=3, seed=9)
    seeds = [int(np.random.SeedSequence((9, draw)).generate_state(1, np.uint64)[0]) for draw in range(3)]
    counts = [
        len(mnb.candidate_pairs(mnb.compute_signatures(small, mnb.FastSimilaritySketch(32, seed=seed)), banding))
        for seed in seeds
    ]
    row = table.iloc[0]
    assert row["scheme"] == "FastSimilaritySketch"
    assert row["observed"] == np.mean(counts)
    assert row["spread"] == pytest.approx(np.std(counts, ddof=1))
    reach = stats.t.isf(0.025, 2) * row["spread"] / 3**0.5
    assert row["high"] - row["low"] == pytest.approx(2 * reach)


def test_no_spread_no_z():
    alike = mnb.ShingleMatrix.from_sets([{1, 2}, {1, 2}, {8}])
    row = candidates_predicted_vs_observed(alike, mnb.Banding(2, 2), draws=2).iloc[0]
    assert (row["predicted"], row["observed"], row["spread"]) == (1.0, 1.0, 0.0)
    assert np.isnan(row["z"])


def test_prediction_refuses():
    with pytest.raises(TypeError, match="`shingles` must be a ShingleMatrix"):
        candidates_predicted_vs_observed(["text"], mnb.Banding(2, 2))
    with pytest.raises(ValueError, match="`draws` must be at least 2, got 1"):
        candidates_predicted_vs_observed(mnb.ShingleMatrix.from_sets([{1}]), mnb.Banding(2, 2), draws=1)


# -- parameter_sweep


def test_sweep_is_what_its_steps_give(small):
    scheme = mnb.MinHash(60, seed=5)
    sweep = parameter_sweep(small, 0.5, [1, 3, 10], [2, 6], scheme)
    truth = {tuple(pair) for pair in similarity_join(small, threshold=0.5)[["i", "j"]].to_numpy()}
    signatures = mnb.compute_signatures(small, scheme)
    assert [(row.num_bands, row.rows_per_band) for row in sweep.itertuples()] == [
        (b, r) for r in (2, 6) for b in (1, 3, 10)
    ]
    for row in sweep.itertuples():
        candidates = mnb.candidate_pairs(signatures, mnb.Banding(row.num_bands, row.rows_per_band))
        found = len(truth & set(map(tuple, candidates)))
        assert row.candidates == len(candidates)
        assert row.recall == found / len(truth)
        assert row.precision == (found / len(candidates) if len(candidates) else 1.0)
        assert row.num_hashes == row.num_bands * row.rows_per_band
        assert row.recall_at_threshold == theory.s_curve(0.5, row.num_bands, row.rows_per_band)
        assert row.counted
        assert row.seconds > 0
        beaten = ((sweep["recall"] >= row.recall) & (sweep["candidates"] < row.candidates)) | (
            (sweep["recall"] > row.recall) & (sweep["candidates"] <= row.candidates)
        )
        assert beaten.any() or row.pareto
        assert not (beaten.any() and row.pareto)


def test_sweep_recall_follows_the_s_curve(chapter):
    truth = similarity_join(chapter, threshold=0.6)
    bandings = [(2, 4), (10, 4), (3, 8), (12, 8)]
    recalls = np.array(
        [
            parameter_sweep(chapter, 0.6, [2, 3, 10, 12], [4, 8], mnb.MinHash(96, seed=seed), truth=truth)
            .set_index(["num_bands", "rows_per_band"])
            .loc[bandings, "recall"]
            for seed in range(24)
        ]
    )
    jaccard = truth["jaccard"].to_numpy()
    expected = [theory.s_curve(jaccard, b, r).mean() for b, r in bandings]
    z = (recalls.mean(axis=0) - expected) / (recalls.std(axis=0, ddof=1) / 24**0.5)
    assert np.abs(z).max() < stats.t.isf(FALSE_ALARM / (2 * len(bandings)), 23)


def test_too_many_candidates_are_estimated(chapter):
    scheme = mnb.MinHash(24, seed=1)
    full = parameter_sweep(chapter, 0.7, [1, 4, 12], [1, 2], scheme)
    part = parameter_sweep(chapter, 0.7, [1, 4, 12], [1, 2], scheme, max_pairs=20_000, seed=3)
    assert full["counted"].all()
    assert part["counted"].to_list() == (full["candidates"] <= 20_000).to_list()
    assert not part["counted"].all()
    assert part["seconds"].isna().to_list() == (~part["counted"]).to_list()
    assert part["recall"].to_list() == full["recall"].to_list()
    pairs = 1000 * 999 / 2
    share = full["candidates"] / pairs
    error = pairs * np.sqrt(share * (1 - share) / 200_000)
    assert ((part["candidates"] - full["candidates"]).abs() <= np.where(part["counted"], 0, 4 * error)).all()


def test_sweep_of_a_corpus_without_true_pairs():
    shingles = mnb.ShingleMatrix.from_sets([{1, 2, 3}, {4, 5, 6}])
    sweep = parameter_sweep(shingles, 0.9, [1, 2], 3)
    assert sweep["recall"].isna().all()
    assert sweep["precision"].eq(1.0).all()
    assert sweep["candidates"].eq(0).all()
    assert len(parameter_sweep(mnb.ShingleMatrix.from_sets([]), 0.9, 2, 3)) == 1


def test_sweep_refuses(small):
    with pytest.raises(ValueError, match=r"signatures have 16 hashes but Banding\(4, 8\) needs 32"):
        parameter_sweep(small, 0.5, [2, 4], [4, 8], mnb.MinHash(16))
    with pytest.raises(ValueError, match=r"`threshold` must be in \(0, 1\], got 1.5"):
        parameter_sweep(small, 1.5)
    with pytest.raises(ValueError, match="`num_bands` must be at least 1, got 0"):
        parameter_sweep(small, 0.5, [0, 1])
    with pytest.raises(TypeError, match="`shingles` must be a ShingleMatrix"):
        parameter_sweep(["text"])
    with pytest.raises(ValueError, match="`truth` must hold positions from 0 to 149, got 150"):
        parameter_sweep(small, 0.5, 2, 3, truth=[(0, 150)])


# -- bucket_sizes


def test_buckets_by_hand(small):
    signatures = mnb.compute_signatures(small, mnb.MinHash(12, seed=3))
    table = bucket_sizes(signatures, [mnb.Banding(4, 3), mnb.Banding(6, 2)])
    values = np.asarray(signatures)
    for bands, rows in ((4, 3), (6, 2)):
        sizes = Counter()
        for band in range(bands):
            sizes.update(Counter(map(tuple, values[:, band * rows : (band + 1) * rows])).values())
        part = table[(table["num_bands"] == bands) & (table["rows_per_band"] == rows)]
        assert dict(zip(part["size"], part["buckets"], strict=True)) == dict(sorted(sizes.items()))
        assert (part["size"] * part["buckets"]).sum() == bands * len(small)
        assert part["pairs"].to_list() == (part["buckets"] * part["size"] * (part["size"] - 1) // 2).to_list()


def test_empty_documents_are_in_no_bucket():
    shingles = mnb.ShingleMatrix.from_sets([set(), set(), {1}])
    table = bucket_sizes(mnb.compute_signatures(shingles, mnb.MinHash(4)), mnb.Banding(2, 2))
    assert table[["size", "buckets"]].to_numpy().tolist() == [[1, 2]]
    with pytest.raises(ValueError, match=r"Banding\(3, 2\) needs 6"):
        bucket_sizes(mnb.compute_signatures(shingles, mnb.MinHash(4)), mnb.Banding(3, 2))


def test_tables_are_seeded(small):
    for run in (
        lambda: banding_recall(mnb.Banding(4, 4), [0.5, 0.9], trials=20, seed=1),
        lambda: candidates_predicted_vs_observed(small, mnb.Banding(4, 4), draws=2, seed=1),
        lambda: parameter_sweep(small, 0.5, [1, 2], 3).drop(columns="seconds"),
    ):
        pd.testing.assert_frame_equal(run(), run())
