"""Estimates measured against their theory: bias, spread, coverage, cost."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import minhash_nb as mnb
from minhash_nb import theory
from minhash_nb.experiments import estimator_error, interval_coverage, scheme_comparison

FALSE_ALARM = 1e-3  # of each family of statistical checks
SCHEMES = [
    mnb.MinHash(64, seed=11),
    mnb.FastSimilaritySketch(64, seed=12),
    mnb.SuperMinHash(64, seed=13),
    *(mnb.OnePermutation(64, seed=14, densification=way) for way in ("none", "push", "optimal", "rotation")),
]


def threshold_for(cells):
    """Two-sided normal bound that a family of so many true hypotheses breaks with probability `FALSE_ALARM`."""
    return stats.norm.isf(FALSE_ALARM / (2 * cells))


def log_error(low, high):
    """Standard error of a logarithm from its 95 % interval."""
    return (np.log(high) - np.log(low)) / (2 * stats.norm.ppf(0.975))


# -- estimator_error


@pytest.fixture(scope="module")
def errors():
    return estimator_error(SCHEMES, jaccard=[0.2, 0.5, 0.8], union_size=[30, 300], trials=3000, seed=1)


def test_bias_and_spread_follow_theory(errors):
    bound = threshold_for(2 * len(errors))
    assert (errors["bias"].abs() < bound * errors["bias_error"]).all()
    deviation = np.log(errors["variance_ratio"] / errors["ratio_theory"]) / log_error(
        errors["ratio_low"], errors["ratio_high"]
    )
    assert deviation.abs().max() < bound


def test_columns_agree_with_each_other(errors):
    assert errors["trials"].eq(3000).all()
    assert errors["ids"].eq("random").all()
    classic = theory.jaccard_variance(errors["jaccard"].to_numpy(), 64)
    np.testing.assert_allclose(errors["theory"] ** 2 / classic, errors["ratio_theory"])
    square = errors["variance_ratio"] * classic * 2999 / 3000 + errors["bias"] ** 2
    np.testing.assert_allclose(errors["error"] ** 2, square)
    np.testing.assert_allclose(errors["bias_error"] ** 2 * 3000, errors["variance_ratio"] * classic)
    for low, value, high in (("low", "error", "high"), ("ratio_low", "variance_ratio", "ratio_high")):
        assert (errors[low] < errors[value]).all()
        assert (errors[value] < errors[high]).all()


def test_one_cell_by_hand():
    scheme = mnb.MinHash(32, seed=5)
    row = estimator_error(scheme, jaccard=0.33, union_size=10, trials=40, seed=7).iloc[0]
    seed = int(np.random.SeedSequence((7, 0)).generate_state(1, np.uint64)[0])
    shingles, pairs = mnb.datasets.pairs_with_jaccard(40, 0.33, 10, seed=seed)
    estimate = mnb.estimate_jaccard(mnb.compute_signatures(shingles, scheme), pairs)
    assert row["jaccard"] == 0.3  # of 10 ids 3 are shared
    assert row["bias"] == pytest.approx(estimate.mean() - 0.3)
    assert row["error"] == pytest.approx(np.sqrt(np.mean((estimate - 0.3) ** 2)))
    assert row["variance_ratio"] == pytest.approx(estimate.var(ddof=1) / (0.3 * 0.7 / 32))


def test_intervals_of_the_error_hold():
    """The 95 % intervals of 200 independent cells hold the stated error in 90 % of them or more."""
    cells = [
        estimator_error(mnb.MinHash(32, seed=s), 0.5, 60, trials=200, seed=s)[["low", "high", "theory"]].iloc[0]
        for s in range(200)
    ]
    held = sum(cell["low"] <= cell["theory"] <= cell["high"] for cell in cells)
    assert stats.binom.sf(held, 200, 0.95) > FALSE_ALARM / 2
    assert stats.binom.cdf(held, 200, 0.95) > FALSE_ALARM / 2


def test_truncated_slots_follow_theory():
    table = estimator_error(SCHEMES[:3], [0.2, 0.6], 100, trials=3000, seed=2, bits=[1, 2, 4, 8])
    assert table["bits"].to_list() == [1, 2, 4, 8] * 6
    classic = table[table["scheme"] == "MinHash"]
    for row in classic.itertuples():
        assert row.theory**2 == pytest.approx(theory.bbit_variance(row.jaccard, 64, row.bits))
    bound = threshold_for(2 * len(table))
    assert (table["bias"].abs() < bound * table["bias_error"]).all()
    deviation = np.log(table["variance_ratio"] / table["ratio_theory"]) / log_error(
        table["ratio_low"], table["ratio_high"]
    )
    assert deviation.abs().max() < bound


def test_copied_slots_have_no_theory_of_chance_matches():
    table = estimator_error(mnb.OnePermutation(64), 0.5, 100, trials=10, bits=[32, 4])
    assert table["theory"].isna().to_list() == [False, True]


def test_unmixed_hashes_are_biased_on_consecutive_ids():
    """The known -.05 at J = 1/3 of linear hashing on runs of integers; mixing removes it."""
    options = {"jaccard": 1 / 3, "union_size": 300, "trials": 1000, "ids": "consecutive", "seed": 3}
    weak = estimator_error(mnb.MinHash(256, family="mersenne31"), **options).iloc[0]
    mixed = estimator_error(mnb.MinHash(256), **options).iloc[0]
    assert weak["scheme"] == "MinHash(family='mersenne31')"
    assert weak["bias"] == pytest.approx(-0.05, abs=0.01)
    assert abs(mixed["bias"]) < 4 * mixed["bias_error"]


def test_certain_similarities_have_no_error():
    table = estimator_error(mnb.MinHash(16), [0.0, 1.0], 40, trials=20)
    assert table["jaccard"].to_list() == [0.0, 1.0]
    assert (table[["bias", "error", "low", "high", "theory"]] == 0.0).all(axis=None)
    assert table["variance_ratio"].isna().all()


def test_cells_are_seeded_and_do_not_depend_on_each_other():
    both = estimator_error(SCHEMES[:2], [0.4, 0.6], 50, trials=30, seed=9)
    first = estimator_error(SCHEMES[1], 0.4, 50, trials=30, seed=9)
    pd.testing.assert_frame_equal(both.iloc[[1]].reset_index(drop=True), first)
    other = estimator_error(SCHEMES[1], 0.4, 50, trials=30, seed=10)
    assert other["bias"].iloc[0] != first["bias"].iloc[0]


# -- interval_coverage


def test_coverage_is_what_the_binomial_says():
    table = interval_coverage(mnb.MinHash(64, seed=3), trials=2000, seed=4)
    assert len(table) == 2 * 19
    for row in table.itertuples():
        assert row.theory == theory.interval_coverage(row.method, 64, row.jaccard)
    counts = (table["coverage"] * 2000).round().astype(int)
    p = [
        min(stats.binom.cdf(count, 2000, chance), stats.binom.sf(count - 1, 2000, chance))
        for count, chance in zip(counts, table["theory"], strict=True)
    ]
    assert min(p) > FALSE_ALARM / (2 * len(table))
    assert (table.loc[table["method"] == "clopper-pearson", "theory"] >= 0.95).all()
    assert (table["low"] <= table["coverage"]).all()
    assert (table["coverage"] <= table["high"]).all()


def test_schemes_that_spread_less_cover_more():
    table = interval_coverage([mnb.FastSimilaritySketch(64), mnb.SuperMinHash(64)], [0.3, 0.7], 50, trials=1000)
    assert (table["coverage"] > table["theory"]).all()


def test_coverage_counts_the_intervals_of_estimate_jaccard():
    scheme = mnb.MinHash(48, seed=1)
    row = interval_coverage(scheme, 0.6, 100, trials=300, seed=2, methods="clopper-pearson", confidence=0.8).iloc[0]
    seed = int(np.random.SeedSequence((2, 0)).generate_state(1, np.uint64)[0])
    shingles, pairs = mnb.datasets.pairs_with_jaccard(300, 0.6, 100, seed=seed)
    ends = mnb.estimate_jaccard(mnb.compute_signatures(shingles, scheme), pairs, interval=0.8)
    assert row["coverage"] == ends["low"].le(0.6).mul(ends["high"].ge(0.6)).mean()
    assert row["width"] == pytest.approx((ends["high"] - ends["low"]).mean())
    assert row["confidence"] == 0.8


# -- scheme_comparison


def test_comparison_adds_the_cost():
    schemes = [mnb.MinHash(64), mnb.FastSimilaritySketch(64)]
    options = {"jaccard": [0.4, 0.5], "union_size": [40, 80], "trials": 50, "seed": 6, "bits": [32, 1]}
    table = scheme_comparison(schemes, **options)
    errors = estimator_error(schemes, **options)
    pd.testing.assert_frame_equal(table[errors.columns], errors)
    assert table["bytes_per_document"].to_list() == [256.0, 8.0] * 8
    assert (table["nanoseconds"] > 0).all()


def test_comparison_by_default_has_every_kind():
    table = scheme_comparison(union_size=30, trials=5)
    kinds = ["MinHash", "FastSimilaritySketch", "OnePermutation", "SuperMinHash"]
    assert list(zip(table["scheme"], table["num_hashes"], strict=True)) == list(product(kinds, [32, 128, 512]))


@pytest.mark.parametrize("function", [estimator_error, interval_coverage, scheme_comparison])
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"schemes": []}, ValueError, "`schemes` must hold at least one scheme"),
        ({"schemes": mnb.MinHash}, TypeError, "`scheme` must be a scheme such as MinHash"),
        ({"schemes": [mnb.MinHash(8), 8]}, TypeError, "`scheme` must be a scheme such as MinHash"),
        ({"jaccard": []}, ValueError, "`jaccard` must hold at least one value, got none"),
        ({"jaccard": 1.5}, ValueError, "`jaccard` must be numbers in [0, 1], got 1.5"),
        ({"union_size": 0}, ValueError, "`union_size` must be integers from 1 to 2**31, got 0"),
        ({"trials": 0}, ValueError, "`trials` must be at least"),
    ],
)
def test_bad_arguments(function, arguments, error, message):
    with pytest.raises(error) as caught:
        function(**{"schemes": mnb.MinHash(8), "trials": 4, **arguments})
    assert str(caught.value).startswith(message)


def test_bad_options():
    with pytest.raises(ValueError, match="`methods` must be one of"):
        interval_coverage(mnb.MinHash(8), methods="normal")
    with pytest.raises(ValueError, match="`bits` must be one of"):
        estimator_error(mnb.MinHash(8), trials=4, bits=3)
