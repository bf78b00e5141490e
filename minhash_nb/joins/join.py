"""Every pair of documents at or above a threshold, exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numba
import numpy as np

from minhash_nb.joins.copies import pairs_between, pairs_within
from minhash_nb.joins.index import DistinctRows, check_shingles, invert, rank_rows
from minhash_nb.kernels import joins as kernels
from minhash_nb.kernels.joins import Rows
from minhash_nb.shingling import ShingleMatrix
from minhash_nb.threads import parallel_region
from minhash_nb.validation import check_integer, check_probability

if TYPE_CHECKING:
    import pandas as pd

BLOCK = 8192  # rows searched between two looks at the guard and the progress bar
ROOM = 1 << 14  # pairs a chunk of a block may find at first; with more the block is searched again


def similarity_join(
    shingles: ShingleMatrix,
    other: ShingleMatrix | None = None,
    threshold: float = 0.5,
    *,
    max_pairs: int = 100_000_000,
    progress: bool = False,
) -> pd.DataFrame:
    """Find every pair of documents with exact Jaccard similarity of at least `threshold`.

    Parameters
    ----------
    shingles : ShingleMatrix
        From `shingle`, or your own ids.
    other : ShingleMatrix, optional
        A second corpus of the same shingling: pairs of a document of `shingles` and one of `other`. Left
        out: pairs within `shingles`.
    threshold : float in (0, 1]
        Least similarity; 1 gives the documents with equal shingle sets.
    max_pairs : int
        Refuse if there are more pairs.
    progress : bool
        Show a progress bar.

    Returns
    -------
    DataFrame
        i, j (positions, int64) and jaccard (float64, the value of `exact_jaccard`), sorted by (i, j). Within
        one corpus i < j. Equal documents are pairs like any other; empty ones are in no pair.

    Raises
    ------
    TypeError
        If `shingles` or `other` is something else.
    ValueError
        If `threshold` is out of range, the shinglings differ, or there are more than `max_pairs` pairs.

    Notes
    -----
    No hashing and no chance: prefix, length and positional filters on shingles ranked rare first, then a merge
    that stops as soon as the threshold is out of reach. Copies are searched once. Made for thresholds from
    about .5 on; below that it stays exact, but few pairs are filtered out. Memory: about 12 bytes a shingle id,
    24 a pair, and some 100 more a pair until they are sorted.
    Sources: Bayardo, Ma, Srikant (2007), *Scaling up all pairs similarity search*; Xiao, Wang, Lin, Yu (2008),
    *Efficient similarity joins for near duplicate detection*; which of the filters pay: Mann, Augsten, Bouros
    (2016), *An empirical evaluation of set similarity join techniques*.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> shingles = mnb.ShingleMatrix.from_sets([{1, 2, 3}, {1, 2, 3, 4}, {4, 5}, {1, 2, 3}])
    >>> mnb.similarity_join(shingles, threshold=0.7)
       i  j  jaccard
    0  0  1     0.75
    1  0  3     1.00
    2  1  3     0.75
    >>> mnb.similarity_join(shingles, mnb.ShingleMatrix.from_sets([{4, 5, 6}]), 0.6)
       i  j   jaccard
    0  2  0  0.666667
    """
    import pandas as pd

    check_shingles(shingles, *(() if other is None else (other,)))
    threshold = check_probability("threshold", threshold)
    guard = _Guard(check_integer("max_pairs", max_pairs, least=0), threshold)
    if other is None:
        (rows,), n_tokens = rank_rows(shingles)
        copies = rows.copies
        guard.add(int((copies * (copies - 1) // 2).sum()))
        found = _search(rows, None, n_tokens, threshold, guard, progress)
        i, j = pairs_between(rows, rows, found[:, 0], found[:, 1])
        jaccard = np.repeat(_jaccard(rows, rows, found), copies[found[:, 0]] * copies[found[:, 1]])
        equal = pairs_within(rows)
        i, j = np.concatenate((np.minimum(i, j), equal[0])), np.concatenate((np.maximum(i, j), equal[1]))
        jaccard = np.concatenate((jaccard, np.ones(equal[0].size)))
    else:
        (first, second), n_tokens = rank_rows(shingles, other)
        if first.tokens.size > second.tokens.size:  # the smaller one is indexed, the larger one searches
            found = _search(first, second, n_tokens, threshold, guard, progress)
        else:
            found = _search(second, first, n_tokens, threshold, guard, progress)[:, [1, 0, 2]]
        i, j = pairs_between(first, second, found[:, 0], found[:, 1])
        jaccard = np.repeat(_jaccard(first, second, found), first.copies[found[:, 0]] * second.copies[found[:, 1]])
    order = np.lexsort((j, i))
    return pd.DataFrame({"i": i[order], "j": j[order], "jaccard": jaccard[order]})


class _Guard:
    """Adds up pairs, and raises once there are too many."""

    def __init__(self, most: int, threshold: float) -> None:
        self.most, self.threshold, self.pairs = most, threshold, 0

    def add(self, pairs: int) -> None:
        self.check(pairs)
        self.pairs += pairs

    def check(self, pairs: int) -> None:
        if self.pairs + pairs > self.most:
            raise ValueError(
                f"`max_pairs` is {self.most:,}, but at least {self.pairs + pairs:,} pairs have a similarity of "
                f"{self.threshold} or more: raise the threshold, leave out copies, or use a larger max_pairs "
                "(24 bytes a pair)"
            )


def _search(
    probes: DistinctRows,
    index: DistinctRows | None,
    n_tokens: int,
    threshold: float,
    guard: _Guard,
    progress: bool,
) -> np.ndarray:
    """Return (row of `probes`, row of `index`, common tokens) of the similar rows, int32 (n_pairs, 3).

    Without `index`: of the similar rows within `probes`, the larger one first.
    """
    from tqdm import tqdm

    if not len(probes) or (index is not None and not len(index)):
        return np.empty((0, 3), dtype=np.int32)
    sizes = probes.sizes
    least = _least_size(sizes, threshold)
    if index is None:
        index = probes
        need = _least_common(2 * int(sizes[-1]), threshold)
        prefix = sizes - need[2 * sizes] + 1  # partners are no smaller
        first, stop = np.searchsorted(sizes, least), np.arange(sizes.size)
    else:
        need = _least_common(int(sizes[-1] + index.sizes[-1]), threshold)
        least_index = _least_size(index.sizes, threshold)
        prefix = index.sizes - least_index + 1
        first, stop = np.searchsorted(index.sizes, least), np.searchsorted(least_index, sizes, side="right")
    indexed = Rows(index.indptr, index.tokens, prefix)
    searched = Rows(probes.indptr, probes.tokens, sizes - least + 1)
    postings = invert(indexed, n_tokens)

    chunks = numba.get_num_threads()
    common = np.zeros((chunks, len(index)), dtype=np.int32)
    last = np.empty((chunks, len(index), 2), dtype=np.int32)
    touched = np.empty((chunks, len(index)), dtype=np.int32)
    counts = np.empty(chunks, dtype=np.int64)
    out = np.empty((chunks, ROOM, 3), dtype=np.int32)
    parts = []
    with tqdm(total=len(probes), desc="joining", unit="doc", disable=not progress) as bar:
        for begin in range(0, len(probes), BLOCK):
            end = min(begin + BLOCK, len(probes))
            while True:
                with parallel_region():
                    kernels.join_rows(
                        searched, begin, end, first, stop, indexed, postings, need,
                        common, last, touched, counts, out,
                    )  # fmt: skip
                if counts.max() <= out.shape[1]:
                    break
                guard.check(int(counts.sum()))
                out = np.empty((chunks, counts.max(), 3), dtype=np.int32)
            part = np.concatenate([out[chunk, :count] for chunk, count in enumerate(counts)])
            guard.add(int((probes.copies[part[:, 0]] * index.copies[part[:, 1]]).sum()))
            parts.append(part)
            bar.update(end - begin)
    return np.concatenate(parts)


def _least_size(sizes: np.ndarray, threshold: float) -> np.ndarray:
    """Return the size of the smallest row that may be similar to one of each size: the least y, y / x >= t."""
    least = np.floor(threshold * sizes).astype(np.int64)
    return least + (least / sizes < threshold)


def _least_common(top: int, threshold: float) -> np.ndarray:
    """Return for each sum of two sizes, from 0 to `top`, the least c with c / (sum - c) >= t in float64."""
    total = np.arange(top + 1)
    common = np.maximum(np.floor(threshold / (1.0 + threshold) * total).astype(np.int64) - 1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(3):
            common += ~(common / (total - common) >= threshold)
    return common


def _jaccard(first: DistinctRows, second: DistinctRows, found: np.ndarray) -> np.ndarray:
    common = found[:, 2].astype(np.int64)
    return common / (first.sizes[found[:, 0]] + second.sizes[found[:, 1]] - common)
