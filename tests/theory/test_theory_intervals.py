"""Confidence intervals, their exact coverage, and the power of a signature threshold."""

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln
from scipy.stats import binom, binomtest

from minhash_nb import theory

METHODS = {"clopper-pearson": theory.clopper_pearson, "wilson": theory.wilson}
SIZES = st.integers(1, 2000)


@st.composite
def outcomes(draw):
    k = draw(SIZES)
    return draw(st.integers(0, k)), k


def extreme_coverages(method, k, low, high):
    """Least and greatest coverage over all J in [low, high].

    The x whose interval holds J change only at the ends of intervals. In between, with x from x1 to x2, coverage
    rises and then falls, with its top where C(k-1, x1-1) / C(k-1, x2) = (J / (1 - J))^(x2 - x1 + 1). So it
    is enough to look at the tops and on both sides of the ends.
    """
    lows, highs = METHODS[method](np.arange(k + 1), k)
    ends = np.unique(np.clip(np.concatenate([lows, highs, [low, high]]), low, high))
    middle = (ends[1:] + ends[:-1]) / 2
    x1, x2 = np.searchsorted(highs, middle), np.searchsorted(lows, middle, side="right") - 1
    inner = (x1 > 0) & (x2 < k)
    x1, x2 = x1[inner], x2[inner]
    log_ratio = gammaln(x2 + 1) + gammaln(k - x2) - gammaln(x1) - gammaln(k - x1 + 1)
    tops = 1 / (1 + np.exp(-log_ratio / (x2 - x1 + 1)))
    places = np.concatenate([ends, np.nextafter(ends, -1), np.nextafter(ends, 2), tops])
    coverage = theory.interval_coverage(method, k, np.clip(places, low, high))
    return coverage.min(), coverage.max()


def test_the_chapters_estimate():
    """99 of 128 values agree where the similarity is 23/33: high, but inside both intervals."""
    exact, score = theory.clopper_pearson(99, 128), theory.wilson(99, 128)
    assert np.round(exact, 3).tolist() == [0.691, 0.843]
    assert np.round(score, 3).tolist() == [0.694, 0.837]
    assert exact[0] < score[0] < 23 / 33
    assert round(theory.power(99 / 128, 23 / 33, 128), 3) == 0.034
    deviations = (99 / 128 - 23 / 33) / np.sqrt(theory.jaccard_variance(23 / 33, 128))
    assert round(deviations, 2) == 1.88


@settings(deadline=None)
@given(outcomes(), st.floats(0.01, 0.999))
def test_agrees_with_scipy(outcome, confidence):
    x, k = outcome
    test = binomtest(x, k)
    for method, name in ((theory.clopper_pearson, "exact"), (theory.wilson, "wilson")):
        assert method(x, k, confidence) == pytest.approx(test.proportion_ci(confidence, name), rel=1e-9, abs=1e-12)


@settings(deadline=None)
@given(SIZES, st.floats(0.01, 0.999))
def test_edges_are_exact(k, confidence):
    for method in METHODS.values():
        assert method(0, k, confidence)[0] == 0.0
        assert method(k, k, confidence)[1] == 1.0


@settings(deadline=None)
@given(outcomes(), st.floats(0.5, 0.99))
def test_intervals_hold_the_estimate_and_nest(outcome, confidence):
    x, k = outcome
    for method in METHODS.values():
        low, high = method(x, k, confidence)
        wider_low, wider_high = method(x, k, confidence + 0.005)
        assert 0 <= wider_low <= low <= x / k <= high <= wider_high <= 1
        mirrored = method(k - x, k, confidence)
        assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [1, 16, 100, 128])
def test_coverage_is_the_sum_of_binomial_probabilities(method, k):
    x = np.arange(k + 1)
    lows, highs = METHODS[method](x, k, 0.9)
    jaccard = np.concatenate([np.linspace(0, 1, 501), lows, highs])  # the ends belong to their interval
    inside = (lows <= jaccard[:, None]) & (jaccard[:, None] <= highs)
    summed = (binom.pmf(x, k, jaccard[:, None]) * inside).sum(axis=1)
    assert theory.interval_coverage(method, k, jaccard, 0.9) == pytest.approx(summed, abs=1e-12)


def test_clopper_pearson_covers_everywhere():
    """Exactly, for every k from 16 to 1,024 and every J: never less than it says."""
    for k in range(16, 1025):
        assert extreme_coverages("clopper-pearson", k, 0.0, 1.0)[0] >= 0.95


def test_wilson_covers_about_right_once_there_are_enough_hashes():
    """Exactly, between .93 and .97 for J in [.05, .95] from k = 140 and for J in [.1, .9] from k = 56 on."""
    for k in range(56, 1025):
        least, most = extreme_coverages("wilson", k, 0.1, 0.9)
        assert least >= 0.93
        assert most <= 0.97
        if k >= 140:
            least, most = extreme_coverages("wilson", k, 0.05, 0.95)
            assert least >= 0.93
            assert most <= 0.97


def test_wilson_with_few_hashes():
    """Where that ends: the last k that miss it, and how far off 16 and 128 hashes are."""
    assert extreme_coverages("wilson", 139, 0.05, 0.95)[1] > 0.97
    assert extreme_coverages("wilson", 115, 0.05, 0.95)[0] < 0.93
    assert extreme_coverages("wilson", 55, 0.1, 0.9)[0] < 0.93
    assert np.round(extreme_coverages("wilson", 16, 0.05, 0.95), 3).tolist() == [0.916, 0.982]
    assert np.round(extreme_coverages("wilson", 128, 0.05, 0.95), 4).tolist() == [0.9327, 0.9709]


@settings(deadline=None)
@given(outcomes(), st.floats(0, 1))
def test_power_is_the_binomial_tail(outcome, jaccard):
    """Also at thresholds x / k, which as floats may fall on either side."""
    x, k = outcome
    assert theory.power(x / k, jaccard, k) == pytest.approx(binom.sf(x - 1, k, jaccard), rel=1e-9, abs=1e-300)


def test_power_survives_rounding():
    """0.07 * 100 = 7.000000000000001 must ask for 7 matches, not 8; 29 / 100 and its neighbours for 29."""
    assert 0.07 * 100 > 7
    assert theory.power(0.07, 0.05, 100) == pytest.approx(binom.sf(6, 100, 0.05))
    for threshold in (0.29, np.nextafter(0.29, 0), np.nextafter(0.29, 1)):
        assert theory.power(threshold, 0.3, 100) == pytest.approx(binom.sf(28, 100, 0.3))
    assert theory.power(0.291, 0.3, 100) == pytest.approx(binom.sf(29, 100, 0.3))


def test_power_at_the_ends():
    assert theory.power(0.0, [0.0, 0.4, 1.0], 64).tolist() == [1.0, 1.0, 1.0]
    assert theory.power(1.0, [0.0, 0.5, 1.0], 64).tolist() == [0.0, 0.5**64, 1.0]


def test_hashes_for_error():
    assert theory.hashes_for_error(0.05) == 385
    assert theory.hashes_for_error([0.1, 0.05, 0.01]).tolist() == [97, 385, 9604]
    assert theory.hashes_for_error(0.05, [0.0, 0.5, 1.0]).tolist() == [1, 385, 1]
    for confidence in (0.8, 0.99):
        k = theory.hashes_for_error(0.02, 0.3, confidence)
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        assert z * np.sqrt(0.21 / (k - 1)) > 0.02 >= z * np.sqrt(0.21 / k)


def test_shapes_and_scalars():
    low, high = theory.wilson([[3], [5]], [8, 16, 32])
    assert low.shape == high.shape == (2, 3)
    assert [type(end) for end in theory.clopper_pearson(3, 8)] == [float, float]
    assert type(theory.interval_coverage("wilson", 16, 0.5)) is float
    assert type(theory.power(0.5, 0.5, 16)) is float
    assert type(theory.hashes_for_error(0.1)) is int


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: theory.wilson(9, 8), ValueError, "`matches` must be at most `num_hashes`, got 9 of 8"),
        (lambda: theory.clopper_pearson(-1, 8), ValueError, "`matches` must be at least 0, got -1"),
        (lambda: theory.clopper_pearson(1.0, 8), TypeError, "`matches` must be an integer at least 0"),
        (lambda: theory.wilson(1, 8, 1.0), ValueError, r"`confidence` must be in \(0, 1\), got 1.0"),
        (lambda: theory.wilson(1, 8, 95), ValueError, r"`confidence` must be in \(0, 1\), got 95"),
        (
            lambda: theory.interval_coverage("wald", 8, 0.5),
            ValueError,
            "`method` must be one of 'clopper-pearson', 'wilson'",
        ),
        (lambda: theory.interval_coverage("wilson", 0, 0.5), ValueError, "`num_hashes` must be at least 1, got 0"),
        (lambda: theory.power(1.1, 0.5, 8), ValueError, r"`threshold` must be in \[0, 1\], got 1.1"),
        (lambda: theory.hashes_for_error(0.0), ValueError, r"`error` must be in \(0, 1\], got 0.0"),
    ],
)
def test_refuses_bad_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()
