"""Choose bands and rows for a threshold, a recall, and a corpus."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from minhash_nb import theory
from minhash_nb.banding import Banding
from minhash_nb.joins import SimilarityHistogram
from minhash_nb.shingling import ShingleMatrix
from minhash_nb.tuning.forecast import CorpusProfile, forecast, profile
from minhash_nb.validation import check_choice, check_integer, check_probability

if TYPE_CHECKING:
    import pandas as pd

OBJECTIVES = ("at_threshold", "above_threshold", "area")
NEARLY = 0.05  # P(candidate) below it is "near 0", above 1 - NEARLY "near 1"


@dataclass(frozen=True, eq=False, repr=False)
class TuningResult:
    """What `tune` found.

    Parameters
    ----------
    table : DataFrame
        One row for each banding within the budget: see `tune`.
    best : Banding
        The choice.
    threshold, recall, max_hashes, objective
        What was asked for.
    histogram : SimilarityHistogram
        Similarities of the distinct documents, on which the forecasts rest.
    n_docs : int
        Documents of the corpus, copies and empty ones included; the distinct others are ``histogram.n_docs``.
    """

    table: pd.DataFrame
    best: Banding
    threshold: float
    recall: float
    max_hashes: int
    objective: str
    histogram: SimilarityHistogram
    n_docs: int

    @property
    def chosen(self) -> pd.Series:
        """The row of the table that belongs to `best`."""
        bands, rows = self.best.num_bands, self.best.rows_per_band
        return self.table[(self.table["num_bands"] == bands) & (self.table["rows_per_band"] == rows)].iloc[0]

    def __repr__(self) -> str:
        row, best = self.chosen, self.best
        above = "no pair of the corpus is above it"
        if not np.isnan(row["recall_above_threshold"]):
            above = (
                f"{row['recall_above_threshold']:.3f} above it "
                f"({row['recall_low']:.3f} to {row['recall_high']:.3f} in one run)"
            )
        compared = "all compared" if self.histogram.exact else f"{self.histogram.n_sampled:,} compared with all"
        unused = self.max_hashes - best.num_hashes
        goal = "" if self.objective == "area" else f", recall {self.recall}"
        return (
            f"TuningResult for threshold {self.threshold}{goal}, objective {self.objective!r}: {best}\n"
            f"  recall      {row['recall_at_threshold']:.3f} at the threshold, {above}\n"
            f"  candidates  {row['candidates']:,.0f} to expect of {self.histogram.n_pairs:,} pairs of distinct "
            f"documents ({self.histogram.n_docs:,} of {self.n_docs:,}; {compared})\n"
            f"  hashes      {best.num_hashes} of {self.max_hashes}, {unused} unused; "
            f"{row['bytes_per_document']:,.0f} bytes per document"
        )


def tune(
    shingles: ShingleMatrix,
    threshold: float = 0.8,
    recall: float = 0.95,
    max_hashes: int = 256,
    objective: str = "at_threshold",
    *,
    sample: int | None = None,
    seed: int = 0,
) -> TuningResult:
    """Choose bands and rows that find the pairs of this corpus at least cost.

    Copies are grouped before banding (see `find_near_duplicates`) and empty documents are in no pair: all figures
    are about the distinct documents that are not empty.

    Parameters
    ----------
    shingles : ShingleMatrix
        The corpus, or a sample of it: candidates grow with the square of the number of documents.
    threshold : float in (0, 1]
        Similarity from which pairs count.
    recall : float in (0, 1)
        Wanted share of them among the candidates.
    max_hashes : int
        Signature columns at most.
    objective : {"at_threshold", "above_threshold", "area"}
        "at_threshold": fewest candidates, if a pair exactly at the threshold is found with probability `recall`.
        "above_threshold": fewest candidates, if that share of all pairs of the corpus at or above the threshold
        is found (of pairs at the threshold, where there are none); pairs at the threshold may be found less often.
        "area": fewest errors (missed pairs, and candidates below the threshold), whatever the recall. Among bandings
        within half a candidate of the least, the one with the fewest hashes is chosen.
    sample : int, optional
        How many documents to compare with all others below the threshold: see `similarity_histogram`.
    seed : int
        Of that sample.

    Returns
    -------
    TuningResult
        With a table of all bandings within the budget: num_bands, rows_per_band, num_hashes,
        recall_at_threshold, recall_above_threshold, recall_low and recall_high (where the latter lies in about 95 %
        of runs; NaN if there is no such pair), candidates (to expect), errors (candidates below the threshold and
        pairs missed above it), bytes_per_document (signature and buckets, as in `theory.memory_forecast`) and
        pareto (reaches the recall, and no banding that does has both as few hashes and as few candidates; for
        "area", as few hashes and as few errors).

    Raises
    ------
    TypeError
        If `shingles` is something else.
    ValueError
        If an option is out of range, no banding within the budget reaches the recall (the sentence names a budget
        that does), or there are not two different documents.

    Warns
    -----
    UserWarning
        If no pair is at or above the threshold, or the chosen banding finds a pair with a probability near 0, or
        near 1, at every similarity that occurs.

    Notes
    -----
    Costs an exact `similarity_join` at the threshold and a `similarity_histogram` of the rest. Expected candidates
    are the sum of the S-curve over all pairs: on licences, person records and statutes at thresholds .5 to .9 the
    mean of 20 runs was within 11 % of them. The interval of one run takes pairs with a document in common as found
    or missed together and all others as independent: it held in 96 % of those runs, in 85 % at the least, where a
    binomial one is too narrow by a factor of up to 4.5.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> from minhash_nb.tuning import tune
    >>> shingles = mnb.shingle(mnb.datasets.generate_corpus(num_docs=300))
    >>> tuned = tune(shingles, threshold=0.8, recall=0.95, max_hashes=128)
    >>> round(tuned.chosen["recall_at_threshold"], 2) >= 0.95 and tuned.best.num_hashes <= 128
    True
    """
    threshold = check_probability("threshold", threshold)
    recall = check_probability("recall", recall, one=False)
    max_hashes = check_integer("max_hashes", max_hashes)
    check_choice("objective", objective, OBJECTIVES)
    corpus = profile(shingles, threshold, sample, seed)
    numbers = np.arange(1, max_hashes + 1)
    num_bands = np.repeat(numbers, max_hashes // numbers)
    rows_per_band = np.concatenate([numbers[: max_hashes // bands] for bands in numbers])
    table = forecast(corpus, num_bands, rows_per_band)

    reached = table["recall_at_threshold"].to_numpy()
    if objective == "above_threshold" and corpus.similar_pairs:
        reached = table["recall_above_threshold"].to_numpy()
    feasible = np.full(len(table), True) if objective == "area" else reached >= recall
    if not feasible.any():
        raise ValueError(
            f"`max_hashes`={max_hashes} is too small for recall {recall} {objective.replace('_', ' ')} {threshold}: "
            "the least that will do is "
            f"max_hashes={_least_hashes(corpus, recall, objective)}"
        )
    cost = table["errors" if objective == "area" else "candidates"].to_numpy()
    hashes = table["num_hashes"].to_numpy()
    table["pareto"] = _front(hashes, cost, feasible)
    nearly_least = np.flatnonzero(feasible & (cost <= cost[feasible].min() + 0.5))
    row = nearly_least[np.lexsort((cost[nearly_least], hashes[nearly_least]))[0]]
    best = Banding(int(num_bands[row]), int(rows_per_band[row]))
    sentence = flat_curve(best, corpus.histogram)
    if not corpus.similar_pairs:
        sentence = (
            f"no two different documents have a similarity of {threshold} or more: "
            "only the recall of a pair at the threshold can be forecast"
        )
    if sentence:
        warnings.warn(sentence, stacklevel=2)
    return TuningResult(table, best, threshold, recall, max_hashes, objective, corpus.histogram, corpus.n_docs)


def flat_curve(banding: Banding, histogram: SimilarityHistogram) -> str | None:
    """Return a sentence if P(candidate) is near 0, or near 1, at every similarity that occurs; else None."""
    occurs = np.flatnonzero(histogram.counts > 0)
    if not occurs.size:
        return "no two different documents have a shingle in common: there is nothing to tune on"
    low, high = histogram.edges[occurs[0]], histogram.edges[occurs[-1] + 1]
    if (most := banding.detection_probability(high)) < NEARLY:
        return (
            f"{banding} finds next to nothing here: similarities are at most {high:.3g}, "
            f"where it finds a pair with probability {most:.2g}"
        )
    if (least := banding.detection_probability(low)) > 1.0 - NEARLY:
        return (
            f"{banding} makes nearly every pair that shares a shingle a candidate: similarities are at least "
            f"{low:.3g}, where it finds a pair with probability {least:.2g}"
        )
    return None


def _least_hashes(corpus: CorpusProfile, recall: float, objective: str) -> int:
    """Return the least budget that reaches the recall: bands of one row find most for their hashes."""
    reached: Callable[[int], float] = lambda bands: theory.s_curve(corpus.threshold, bands, 1)  # noqa: E731
    if objective == "above_threshold" and corpus.similar_pairs:
        reached = lambda bands: theory.recall_above(  # noqa: E731
            corpus.threshold, corpus.histogram.density, bands, 1
        )
    most = 1
    while reached(most) < recall:
        most *= 2
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if reached(middle) < recall else (least, middle)
    return most


def _front(hashes: np.ndarray, cost: np.ndarray, feasible: np.ndarray) -> np.ndarray:
    """Mark the feasible rows that no other one equals or beats in one of the two and beats in the other."""
    front = np.zeros(hashes.size, dtype=bool)
    rows = np.flatnonzero(feasible)
    rows = rows[np.lexsort((cost[rows], hashes[rows]))]
    before = np.concatenate(([np.inf], np.minimum.accumulate(cost[rows])[:-1]))
    front[rows[cost[rows] < before]] = True
    return front
