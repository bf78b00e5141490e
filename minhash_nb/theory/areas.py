"""Error areas of a banding, its recall above a threshold, and the candidates to expect.

All are integrals of the S-curve P over similarity. With u = s^r they are incomplete beta functions I_u, and
with c = B(1/r, b + 1) / r, integration by parts gives

- the integral of P from 0 to x: x P(x) - c I_u(1 + 1/r, b),
- the integral of 1 - P from x to 1: c (1 - I_u(1/r, b + 1)),

at u = x^r. Neither loses digits where the area is tiny, as quadrature or the complement would.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minhash_nb.theory._checks import counts, probabilities, value
from minhash_nb.theory.curve import any_of

# A narrower bin takes the curve at its midpoint: there the difference of two integrals has lost as many
# digits as the midpoint rule neglects, about 1e-10 of the value. Zero width is an atom.
_NARROW = 1e-6


def false_positive_area(threshold: Any, num_bands: Any, rows_per_band: Any, density: Any = None) -> Any:
    """Chance that a pair lies below the threshold and becomes a candidate all the same.

    The integral of P(s) g(s) from 0 to `threshold`. With the uniform density g = 1 it is the area that
    datasketch's parameter search weighs.

    Parameters
    ----------
    threshold : float or array_like
        Jaccard similarity, in [0, 1].
    num_bands, rows_per_band : int or array_like of int
        b and r; they broadcast against `threshold`.
    density : (edges, weights), optional
        Histogram of the similarity of the pairs: `edges` (n_bins + 1,) in [0, 1], none smaller than the one
        before; `weights` (n_bins,), in any unit (shares, counts). Inside a bin pairs are spread evenly; a bin
        of zero width is an atom, which counts as at or above the threshold if it equals it. Left out: uniform
        over [0, 1].

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    >>> round(false_positive_area(0.8, 9, 13), 4), round(false_negative_area(0.8, 9, 13), 4)
    (0.0253, 0.0333)

    On a corpus where a random pair has similarity near 0.1 the picture is another one:

    >>> edges, weights = [0.0, 0.1, 0.2, 0.8, 1.0], [0.5, 0.4, 0.09, 0.01]
    >>> f"{false_positive_area(0.8, 9, 13, (edges, weights)):.5f}"
    '0.00380'
    """
    threshold, num_bands, rows_per_band = _arguments(threshold, num_bands, rows_per_band)
    below, _ = _split(density, threshold)
    return value((below.share * _mean_found(below, num_bands, rows_per_band)).sum(axis=-1))


def false_negative_area(threshold: Any, num_bands: Any, rows_per_band: Any, density: Any = None) -> Any:
    """Chance that a pair lies at or above the threshold and does not become a candidate.

    The integral of (1 - P(s)) g(s) from `threshold` to 1. Parameters, result and errors are those of
    `false_positive_area`, which also has an example.
    """
    threshold, num_bands, rows_per_band = _arguments(threshold, num_bands, rows_per_band)
    _, above = _split(density, threshold)
    return value((above.share * _mean_missed(above, num_bands, rows_per_band)).sum(axis=-1))


def recall_above(threshold: Any, density: Any, num_bands: Any, rows_per_band: Any) -> Any:
    """Share of the pairs at or above the threshold that become candidates.

    The integral of P(s) g(s) from `threshold` to 1, over that of g(s): at least the recall of a pair *at* the
    threshold, `s_curve(threshold, ...)`, because the curve rises.

    Parameters
    ----------
    threshold : float or array_like
        Jaccard similarity, in [0, 1].
    density : (edges, weights) or None
        Histogram of the similarity of the pairs, as in `false_positive_area`; None for uniform.
    num_bands, rows_per_band : int or array_like of int
        b and r; they broadcast against `threshold`.

    Returns
    -------
    float or ndarray of float64
        NaN where the density has nothing at or above the threshold.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    Most near-duplicates of most corpora are nearly identical, which flatters any banding:

    >>> from minhash_nb.theory import s_curve
    >>> edges, weights = [0.8, 0.9, 1.0], [1, 3]
    >>> round(s_curve(0.8, 9, 13), 2), round(recall_above(0.8, (edges, weights), 9, 13), 2)
    (0.4, 0.91)
    """
    threshold, num_bands, rows_per_band = _arguments(threshold, num_bands, rows_per_band)
    _, above = _split(density, threshold)
    with np.errstate(invalid="ignore"):  # 0 / 0 = nan is meant
        found = (above.share * _mean_found(above, num_bands, rows_per_band)).sum(axis=-1)
        return value(found / above.share.sum(axis=-1))


def expected_candidates(num_documents: Any, density: Any, num_bands: Any, rows_per_band: Any) -> Any:
    """Candidate pairs to expect in a corpus: C(N, 2) times the integral of P(s) g(s).

    The background, the mass of unrelated pairs at low similarity, is part of the density and usually most of
    the result: it grows with N^2 b s^r and decides how many rows are needed. Give its bins their own narrow
    widths (the curve rises like s^r inside them), or, where only its typical similarity is known, an atom.

    Parameters
    ----------
    num_documents : int or array_like of int
        N.
    density : (edges, weights)
        Histogram of the similarity of all pairs of the corpus, as in `false_positive_area`.
    num_bands, rows_per_band : int or array_like of int
        b and r; they broadcast against `num_documents`.

    Returns
    -------
    float or ndarray of float64
        Pairs.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    A million documents whose random pairs have similarity 0.1, before any true duplicate is counted:

    >>> background = ([0.1, 0.1], [1.0])
    >>> [f"{expected_candidates(1_000_000, background, b, r):.1e}" for b, r in [(20, 5), (14, 8), (9, 13)]]
    ['1.0e+08', '7.0e+04', '4.5e-01']
    """
    documents = counts("num_documents", num_documents).astype(np.float64)
    if density is None:
        raise TypeError("`density` must be a pair (edges, weights), got None")
    _, num_bands, rows_per_band = _arguments(0.0, num_bands, rows_per_band)
    _, everything = _split(density, np.zeros(1))
    found = (everything.share * _mean_found(everything, num_bands, rows_per_band)).sum(axis=-1)
    return value(documents * (documents - 1.0) / 2.0 * found)


class _Bins(NamedTuple):
    low: np.ndarray
    high: np.ndarray
    share: np.ndarray


def _arguments(threshold: Any, num_bands: Any, rows_per_band: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Check the three and give each a last axis for the bins."""
    return (
        probabilities("threshold", threshold)[..., None],
        counts("num_bands", num_bands)[..., None],
        counts("rows_per_band", rows_per_band)[..., None],
    )


def _split(density: Any, threshold: np.ndarray) -> tuple[_Bins, _Bins]:
    """Cut a density at the threshold: the bins below, and those at or above it (empty ones have share 0)."""
    low, high, share = _bins(density)
    cut = np.clip(threshold, low, high)
    width = high - low
    inside = np.divide(cut - low, width, out=np.zeros(cut.shape), where=width > 0.0)
    below = np.where(width > 0.0, inside, low < threshold)
    return _Bins(low, cut, share * below), _Bins(cut, high, share * (1.0 - below))


def _bins(density: Any) -> _Bins:
    """Check a density and scale its weights to a sum of 1."""
    try:
        edges, weights = ((0.0, 1.0), (1.0,)) if density is None else density
    except (TypeError, ValueError):
        raise TypeError(f"`density` must be a pair (edges, weights), got {density!r:.60}") from None
    edges = probabilities("density edges", edges)
    weights = counts("density weights", weights, least=0, whole=False)
    if edges.ndim != 1 or weights.ndim != 1 or edges.size != weights.size + 1 or weights.size == 0:
        raise ValueError(
            "`density` must be (edges, weights) with one edge more than weights, "
            f"got edges of shape {edges.shape} and weights of shape {weights.shape}"
        )
    if (np.diff(edges) < 0.0).any():
        raise ValueError("`density` edges must not decrease: sort them, and the weights with them")
    if weights.sum() == 0.0:
        raise ValueError("`density` weights must not all be 0: there is no pair to speak of")
    return _Bins(edges[:-1], edges[1:], weights / weights.sum())


def _mean_found(bins: _Bins, num_bands: np.ndarray, rows_per_band: np.ndarray) -> np.ndarray:
    """Mean of P over each bin."""
    from scipy import special

    def integral(x: np.ndarray) -> np.ndarray:
        u = x**rows_per_band
        part = _mean_rise(num_bands, rows_per_band) * special.betainc(1.0 + 1.0 / rows_per_band, num_bands, u)
        return x * any_of(u, num_bands) - part

    width, middle = bins.high - bins.low, (bins.low + bins.high) / 2.0
    mean = (integral(bins.high) - integral(bins.low)) / np.where(width < _NARROW, 1.0, width)
    return np.where(width < _NARROW, any_of(middle**rows_per_band, num_bands), mean)


def _mean_missed(bins: _Bins, num_bands: np.ndarray, rows_per_band: np.ndarray) -> np.ndarray:
    """Mean of 1 - P over each bin."""
    from scipy import special

    def integral(x: np.ndarray) -> np.ndarray:
        u, whole = x**rows_per_band, _mean_rise(num_bands, rows_per_band)
        # where u underflows, u^(1/r) inside the beta function would be lost, but P is 0 all the way from 0 to x
        return np.where(u < 1e-290, whole - x, whole * special.betaincc(1.0 / rows_per_band, num_bands + 1.0, u))

    width, middle = bins.high - bins.low, (bins.low + bins.high) / 2.0
    mean = (integral(bins.low) - integral(bins.high)) / np.where(width < _NARROW, 1.0, width)
    return np.where(width < _NARROW, (1.0 - middle**rows_per_band) ** num_bands, mean)


def _mean_rise(num_bands: np.ndarray, rows_per_band: np.ndarray) -> np.ndarray:
    """B(1/r, b + 1) / r, the integral of 1 - P over [0, 1]: the mean similarity at which P rises."""
    from scipy import special

    return special.beta(1.0 / rows_per_band, num_bands + 1.0) / rows_per_band
