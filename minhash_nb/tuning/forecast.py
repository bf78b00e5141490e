"""What a banding will find on a corpus, and what it will cost, from the exact similarities of the corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from minhash_nb import theory
from minhash_nb.joins import SimilarityHistogram, similarity_histogram, similarity_join
from minhash_nb.shingling import ShingleMatrix
from minhash_nb.similarity import first_equal
from minhash_nb.validation import check_instance

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import csr_array

BINS = 200
BLOCK = 1024  # bandings computed at a time: bounds the memory
Z = 1.959963984540054  # 97.5 % point of the normal distribution


@dataclass(frozen=True, eq=False)
class CorpusProfile:
    """How similar the distinct documents of a corpus are: made by `profile`.

    Parameters
    ----------
    threshold : float
        Similarity above which pairs count.
    n_docs : int
        Documents of the corpus, copies and empty ones included.
    histogram : SimilarityHistogram
        Of the distinct non-empty documents; exact from the threshold on, which is one of its edges.
    ends : sparse float64 array (n_distinct, bins from the threshold on)
        Pairs of each document at or above the threshold, by similarity.
    """

    threshold: float
    n_docs: int
    histogram: SimilarityHistogram
    ends: csr_array

    @property
    def similar_pairs(self) -> float:
        """Pairs of distinct documents at or above the threshold."""
        return float(self.ends.sum()) / 2.0


def profile(shingles: ShingleMatrix, threshold: float, sample: int | None, seed: int) -> CorpusProfile:
    """Compare the distinct documents of a corpus; raise ValueError if there are not at least two."""
    from scipy.sparse import coo_array

    check_instance("shingles", shingles, ShingleMatrix, "shingle(texts)")
    is_first = first_equal(shingles) == np.arange(len(shingles))
    distinct = shingles.take(np.flatnonzero(is_first & ~shingles.is_empty))
    if len(distinct) < 2:
        raise ValueError(
            f"`shingles` must hold at least two different documents that are not empty, got {len(distinct)} "
            f"among {len(shingles)}: Banding.for_recall(threshold, recall, num_hashes) needs no corpus"
        )
    edges = np.union1d(np.arange(BINS + 1) / BINS, threshold)
    pairs = similarity_join(distinct, threshold=threshold)
    histogram = similarity_histogram(distinct, edges, sample, seed)
    if threshold < 1.0:  # distinct documents are less than 1 similar
        histogram = histogram.with_exact(pairs["jaccard"].to_numpy(), threshold)
    start = int(np.searchsorted(edges, threshold))
    place = np.searchsorted(edges, pairs["jaccard"].to_numpy(), side="right") - 1 - start
    documents = np.concatenate((pairs["i"], pairs["j"]))
    ends = coo_array(
        (np.ones(documents.size), (documents, np.tile(place, 2))), shape=(len(distinct), edges.size - start)
    ).tocsr()
    return CorpusProfile(threshold, len(shingles), histogram, ends)


def forecast(corpus: CorpusProfile, num_bands: np.ndarray, rows_per_band: np.ndarray) -> pd.DataFrame:
    """Return one row for each banding: recalls, candidates, errors, bytes. See `tune` for the columns."""
    import pandas as pd

    blocks = [
        _forecast(corpus, num_bands[start : start + BLOCK], rows_per_band[start : start + BLOCK])
        for start in range(0, num_bands.size, BLOCK)
    ]
    return pd.concat(blocks, ignore_index=True)


def _forecast(corpus: CorpusProfile, bands: np.ndarray, rows: np.ndarray) -> pd.DataFrame:
    import pandas as pd

    threshold, density = corpus.threshold, corpus.histogram.density
    similar = corpus.similar_pairs
    if similar:
        recall = theory.recall_above(threshold, density, bands, rows)
        reach = Z * _recall_spread(corpus, bands, rows)
    else:
        recall = reach = np.full(bands.size, np.nan)
    candidates = theory.expected_candidates(corpus.histogram.n_docs, density, bands, rows)
    return pd.DataFrame(
        {
            "num_bands": bands,
            "rows_per_band": rows,
            "num_hashes": bands * rows,
            "recall_at_threshold": theory.s_curve(threshold, bands, rows),
            "recall_above_threshold": recall,
            "recall_low": np.maximum(recall - reach, 0.0),
            "recall_high": np.minimum(recall + reach, 1.0),
            "candidates": candidates,
            "errors": candidates + (similar * (1.0 - 2.0 * recall) if similar else 0.0),
            "bytes_per_document": 4 * bands * rows + 5 * bands,
        }
    )


def _recall_spread(corpus: CorpusProfile, bands: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the standard deviation of the recall above the threshold from one draw of the hashes to the next.

    Pairs with a document in common count as found or missed together, all others as independent: with q the
    standard deviation of one pair, the variance of the number found is then the sum over documents of (sum of q
    over its pairs)^2, less the sum of q^2 over pairs, which the first sum counts twice.
    """
    edges = corpus.histogram.edges
    middle = np.append(edges[:-1] + edges[1:], 2.0)[-corpus.ends.shape[1] :, None] / 2.0
    found = theory.s_curve(middle, bands, rows)
    single = np.sqrt(found * (1.0 - found))
    together = ((corpus.ends @ single) ** 2).sum(axis=0)
    alone = (corpus.ends.sum(axis=0) / 2.0) @ single**2
    return np.sqrt(together - alone) / corpus.similar_pairs
