"""Error areas, recall above a threshold and expected candidates."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minhash_nb import theory

THRESHOLDS = np.array([0.5, 0.6, 0.7, 0.8, 0.9])
BANDS, ROWS, SIMILARITY = st.integers(1, 1000), st.integers(1, 200), st.floats(0, 1)


@st.composite
def densities(draw):
    edges = sorted(draw(st.lists(SIMILARITY, min_size=2, max_size=8)))
    weights = draw(
        st.lists(st.floats(0, 1000), min_size=len(edges) - 1, max_size=len(edges) - 1).filter(lambda w: sum(w) > 1e-3)
    )
    return edges, weights


def least_area(threshold, num_hashes, false_negative_weight):
    """datasketch's choice, by our areas: the banding b * r <= num_hashes of least weighted error."""
    pairs = np.array([(b, r) for b in range(1, num_hashes + 1) for r in range(1, num_hashes // b + 1)])
    bands, rows = pairs.T
    error = (1 - false_negative_weight) * theory.false_positive_area(threshold, bands, rows)
    error += false_negative_weight * theory.false_negative_area(threshold, bands, rows)
    return tuple(pairs[np.argmin(error)].tolist())


def exact_miss(b, r, low, high):
    """The integral of (1 - s^r)^b, a polynomial, from low to high."""

    def primitive(x):
        return sum(Fraction((-1) ** j * comb(b, j), r * j + 1) * x ** (r * j + 1) for j in range(b + 1))

    return primitive(high) - primitive(low)


def test_reproduces_the_area_optimiser():
    choices = [least_area(t, 128, 0.5) for t in THRESHOLDS]
    assert choices == [(25, 5), (18, 7), (14, 9), (9, 13), (5, 25)]
    assert theory.s_curve(THRESHOLDS, *np.array(choices).T).round(2).tolist() == [0.55, 0.40, 0.44, 0.40, 0.31]


def test_reproduces_the_area_optimiser_that_prefers_recall():
    thresholds = THRESHOLDS[[0, 2, 3, 4]]
    choices = [least_area(t, 128, 0.9) for t in thresholds]
    assert choices == [(32, 4), (20, 6), (14, 9), (8, 16)]
    assert theory.s_curve(thresholds, *np.array(choices).T).round(2).tolist() == [0.87, 0.92, 0.87, 0.81]


@pytest.mark.parametrize("false_negative_weight", [0.5, 0.9, 0.2])
@pytest.mark.parametrize("num_hashes", [64, 128, 200])
def test_agrees_with_datasketch(num_hashes, false_negative_weight):
    lsh = pytest.importorskip("datasketch.lsh")
    for threshold in (0.35, 0.5, 0.65, 0.8, 0.9):
        theirs = lsh._optimal_param(threshold, num_hashes, 1 - false_negative_weight, false_negative_weight)
        assert least_area(threshold, num_hashes, false_negative_weight) == theirs


@pytest.mark.parametrize(("b", "r"), [(1, 1), (1, 30), (16, 8), (9, 13), (64, 1), (93, 15), (300, 4), (3, 200)])
def test_areas_agree_with_rational_arithmetic(b, r):
    """Relative error, down to areas of 1e-33. scipy's beta function is good to about 1e-12 at b = 1000."""
    for t in (Fraction(1, 64), Fraction(1, 4), Fraction(3, 4), Fraction(61, 64)):
        miss_below, miss_above = exact_miss(b, r, Fraction(0), t), exact_miss(b, r, t, Fraction(1))
        assert theory.false_positive_area(float(t), b, r) == pytest.approx(float(t - miss_below), rel=1e-11, abs=0)
        assert theory.false_negative_area(float(t), b, r) == pytest.approx(float(miss_above), rel=1e-11, abs=0)


@pytest.mark.parametrize(("b", "r"), [(16, 8), (93, 15), (20, 1)])
@pytest.mark.parametrize("t", [0.0, 0.2, 0.3, 0.75, 1.0])
def test_density_areas_agree_with_quadrature(t, b, r):
    from scipy.integrate import quad

    edges, weights = np.array([0.0, 0.05, 0.3, 0.62, 0.62 + 4e-7, 0.9, 1.0]), np.array([50.0, 30.0, 9.0, 5.0, 4.0, 2.0])
    positive = negative = above = 0.0
    for low, high, mass in zip(edges[:-1], edges[1:], weights / weights.sum(), strict=True):
        cut = min(max(low, t), high)
        density = mass / (high - low)
        positive += density * quad(lambda s: 1 - (1 - s**r) ** b, low, cut, epsabs=1e-14)[0]
        negative += density * quad(lambda s: (1 - s**r) ** b, cut, high, epsabs=1e-14)[0]
        above += density * (high - cut)
    # quadrature's 1e-14 on the bin 4e-7 wide is 2.5e-8 of its mean, and that bin has a twentieth of the weight
    density = (edges, weights)
    assert theory.false_positive_area(t, b, r, density) == pytest.approx(positive, rel=1e-9, abs=2e-9)
    assert theory.false_negative_area(t, b, r, density) == pytest.approx(negative, rel=1e-9, abs=2e-9)
    if above > 0:
        assert theory.recall_above(t, density, b, r) == pytest.approx(1 - negative / above, abs=2e-9 / above)


@settings(deadline=None)
@given(SIMILARITY, BANDS, ROWS)
def test_uniform_is_the_density_of_one_bin(t, b, r):
    assert theory.false_positive_area(t, b, r) == theory.false_positive_area(t, b, r, ([0, 1], [7]))
    assert theory.false_negative_area(t, b, r) == theory.false_negative_area(t, b, r, ([0, 1], [7]))


@settings(deadline=None)
@given(densities(), SIMILARITY, BANDS, ROWS)
def test_areas_and_hits_make_up_the_whole(density, t, b, r):
    """FP + hits above = all that is found; hits above + FN = all that is above; recall lies between P(t) and 1."""
    found = theory.expected_candidates(2, density, b, r)  # one pair
    false_positive = theory.false_positive_area(t, b, r, density)
    false_negative = theory.false_negative_area(t, b, r, density)
    recall = theory.recall_above(t, density, b, r)
    assert false_positive >= -1e-12
    assert false_negative >= -1e-12
    if np.isnan(recall):
        assert false_negative == 0
        assert found == pytest.approx(false_positive, abs=1e-9)
    else:
        assert theory.s_curve(t, b, r) - 1e-8 <= recall <= 1 + 1e-8
        hits = found - false_positive
        assert hits == pytest.approx(recall * (hits + false_negative), abs=1e-8)


@settings(deadline=None)
@given(densities(), SIMILARITY, SIMILARITY, BANDS, ROWS)
def test_cutting_a_bin_in_two_changes_nothing(density, cut, t, b, r):
    edges, weights = density
    where = int(np.searchsorted(edges, cut))
    if not edges[0] < cut < edges[-1] or edges[where] - edges[where - 1] < 1e-3 or t == cut:
        return
    part = (cut - edges[where - 1]) / (edges[where] - edges[where - 1])
    finer = [*weights[: where - 1], part * weights[where - 1], (1 - part) * weights[where - 1], *weights[where:]]
    cut_density = ([*edges[:where], cut, *edges[where:]], finer)
    for area in (theory.false_positive_area, theory.false_negative_area):
        assert area(t, b, r, cut_density) == pytest.approx(area(t, b, r, density), abs=1e-8)


@settings(deadline=None)
@given(SIMILARITY, BANDS, ROWS)
def test_an_atom_is_the_curve_itself(s, b, r):
    atom = ([s, s], [3.0])
    found = theory.s_curve(s, b, r)
    assert theory.expected_candidates(2, atom, b, r) == pytest.approx(found, rel=1e-15)
    assert theory.recall_above(s, atom, b, r) == pytest.approx(found, rel=1e-15)  # at the threshold is above it
    assert theory.false_positive_area(s, b, r, atom) == 0
    if s < 1:
        above = np.nextafter(s, 2)
        assert theory.false_positive_area(above, b, r, atom) == pytest.approx(found, rel=1e-15)
        assert np.isnan(theory.recall_above(above, atom, b, r))


def test_atoms_of_identical_pairs_stand_beside_bins():
    edges, weights = [0.0, 0.5, 1.0, 1.0], [80, 10, 10]
    recall = theory.recall_above(0.5, (edges, weights), 16, 8)
    assert recall == pytest.approx((theory.recall_above(0.5, ([0.5, 1.0], [1]), 16, 8) + 1) / 2, rel=1e-12)
    assert theory.recall_above(1.0, (edges, weights), 16, 8) == 1


def test_background_decides_the_rows():
    """A million documents whose random pairs have one similarity (1.25e3 pairs for 25 x 10 at 0.1)."""
    bands, rows = np.array([20, 14, 25, 9]), np.array([5, 8, 10, 13])
    tenth = theory.expected_candidates(10**6, ([0.1, 0.1], [1]), bands, rows)
    fifth = theory.expected_candidates(10**6, ([0.2, 0.2], [1]), bands, rows)
    assert [f"{pairs:.1e}" for pairs in tenth] == ["1.0e+08", "7.0e+04", "1.2e+03", "4.5e-01"]
    assert [f"{pairs:.1e}" for pairs in fifth] == ["3.2e+09", "1.8e+07", "1.3e+06", "3.7e+03"]
    leading = 10**6 * (10**6 - 1) / 2 * bands * 0.1**rows  # the term b s^r
    assert tenth == pytest.approx(leading, rel=1e-4)


def test_expected_candidates_is_the_sum_over_pairs():
    rng = np.random.default_rng(7)
    similarity = np.concatenate([rng.beta(2, 20, 4900), rng.uniform(0.5, 1, 50)])  # 4,950 pairs of 100 documents
    weights, edges = np.histogram(similarity, bins=1000, range=(0, 1))
    total = theory.s_curve(similarity, 20, 5).sum()
    # inside a bin of width w the mean of P replaces P(s): off by at most w max P' for each pair, and max P' < 2 r
    bound = (np.ptp(theory.s_curve(np.stack([edges[:-1], edges[1:]]), 20, 5), axis=0) * weights).sum()
    assert abs(theory.expected_candidates(100, (edges, weights), 20, 5) - total) <= bound
    assert bound < 0.05 * total


def test_expected_candidates_of_huge_and_tiny_corpora():
    density = ([0.0, 0.1, 1.0], [0.999, 0.001])
    assert theory.expected_candidates(1, density, 16, 8) == 0
    huge = theory.expected_candidates([10**10, 2 * 10**10], density, 16, 8)  # pairs beyond int64
    assert huge[1] / huge[0] == pytest.approx(4, rel=1e-9)


def test_shapes():
    bands, rows, t = np.array([16, 20, 9]), np.array([8, 5, 13]), np.array([[0.5], [0.8]])
    density = ([0.0, 0.3, 1.0], [9, 1])
    for area in (theory.false_positive_area, theory.false_negative_area):
        assert area(t, bands, rows).shape == area(t, bands, rows, density).shape == (2, 3)
        assert type(area(0.5, 16, 8)) is float
    assert theory.recall_above(t, density, bands, rows).shape == (2, 3)
    assert theory.expected_candidates([[10], [20]], density, bands, rows).shape == (2, 3)
    assert type(theory.expected_candidates(10, density, 16, 8)) is float


@pytest.mark.parametrize(
    ("density", "error", "message"),
    [
        (([0, 0.5, 1], [1]), ValueError, "with one edge more than weights"),
        (([0], []), ValueError, "with one edge more than weights"),
        (([0.5, 0.2], [1]), ValueError, "edges must not decrease"),
        (([0, 1], [0]), ValueError, "weights must not all be 0"),
        (([0, 1], [-1]), ValueError, "`density weights` must be finite and at least 0, got -1 at position 0"),
        (([0, 1], [np.inf]), ValueError, "must be finite"),
        (([0, 1.5], [1]), ValueError, r"`density edges` must be in \[0, 1\], got 1.5 at position 1"),
        (3, TypeError, r"`density` must be a pair \(edges, weights\), got 3"),
        (np.ones(3), TypeError, r"`density` must be a pair"),
    ],
)
def test_refuses_bad_densities(density, error, message):
    with pytest.raises(error, match=message):
        theory.recall_above(0.5, density, 16, 8)


def test_refuses_bad_arguments():
    with pytest.raises(ValueError, match=r"`threshold` must be in \[0, 1\], got 1.2"):
        theory.false_positive_area(1.2, 16, 8)
    with pytest.raises(TypeError, match=r"`density` must be a pair \(edges, weights\), got None"):
        theory.expected_candidates(10, None, 16, 8)
    with pytest.raises(TypeError, match="`num_documents` must be an integer at least 1"):
        theory.expected_candidates(1e6, ([0, 1], [1]), 16, 8)
