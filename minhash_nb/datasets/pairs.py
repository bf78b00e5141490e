"""Pairs of sets whose Jaccard similarity is chosen, and exact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minhash_nb.shingling import ShingleMatrix
from minhash_nb.validation import check_choice, check_integer

if TYPE_CHECKING:
    import pandas as pd


def pairs_with_jaccard(
    num_pairs: int,
    jaccard: Any,
    union_size: Any = 200,
    *,
    ids: str = "random",
    seed: int = 0,
) -> tuple[ShingleMatrix, pd.DataFrame]:
    """Make pairs of sets with a given Jaccard similarity and size of their union.

    The union of a pair has `union_size` ids, of which the nearest whole number to ``jaccard * union_size``
    belong to both sets; the others are dealt to the two sets in equal numbers.

    Parameters
    ----------
    num_pairs : int
        Number of pairs, at least 0.
    jaccard : float or array_like (num_pairs,)
        Wanted similarity, in [0, 1].
    union_size : int or array_like (num_pairs,)
        Size of the union, at least 1.
    ids : {"random", "consecutive"}
        "random": independent 32-bit ids, the same as hashed shingles. "consecutive": each union is a run of
        consecutive integers that begins anywhere, the first set its beginning and the second its end; the
        worst that vocabulary numbers can do to a weak hash family.
    seed : int
        Seed of the ids, at least 0.

    Returns
    -------
    shingles : ShingleMatrix
        2 * num_pairs sets of own ids (uint32).
    pairs : DataFrame
        i, j (positions 2p and 2p + 1), jaccard (exactly what was reached), union_size.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Notes
    -----
    Sorts the ids: about 20 ns for each.

    Examples
    --------
    >>> from minhash_nb.datasets import pairs_with_jaccard
    >>> shingles, pairs = pairs_with_jaccard(2, jaccard=[0.5, 0.75], union_size=10)
    >>> pairs
       i  j  jaccard  union_size
    0  0  1      0.5          10
    1  2  3      0.8          10
    >>> shingles.sizes
    array([8, 7, 9, 9])
    """
    import pandas as pd

    num_pairs = check_integer("num_pairs", num_pairs, least=0)
    check_choice("ids", ids, ("random", "consecutive"))
    generator = np.random.default_rng(check_integer("seed", seed, least=0))
    wanted = _per_pair("jaccard", jaccard, num_pairs, np.float64, "numbers in [0, 1]", 0, 1)
    union = _per_pair("union_size", union_size, num_pairs, np.int64, "integers from 1 to 2**31", 1, 2**31)

    shared = np.rint(wanted * union).astype(np.int64)
    alone = (union - shared + 1) // 2  # ranks below it are in the first set only
    rank = np.arange(union.sum()) - np.repeat(np.cumsum(union) - union, union)
    if ids == "random":
        elements = _distinct(generator, union)
    else:
        begin = np.array([generator.integers(2**32 - size) for size in union.tolist()], dtype=np.int64)
        elements = (np.repeat(begin, union) + rank).astype(np.uint64)
    pair = np.repeat(np.arange(num_pairs, dtype=np.uint64), union)
    in_first, in_second = rank < np.repeat(alone + shared, union), rank >= np.repeat(alone, union)
    rows = np.concatenate((2 * pair[in_first], 2 * pair[in_second] + np.uint64(1)))
    keys = np.sort(rows << np.uint64(32) | np.concatenate((elements[in_first], elements[in_second])))
    sizes = np.stack((alone + shared, union - alone), axis=1).ravel()
    shingles = ShingleMatrix(np.concatenate(([0], np.cumsum(sizes))), keys.astype(np.uint32))
    first = 2 * np.arange(num_pairs)
    return shingles, pd.DataFrame({"i": first, "j": first + 1, "jaccard": shared / union, "union_size": union})


def _per_pair(name: str, values: Any, num_pairs: int, dtype: Any, rule: str, least: int, most: int) -> np.ndarray:
    array = np.asarray(values)
    if array.dtype.kind not in ("iuf" if dtype is np.float64 else "iu"):
        raise TypeError(f"`{name}` must be {rule}, got {values!r:.60}")
    if array.ndim > 0 and array.shape != (num_pairs,):
        raise ValueError(f"`{name}` must be one value or one for each of {num_pairs} pairs, got shape {array.shape}")
    fine = (array >= least) & (array <= most)
    if not fine.all():
        raise ValueError(f"`{name}` must be {rule}, got {array[~fine].flat[0]}")
    return np.broadcast_to(array, (num_pairs,)).astype(dtype)


def _distinct(generator: np.random.Generator, sizes: np.ndarray) -> np.ndarray:
    """Draw 32-bit ids, distinct within each run of the given size; uint64."""
    run = np.repeat(np.arange(sizes.size, dtype=np.uint64), sizes) << np.uint64(32)
    drawn = generator.integers(2**32, size=run.size, dtype=np.uint64)
    while True:
        order = np.argsort(run | drawn, kind="stable")
        keys = (run | drawn)[order]
        again = order[1:][keys[1:] == keys[:-1]]
        if again.size == 0:
            return drawn
        drawn[again] = generator.integers(2**32, size=again.size, dtype=np.uint64)
