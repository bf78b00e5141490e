"""Variance of the Jaccard estimate of each scheme, for fully random hash functions.

One identity carries all of them. Let f = |A u B|, and let slot i of the sketch of A u B hold an element; slot i
of A and of B match exactly if that element lies in both sets (this is what makes a scheme usable for LSH). Each
slot matches with probability J, so the fraction of matches is unbiased. Two slots that hold the same element
match together with probability J, two slots that hold different ones with J (J f - 1) / (f - 1). With c, the
probability that two given slots hold the same element,

    Var = J (1 - J) / k * (1 + (k - 1) (c f - 1) / (f - 1)).

Independent hash functions have c = 1/f and thus J (1 - J) / k; schemes that spread the slots over different
elements have a smaller c, those that copy slots a larger one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minhash_nb.theory._checks import counts, probabilities, value
from minhash_nb.validation import check_choice, check_integer


def jaccard_variance(jaccard: Any, num_hashes: Any) -> Any:
    """Variance J (1 - J) / k of the estimate by classic MinHash.

    The matches of k independent hash functions are binomial (Broder, Charikar, Frieze and Mitzenmacher,
    STOC 1998).

    Parameters
    ----------
    jaccard : float or array_like
        True similarity J, in [0, 1].
    num_hashes : int or array_like of int
        k; broadcasts against `jaccard`.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    >>> round(jaccard_variance(0.8, 128) ** 0.5, 4)
    0.0354
    """
    jaccard, num_hashes = probabilities("jaccard", jaccard), counts("num_hashes", num_hashes)
    return value(jaccard * (1.0 - jaccard) / num_hashes)


def superminhash_alpha(num_hashes: Any, union_size: Any) -> Any:
    """Variance of SuperMinHash as a fraction of that of classic MinHash.

    alpha(k, f) = 1 - (k - 1) / (f - 1) * sum over q = 1 .. k - 1 of
    (q / (k - 1))^f (((q + 1) / k)^f + ((q - 1) / k)^f - 2 (q / k)^f) (Ertl, arXiv:1706.05698, 2017): about 1/2
    for unions much smaller than k, towards 1 for much larger ones.

    Parameters
    ----------
    num_hashes : int or array_like of int
        k, the number of slots.
    union_size : int or array_like of int
        f, the size of the union of the two sets; broadcasts against `num_hashes`.

    Returns
    -------
    float or ndarray of float64
        1 where there is a single slot or a single element.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    >>> superminhash_alpha(128, [30, 300]).round(3)
    array([0.496, 0.649])
    """
    num_hashes, union_size = counts("num_hashes", num_hashes), counts("union_size", union_size)
    return value(np.vectorize(_alpha, otypes=[np.float64])(num_hashes, union_size))


def superminhash_variance(jaccard: Any, num_hashes: Any, union_size: Any) -> Any:
    """Variance of the estimate by SuperMinHash: `jaccard_variance` times `superminhash_alpha`.

    Source: Ertl, arXiv:1706.05698 (2017). Parameters as there.

    Examples
    --------
    >>> superminhash_variance(0.5, 128, 60) / jaccard_variance(0.5, 128) < 0.51
    True
    """
    return value(jaccard_variance(jaccard, num_hashes) * superminhash_alpha(num_hashes, union_size))


def minmax_variance(jaccard: Any, num_hashes: Any, union_size: Any) -> Any:
    """Variance of the estimate by MinMax hash, which keeps the minimum and the maximum of k/2 functions.

    The two slots of one function never hold the same element of a union of two or more, so that
    c = (k - 2) / ((k - 1) f) and the variance is J (1 - J) / k * (f - 2) / (f - 1) (scheme: Ji, Li, Yan,
    Tian and Zhang, ICDM 2013).

    Parameters
    ----------
    jaccard : float or array_like
        True similarity J, in [0, 1].
    num_hashes : int or array_like of int
        k, slots; even.
    union_size : int or array_like of int
        f, the size of the union of the two sets. All arguments broadcast against each other.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    >>> round(minmax_variance(0.5, 128, 21) / jaccard_variance(0.5, 128), 2)
    0.95
    """
    slots, size = counts("num_hashes", num_hashes, least=2), counts("union_size", union_size)
    if (slots % 2).any():
        raise ValueError(f"`num_hashes` must be even for MinMax hash, got {num_hashes!r:.60}")
    return value(_variance(jaccard, slots, size, (slots - 2.0) / ((slots - 1.0) * size)))


def fast_similarity_sketch_variance(jaccard: Any, num_hashes: Any, union_size: Any, rounds: int | None = None) -> Any:
    """Variance of the estimate by Fast Similarity Sketching, with all or only a few of its rounds.

    In each round every element is thrown into one of the k slots, and the slots that are still empty keep the
    least that falls in. Slots filled in the same round hold different elements, those of different rounds are
    independent: c = (1 - p) / f, where p is the probability that two given slots are filled in the same round,

        p = h (1 + g + g^2 + ... + g^(rounds - 1)),  g = (1 - 2/k)^f,  h = 1 - 2 (1 - 1/k)^f + g.

    Derived here; the paper bounds the variance by that of classic MinHash (Dahlgaard, Knudsen and Thorup,
    FOCS 2017, arXiv:1704.04370).

    Parameters
    ----------
    jaccard : float or array_like
        True similarity J, in [0, 1].
    num_hashes : int or array_like of int
        k, slots.
    union_size : int or array_like of int
        f, the size of the union of the two sets. All arguments broadcast against each other.
    rounds : int, optional
        Rounds of throwing, after which each slot still empty takes a minimum over all elements under a hash
        function of its own. Left out: k, as in the paper.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    >>> variance = fast_similarity_sketch_variance(0.5, 128, [30, 300, 3000])
    >>> (variance / jaccard_variance(0.5, 128)).round(2)
    array([0.5 , 0.65, 0.96])
    """
    slots, size = counts("num_hashes", num_hashes), counts("union_size", union_size)
    throws = slots if rounds is None else check_integer("rounds", rounds)
    both_empty = np.maximum(1.0 - 2.0 / slots, 0.0) ** size
    both_filled = 1.0 - 2.0 * (1.0 - 1.0 / slots) ** size + both_empty
    same_round = both_filled * (1.0 - both_empty**throws) / (1.0 - both_empty)
    return value(_variance(jaccard, slots, size, (1.0 - same_round) / size))


def one_permutation_variance(jaccard: Any, num_hashes: Any, union_size: Any, densification: str = "none") -> Any:
    """Variance of the estimate by one-permutation hashing.

    One hash function throws the elements of the union into k slots, m of which are not empty. Without
    densification the estimate is matches / m, and its variance (Li, Owen and Zhang, NIPS 2012)

        J (1 - J) (E[1/m] (1 + 1/(f - 1)) - 1/(f - 1)).

    Densification copies elements into the e = k - m empty slots: then c = (2 e + e (e - 1) w) / (k (k - 1))
    in the mean over m, where w is the probability that two empty slots copy the same one. Derived here, with
    q = 1 - 1/k:

    - "rotation" (Shrivastava and Li, ICML 2014), the next filled slot to the right: w = 2 / (m + 1);
    - "optimal" (Shrivastava, ICML 2017), a filled slot drawn by each empty one: w = 1 / m;
    - "push" (Mai et al., UAI 2019), filled slots throw in turn until all are filled:
      w = q^(m - 1) / (k (1 - q^m)).

    Parameters
    ----------
    jaccard : float or array_like
        True similarity J, in [0, 1].
    num_hashes : int or array_like of int
        k, slots.
    union_size : int or array_like of int
        f, the size of the union of the two sets. All arguments broadcast against each other.
    densification : {"none", "rotation", "optimal", "push"}

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Notes
    -----
    The distribution of m is computed exactly, element by element, until no slot is empty but with probability
    1e-17: k times the smaller of f and k (log k + 40) operations for the largest f of each k.

    Examples
    --------
    On short documents the way of filling the empty slots decides:

    >>> ways = ["none", "push", "optimal", "rotation"]
    >>> classic = jaccard_variance(0.5, 128)
    >>> [round(one_permutation_variance(0.5, 128, 30, way) / classic, 2) for way in ways]
    [0.54, 1.02, 1.32, 4.17]
    """
    check_choice("densification", densification, ("none", "rotation", "optimal", "push"))
    jaccard = probabilities("jaccard", jaccard)
    slots, size = counts("num_hashes", num_hashes), counts("union_size", union_size)
    if densification == "none":
        rest = 1.0 / np.maximum(size - 1.0, 1.0)  # a union of one has J = 0 or 1, and no variance
        inverse = _mean_over_filled(slots, size, lambda k, m: 1.0 / m)
        return value(jaccard * (1.0 - jaccard) * (inverse * (1.0 + rest) - rest))

    def same_element(k: int, filled: np.ndarray) -> np.ndarray:
        empty, q = k - filled, 1.0 - 1.0 / k
        if densification == "rotation":
            same_source = 2.0 / (filled + 1.0)
        elif densification == "optimal":
            same_source = 1.0 / filled
        else:
            same_source = q ** (filled - 1.0) / (k * (1.0 - q**filled))
        return (2.0 * empty + empty * (empty - 1.0) * same_source) / max(k * (k - 1), 1)

    return value(_variance(jaccard, slots, size, _mean_over_filled(slots, size, same_element)))


def _variance(jaccard: Any, slots: np.ndarray, size: np.ndarray, same_element: np.ndarray) -> np.ndarray:
    """J (1 - J) / k * (1 + (k - 1) (c f - 1) / (f - 1)); a union of one has J = 0 or 1, and no variance."""
    excess = (slots - 1.0) * (same_element * size - 1.0) / np.maximum(size - 1.0, 1.0)
    return jaccard_variance(jaccard, slots) * (1.0 + excess)


def _alpha(k: int, f: int) -> float:
    if k == 1 or f == 1:
        return 1.0
    q = np.arange(1.0, k)
    bend = ((q + 1) / k) ** f + ((q - 1) / k) ** f - 2.0 * (q / k) ** f
    return float(1.0 - (k - 1) / (f - 1) * np.sum((q / (k - 1)) ** f * bend))


def _mean_over_filled(
    slots: np.ndarray, size: np.ndarray, function: Callable[[int, np.ndarray], np.ndarray]
) -> np.ndarray:
    """Mean of function(k, m) over the number m of slots that are not empty, for every k and f."""
    slots, size = np.broadcast_arrays(slots, size)
    mean = np.empty(slots.shape)
    for k in np.unique(slots).tolist():
        here = slots == k
        settled = int(np.ceil(k * (np.log(k) + 40.0)))  # by then P(an empty slot) < k (1 - 1/k)^f < 1e-17
        sizes = np.minimum(size[here], settled)
        filled = np.arange(1.0, k + 1.0)
        of_filled = function(k, filled)
        at = dict.fromkeys(sizes.tolist(), 0.0)
        share = np.zeros(k)  # P(m = 1), ..., P(m = k)
        share[0] = 1.0
        for thrown in range(1, int(sizes.max()) + 1):
            if thrown > 1:
                arriving = share[:-1] * (1.0 - filled[:-1] / k)
                share *= filled / k
                share[1:] += arriving
            if thrown in at:
                at[thrown] = float(share @ of_filled)
        mean[here] = [at[f] for f in sizes.tolist()]
    return mean
