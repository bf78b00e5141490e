"""Jaccard similarity beside containment, after edits, and under colliding shingle ids."""

from __future__ import annotations

from typing import Any

import numpy as np

from minhash_nb.theory._checks import counts, probabilities, value
from minhash_nb.validation import check_integer


def jaccard_from_containment(containment: Any, query_size: Any, other_size: Any) -> Any:
    """Jaccard similarity of a set Q and a set X that holds the given share of Q.

    With t = |Q n X| / |Q|, q = |Q| and x = |X|: J = t / (x / q + 1 - t) (Zhu, Nargesian, Pu and Miller, PVLDB
    9(12), 2016). A threshold on containment is a much lower one on J when X is large.

    Parameters
    ----------
    containment : float or array_like
        t, in [0, 1].
    query_size, other_size : int or array_like of int
        q and x, at least 1. All arguments broadcast against each other.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range, or X is too small to hold that share of Q.

    Examples
    --------
    >>> round(jaccard_from_containment(1.0, query_size=100, other_size=600), 2)
    0.17
    """
    containment = probabilities("containment", containment)
    ratio = counts("other_size", other_size) / counts("query_size", query_size)
    _refuse_above("containment", containment, ratio, "other_size / query_size")
    return value(containment / (ratio + 1.0 - containment))


def containment_from_jaccard(jaccard: Any, query_size: Any, other_size: Any) -> Any:
    """Share of the set Q that a set X of the given size and similarity holds: t = J (x / q + 1) / (1 + J).

    The inverse of `jaccard_from_containment`, with the same sizes.

    Parameters
    ----------
    jaccard : float or array_like
        J, in [0, 1].
    query_size, other_size : int or array_like of int
        q and x, at least 1. All arguments broadcast against each other.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range, or sets of these sizes cannot be that similar.

    Examples
    --------
    >>> round(containment_from_jaccard(1 / 6, query_size=100, other_size=600), 6)
    1.0
    """
    jaccard = probabilities("jaccard", jaccard)
    ratio = counts("other_size", other_size) / counts("query_size", query_size)
    _refuse_above("jaccard", jaccard, np.minimum(ratio, 1.0 / ratio), "the smaller size over the larger")
    return value(np.minimum(jaccard * (ratio + 1.0) / (1.0 + jaccard), 1.0))


def expected_jaccard_under_edits(num_shingles: Any, edit_rate: Any, k: int) -> Any:
    """Similarity to expect between a text and a copy with a share `edit_rate` of its units replaced.

    A shingle of k units survives if none of them is replaced: q = (1 - p)^k. With S survivors of n shingles the two
    sets share S and have 2 n - S in all, so J = S / (2 n - S). Its mean is taken by the Taylor series to second
    order about E[S] = n q,

        E[J] = q / (2 - q) + 2 Var(S) / (n^2 (2 - q)^3),

    where Var(S) counts that windows d < k apart share k - d units. What is neglected is at most
    2 E|S - E[S]|^3 / n^3, of order n^(-3/2).

    Parameters
    ----------
    num_shingles : int or array_like of int
        n, distinct shingles of the text (n + k - 1 units).
    edit_rate : float or array_like
        p, chance of a unit (word or character) to be replaced by one that makes no old shingle, in [0, 1];
        broadcasts against `num_shingles`.
    k : int
        Units of a shingle.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    One word in twenty changed, and word 5-grams no longer see a near-duplicate at 0.8:

    >>> expected_jaccard_under_edits(200, [0.01, 0.05], k=5).round(2)
    array([0.91, 0.64])
    """
    n = counts("num_shingles", num_shingles)
    keep = 1.0 - probabilities("edit_rate", edit_rate)
    k = check_integer("k", k)
    survive = keep**k
    variance = n * survive * (1.0 - survive)
    for lag in range(1, k):
        variance = variance + 2.0 * np.maximum(n - lag, 0) * survive * (keep**lag - survive)
    return value(survive / (2.0 - survive) + 2.0 * variance / (n**2.0 * (2.0 - survive) ** 3))


def expected_lost_shingles(num_shingles: Any, bits: int = 32) -> Any:
    """Shingles of one set that share their id with another one and are lost, by expectation.

    n - m (1 - (1 - 1/m)^n) for n shingles and m = 2^bits ids: about n^2 / 2m while n is far below m.

    Parameters
    ----------
    num_shingles : int or array_like of int
        n, distinct shingles.
    bits : int, default 32
        Width of an id.

    Returns
    -------
    float or ndarray of float64
        Shingles; relative error below 1/m.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    Harmless in a document, not in the vocabulary of a large corpus:

    >>> f"{expected_lost_shingles(10_000):.3f}", f"{expected_lost_shingles(1_000_000_000) / 1e9:.1%}"
    ('0.012', '10.8%')
    """
    from scipy import special

    n = counts("num_shingles", num_shingles).astype(np.float64)
    ids = 2.0 ** check_integer("bits", bits)
    # exp(-x) - 1 + x = x^2/2 * 1F1(1; 3; -x) keeps the digits that the difference loses
    return value(n * (n - 1.0) / (2.0 * ids) * special.hyp1f1(1.0, 3.0, -n / ids))


def collision_bias(shared: Any, only_first: Any, only_second: Any, bits: int = 32) -> Any:
    """Excess of the Jaccard similarity of the ids over that of the shingles of two sets, by expectation.

    c = |A - B| |B - A| / 2^bits shingles of one set meet the id of a foreign one; each adds to the intersection
    and leaves the union: c (1 + J) / |A u B| to first order. More hashes do not lessen it.

    Parameters
    ----------
    shared, only_first, only_second : int or array_like of int
        |A n B|, |A - B| and |B - A|, at least 0; they broadcast against each other.
    bits : int, default 32
        Width of an id.

    Returns
    -------
    float or ndarray of float64
        0 for two empty sets.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    >>> f"{collision_bias(0, 1_000_000, 1_000_000):.1e}"
    '1.2e-04'
    """
    shared, first, second = (
        counts(name, size, least=0).astype(np.float64)
        for name, size in (("shared", shared), ("only_first", only_first), ("only_second", only_second))
    )
    spurious = first * second / 2.0 ** check_integer("bits", bits)
    union = np.maximum(shared + first + second, 1.0)
    return value(spurious * (1.0 + shared / union) / union)


def _refuse_above(name: str, values: np.ndarray, most: np.ndarray, what: str) -> None:
    values, most = np.broadcast_arrays(values, most)
    too_much = values > most * (1.0 + 1e-9)
    if too_much.any():
        raise ValueError(f"`{name}` cannot exceed {what} = {most[too_much][0]:.6g}, got {values[too_much][0]:.6g}")
