"""Banding: signatures cut into bands; documents that agree in a whole band are candidate pairs."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minhash_nb import theory
from minhash_nb.kernels import banding as kernels
from minhash_nb.schemes import Scheme
from minhash_nb.signatures import SignatureMatrix
from minhash_nb.threads import parallel_region
from minhash_nb.validation import check_choice, check_instance, check_integer, check_probability

BLIND = 0.05  # a recall at the threshold below this cannot be meant


@dataclass(frozen=True)
class Banding:
    """How signature columns form bands: the first ``num_bands * rows_per_band`` of them, row after row.

    A pair with Jaccard similarity s shares at least one band with probability 1 - (1 - s**r)**b, the
    S-curve (b bands of r rows).

    Parameters
    ----------
    num_bands, rows_per_band : int
        Both at least 1. Mind the order: papers write (b, r) both ways.

    Notes
    -----
    Source: Leskovec, Rajaraman, Ullman, *Mining of Massive Datasets*, section 3.4.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> banding = mnb.Banding(16, 8)
    >>> banding
    Banding(num_bands=16, rows_per_band=8)
    >>> round(banding.threshold, 3), round(banding.half_point, 3), round(banding.detection_probability(0.8), 3)
    (0.707, 0.674, 0.947)
    """

    num_bands: int
    rows_per_band: int

    def __post_init__(self) -> None:
        for name in ("num_bands", "rows_per_band"):
            object.__setattr__(self, name, check_integer(name, getattr(self, name)))

    @property
    def num_hashes(self) -> int:
        """Signature columns used: num_bands * rows_per_band."""
        return self.num_bands * self.rows_per_band

    @property
    def threshold(self) -> float:
        """The customary (1/b)**(1/r): near the steepest point, but neither that nor the half-point."""
        return float(theory.nominal_threshold(self.num_bands, self.rows_per_band))

    @property
    def half_point(self) -> float:
        """The similarity that is found half of the time."""
        return float(theory.half_point(self.num_bands, self.rows_per_band))

    @property
    def steepest(self) -> float:
        """The similarity at which the S-curve is steepest."""
        return float(theory.steepest_point(self.num_bands, self.rows_per_band))

    def detection_probability(self, s: Any) -> Any:
        """Return P(candidate) for a pair (or an array of pairs) of Jaccard similarity `s`."""
        return theory.s_curve(s, self.num_bands, self.rows_per_band)

    @classmethod
    def for_recall(cls, threshold: float, recall: float = 0.95, num_hashes: int = 256) -> Banding:
        """Choose the most rows, then the fewest bands, that find a pair at `threshold` with P >= `recall`.

        More rows mean fewer dissimilar candidates; pairs above the threshold are found more often still.

        Parameters
        ----------
        threshold : float in (0, 1]
            Similarity above which pairs count as near-duplicates.
        recall : float in (0, 1)
            Wanted probability that a pair exactly at the threshold becomes a candidate.
        num_hashes : int
            Budget: the banding uses at most so many columns, often fewer.

        Raises
        ------
        ValueError
            If no banding within the budget reaches the recall; the sentence names a budget that does.

        Notes
        -----
        Relies on the S-curve of independent columns, which is that of `MinHash`. `FastSimilaritySketch` is
        found at or above that curve from the threshold on (its columns are negatively correlated, its curve is
        steeper), so the recall holds for it as well, from documents of five shingles on.

        Examples
        --------
        >>> import minhash_nb as mnb
        >>> mnb.Banding.for_recall(0.8, recall=0.95, num_hashes=128)
        Banding(num_bands=13, rows_per_band=7)
        """
        threshold = check_probability("threshold", threshold)
        recall = check_probability("recall", recall, one=False)
        num_hashes = check_integer("num_hashes", num_hashes)
        for rows in range(num_hashes, 0, -1):
            bands = _bands_for(threshold, recall, rows)
            if bands * rows <= num_hashes:
                return cls(int(bands), rows)
        raise ValueError(
            f"`num_hashes`={num_hashes} is too small for recall {recall} at threshold {threshold}: "
            f"the least that will do is num_hashes={_bands_for(threshold, recall, 1):.0f}"
        )

    @classmethod
    def for_threshold(cls, threshold: float, num_hashes: int = 128) -> Banding:
        """Choose the banding of least false-positive plus false-negative area, as datasketch does.

        The areas weigh every similarity equally, and the recall *at* the threshold comes out at 0.3 to 0.6:
        see `for_recall` if you mean to find the pairs at your threshold.

        Examples
        --------
        >>> import minhash_nb as mnb
        >>> banding = mnb.Banding.for_threshold(0.8, num_hashes=128)
        >>> banding, round(banding.detection_probability(0.8), 2)
        (Banding(num_bands=9, rows_per_band=13), 0.4)
        """
        threshold = check_probability("threshold", threshold)
        num_hashes = check_integer("num_hashes", num_hashes)
        pairs = [(b, r) for b in range(1, num_hashes + 1) for r in range(1, num_hashes // b + 1)]
        bands, rows = np.array(pairs).T
        area = theory.false_positive_area(threshold, bands, rows) + theory.false_negative_area(threshold, bands, rows)
        return cls(*pairs[int(np.argmin(area))])


def _bands_for(threshold: float, recall: float, rows: int) -> float:
    """Return the fewest bands of so many rows that reach the recall (infinite if s**r all but vanishes)."""
    agree = threshold**rows
    if agree == 1.0:
        return 1
    estimate = math.log1p(-recall) / math.log1p(-agree) if agree > 0.0 else math.inf
    if estimate > 2**53:
        return math.inf
    bands = max(1, math.ceil(estimate) - 1)  # the logarithms are rounded, up or down
    while theory.s_curve(threshold, bands, rows) < recall:
        bands += 1
    return bands


def _check_banding(banding: Any) -> None:
    check_instance("banding", banding, Banding, "Banding(16, 8) or Banding.for_recall(0.8)")


def warn_if_blind(banding: Banding, threshold: float) -> None:
    """Warn if a pair at the threshold is hardly ever a candidate, as with 20 bands of 450 rows."""
    _check_banding(banding)
    probability = banding.detection_probability(threshold)
    if probability < BLIND:
        warnings.warn(
            f"{banding} makes a pair at threshold {threshold} a candidate with probability {probability:.2g} only: "
            "use fewer rows per band, or Banding.for_recall",
            stacklevel=3,
        )


def check_fits(banding: Banding, scheme: Scheme) -> None:
    """Raise ValueError, with what would do, unless signatures of this scheme can be cut into these bands."""
    if not scheme.bandable:
        raise ValueError(
            f"signatures of {scheme} have empty slots, which would share bands by being empty: "
            "choose a densification, or FastSimilaritySketch"
        )
    if banding.num_hashes > scheme.num_hashes:
        fits = scheme.num_hashes // banding.num_bands
        shrink = f"rows_per_band={fits} or " if fits else ""
        raise ValueError(
            f"signatures have {scheme.num_hashes} hashes but Banding({banding.num_bands}, {banding.rows_per_band}) "
            f"needs {banding.num_hashes}: use {shrink}num_hashes={banding.num_hashes}"
        )


def as_bandings(bandings: Any) -> list[Banding]:
    """Return one banding or several as a list, or raise."""
    chosen = [bandings] if isinstance(bandings, Banding) or not isinstance(bandings, Iterable) else list(bandings)
    if not chosen:
        raise ValueError("`bandings` must hold at least one Banding, got none")
    for banding in chosen:
        if not isinstance(banding, Banding):
            raise TypeError(f"`bandings` must be Bandings such as Banding(16, 8), got {banding!r:.60}")
    return chosen


def candidate_pairs(
    signatures: SignatureMatrix,
    banding: Banding,
    *,
    bucket_pairs: str = "all",
    max_pairs: int = 100_000_000,
) -> np.ndarray:
    """Return the pairs of documents that agree in at least one whole band.

    Parameters
    ----------
    signatures : SignatureMatrix
        With at least ``banding.num_hashes`` columns; the first of them are used.
    banding : Banding
        Bands and rows.
    bucket_pairs : {"all", "star"}
        "all": every pair of a bucket. "star": only its first document with each of the others, linear in
        the size of the bucket; joined up, both give the same connected components.
    max_pairs : int
        Refuse before allocating if there are more pairs.

    Returns
    -------
    int64 array (n_pairs, 2)
        Positions i < j, unique, sorted by (i, j). Empty documents are in no pair.

    Raises
    ------
    ValueError
        If the signatures are too short for the banding, or there are more than `max_pairs` pairs.

    Notes
    -----
    Expected linear in documents x bands plus pairs x bands. 9 bytes per document and band for the buckets,
    16 to 24 bytes for each pair. Band rows are compared in full, so candidates do not depend on a digest.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> texts = ["the quick brown fox jumps", "the quick brown fox jumped", "nothing alike here"]
    >>> mnb.candidate_pairs(mnb.sign_texts(texts, mnb.MinHash(128)), mnb.Banding(32, 4))
    array([[0, 1]])
    """
    check_instance("signatures", signatures, SignatureMatrix, "compute_signatures or sign_texts")
    _check_banding(banding)
    check_choice("bucket_pairs", bucket_pairs, ("all", "star"))
    max_pairs = check_integer("max_pairs", max_pairs, least=0)
    check_fits(banding, signatures.scheme)
    shape = (len(signatures), banding.num_bands)
    links, leads = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.bool_)
    band_pairs = np.zeros(banding.num_bands, dtype=np.int64)
    counts = np.zeros(len(signatures), dtype=np.int64)
    star = bucket_pairs == "star"
    rows, values = banding.rows_per_band, signatures.slots
    with parallel_region():
        kernels.link_buckets(values, signatures.is_empty, rows, links, leads, band_pairs)
        # No band has more pairs than there are in all; counting them one by one could take too long.
        least = 0 if star else int(band_pairs.max(initial=0))
        if least <= max_pairs:
            kernels.count_pairs(values, links, leads, rows, star, counts)
            least = int(counts.sum())
        if least > max_pairs:
            star_hint = "" if star else ', bucket_pairs="star"'
            raise ValueError(
                f"`max_pairs` is {max_pairs:,}, but there are {least:,} candidate pairs or more: use more rows "
                f"per band{star_hint} or a larger max_pairs (16 bytes a pair)"
            )
        packed = np.empty(least, dtype=np.int64)
        kernels.fill_pairs(values, links, leads, rows, star, np.cumsum(counts) - counts, packed)
    packed.sort()
    return np.stack((packed >> 32, packed & 0xFFFFFFFF), axis=1)
