"""Comparing pairs: equal slots of two signatures, common ids of two rows, equal rows."""

import numpy as np
from numba import prange

from minhash_nb.kernels._compile import helper, kernel
from minhash_nb.kernels.mixing import mix64

STEPS = 64  # of a merge between two looks at whether it can still succeed


@kernel(parallel=True)
def count_equal_slots(values, pairs, out):
    """Fill ``out[p]`` with the number of slots in which the signatures of pair p agree."""
    for p_ in prange(pairs.shape[0]):
        p = np.int64(p_)
        first = values[pairs[p, 0]]
        second = values[pairs[p, 1]]
        equal = np.int64(0)
        for j in range(first.size):
            equal += np.int64(first[j] == second[j])
        out[p] = equal


@kernel(parallel=True)
def count_both_empty(values, pairs, out):
    """Fill ``out[p]`` with the number of slots that are empty (2^32 - 1) in both signatures of pair p."""
    for p_ in prange(pairs.shape[0]):
        p = np.int64(p_)
        first = values[pairs[p, 0]]
        second = values[pairs[p, 1]]
        empty = np.int64(0)
        for j in range(first.size):
            empty += np.int64((first[j] & second[j]) == np.uint32(0xFFFFFFFF))
        out[p] = empty


@kernel(parallel=True)
def count_common(indptr, indices, pairs, floor, out):
    """Fill ``out[p]`` with the number of ids that both documents of pair p have (merge of sorted rows).

    A merge stops as soon as the pair cannot reach the Jaccard similarity `floor` any more; the count is
    then too small, and the similarity that follows from it is below `floor` as well.
    """
    for p_ in prange(pairs.shape[0]):
        p = np.int64(p_)
        i = indptr[pairs[p, 0]]
        j = indptr[pairs[p, 1]]
        i_stop = indptr[pairs[p, 0] + 1]
        j_stop = indptr[pairs[p, 1] + 1]
        # J >= floor needs this many common ids; half an id less keeps rounding on the safe side.
        needed = floor / (1.0 + floor) * (i_stop - i + j_stop - j) - 0.5
        common = np.int64(0)
        steps = min(i_stop - i, j_stop - j)  # the shorter rest is not used up in fewer
        while steps > 0 and common + steps >= needed:
            for _ in range(min(steps, STEPS)):  # no branch on the comparison: it would be mispredicted
                first = indices[i]
                second = indices[j]
                common += np.int64(first == second)
                i += np.int64(first <= second)
                j += np.int64(second <= first)
            steps = min(i_stop - i, j_stop - j)
        out[p] = common


@helper
def _equal_rows(indptr, indices, first, second):
    size = indptr[first + 1] - indptr[first]
    if indptr[second + 1] - indptr[second] != size:
        return False
    for i in range(size):
        if indices[indptr[first] + i] != indices[indptr[second] + i]:
            return False
    return True


@kernel(parallel=True)
def digest_rows(indptr, indices, out):
    """Fill ``out[d]`` with a 64-bit digest of row d that does not depend on the order of its ids."""
    for d_ in prange(out.size):
        d = np.int64(d_)
        total = np.uint64(0)
        for i in range(indptr[d], indptr[d + 1]):
            total += mix64(np.uint64(indices[i]) + np.uint64(0x9E3779B97F4A7C15))
        out[d] = mix64(total)


@kernel(parallel=False)
def first_equal_row(indptr, indices, digests, table, out):
    """Fill ``out[d]`` with the first document whose row equals row d (d itself for empty rows).

    `table` is full of -1, its size a power of two of at least twice the number of rows.
    """
    mask = np.int64(table.size - 1)
    for d in range(out.size):
        out[d] = d
        if indptr[d] == indptr[d + 1]:
            continue
        place = np.int64(digests[d] >> np.uint64(1)) & mask
        while True:
            first = np.int64(table[place])
            if first < 0:
                table[place] = np.int32(d)
                break
            if digests[first] == digests[d] and _equal_rows(indptr, indices, first, d):
                out[d] = first
                break
            place = (place + 1) & mask
