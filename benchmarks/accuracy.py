"""How accurate: the error of estimates on pairs of known similarity, recall and precision of pairs found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.adapters import NUM_HASHES, Adapter
from benchmarks.corpora import overlapping_rows
from benchmarks.measure import Effort


@dataclass(frozen=True)
class Error:
    """Error of the estimates of one tool for pairs of one size.

    Variance and mean square error are in units of J (1 - J) / 128, what 128 independent hash functions give;
    the standard errors come from the spread between batches.
    """

    jaccard: float
    pairs: int
    bias: float
    bias_error: float
    variance: float
    variance_error: float

    @property
    def mean_square(self) -> float:
        """Variance and squared bias."""
        return self.variance + self.bias**2 / unit(self.jaccard)


def unit(jaccard: float) -> float:
    """Return the variance of an estimate from 128 independent hash functions."""
    return jaccard * (1 - jaccard) / NUM_HASHES


def estimate_errors(adapters: Sequence[Adapter], num_ids: int, step: int, effort: Effort) -> dict[str, Error]:
    """Measure the estimates of neighbours in `overlapping_rows`, for documents of `num_ids` ids.

    Each batch has its own ids and its own seed, so that the spread between batches tells the error. A slow
    adapter sees only the first documents of each.
    """
    jaccard = (num_ids - step) / (num_ids + step)
    batch = math.ceil(effort.pairs / effort.batches)
    deviations: dict[str, list[np.ndarray]] = {adapter.name: [] for adapter in adapters}
    for seed in range(effort.batches):
        rows = overlapping_rows(num_ids, step, batch, np.random.default_rng([num_ids, seed]))
        for adapter in adapters:
            share = int(min(batch, max(2, adapter.most * effort.share / (effort.batches * num_ids))))
            part = rows if share == batch else rows.take(np.arange(share + 1))
            estimate = adapter.read(adapter.run(adapter.prepare(part), seed + 1))
            neighbours = np.arange(share)[:, None] + np.array([0, 1])
            deviations[adapter.name].append(estimate(neighbours) - jaccard)
    return {name: _error(jaccard, np.stack(found)) for name, found in deviations.items()}


def _error(jaccard: float, deviations: np.ndarray) -> Error:
    """Summarise deviations of shape (batches, pairs of a batch)."""
    bias, square = deviations.mean(), (deviations**2).mean()
    variances = (deviations**2).mean(axis=1) - 2 * bias * deviations.mean(axis=1)  # each about square - 2 bias**2
    root = math.sqrt(len(deviations))
    return Error(
        jaccard=jaccard,
        pairs=deviations.size,
        bias=bias,
        bias_error=deviations.mean(axis=1).std(ddof=1) / root,
        variance=(square - bias**2) / unit(jaccard),
        variance_error=variances.std(ddof=1) / root / unit(jaccard),
    )


def recall_and_precision(found: np.ndarray, truth: np.ndarray, num_documents: int) -> tuple[float, float]:
    """Return which part of the true pairs was found, and which part of those found is true (NaN of none)."""
    found, truth = found[:, 0] * num_documents + found[:, 1], truth[:, 0] * num_documents + truth[:, 1]
    common = np.intersect1d(found, truth, assume_unique=True).size
    return common / truth.size if truth.size else math.nan, common / found.size if found.size else math.nan
