"""The S-curve against textbook tables, exact rational arithmetic, and its own inverse."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minhash_nb import theory

EPS = np.finfo(float).eps
BANDS, ROWS = st.integers(1, 5000), st.integers(1, 500)
SIMILARITY = st.floats(0, 1)


def test_mmds_table():
    """Leskovec, Rajaraman, Ullman, figure 3.8: b = 20, r = 5."""
    found = theory.s_curve(np.arange(2, 9) / 10, num_bands=20, rows_per_band=5)
    assert found[:6].round(3).tolist() == [0.006, 0.047, 0.186, 0.470, 0.802, 0.975]
    assert round(found[6], 4) == 0.9996


# b, r, (1/b)^(1/r), P there, half-point, steepest point, P(.7), P(.8), P(.9); as many digits as are known
LANDMARKS = [
    (16, 8, ".7071", ".644", ".6736", ".6961", ".613", ".947", ".9999"),
    (20, 5, ".5493", ".642", ".5087", ".5264", ".975", ".9996", "1"),
    (14, 8, ".7190", ".646", ".6847", ".7079", ".565", ".924", ".9996"),
    (9, 13, ".8445", ".654", ".8186", ".8399", ".084", ".399", ".929"),
    (20, 13, ".7942", ".64", ".7711", None, ".177", ".677", ".997"),
    (93, 15, ".7392", ".634", ".7212", None, ".358", ".964", "1"),
    (450, 20, ".7368", ".633", ".7234", ".7349", ".302", ".9946", "1"),
]


@pytest.mark.parametrize("row", LANDMARKS, ids=lambda row: f"{row[0]}x{row[1]}")
def test_landmarks_of_known_bandings(row):
    b, r, *expected = row
    nominal = theory.nominal_threshold(b, r)
    got = [nominal, theory.s_curve(nominal, b, r), theory.half_point(b, r), theory.steepest_point(b, r)]
    got += theory.s_curve([0.7, 0.8, 0.9], b, r).tolist()
    for value, text in zip(got, expected, strict=True):
        if text is not None:
            assert round(value, 4 if text == "1" else len(text) - 1) == float(text)


def test_published_recalls_of_pipelines():
    assert theory.s_curve([0.75, 0.8], 450, 20).round(4).tolist() == [0.7605, 0.9946]  # RefinedWeb
    assert theory.s_curve([0.70, 0.75, 0.80, 0.85], 14, 8).round(3).tolist() == [0.565, 0.772, 0.924, 0.988]  # FineWeb
    assert theory.half_point(20, 450).__round__(4) == 0.9925  # RefinedWeb with bands and rows swapped
    assert theory.s_curve(0.8, 8, 16).__round__(2) == 0.20


def test_exact_at_both_ends():
    bands, rows = np.array([1, 3, 450, 5000]), np.array([1, 7, 20, 500])
    assert (theory.s_curve(0.0, bands, rows) == 0.0).all()
    assert (theory.s_curve(1.0, bands, rows) == 1.0).all()
    assert (theory.inverse_s_curve(0.0, bands, rows) == 0.0).all()
    assert (theory.inverse_s_curve(1.0, bands, rows) == 1.0).all()


@pytest.mark.parametrize(("b", "r"), [(1, 1), (1, 40), (16, 8), (40, 1), (93, 15), (450, 20), (2000, 3)])
def test_agrees_with_rational_arithmetic(b, r):
    """Relative error, where 1 - (1 - s^r)^b in floats has none left; s is a float exactly (sixty-fourths)."""
    for s in (Fraction(1, 64), Fraction(1, 4), Fraction(5, 8), Fraction(63, 64)):
        exact = 1 - (1 - s**r) ** b
        # pow, log1p and expm1 are good to a few units; b log1p(-s^r) passes the error of its logarithm on
        assert theory.s_curve(float(s), b, r) == pytest.approx(float(exact), rel=16 * EPS, abs=0)


@settings(deadline=None)
@given(st.floats(0, 1), BANDS, ROWS)
def test_inverse_round_trips(probability, b, r):
    s = theory.inverse_s_curve(probability, b, r)
    assert 0.0 <= s <= 1.0
    if s**r >= 1e-300:  # below, s^r leaves the normal floats
        # a relative error of a few units in s moves P by at most r times as much of itself, and rounding the
        # exponent 1/r moves s^r by its logarithm
        rel = 16 * EPS * (r + 4 - np.log(s**r))
        assert theory.s_curve(s, b, r) == pytest.approx(probability, rel=rel, abs=1e-300)


@settings(deadline=None)
@given(SIMILARITY, SIMILARITY, BANDS, ROWS)
def test_rises_with_similarity(first, second, b, r):
    low, high = sorted((first, second))
    assert theory.s_curve(low, b, r) <= theory.s_curve(high, b, r) * (1 + 16 * EPS)


@settings(deadline=None)
@given(st.floats(0.01, 0.99), BANDS, ROWS)
def test_a_band_raises_and_a_row_lowers(s, b, r):
    found = theory.s_curve(s, b, r)
    if s ** (r + 1) > 1e-300 and found < 1 - 1e-9:
        assert theory.s_curve(s, b + 1, r) > found
        assert theory.s_curve(s, b, r + 1) < found


@settings(deadline=None)
@given(st.integers(2, 300), st.integers(2, 60))
def test_steepest_point_is_the_maximum_of_the_slope(b, r):
    """Compare log P' = log(b r) + (r - 1) log s + (b - 1) log(1 - s^r) at the point and on a grid."""

    def slope(s):
        return (r - 1) * np.log(s) + (b - 1) * np.log1p(-(s**r))

    grid = np.linspace(0.0005, 0.9995, 1000)
    assert slope(theory.steepest_point(b, r)) >= slope(grid).max() - 1e-12 * b * r


def test_steepest_point_without_an_inflection():
    assert theory.steepest_point([20, 1, 1], [1, 5, 1]).tolist() == [0.0, 1.0, 0.0]


@settings(deadline=None)
@given(BANDS)
def test_half_point_lies_below_the_nominal_threshold(b):
    rows = np.array([1, 5, 20])
    assert (theory.half_point(b, rows) < theory.nominal_threshold(b, rows)).all()


def test_broadcasts_and_returns_plain_floats_for_scalars():
    assert theory.s_curve(np.zeros((3, 1)), [1, 2, 3, 4], 5).shape == (3, 4)
    assert theory.inverse_s_curve(0.5, [[1], [2]], [3, 4, 5]).shape == (2, 3)
    for result in (
        theory.s_curve(np.float64(0.5), np.int64(16), 8),
        theory.inverse_s_curve(1, 16, 8),
        theory.nominal_threshold(16, 8),
        theory.half_point(16, 8),
        theory.steepest_point(16, 8),
    ):
        assert type(result) is float


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((1.2, 16, 8), ValueError, "`s` must be in [0, 1], got 1.2"),
        ((float("nan"), 16, 8), ValueError, "`s` must be in [0, 1], got nan"),
        (([0.1, -0.5], 16, 8), ValueError, "`s` must be in [0, 1], got -0.5 at position 1"),
        (("0.8", 16, 8), TypeError, "`s` must be a number in [0, 1], or an array of such, got '0.8'"),
        ((True, 16, 8), TypeError, "`s` must be a number in [0, 1], or an array of such, got True"),
        ((0.8, 0, 8), ValueError, "`num_bands` must be at least 1, got 0"),
        ((0.8, 16, 8.0), TypeError, "`rows_per_band` must be an integer at least 1, or an array of such, got 8.0"),
        ((0.8, 16, [[8, -1]]), ValueError, "`rows_per_band` must be at least 1, got -1 at position 0, 1"),
    ],
)
def test_refuses_bad_arguments(arguments, error, message):
    with pytest.raises(error) as caught:
        theory.s_curve(*arguments)
    assert str(caught.value) == message


def test_inverse_refuses_bad_probabilities():
    with pytest.raises(ValueError, match=r"`probability` must be in \[0, 1\], got 1\.5"):
        theory.inverse_s_curve(1.5, 16, 8)
