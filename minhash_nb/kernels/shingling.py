"""From units (bytes, code points, word hashes) to sorted distinct shingle ids.

A document is a run ``units[starts[d]:ends[d]]``. The hash of a shingle with units u_1 ... u_k is the
polynomial (u_1 + 1) B^(k-1) + ... + (u_k + 1) modulo 2^64, mixed, upper half: it depends on the units
alone, so bytes of ASCII text and code points of the same text give the same ids.
"""

import numpy as np
from numba import prange

from minhash_nb.kernels._compile import helper, kernel
from minhash_nb.kernels.mixing import mix64

BASE = np.uint64(0x9E3779B97F4A7C15)  # odd: multiplication by it is a bijection modulo 2^64
SPACE = np.uint32(32)
NEEDS_PYTHON = np.uint32(0xFFFFFFFF)  # in the table: lower-casing depends on context or changes the length
ABSENT = np.uint32(0xFFFFFFFF)  # marks a free place of a hash table of ids
BLOCK = 512  # windows hashed together, so that the loops over them are vectorised and stay in cache


@helper
def _normalise_row(units, start, end, table, out):
    """Lower-case and collapse white space; return the end in `out`, or -1 where Python must do it."""
    limit = np.uint32(table.size)
    write = start
    after_space = True  # also drops leading white space
    for read in range(start, end):
        unit = np.uint32(units[read])
        if unit < limit:
            unit = table[unit]
            if unit == NEEDS_PYTHON:
                return np.int64(-1)
        is_space = unit == SPACE
        out[write] = unit
        write += np.int64(not (is_space and after_space))
        after_space = is_space
    if write > start and after_space:
        write -= 1
    return write


@kernel(parallel=True)
def normalise(units, starts, ends, table, out, out_ends):
    """Normalise every document into `out`, from the same start; its end is -1 where Python must do it."""
    for d_ in prange(starts.size):
        d = np.int64(d_)
        out_ends[d] = _normalise_row(units, starts[d], ends[d], table, out)


@kernel(parallel=True)
def hash_words(units, starts, ends, out, out_ends):
    """Replace each document by the hashes of its space-separated words, from ``out[starts[d]]`` on."""
    for d_ in prange(starts.size):
        d = np.int64(d_)
        write = starts[d]
        value = np.uint64(0)
        in_word = False
        for i in range(starts[d], ends[d]):
            unit = np.uint64(units[i])
            if unit == np.uint64(32):
                if in_word:
                    out[write] = mix64(value)
                    write += 1
                value = np.uint64(0)
                in_word = False
            else:
                value = value * BASE + unit + np.uint64(1)
                in_word = True
        if in_word:
            out[write] = mix64(value)
            write += 1
        out_ends[d] = write


@helper
def _hash_windows(units, start, count, k, scratch, out, write):
    """Hash the `count` windows of k units from `start` on into ``out[write:write + count]``.

    Windows of 2n and 2n + 1 units are put together from windows of n, so a shingle costs about 2 log2(k)
    multiplications. Slices instead of sums of indices: the check for negative ones keeps a loop scalar.
    """
    top = np.int64(1)
    while 2 * top <= k:
        top *= 2
    for first in range(0, count, BLOCK):
        size = min(BLOCK, count - first)
        offset = start + first
        block = units[offset : offset + size + k - 1]
        for i in range(block.size):
            scratch[i] = np.uint64(block[i]) + np.uint64(1)
        length = np.int64(1)  # scratch[i] is the hash of the `length` units from position i on
        power = BASE
        bit = top // 2
        while bit:
            later = scratch[length:]
            for i in range(size + k - 2 * length):
                scratch[i] = scratch[i] * power + later[i]
            length *= 2
            power *= power
            if k & bit:
                block = units[offset + length : offset + size + k - 1]
                for i in range(block.size):
                    scratch[i] = scratch[i] * BASE + (np.uint64(block[i]) + np.uint64(1))
                length += 1
                power *= BASE
            bit //= 2
        target = out[write + first : write + first + size]
        for i in range(size):
            target[i] = np.uint32(mix64(scratch[i]) >> np.uint64(32))


@kernel(parallel=True)
def shingle_ids(units, starts, ends, k, keep_short, out, out_starts, documents):
    """Hash every window of k units into ``out[out_starts[documents[d]]:]``.

    A document below k units is one shingle or none, by `keep_short`.
    """
    for d_ in prange(starts.size):
        d = np.int64(d_)
        length = ends[d] - starts[d]
        window = min(np.int64(k), length)
        count = length - k + 1
        if count < 1:
            count = np.int64(keep_short and length > 0)
        if count:
            scratch = np.empty(BLOCK + window, dtype=np.uint64)
            _hash_windows(units, starts[d], count, window, scratch, out, out_starts[documents[d]])


@helper
def _distinct_row(ids, start, count):
    """Sort the row and drop repeats in place; return how many are left.

    An ordered hash table: the upper bits of an id are its home, collisions are kept in ascending order
    (Amble and Knuth 1974, "Ordered hash tables"), so reading the table from end to end is reading the
    sorted row. Expected linear time, because ids are uniform; no two passes of a radix sort.
    """
    bits = np.int64(2)
    while (np.int64(1) << bits) < 2 * count:
        bits += 1
    shift = np.uint32(32 - bits)
    size = (np.int64(1) << bits) + count  # the last home may spill over
    table = np.full(size, ABSENT, dtype=np.uint32)
    has_last = False
    for i in range(start, start + count):
        key = ids[i]
        if key == ABSENT:
            has_last = True  # it ends up behind the others
            continue
        place = np.int64(key >> shift)
        while table[place] < key:
            place += 1
        if table[place] != key:
            while key != ABSENT:  # insert, and move the larger ones of the cluster up
                moved = table[place]
                table[place] = key
                key = moved
                place += 1
    write = start
    stop = start + count - np.int64(has_last)
    place = np.int64(0)
    while place < size and write < stop:  # free places are overwritten by the next id, without a branch
        key = table[place]
        ids[write] = key
        write += np.int64(key != ABSENT)
        place += 1
    if has_last:
        ids[write] = ABSENT
        write += 1
    return write - start


@kernel(parallel=True)
def distinct(ids, starts, counts):
    """Sort each row ``ids[starts[d]:starts[d] + counts[d]]`` and drop repeats in place; update `counts`."""
    for d_ in prange(starts.size):
        d = np.int64(d_)
        counts[d] = _distinct_row(ids, starts[d], counts[d])


@kernel(parallel=True)
def pack(ids, starts, indptr, out):
    """Copy the rows that begin at `starts` into one CSR array without gaps."""
    for d_ in prange(starts.size):
        d = np.int64(d_)
        shift = starts[d] - indptr[d]
        for i in range(indptr[d], indptr[d + 1]):
            out[i] = ids[i + shift]
