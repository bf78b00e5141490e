"""How similar the pairs of a corpus are: all of them, or a sample of documents against all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numba
import numpy as np

from minhash_nb.joins.index import check_shingles, invert, rank_rows
from minhash_nb.kernels import joins as kernels
from minhash_nb.kernels.joins import Rows
from minhash_nb.shingling import ShingleMatrix
from minhash_nb.threads import parallel_region
from minhash_nb.validation import check_integer, frozen

READS = 4_000_000_000  # entries of the inverted index that are read at most, unless a sample size is given
LEAST_SAMPLE = 100
CELLS = 1 << 12  # a power of two: multiplying by it is exact


@dataclass(frozen=True, eq=False, repr=False)
class SimilarityHistogram:
    """Numbers of pairs by exact Jaccard similarity: made by `similarity_histogram`.

    Parameters
    ----------
    edges : float64 array (n_bins + 1,)
        From 0 to 1. Bin b holds similarities from ``edges[b]`` to below ``edges[b + 1]``, the last bin also 1.
    counts : float64 array (n_bins,)
        Pairs that share at least one shingle; estimates where documents were sampled.
    standard_errors : float64 array (n_bins,)
        Of the counts; 0 where all pairs were counted. A bin in which the sample saw no pair has 0 as well.
    disjoint : float
        Pairs that share nothing.
    n_docs : int
        Documents, copies and empty ones included.
    n_sampled : int or None
        How many distinct documents were compared with all others; None: all of them.

    Notes
    -----
    ``np.asarray(histogram)`` gives `counts`. The arrays are read-only.
    """

    edges: np.ndarray
    counts: np.ndarray
    standard_errors: np.ndarray
    disjoint: float
    n_docs: int
    n_sampled: int | None

    def __post_init__(self) -> None:
        for name in ("edges", "counts", "standard_errors"):
            object.__setattr__(self, name, frozen(np.asarray(getattr(self, name), dtype=np.float64)))

    @property
    def exact(self) -> bool:
        """Whether all pairs were counted."""
        return self.n_sampled is None

    @property
    def n_pairs(self) -> int:
        """All pairs of documents, n (n - 1) / 2."""
        return self.n_docs * (self.n_docs - 1) // 2

    @property
    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """What the functions of `theory` take: (edges, weights), with the disjoint pairs as an atom at 0."""
        return np.concatenate(([0.0], self.edges)), np.concatenate(([self.disjoint], self.counts))

    def with_exact(self, jaccard: np.ndarray, start: float) -> SimilarityHistogram:
        """Replace the counts from `start` on, which must be an edge, by those of all pairs from there on.

        Parameters
        ----------
        jaccard : float64 array
            The similarities that `similarity_join` found at threshold `start`.
        start : float
            That threshold.
        """
        first = int(np.searchsorted(self.edges, start))
        if self.edges[first] != start:
            raise ValueError(f"`start` must be an edge of the histogram, got {start}")
        counts, errors = self.counts.copy(), self.standard_errors.copy()
        counts[first:], _ = np.histogram(jaccard, self.edges[first:])
        errors[first:] = 0.0
        disjoint = max(self.n_pairs - counts.sum(), 0.0)
        return replace(self, counts=counts, standard_errors=errors, disjoint=disjoint)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.counts, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return self.counts.size

    def __repr__(self) -> str:
        how = "all counted" if self.exact else f"{self.n_sampled:,} documents against all"
        lines = [
            f"SimilarityHistogram: {self.n_docs:,} documents, {self.n_pairs:,} pairs ({how}), "
            f"{self.disjoint:,.0f} without a common shingle"
        ]
        for low in np.arange(10) / 10:
            inside = (self.edges[:-1] >= low) & (self.edges[:-1] < low + 0.1 - 1e-9)
            if self.counts[inside].sum() > 0:
                error = np.sqrt((self.standard_errors[inside] ** 2).sum())
                about = f" +- {error:,.0f}" if error > 0 else ""
                lines.append(f"  from {low:.1f}: {self.counts[inside].sum():>15,.0f}{about}")
        return "\n".join(lines)


def similarity_histogram(
    shingles: ShingleMatrix, bins: Any = 100, sample: int | None = None, seed: int = 0
) -> SimilarityHistogram:
    """Count the pairs of a corpus by their exact Jaccard similarity.

    Parameters
    ----------
    shingles : ShingleMatrix
        From `shingle`, or your own ids.
    bins : int or float array
        How many bins of equal width, or their edges, rising from 0 to 1.
    sample : int, optional
        How many distinct documents, drawn at random, to compare with all others; all, if there are no more.
        By default as many as about four seconds of one processor allow, at least 100: all documents of a
        corpus of a few thousand.
    seed : int
        Of the draw.

    Returns
    -------
    SimilarityHistogram

    Raises
    ------
    TypeError
        If `shingles` is something else.
    ValueError
        If `bins` or `sample` are out of range.

    Notes
    -----
    A sampled document's overlap with every other document is summed up over an inverted index; its cost is
    the sum over its shingles of the documents that have them. A pair is met from either end, so half the mean
    over sampled documents, times the number of documents, estimates the count without bias; the standard error
    is that of a mean of a simple random sample without replacement (Cochran, *Sampling Techniques*, 1977,
    chapter 2). Copies are compared once and counted as often as they occur.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> from minhash_nb.joins import similarity_histogram
    >>> similarity_histogram(mnb.ShingleMatrix.from_sets([{1, 2, 3}, {1, 2, 3, 4}, {4, 5}, {6}]))
    SimilarityHistogram: 4 documents, 6 pairs (all counted), 4 without a common shingle
      from 0.2:               1
      from 0.7:               1
    """
    check_shingles(shingles)
    edges = _edges(bins)
    if sample is not None:
        check_integer("sample", sample, least=2)
    (rows,), n_tokens = rank_rows(shingles)
    counts = np.zeros(edges.size - 1)
    errors = np.zeros(edges.size - 1)
    postings = invert(Rows(rows.indptr, rows.tokens, rows.sizes), n_tokens)
    if sample is None:
        reads_per_document = (np.diff(postings.starts).astype(np.float64) ** 2).sum() / max(len(rows), 1)
        sample = max(int(READS / max(reads_per_document, 1.0)), LEAST_SAMPLE)
    sample = min(sample, len(rows))
    if sample:
        rng = np.random.default_rng(seed)
        documents = np.sort(rng.choice(len(rows), size=sample, replace=False))
        out = np.zeros((sample, counts.size), dtype=np.int64)
        common = np.zeros((min(numba.get_num_threads(), sample), len(rows)), dtype=np.int32)
        cells = np.searchsorted(edges, np.arange(CELLS + 1) / CELLS, side="right") - 1
        cells = np.minimum(cells, counts.size - 1)
        with parallel_region():
            kernels.count_similarities(
                documents,
                Rows(rows.indptr, rows.tokens, rows.sizes),
                postings.starts,
                postings.rows,
                rows.copies,
                edges,
                cells,
                common,
                out,
            )
        out[:, -1] += rows.copies[documents] - 1
        ends = out * rows.copies[documents, None]
        counts = ends.sum(axis=0) * (len(rows) / sample) / 2
        if sample < len(rows):
            error = ends.std(axis=0, ddof=1) * np.sqrt((1 - sample / len(rows)) / sample)
            errors = error * (len(rows) / 2)
    n_docs = len(shingles)
    disjoint = max(n_docs * (n_docs - 1) / 2 - counts.sum(), 0.0)
    n_sampled = sample if sample < len(rows) else None
    return SimilarityHistogram(edges, counts, errors, disjoint, n_docs, n_sampled)


def _edges(bins: Any) -> np.ndarray:
    if isinstance(bins, (int, np.integer)):
        bins = check_integer("bins", bins)
        return np.arange(bins + 1) / bins  # 70 / 100 is the float .7; np.linspace may miss it by a bit
    edges = np.array(bins, dtype=np.float64)
    if edges.ndim != 1 or edges.size < 2 or edges[0] != 0.0 or edges[-1] != 1.0 or (np.diff(edges) <= 0).any():
        raise ValueError(f"`bins` must be a number of bins or edges rising from 0 to 1, got {bins!r:.60}")
    return edges
