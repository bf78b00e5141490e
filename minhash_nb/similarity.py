"""How similar given pairs are: estimated from signatures, exactly from shingles, and explained for two texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from minhash_nb import theory
from minhash_nb.kernels import packing
from minhash_nb.kernels import similarity as kernels
from minhash_nb.shingling import Normalize, ShingleMatrix, Shingling
from minhash_nb.signatures import SignatureMatrix
from minhash_nb.threads import parallel_region
from minhash_nb.validation import as_pairs, as_texts, check_instance, check_probability, frozen

if TYPE_CHECKING:
    import pandas as pd


@overload
def estimate_jaccard(signatures: SignatureMatrix, pairs: Any, *, interval: None = None) -> np.ndarray: ...


@overload
def estimate_jaccard(signatures: SignatureMatrix, pairs: Any, *, interval: float) -> pd.DataFrame: ...


def estimate_jaccard(
    signatures: SignatureMatrix, pairs: Any, *, interval: float | None = None
) -> np.ndarray | pd.DataFrame:
    """Estimate the Jaccard similarity of pairs: the fraction of equal slots.

    Parameters
    ----------
    signatures : SignatureMatrix
        From `compute_signatures` or `sign_texts`; b-bit signatures are corrected for chance matches, which
        can give a value below 0.
    pairs : int array (n_pairs, 2), or a DataFrame with columns i and j
        Positions of documents.
    interval : float in (0, 1), optional
        Confidence, for example 0.95: also return the ends of a Clopper-Pearson interval.

    Returns
    -------
    float64 array (n_pairs,), or with `interval` a DataFrame estimate, low, high
        0.0 throughout where a document is empty.

    Raises
    ------
    TypeError
        If `signatures` is something else.
    ValueError
        If `pairs` has another shape or a position that does not exist; if an interval is asked of a scheme
        whose spread can exceed the binomial (OnePermutation with densification, on short documents).

    Notes
    -----
    Unbiased; for `MinHash` the number of equal slots is binomial, the variance J (1 - J) / num_hashes (Broder
    1997): at 128 hashes a standard deviation of .044 at J = .5 and .027 at .9. So the interval is exact for
    `MinHash` (its coverage is at least the confidence), and conservative for `FastSimilaritySketch`,
    `SuperMinHash` and undensified `OnePermutation`, which spread less.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> signatures = mnb.sign_texts(["one text", "one text", ""], mnb.MinHash(num_hashes=32))
    >>> mnb.estimate_jaccard(signatures, [(0, 1), (1, 2)])
    array([1., 0.])
    >>> mnb.estimate_jaccard(signatures, [(0, 1)], interval=0.95).round(3)
       estimate    low  high
    0       1.0  0.891   1.0
    """
    check_instance("signatures", signatures, SignatureMatrix, "compute_signatures or sign_texts")
    array = as_pairs(pairs, len(signatures))
    equal, slots = _count_slots(signatures, array)
    none = signatures.is_empty[array].any(axis=1)
    estimate = _without_chance(equal / np.maximum(slots, 1), signatures.bits)
    estimate[none] = 0.0
    if interval is None:
        return estimate
    confidence = check_probability("interval", interval, one=False)
    if not signatures.scheme.at_most_binomial:
        raise ValueError(
            f"`interval` needs a scheme that spreads no more than the binomial, which {signatures.scheme} "
            "does on short documents: use FastSimilaritySketch or MinHash"
        )
    import pandas as pd

    ends = theory.clopper_pearson(equal, np.maximum(slots, 1), confidence)
    low, high = (np.clip(_without_chance(end, signatures.bits), 0.0, 1.0) for end in ends)
    low[none] = high[none] = 0.0
    return pd.DataFrame({"estimate": estimate, "low": low, "high": high})


def _without_chance(fraction: np.ndarray, bits: int) -> np.ndarray:
    """Take the chance matches of b-bit slots out of a fraction of equal slots."""
    return fraction if bits == 32 else np.asarray(theory.bbit_estimate(fraction, bits))


def _count_slots(signatures: SignatureMatrix, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray | int]:
    """Return how many slots of each pair agree, and how many count at all."""
    equal, slots = np.empty(len(pairs), dtype=np.int64), signatures.scheme.num_hashes
    with parallel_region():
        if signatures.bits < 32:
            packing.count_unequal_slots(signatures.values, signatures.bits, pairs, equal)
            return slots - equal, slots
        kernels.count_equal_slots(signatures.values, pairs, equal)
        if signatures.scheme.bandable:
            return equal, slots
        both_empty = np.empty(len(pairs), dtype=np.int64)
        kernels.count_both_empty(signatures.values, pairs, both_empty)
    return equal - both_empty, slots - both_empty


def exact_jaccard(shingles: ShingleMatrix, pairs: Any) -> np.ndarray:
    """Compute the Jaccard similarity of pairs from their shingle ids.

    Parameters
    ----------
    shingles : ShingleMatrix
        From `shingle`, or your own ids.
    pairs : int array (n_pairs, 2), or a DataFrame with columns i and j
        Positions of documents.

    Returns
    -------
    float64 array (n_pairs,)
        Common ids over ids in the union; 0.0 where a document is empty, also against another empty one.

    Raises
    ------
    ValueError
        If `pairs` has another shape or a position that does not exist.

    Notes
    -----
    Linear in the sizes of the documents. Exact on ids: see `shingle` for how rarely two shingles share one.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> mnb.exact_jaccard(mnb.ShingleMatrix.from_sets([{1, 2, 3}, {2, 3, 4}]), [(0, 1)])
    array([0.5])
    """
    check_instance("shingles", shingles, ShingleMatrix, "shingle(texts)")
    return _jaccard(shingles, as_pairs(pairs, len(shingles)), floor=0.0)


def similar_pairs(shingles: ShingleMatrix, pairs: np.ndarray, threshold: float) -> tuple[np.ndarray, np.ndarray]:
    """Return those of the pairs with exact Jaccard similarity of at least `threshold`, and that similarity.

    As `exact_jaccard`, but a pair costs no more than it takes to see that it falls short.
    """
    sizes = shingles.sizes[pairs]
    pairs = pairs[sizes.min(axis=1) >= threshold * sizes.max(axis=1) - 0.5]  # J is at most the ratio of the sizes
    jaccard = _jaccard(shingles, pairs, threshold)
    similar = jaccard >= threshold
    return pairs[similar], jaccard[similar]


def _jaccard(shingles: ShingleMatrix, pairs: np.ndarray, floor: float) -> np.ndarray:
    common = np.empty(len(pairs), dtype=np.int64)
    with parallel_region():
        kernels.count_common(shingles.indptr, shingles.indices, frozen(pairs), floor, common)  # one compilation
    union = shingles.sizes[pairs].sum(axis=1) - common
    return common / np.maximum(union, 1)


def first_equal(shingles: ShingleMatrix) -> np.ndarray:
    """Return for each document the first one with the same set of shingles, int64 (n_docs,).

    An empty document is its own first. Linear in the number of ids; rows are compared in full.
    """
    digests = np.empty(len(shingles), dtype=np.uint64)
    first = np.empty(len(shingles), dtype=np.int64)
    table = np.full(1 << (2 * max(len(shingles), 1) - 1).bit_length(), -1, dtype=np.int32)
    with parallel_region():
        kernels.digest_rows(shingles.indptr, shingles.indices, digests)
        kernels.first_equal_row(shingles.indptr, shingles.indices, digests, table, first)
    return first


@dataclass(frozen=True, repr=False)
class Comparison:
    """Why two texts match, or do not: made by `compare`.

    Parameters
    ----------
    jaccard : float
        Shared shingles over shingles in the union; 0.0 if either text has none.
    containment_first, containment_second : float
        Which part of the first (second) text's shingles the other one has.
    shared, only_first, only_second : tuple of str (bytes for unit="byte")
        Distinct shingles in the order in which they first occur.
    shingling : Shingling
        The options used.
    """

    jaccard: float
    containment_first: float
    containment_second: float
    shared: tuple[Any, ...]
    only_first: tuple[Any, ...]
    only_second: tuple[Any, ...]
    shingling: Shingling

    def __repr__(self) -> str:
        union = len(self.shared) + len(self.only_first) + len(self.only_second)
        lines = [
            f"Jaccard {self.jaccard:.4f} = {len(self.shared)} shared of {union} shingles "
            f"(k={self.shingling.k}, unit={self.shingling.unit!r})",
            f"containment: {self.containment_first:.4f} of the first in the second, "
            f"{self.containment_second:.4f} of the second in the first",
        ]
        for title, shingles in (
            ("shared", self.shared),
            ("only in the first", self.only_first),
            ("only in the second", self.only_second),
        ):
            shown = ", ".join(map(repr, shingles[:8]))
            more = f", ... ({len(shingles)} in all)" if len(shingles) > 8 else ""
            lines.append(f"{title + ':':<20} {shown or 'none'}{more}")
        return "\n".join(lines)


def compare(
    first: str,
    second: str,
    k: int = 5,
    unit: str = "char",
    normalize: Normalize = "default",
    short_texts: str = "whole",
) -> Comparison:
    """Show why two texts match: similarity, containment both ways, shared and own shingles as text.

    Parameters
    ----------
    first, second : str
        The texts.
    k, unit, normalize, short_texts
        As in `shingle`.

    Returns
    -------
    Comparison
        Exact: on the shingles themselves, not on their ids.

    Raises
    ------
    TypeError
        If a text is not a str.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> mnb.compare("a small text", "a smart text", k=4)
    Jaccard 0.2857 = 4 shared of 14 shingles (k=4, unit='char')
    containment: 0.4444 of the first in the second, 0.4444 of the second in the first
    shared:              'a sm', ' sma', ' tex', 'text'
    only in the first:   'smal', 'mall', 'all ', 'll t', 'l te'
    only in the second:  'smar', 'mart', 'art ', 'rt t', 't te'
    """
    shingling = Shingling(k=k, unit=unit, normalize=normalize, short_texts=short_texts)
    a, b = (dict.fromkeys(shingling.texts(text)) for text in as_texts([first, second]))
    shared = tuple(shingle for shingle in a if shingle in b)
    union = len(a) + len(b) - len(shared)
    return Comparison(
        jaccard=len(shared) / union if shared else 0.0,
        containment_first=len(shared) / len(a) if shared else 0.0,
        containment_second=len(shared) / len(b) if shared else 0.0,
        shared=shared,
        only_first=tuple(shingle for shingle in a if shingle not in b),
        only_second=tuple(shingle for shingle in b if shingle not in a),
        shingling=shingling,
    )
