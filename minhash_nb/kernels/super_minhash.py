"""SuperMinHash: every id walks through a random permutation of the slots, with rising values."""

import numpy as np
from numba import prange

from minhash_nb.kernels._compile import helper, kernel
from minhash_nb.kernels.mixing import mix64

EMPTY = np.uint32(0xFFFFFFFF)
DOCUMENTS = 32  # documents that share scratch arrays
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@helper
def _add_row(indptr, indices, d, seed, bits, minima, levels, owner, place, visitor):
    """Lower the slots of one document; return the number of the last id that walked."""
    slots = np.int64(minima.size)
    fraction = np.uint32(32 - bits)
    highest = slots - 1  # the highest level of any slot: no id need walk further
    for i in range(indptr[d], indptr[d + 1]):
        visitor += 1
        state = mix64(np.uint64(indices[i]) ^ seed)
        step = np.int64(0)
        while step <= highest:
            state += GOLDEN
            value = mix64(state)
            chosen = step + np.int64(((value >> np.uint64(32)) * np.uint64(slots - step)) >> np.uint64(32))
            # The permutation is the identity until an id changes it: entries of other ids count as unset.
            if owner[step] != visitor:
                owner[step] = visitor
                place[step] = step
            if owner[chosen] != visitor:
                owner[chosen] = visitor
                place[chosen] = chosen
            slot = place[chosen]
            place[chosen] = place[step]
            place[step] = slot
            key = (np.uint32(step) << fraction) | (np.uint32(value) >> np.uint32(bits))
            least = minima[slot]
            if key < least:
                level = min(np.int64(least >> fraction), slots - 1)
                minima[slot] = key
                if step < level:
                    levels[level] -= 1
                    levels[step] += 1
                    while levels[highest] == 0:
                        highest -= 1
            step += 1
    return visitor


@kernel(parallel=True)
def super_minhash(indptr, indices, seed, bits, out):
    """Fill ``out[d]`` with the sketch of document d; the upper `bits` of a slot are the step that filled it."""
    documents = np.int64(indptr.size - 1)
    slots = np.int64(out.shape[1])
    for chunk_ in prange((documents + DOCUMENTS - 1) // DOCUMENTS):
        chunk = np.int64(chunk_)
        minima = np.empty(slots, dtype=np.uint32)
        levels = np.empty(slots, dtype=np.int64)
        owner = np.zeros(slots, dtype=np.int64)
        place = np.empty(slots, dtype=np.int64)
        visitor = np.int64(0)
        for d in range(chunk * DOCUMENTS, min((chunk + 1) * DOCUMENTS, documents)):
            for j in range(slots):
                minima[j] = EMPTY
                levels[j] = 0
            levels[slots - 1] = slots
            visitor = _add_row(indptr, indices, d, seed, bits, minima, levels, owner, place, visitor)
            for j in range(slots):
                out[d, j] = minima[j]
