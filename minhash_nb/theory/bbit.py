"""b-bit MinHash: signatures that keep only the lowest bits of each value (Li and König, WWW 2010).

Two different minima agree in their b lowest bits with probability C = 2^-b. The paper's constants C1 and C2 differ
from that for dense sets under permutations of a small universe; here every minimum is mixed once more before it is
truncated, so that C1 = C2 = C for any density.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minhash_nb.theory._checks import counts, probabilities, value
from minhash_nb.theory.curve import any_of, shape


def bbit_match_probability(jaccard: Any, bits: Any) -> Any:
    """Probability P_b = C + (1 - C) J, C = 2^-bits, that two truncated values agree.

    Parameters
    ----------
    jaccard : float or array_like
        True similarity J, in [0, 1].
    bits : int or array_like of int
        Bits kept of each value, at least 1; broadcasts against `jaccard`.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    >>> bbit_match_probability(0.5, [1, 2, 8]).round(3)
    array([0.75 , 0.625, 0.502])
    """
    jaccard, chance = probabilities("jaccard", jaccard), _chance(bits)
    return value(chance + (1.0 - chance) * jaccard)


def bbit_estimate(match_fraction: Any, bits: Any) -> Any:
    """Estimate (P - C) / (1 - C) of J from the fraction P of truncated values that agree.

    Unbiased, and therefore negative when fewer values agree than chance alone would have: clip it for display, not
    before averaging.

    Parameters
    ----------
    match_fraction : float or array_like
        Agreeing values over all values, in [0, 1].
    bits : int or array_like of int
        Bits kept of each value, at least 1; broadcasts against `match_fraction`.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    >>> bbit_estimate(0.75, bits=1), bbit_estimate(0.25, bits=1)
    (0.5, -0.5)
    """
    match_fraction, chance = probabilities("match_fraction", match_fraction), _chance(bits)
    return value((match_fraction - chance) / (1.0 - chance))


def bbit_variance(jaccard: Any, num_hashes: Any, bits: Any) -> Any:
    """Variance P_b (1 - P_b) / (k (1 - C)^2) of `bbit_estimate` over k independent values.

    Parameters
    ----------
    jaccard : float or array_like
        True similarity J, in [0, 1].
    num_hashes : int or array_like of int
        k.
    bits : int or array_like of int
        Bits kept of each value, at least 1. All arguments broadcast against each other.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    One bit at J = .5 needs three times the values, hence 32 / 3 = 10.7 times less memory than 32-bit words:

    >>> from minhash_nb.theory import jaccard_variance
    >>> round(bbit_variance(0.5, 128, bits=1) / jaccard_variance(0.5, 128), 6)
    3.0
    """
    jaccard, num_hashes = probabilities("jaccard", jaccard), counts("num_hashes", num_hashes)
    chance = _chance(bits)
    match = chance + (1.0 - chance) * jaccard
    # 1 - P_b = (1 - C)(1 - J), so one factor (1 - C) cancels
    return value(match * (1.0 - jaccard) / (num_hashes * (1.0 - chance)))


def bbit_s_curve(s: Any, num_bands: Any, rows_per_band: Any, bits: Any) -> Any:
    """Probability that a pair becomes a candidate when bands are cut from truncated values.

    A row matches with P_b instead of s, so that pairs with nothing in common become candidates too: the S-curve of
    `bbit_match_probability`.

    Parameters
    ----------
    s : float or array_like
        Jaccard similarity, in [0, 1].
    num_bands, rows_per_band : int or array_like of int
        b and r.
    bits : int or array_like of int
        Bits kept of each value, at least 1. All arguments broadcast against each other.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    One bit needs long bands, eight bits do not:

    >>> f"{bbit_s_curve(0.0, 16, 8, bits=1):.3f}", f"{bbit_s_curve(0.0, 16, 8, bits=8):.1e}"
    ('0.061', '8.7e-19')
    """
    s, chance = probabilities("s", s), _chance(bits)
    num_bands, rows_per_band = shape(num_bands, rows_per_band)
    return value(any_of((chance + (1.0 - chance) * s) ** rows_per_band, num_bands))


def _chance(bits: Any) -> np.ndarray:
    return np.exp2(-counts("bits", bits).astype(np.float64))
