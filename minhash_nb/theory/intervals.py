"""Confidence intervals of an estimate from k hashes, their exact coverage, and the power of a threshold.

All rest on the matches of k independent hash functions being binomial (k, J). Schemes whose spread is below binomial
(`superminhash_alpha`) get intervals that are too wide: safe, not sharp.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minhash_nb.theory._checks import counts, probabilities, value
from minhash_nb.validation import check_choice, check_integer, check_probability


def clopper_pearson(matches: Any, num_hashes: Any, confidence: float = 0.95) -> tuple[Any, Any]:
    """Exact confidence interval of J: it covers the truth at least as often as it says, for every J.

    The ends are beta quantiles, lower (x, k - x + 1) and upper (x + 1, k - x) (Clopper and Pearson, Biometrika 26,
    1934); 0 for x = 0 and 1 for x = k.

    Parameters
    ----------
    matches : int or array_like of int
        x, the hashes that agree, from 0 to `num_hashes`.
    num_hashes : int or array_like of int
        k; broadcasts against `matches`.
    confidence : float, default 0.95
        In (0, 1).

    Returns
    -------
    low, high : float or ndarray of float64

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    >>> low, high = clopper_pearson(99, 128)
    >>> round(low, 3), round(high, 3)
    (0.691, 0.843)
    """
    from scipy import special

    matches, num_hashes, confidence = _observed(matches, num_hashes, confidence)
    tail = (1.0 - confidence) / 2.0
    none, all_ = matches == 0, matches == num_hashes
    low = special.betaincinv(np.where(none, 1, matches), num_hashes - matches + 1, tail)
    high = special.betainccinv(matches + 1, np.where(all_, 1, num_hashes - matches), tail)
    return value(np.where(none, 0.0, low)), value(np.where(all_, 1.0, high))


def wilson(matches: Any, num_hashes: Any, confidence: float = 0.95) -> tuple[Any, Any]:
    """Score interval of J: narrower than `clopper_pearson`, and right on average rather than at every J.

    All J whose normal z-test does not reject the estimate p = x / k: (p + z^2 / 2k +- z sqrt(p (1 - p) / k +
    z^2 / 4k^2)) / (1 + z^2 / k) (Wilson, JASA 22, 1927). Parameters, result and errors are those of
    `clopper_pearson`.

    At confidence 0.95 it covers every J in [.05, .95] with .93 to .97 from k = 140 hashes on, and every J in
    [.1, .9] from k = 56 on; 16 hashes reach from .916 to .982 (`interval_coverage`, exact).

    Examples
    --------
    >>> low, high = wilson(99, 128)
    >>> round(low, 3), round(high, 3)
    (0.694, 0.837)
    """
    matches, num_hashes, confidence = _observed(matches, num_hashes, confidence)
    z = _quantile(confidence)
    share = matches / num_hashes
    centre = share + z**2 / (2.0 * num_hashes)
    reach = z * np.sqrt(share * (1.0 - share) / num_hashes + z**2 / (4.0 * num_hashes**2))
    scale = 1.0 + z**2 / num_hashes
    low = np.where(matches == 0, 0.0, (centre - reach) / scale)  # exact, where rounding leaves 1e-17
    return value(low), value(np.where(matches == num_hashes, 1.0, (centre + reach) / scale))


def interval_coverage(method: str, num_hashes: int, jaccard: Any, confidence: float = 0.95) -> Any:
    """Probability that an interval from k hashes contains the true J, computed without sampling.

    The sum of the binomial probabilities of all x whose interval contains J. These x are consecutive, so that two
    tails of the binomial distribution are all it takes.

    Parameters
    ----------
    method : {"clopper-pearson", "wilson"}
    num_hashes : int
        k.
    jaccard : float or array_like
        True similarity J, in [0, 1].
    confidence : float, default 0.95
        In (0, 1).

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    >>> [round(interval_coverage(method, 128, 0.7), 3) for method in ("clopper-pearson", "wilson")]
    [0.967, 0.947]
    """
    check_choice("method", method, ("clopper-pearson", "wilson"))
    num_hashes = check_integer("num_hashes", num_hashes)
    jaccard = probabilities("jaccard", jaccard)
    interval = clopper_pearson if method == "clopper-pearson" else wilson
    lows, highs = interval(np.arange(num_hashes + 1), num_hashes, confidence)
    fewest = np.searchsorted(highs, jaccard, side="left")  # the first x with high >= J
    most = np.searchsorted(lows, jaccard, side="right") - 1  # the last x with low <= J
    return value(_at_least(fewest, num_hashes, jaccard) - _at_least(most + 1, num_hashes, jaccard))


def power(threshold: Any, jaccard: Any, num_hashes: Any) -> Any:
    """Probability that the estimate from k hashes reaches the threshold: P(Bin(k, J) >= threshold k).

    Filtering by signatures is itself an S-curve in J, to be drawn beside that of the banding. A threshold within
    1e-9 of a multiple of 1/k counts as that multiple.

    Parameters
    ----------
    threshold : float or array_like
        In [0, 1].
    jaccard : float or array_like
        True similarity J, in [0, 1].
    num_hashes : int or array_like of int
        k. All arguments broadcast against each other.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    How often do two documents of similarity 23/33 show 99 or more equal values of 128?

    >>> round(power(99 / 128, 23 / 33, 128), 3)
    0.034
    """
    threshold, jaccard = probabilities("threshold", threshold), probabilities("jaccard", jaccard)
    num_hashes = counts("num_hashes", num_hashes)
    return value(_at_least(np.ceil(threshold * num_hashes - num_hashes * 1e-9), num_hashes, jaccard))


def hashes_for_error(error: Any, jaccard: Any = 0.5, confidence: float = 0.95) -> Any:
    """Fewest hashes k whose estimate lies within `error` of J with the given confidence.

    k = z^2 J (1 - J) / error^2, rounded up, by the normal approximation; J = 0.5 is the worst case.

    Parameters
    ----------
    error : float or array_like
        Half width wanted, in (0, 1].
    jaccard : float or array_like, default 0.5
        True similarity J, in [0, 1]; broadcasts against `error`.
    confidence : float, default 0.95
        In (0, 1).

    Returns
    -------
    int or ndarray of int64
        At least 1.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    >>> hashes_for_error(0.05), hashes_for_error(0.05, jaccard=0.8)
    (385, 246)
    """
    error, jaccard = probabilities("error", error, zero=False), probabilities("jaccard", jaccard)
    z = _quantile(check_probability("confidence", confidence, one=False))
    needed = np.ceil(z**2 * jaccard * (1.0 - jaccard) / error**2)
    return value(np.maximum(needed, 1.0).astype(np.int64))


def _observed(matches: Any, num_hashes: Any, confidence: Any) -> tuple[np.ndarray, np.ndarray, float]:
    matches, num_hashes = counts("matches", matches, least=0), counts("num_hashes", num_hashes)
    if (matches > num_hashes).any():
        raise ValueError(f"`matches` must be at most `num_hashes`, got {matches.max()} of {num_hashes.max()}")
    return matches, num_hashes, check_probability("confidence", confidence, one=False)


def _quantile(confidence: float) -> float:
    from scipy import special

    return float(-special.ndtri((1.0 - confidence) / 2.0))


def _at_least(x: np.ndarray, n: Any, p: np.ndarray) -> np.ndarray:
    """P(Bin(n, p) >= x) for integral x from 0 to n + 1: an incomplete beta function."""
    from scipy import special

    inside = np.clip(x, 1, n)
    return np.where(x < 1, 1.0, np.where(x > n, 0.0, special.betainc(inside, n - inside + 1.0, p)))
