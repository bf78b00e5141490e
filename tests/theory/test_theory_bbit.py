"""b-bit MinHash: the variance table, the estimator and its S-curve."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from minhash_nb import theory

# J, bits: variance over that of full values, storage gain at equal variance against 64-bit and 32-bit words
TABLE = {
    (0.2, 1): (6.0, 10.7, 5.3),
    (0.2, 2): (2.67, 12.0, 6.0),
    (0.2, 4): (1.33, 12.0, 6.0),
    (0.2, 8): (1.02, 7.8, 3.9),
    (0.5, 1): (3.0, 21.3, 10.7),
    (0.5, 2): (1.67, 19.2, 9.6),
    (0.5, 4): (1.13, 14.1, 7.1),
    (0.5, 8): (1.01, 7.9, 4.0),  # 1.004, rounded up
    (0.8, 1): (2.25, 28.4, 14.2),
    (0.8, 2): (1.42, 22.6, 11.3),
    (0.8, 4): (1.08, 14.8, 7.4),
    (0.8, 8): (1.00, 8.0, 4.0),
    (0.9, 1): (2.11, 30.3, 15.2),
    (0.9, 2): (1.37, 23.4, 11.7),
    (0.9, 4): (1.07, 14.9, 7.4),
    (0.9, 8): (1.00, 8.0, 4.0),
}


@pytest.mark.parametrize(("jaccard", "bits"), TABLE)
def test_variance_and_storage_table(jaccard, bits):
    more = theory.bbit_variance(jaccard, 128, bits) / theory.jaccard_variance(jaccard, 128)
    variance, gain64, gain32 = TABLE[jaccard, bits]
    assert more == pytest.approx(variance, abs=0.0065 if variance == 1.01 else 0.005)
    assert 64 / (bits * more) == pytest.approx(gain64, abs=0.06)  # one digit, some rounded from rounded ratios
    assert 32 / (bits * more) == pytest.approx(gain32, abs=0.06)


@settings(deadline=None)
@given(st.floats(0, 1), st.integers(1, 32))
def test_estimate_inverts_the_match_probability(jaccard, bits):
    match = theory.bbit_match_probability(jaccard, bits)
    assert theory.bbit_estimate(match, bits) == pytest.approx(jaccard, abs=1e-15)


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
def test_simulated_values(bits):
    """Values equal with probability J, else random: mean and variance of the estimate."""
    rng, trials, k, jaccard = np.random.default_rng(3), 20_000, 64, 0.3
    equal = rng.random((trials, k)) < jaccard
    match = equal | (rng.integers(0, 2**bits, (trials, k)) == rng.integers(0, 2**bits, (trials, k)))
    estimate = theory.bbit_estimate(match.mean(axis=1), bits)
    variance = theory.bbit_variance(jaccard, k, bits)
    squared = (estimate - jaccard) ** 2
    sigmas = norm.isf(norm.sf(4) / 8)  # 4 sigma shared by eight checks
    assert abs(estimate.mean() - jaccard) < sigmas * np.sqrt(variance / trials)
    assert abs(squared.mean() - variance) < sigmas * squared.std() / np.sqrt(trials)


def test_background_of_short_and_long_bands():
    assert theory.bbit_s_curve(0.0, 1, 8, 8) == pytest.approx(2.0**-64, rel=1e-14)
    assert theory.bbit_s_curve(0.0, 1, 20, 1) < 1e-6 < theory.bbit_s_curve(0.0, 1, 19, 1)


@settings(deadline=None)
@given(st.floats(0, 1), st.integers(1, 500), st.integers(1, 40))
def test_curve_falls_to_that_of_full_values(s, b, r):
    curves = [theory.bbit_s_curve(s, b, r, bits) for bits in (1, 2, 4, 8, 32)] + [theory.s_curve(s, b, r)]
    assert (np.diff(curves) <= 1e-12).all()
    assert theory.bbit_s_curve(s, b, r, 64) == pytest.approx(curves[-1], abs=1e-12)
    assert theory.bbit_s_curve(1.0, b, r, 1) == 1.0


def test_shapes_and_refusals():
    assert theory.bbit_variance([[0.2], [0.5]], 128, [1, 2, 8]).shape == (2, 3)
    assert theory.bbit_s_curve(np.linspace(0, 1, 5), 16, 8, 1).shape == (5,)
    assert type(theory.bbit_s_curve(0.5, 16, 8, 1)) is float
    with pytest.raises(ValueError, match="`bits` must be at least 1, got 0"):
        theory.bbit_estimate(0.5, 0)
    with pytest.raises(ValueError, match=r"`match_fraction` must be in \[0, 1\], got 1.5"):
        theory.bbit_estimate(1.5, 1)
