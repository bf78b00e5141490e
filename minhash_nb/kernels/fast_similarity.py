"""Fast Similarity Sketching: every id goes to one slot a round, until no slot is empty.

A slot holds its level (the round that filled it) in the upper bits and the least value of that round in
the lower ones. Levels come first in the order, so a plain minimum keeps what an earlier round has put there,
and the elementwise minimum of two signatures is the signature of the union.
"""

import numpy as np
from numba import prange

from minhash_nb.kernels._compile import helper, kernel
from minhash_nb.kernels.lanes import LANES, lower_multiply_add
from minhash_nb.kernels.mixing import mix64

EMPTY = np.uint32(0xFFFFFFFF)
BLOCK = 1024  # ids mixed together: they stay in the first-level cache while the rounds pass
ENOUGH = 10  # small values for each slot of a long document: some slot gets none in less than 1 % of them
DOCUMENTS = 32  # documents that share scratch arrays


@helper
def _mix(indices, start, count, seed, mixed, lower):
    """Mix a block of ids to 64 bits; keep the lower halves apart for the last level."""
    ids = indices[start : start + count]
    for i in range(count):
        value = mix64(np.uint64(ids[i]) ^ seed)
        mixed[i] = value
        lower[i] = np.uint32(value)


@helper
def _scatter(mixed, count, factor, offset, slots, prefix, shift, minima):
    """Send every id to one of the `slots`, keep the least value there; return how many slots were reached first."""
    reached = np.int64(0)
    for i in range(count):
        value = mixed[i] * factor + offset
        slot = np.int64(((value >> np.uint64(32)) * slots) >> np.uint64(32))
        key = prefix | (np.uint32(value) >> shift)
        least = minima[slot]
        reached += np.int64(least == EMPTY)
        minima[slot] = min(least, key)
    return reached


@helper
def _keep_below(mixed, count, bound):
    """Move the mixed ids whose lower half is below `bound` to the front; return how many there are."""
    kept = np.int64(0)
    for i in range(count):
        value = mixed[i]
        mixed[kept] = value
        kept += np.int64(np.uint32(value) < bound)
    return kept


@helper
def _round_zero(indices, start, stop, seed, slots, shift, bound, mixed, lower, minima):
    """Scatter all ids whose value is below `bound` by their mixed value itself."""
    reached = np.int64(0)
    for first in range(start, stop, BLOCK):
        count = min(BLOCK, stop - first)
        _mix(indices, first, count, seed, mixed, lower)
        if bound != EMPTY:
            count = _keep_below(mixed, count, bound)
        reached += _scatter(mixed, count, np.uint64(1), np.uint64(0), slots, np.uint32(0), shift, minima)
    return reached


@helper
def _list_empty(minima, empty):
    found = np.int64(0)
    for j in range(minima.size):
        empty[found] = j
        found += np.int64(minima[j] == EMPTY)


@kernel(parallel=True)
def fast_similarity(indptr, indices, seed, factors, offsets, level_bits, a, b, out):
    """Fill ``out[d]`` with the sketch of document d.

    In round t an id with mixed value y goes to a slot by the upper half of y * factors[t] + offsets[t]
    (in round 0 of y itself); the lower half is its value. Slots that all rounds leave empty get the classic minimum of
    a[j] * low(y) + b[j] over all ids, as the last level. `a` and `b` are padded to a multiple of 16.
    """
    documents = np.int64(indptr.size - 1)
    slots = np.int64(out.shape[1])
    rounds = np.int64(factors.size)
    shift = np.uint32(level_bits)
    value_bits = np.uint32(32 - level_bits)
    last_prefix = np.uint32(rounds) << value_bits
    for chunk_ in prange((documents + DOCUMENTS - 1) // DOCUMENTS):
        chunk = np.int64(chunk_)
        mixed = np.empty(BLOCK, dtype=np.uint64)
        lower = np.empty(BLOCK, dtype=np.uint32)
        minima = np.empty(slots, dtype=np.uint32)
        empty = np.empty(slots + 1, dtype=np.int64)
        least = np.empty(a.size, dtype=np.uint32)
        few_a = np.zeros(a.size, dtype=np.uint32)
        few_b = np.zeros(a.size, dtype=np.uint32)
        for d in range(chunk * DOCUMENTS, min((chunk + 1) * DOCUMENTS, documents)):
            start = indptr[d]
            stop = indptr[d + 1]
            several = stop - start > BLOCK  # then every pass mixes again
            for j in range(slots):
                minima[j] = EMPTY
            num_empty = slots if stop > start else np.int64(0)
            if (stop - start) > 2 * ENOUGH * slots:
                # Of a long document only small values can win: the least of each slot is among the first
                # ENOUGH per slot, unless a slot gets none of them; then all ids are sent.
                bound = np.uint32(np.int64(ENOUGH * slots << 32) // (stop - start))
                num_empty -= _round_zero(
                    indices, start, stop, seed, np.uint64(slots), shift, bound, mixed, lower, minima
                )
            if num_empty:
                num_empty -= _round_zero(
                    indices, start, stop, seed, np.uint64(slots), shift, EMPTY, mixed, lower, minima
                )
            t = np.int64(1)
            while num_empty and t < rounds:
                prefix = np.uint32(t) << value_bits
                for first in range(start, stop, BLOCK):
                    count = min(BLOCK, stop - first)
                    if several:
                        _mix(indices, first, count, seed, mixed, lower)
                    num_empty -= _scatter(mixed, count, factors[t], offsets[t], np.uint64(slots), prefix, shift, minima)
                t += 1
            if num_empty:
                few = 2 * num_empty <= slots
                size = (num_empty + LANES - 1) // LANES * LANES if few else a.size
                if few:
                    _list_empty(minima, empty)
                    for e in range(num_empty):
                        few_a[e] = a[empty[e]]
                        few_b[e] = b[empty[e]]
                for j in range(size):
                    least[j] = EMPTY
                for first in range(start, stop, BLOCK):
                    count = min(BLOCK, stop - first)
                    if several:
                        _mix(indices, first, count, seed, mixed, lower)
                    if few:
                        lower_multiply_add(lower, count, few_a, few_b, least, size)
                    else:
                        lower_multiply_add(lower, count, a, b, least, size)
                if few:
                    for e in range(num_empty):
                        minima[empty[e]] = last_prefix | (least[e] >> shift)
                else:
                    for j in range(slots):
                        minima[j] = min(minima[j], last_prefix | (least[j] >> shift))
            for j in range(slots):
                out[d, j] = minima[j]
