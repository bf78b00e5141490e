"""One permutation hashing: one hash for each id, which chooses the slot and the value; then no slot stays empty."""

import numpy as np
from numba import prange

from minhash_nb.kernels._compile import helper, kernel
from minhash_nb.kernels.mixing import mix64

EMPTY = np.uint32(0xFFFFFFFF)
BLOCK = 1024  # ids mixed together: they stay in the first-level cache
DOCUMENTS = 32  # documents that share scratch arrays
STEP = np.uint32(0x9E3779B1)  # odd: k steps of the rotation are k different offsets

NONE, ROTATION, OPTIMAL, PUSH = 0, 1, 2, 3


@helper
def _throw(slot, attempt, seed, slots):
    """Where the attempt-th throw from a slot lands: the same for all documents, different for every slot."""
    value = mix64(seed ^ mix64(np.uint64(slot) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(attempt)))
    return np.int64(((value >> np.uint64(32)) * np.uint64(slots)) >> np.uint64(32))


@helper
def _rotate(sketch, out):
    """Fill an empty slot from the next one to the right that is not, marked with the distance."""
    slots = sketch.size
    for j in range(slots):
        distance = np.int64(0)
        while sketch[(j + distance) % slots] == EMPTY:
            distance += 1
        out[j] = sketch[(j + distance) % slots] + np.uint32(distance) * STEP


@helper
def _pull(sketch, out, seed):
    """Fill an empty slot from the first slot of its own probe sequence that was not empty."""
    for j in range(sketch.size):
        source = np.int64(j)
        attempt = np.int64(0)
        while sketch[source] == EMPTY:
            source = _throw(j, attempt, seed, sketch.size)
            attempt += 1
        out[j] = sketch[source]


@helper
def _push(sketch, out, seed, filled):
    """Let the slots that were not empty throw copies in turn until every slot has something."""
    sources = np.int64(0)
    for j in range(sketch.size):
        out[j] = sketch[j]
        if sketch[j] != EMPTY:
            filled[sources] = j
            sources += 1
    empty = sketch.size - sources
    attempt = np.int64(0)
    while empty:
        for source in range(sources):
            j = filled[source]
            target = _throw(j, attempt, seed, sketch.size)
            if out[target] == EMPTY:
                out[target] = sketch[j]
                empty -= 1
        attempt += 1


@kernel(parallel=True)
def one_permutation(indptr, indices, seed, densification, out):
    """Fill ``out[d]`` with the sketch of document d: slot by the upper half of the mixed id, value by the lower."""
    documents = np.int64(indptr.size - 1)
    slots = np.int64(out.shape[1])
    for chunk_ in prange((documents + DOCUMENTS - 1) // DOCUMENTS):
        chunk = np.int64(chunk_)
        mixed = np.empty(BLOCK, dtype=np.uint64)
        sketch = np.empty(slots, dtype=np.uint32)
        filled = np.empty(slots, dtype=np.int64)
        for d in range(chunk * DOCUMENTS, min((chunk + 1) * DOCUMENTS, documents)):
            for j in range(slots):
                sketch[j] = EMPTY
            empty = slots
            for first in range(indptr[d], indptr[d + 1], BLOCK):
                count = min(BLOCK, indptr[d + 1] - first)
                ids = indices[first : first + count]
                for i in range(count):
                    mixed[i] = mix64(np.uint64(ids[i]) ^ seed)
                for i in range(count):
                    slot = np.int64(((mixed[i] >> np.uint64(32)) * np.uint64(slots)) >> np.uint64(32))
                    least = sketch[slot]
                    empty -= np.int64(least == EMPTY)
                    # The mark of an empty slot is no value: one id in 2^32 gives way by one.
                    sketch[slot] = min(least, np.uint32(mixed[i]), EMPTY - np.uint32(1))
            if densification == NONE or empty == 0 or empty == slots:
                for j in range(slots):
                    out[d, j] = sketch[j]
            elif densification == ROTATION:
                _rotate(sketch, out[d])
            elif densification == OPTIMAL:
                _pull(sketch, out[d], seed)
            else:
                _push(sketch, out[d], seed, filled)
