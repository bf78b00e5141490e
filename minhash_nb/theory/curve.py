"""The S-curve of banding: P(candidate) = 1 - (1 - s^r)^b, its inverse, and its three landmarks.

Source: Leskovec, Rajaraman and Ullman, *Mining of Massive Datasets* (3rd ed., 2020), section 3.4.2. The
landmarks follow from the formula by solving P = p and P'' = 0 for s.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minhash_nb.theory._checks import counts, probabilities, value


def s_curve(s: Any, num_bands: Any, rows_per_band: Any) -> Any:
    """Probability that a pair of Jaccard similarity `s` becomes a candidate.

    Two documents agree in one row with probability s, in a whole band with s^r, and in at least one of b
    bands with 1 - (1 - s^r)^b (MMDS section 3.4.2). The rows are taken as independent, as they are for
    classic MinHash.

    Parameters
    ----------
    s : float or array_like
        Jaccard similarity, in [0, 1].
    num_bands, rows_per_band : int or array_like of int
        b and r. All three arguments broadcast against each other.

    Returns
    -------
    float or ndarray of float64
        Accurate to a few units in the last place, also where s^r is tiny or b is in the thousands; exactly
        0 at s = 0 and exactly 1 at s = 1.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    >>> round(s_curve(0.8, num_bands=16, rows_per_band=8), 3)
    0.947
    >>> s_curve([0.2, 0.4, 0.6, 0.8], 20, 5).round(3)
    array([0.006, 0.186, 0.802, 1.   ])
    """
    s = probabilities("s", s)
    num_bands, rows_per_band = shape(num_bands, rows_per_band)
    return value(any_of(s**rows_per_band, num_bands))


def inverse_s_curve(probability: Any, num_bands: Any, rows_per_band: Any) -> Any:
    """Similarity at which a pair becomes a candidate with the given probability.

    s = (1 - (1 - p)^(1/b))^(1/r), the inverse of `s_curve` in s.

    Parameters
    ----------
    probability : float or array_like
        P(candidate), in [0, 1].
    num_bands, rows_per_band : int or array_like of int
        b and r. All three arguments broadcast against each other.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    Pairs above which similarity does a 16 x 8 banding find 95 % of the time?

    >>> round(inverse_s_curve(0.95, 16, 8), 3)
    0.802
    """
    probability = probabilities("probability", probability)
    num_bands, rows_per_band = shape(num_bands, rows_per_band)
    with np.errstate(divide="ignore"):  # log(0) = -inf is meant: probability 1 gives similarity 1
        return value((-np.expm1(np.log1p(-probability) / num_bands)) ** (1.0 / rows_per_band))


def nominal_threshold(num_bands: Any, rows_per_band: Any) -> Any:
    """Return the customary "threshold" (1/b)^(1/r) of a banding (MMDS section 3.4.2).

    It is an approximation of where the curve rises, neither the half-point nor the steepest point: a pair
    there is found with probability 1 - (1 - 1/b)^b, which falls to 1 - 1/e = .632 as b grows.

    Examples
    --------
    >>> round(nominal_threshold(16, 8), 4), round(s_curve(nominal_threshold(16, 8), 16, 8), 3)
    (0.7071, 0.644)
    """
    num_bands, rows_per_band = shape(num_bands, rows_per_band)
    return value((1.0 / num_bands) ** (1.0 / rows_per_band))


def half_point(num_bands: Any, rows_per_band: Any) -> Any:
    """Similarity of the pairs found half of the time: (1 - 2^(-1/b))^(1/r).

    Examples
    --------
    >>> round(half_point(16, 8), 4)
    0.6736
    """
    return inverse_s_curve(0.5, num_bands, rows_per_band)


def steepest_point(num_bands: Any, rows_per_band: Any) -> Any:
    """Similarity at which the S-curve rises fastest: ((r - 1) / (b r - 1))^(1/r).

    This is the zero of P'' where there is one inside (0, 1). With one row the curve is concave and steepest
    at 0; with one band it is s^r, steepest at 1; with both it is a straight line, and 0 is returned.

    Examples
    --------
    >>> round(steepest_point(16, 8), 4)
    0.6961
    >>> steepest_point([20, 1], [1, 5])
    array([0., 1.])
    """
    num_bands, rows_per_band = shape(num_bands, rows_per_band)
    return value(((rows_per_band - 1) / np.maximum(num_bands * rows_per_band - 1, 1)) ** (1.0 / rows_per_band))


def any_of(probability: np.ndarray, times: np.ndarray) -> np.ndarray:
    """1 - (1 - p)^n without cancellation: the chance of at least one success."""
    with np.errstate(divide="ignore"):  # log(0) = -inf is meant: p = 1 gives exactly 1
        return -np.expm1(times * np.log1p(-probability))


def shape(num_bands: Any, rows_per_band: Any) -> tuple[np.ndarray, np.ndarray]:
    """Check b and r."""
    return counts("num_bands", num_bands), counts("rows_per_band", rows_per_band)
