"""Planted pairs of sets, replicated over seeds, and the bounds that measurements on them must keep.

All pairs of one seed share its hash functions, so pairs are no independent trials: seeds are. A statistic is
averaged over the pairs of a seed, and its standard error is taken from the spread between seeds (for squared errors
that is the fourth moment, with whatever the pairs of a seed have in common).
"""

import numpy as np
from scipy.stats import norm, t

import minhash_nb as mnb

UNION_SIZES = (10, 30, 60, 128, 300, 1000, 5000)
SIMILARITIES = (0.1, 0.3, 0.5, 0.8, 0.95)


def cells(union_sizes=UNION_SIZES, similarities=SIMILARITIES):
    """Return (size of the union, ids in common) for every similarity or the nearest within reach; no repeats."""
    reached = [(size, round(s * size)) for size in union_sizes for s in similarities]
    return [cell for cell in dict.fromkeys(reached) if 0 < cell[1] < cell[0]]


def plant(cells, num_pairs, rng, ids="random"):
    """Plant pairs of sets: `num_pairs` (one number, or one for each cell) of every cell.

    Random ids are independent and 64 bits wide; which of them are in common does not depend on their order.
    Consecutive ones begin anywhere below 2**31; the first set is the beginning of the run, the second its end.

    Returns the ShingleMatrix, the pairs, and the cell of each pair.
    """
    rows, sizes, pairs, start = [], [], [], 0
    num_pairs = np.broadcast_to(num_pairs, len(cells))
    for (union, shared), number in zip(cells, num_pairs, strict=True):
        if ids == "random":
            values = np.sort(rng.integers(0, 2**64, (number, union), dtype=np.uint64), axis=1)
            column = rng.permutation(union)
        else:
            values = rng.integers(0, 2**31, (number, 1), dtype=np.uint64) + np.arange(union, dtype=np.uint64)
            column = np.arange(union)
        middle = (union + shared + 1) // 2
        for own in (column[:middle], column[middle - shared :]):
            rows.append(values[:, np.sort(own)].ravel())
            sizes.append(np.full(number, own.size))
        pairs.append(start + np.arange(number)[:, None] + [0, number])
        start += 2 * number
    indptr = np.concatenate(([0], np.cumsum(np.concatenate(sizes))))
    return (
        mnb.ShingleMatrix(indptr, np.concatenate(rows)),
        np.concatenate(pairs),
        np.repeat(np.arange(len(cells)), num_pairs),
    )


def similarity(cells):
    union, shared = np.array(cells).T
    return shared / union


def by_cell(values, cell):
    """Average over the pairs of each cell."""
    return np.bincount(cell, values) / np.bincount(cell)


def scores(replicates, expected):
    """Return the distance of the mean over seeds (axis 0) from what is expected, in its standard errors."""
    seeds = len(replicates)
    return (replicates.mean(axis=0) - expected) / (replicates.std(axis=0, ddof=1) / np.sqrt(seeds))


def bound(checks, seeds, sides=2):
    """Return the score that all of so many checks keep together with the probability of 4 sigma (Bonferroni)."""
    return t.isf(norm.sf(4) * 2 / (sides * checks), seeds - 1)
