"""Did a run find what there is to find? Exact neighbours of some documents against the pairs it reported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minhash_nb import theory
from minhash_nb.joins.index import check_shingles
from minhash_nb.joins.join import similarity_join
from minhash_nb.shingling import ShingleMatrix
from minhash_nb.similarity import first_equal
from minhash_nb.validation import as_pairs, check_integer, check_probability

RESAMPLES = 2000


@dataclass(frozen=True)
class Audit:
    """Recall of a run, seen from a sample of documents: made by `audit_recall`.

    Parameters
    ----------
    documents : int
        Documents drawn.
    with_neighbours : int
        Those of them that have a neighbour at or above the threshold.
    neighbours, found : int
        Neighbours of the drawn documents, and how many of these pairs the run reported.
    recall : float
        found / neighbours; NaN if there is no neighbour.
    low, high : float
        Interval of the recall; 0 and 1 if there is no neighbour.
    confidence : float
        Of the interval.
    """

    documents: int
    with_neighbours: int
    neighbours: int
    found: int
    recall: float
    low: float
    high: float
    confidence: float


def audit_recall(
    shingles: ShingleMatrix, pairs: Any, threshold: float, n: int, *, seed: int = 0, confidence: float = 0.95
) -> Audit:
    """Draw documents, find all their exact neighbours, and count how many of them a run reported.

    Parameters
    ----------
    shingles : ShingleMatrix
        The corpus of the run.
    pairs : DataFrame with columns i and j, or int array (n_pairs, 2)
        What the run reported, for example ``find_near_duplicates(...).pairs``; in any order.
    threshold : float in (0, 1]
        Least exact Jaccard similarity of a neighbour.
    n : int
        Documents to draw; all, if there are no more.
    seed : int
        Of the draw and of the bootstrap.
    confidence : float in (0, 1)
        Of the interval.

    Returns
    -------
    Audit

    Raises
    ------
    TypeError
        If `shingles` is something else.
    ValueError
        If an option is out of range.

    Notes
    -----
    Copies are left out: of documents with equal shingle sets only the first is drawn or counted as a neighbour,
    as exact duplicates are found by comparison and not by banding. The interval is the percentile bootstrap over
    documents, since the pairs of a document are found or missed together (Efron, Tibshirani, *An Introduction to
    the Bootstrap*, 1993, chapter 13). Where nothing was missed the bootstrap would say 1 to 1; its lower end is
    then that of Clopper and Pearson for as many successes as documents with neighbours. Costs one
    `similarity_join` of the drawn documents with all.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> from minhash_nb.joins import audit_recall
    >>> shingles = mnb.ShingleMatrix.from_sets([{1, 2, 3, 4}, {1, 2, 3}, {2, 3, 4}, {9}])
    >>> audit = audit_recall(shingles, [(0, 1)], threshold=0.7, n=4)
    >>> audit.neighbours, audit.found, audit.recall
    (4, 2, 0.5)
    """
    check_shingles(shingles)
    threshold = check_probability("threshold", threshold)
    confidence = check_probability("confidence", confidence, one=False)
    n = check_integer("n", n)
    reported = np.sort(as_pairs(pairs, len(shingles)), axis=1)
    firsts = np.flatnonzero((first_equal(shingles) == np.arange(len(shingles))) & ~shingles.is_empty)
    n = min(n, firsts.size)
    rng = np.random.default_rng(seed)
    drawn = np.sort(rng.choice(firsts, size=n, replace=False))

    truth = similarity_join(shingles.take(drawn), shingles.take(firsts), threshold)
    document, neighbour = truth["i"].to_numpy(), firsts[truth["j"].to_numpy()]
    other = drawn[document] != neighbour
    document, neighbour = document[other], neighbour[other]
    both = np.sort(np.stack((drawn[document], neighbour), axis=1), axis=1)
    is_found = np.isin(_packed(both), _packed(reported))

    neighbours = np.bincount(document, minlength=n)
    found = np.bincount(document[is_found], minlength=n)
    recall, low, high = np.nan, 0.0, 1.0
    with_neighbours = int((neighbours > 0).sum())
    if with_neighbours:
        recall = found.sum() / neighbours.sum()
        tail = (1.0 - confidence) / 2.0
        times_drawn = rng.multinomial(n, np.full(n, 1.0 / n), size=RESAMPLES)
        resampled = times_drawn @ neighbours
        recalls = (times_drawn @ found)[resampled > 0] / resampled[resampled > 0]
        low, high = np.quantile(recalls, (tail, 1.0 - tail)).tolist()
        if recall == 1.0:
            low, _ = theory.clopper_pearson(with_neighbours, with_neighbours, confidence)
    return Audit(
        documents=n,
        with_neighbours=with_neighbours,
        neighbours=int(neighbours.sum()),
        found=int(found.sum()),
        recall=float(recall),
        low=low,
        high=high,
        confidence=confidence,
    )


def _packed(pairs: np.ndarray) -> np.ndarray:
    return (pairs[:, 0] << 32) | pairs[:, 1]
