"""The whole job in one call: texts to verified near-duplicates, clusters, and what to keep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from time import perf_counter

import numpy as np

from minhash_nb.banding import Banding, candidate_pairs, check_fits, warn_if_blind
from minhash_nb.clustering import connected_components, star_clusters
from minhash_nb.joins import audit_recall
from minhash_nb.pipeline.result import NearDuplicates, cluster_frame, pair_frame, removed_frame
from minhash_nb.schemes import FastSimilaritySketch, Scheme
from minhash_nb.shingling import Normalize, ShingleMatrix, shingle
from minhash_nb.signatures import SignatureMatrix, check_scheme, compute_signatures
from minhash_nb.similarity import estimate_jaccard, first_equal, similar_pairs
from minhash_nb.validation import check_choice, check_integer, check_probability

__all__ = ["NearDuplicates", "find_near_duplicates"]

VERIFY_PAIRS = 1 << 20  # candidate pairs verified at a time: bounds the memory beside the result


def find_near_duplicates(
    texts: Iterable[str],
    threshold: float = 0.8,
    *,
    k: int = 5,
    unit: str = "char",
    normalize: Normalize = "default",
    short_texts: str = "whole",
    empty: str = "keep",
    scheme: Scheme | None = None,
    num_hashes: int = 256,
    recall: float = 0.95,
    banding: Banding | None = None,
    seed: int = 42,
    linkage: str = "star",
    bucket_pairs: str = "all",
    max_pairs: int = 100_000_000,
    audit: int | None = None,
    progress: bool = False,
) -> NearDuplicates:
    """Find the pairs of documents with Jaccard similarity of at least `threshold`, and what to keep.

    Shingle, group equal shingle sets, sign, band, verify every candidate pair exactly, cluster. No pair
    below the threshold is reported; a pair exactly at the threshold is found with probability `recall`
    or better, pairs above it more often still.

    Parameters
    ----------
    texts : sequence or iterable of str
        Documents; positions 0..n-1 name them in the result.
    threshold : float in (0, 1]
        Exact Jaccard similarity from which a pair counts; 1 finds equal shingle sets.
    k, unit, normalize, short_texts
        What a shingle is: see `shingle`.
    empty : {"keep", "duplicates"}
        Documents without a shingle are similar to nothing and kept; or all are copies of the first.
    scheme : Scheme, optional
        How to sign; by default `FastSimilaritySketch` with as many slots as the banding needs.
    num_hashes : int
        Budget for the banding where `scheme` and `banding` leave it open; it takes what it needs.
    recall : float in (0, 1)
        Wanted P(candidate) of a pair at the threshold, where `banding` leaves it open.
    banding : Banding, optional
        Bands and rows; ``Banding.for_recall(threshold, recall, num_hashes)`` by default.
    seed : int
        Of the default scheme.
    linkage : {"star", "components"}
        "star": in document order, remove a document if it has a pair with a kept one. Every removed
        document is at or above the threshold to its representative, and no two kept ones are.
        "components": keep the first of every connected component, however long its chains.
    bucket_pairs, max_pairs
        See `candidate_pairs`.
    audit : int, optional
        Also draw so many documents, find all their exact neighbours, and report which part of them this run
        found, with an interval: ``report["audit"]``, see `joins.audit_recall`.
    progress : bool
        Show progress bars.

    Returns
    -------
    NearDuplicates

    Raises
    ------
    TypeError
        If `texts` is a bare str or holds anything but str.
    ValueError
        If an option is out of range, no banding within the budget reaches the recall, or there are more
        candidate pairs than `max_pairs`.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> texts = ["The tide comes in at noon today.", "the tide comes in at noon today!", "Low water at six."]
    >>> result = mnb.find_near_duplicates(texts, threshold=0.7)
    >>> result.pairs[["i", "j", "jaccard"]]
       i  j  jaccard
    0  0  1  0.931034
    >>> result.keep
    array([ True, False,  True])
    """
    threshold = check_probability("threshold", threshold)
    check_choice("linkage", linkage, ("star", "components"))
    check_choice("empty", empty, ("keep", "duplicates"))
    check_integer("max_pairs", max_pairs, least=0)
    if audit is not None:
        check_integer("audit", audit)
    if scheme is not None:
        check_scheme(scheme)
    if banding is None:
        banding = Banding.for_recall(threshold, recall, scheme.num_hashes if scheme else num_hashes)
    warn_if_blind(banding, threshold)
    if scheme is None:
        scheme = FastSimilaritySketch(num_hashes=banding.num_hashes, seed=seed)
    check_fits(banding, scheme)
    seconds: dict[str, float] = {}

    with _timed(seconds, "shingle"):
        shingles = shingle(texts, k, unit, "fast", normalize, short_texts, progress=progress)
        is_empty = shingles.is_empty
    with _timed(seconds, "group"):
        first = first_equal(shingles)
        if empty == "duplicates" and is_empty.any():
            first[is_empty] = np.argmax(is_empty)
        is_copy = first != np.arange(len(shingles))
    with _timed(seconds, "sign"):
        signatures = compute_signatures(shingles, scheme, progress=progress)
    with _timed(seconds, "band"):
        distinct = SignatureMatrix(signatures.values, is_empty | is_copy, scheme, signatures.shingling)
        candidates = candidate_pairs(distinct, banding, bucket_pairs=bucket_pairs, max_pairs=max_pairs)
    with _timed(seconds, "verify"):
        verified, jaccard = _verify(shingles, candidates, threshold, progress)
    with _timed(seconds, "cluster"):
        # Equal sets have equal neighbours: a copy goes where the first of its kind goes.
        cluster = star_clusters if linkage == "star" else connected_components
        labels = cluster(verified, len(shingles))[first]
        copies = np.flatnonzero(is_copy)
        pairs = pair_frame(
            np.concatenate((verified, np.stack((first[copies], copies), axis=1))),
            np.concatenate((jaccard, np.ones(copies.size))),
            np.concatenate((estimate_jaccard(signatures, verified), np.ones(copies.size))),
        )
        removed, clusters = removed_frame(shingles, labels), cluster_frame(pairs, labels)
    audited = None
    if audit is not None:
        with _timed(seconds, "audit"):
            audited = audit_recall(shingles, pairs, threshold, audit, seed=seed)
    report = {
        "documents": len(shingles),
        "empty": int(is_empty.sum()),
        "short": int(shingles.is_short.sum()),
        "exact_duplicates": copies.size,
        "candidates": len(candidates),
        "verified": len(verified),
        "clusters": len(clusters),
        "removed": len(removed),
        "largest_cluster": int(clusters["size"].max()) if len(clusters) else min(1, len(shingles)),
        "audit": audited and asdict(audited),
        "parameters": {
            "threshold": threshold,
            "shingling": shingles.shingling and shingles.shingling.key,
            "empty": empty,
            "scheme": scheme.key,
            "num_bands": banding.num_bands,
            "rows_per_band": banding.rows_per_band,
            "recall_at_threshold": float(banding.detection_probability(threshold)),
            "linkage": linkage,
            "bucket_pairs": bucket_pairs,
            "max_pairs": max_pairs,
        },
        "seconds": seconds,
    }
    return NearDuplicates(pairs, labels, removed, clusters, report)


@contextmanager
def _timed(seconds: dict[str, float], step: str) -> Iterator[None]:
    start = perf_counter()
    yield
    seconds[step] = perf_counter() - start


def _verify(
    shingles: ShingleMatrix, candidates: np.ndarray, threshold: float, progress: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return the candidate pairs at or above the threshold, and their exact Jaccard similarity."""
    from tqdm import tqdm

    pairs, values = [candidates[:0]], [np.empty(0)]
    with tqdm(total=len(candidates), desc="verifying", unit="pair", disable=not progress) as bar:
        for start in range(0, len(candidates), VERIFY_PAIRS):
            part = candidates[start : start + VERIFY_PAIRS]
            similar, jaccard = similar_pairs(shingles, part, threshold)
            pairs.append(similar)
            values.append(jaccard)
            bar.update(len(part))
    return np.concatenate(pairs), np.concatenate(values)
