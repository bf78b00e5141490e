"""Buckets of every band as chains of documents, and the pairs they hold."""

import numpy as np
from numba import prange

from minhash_nb.kernels._compile import helper, kernel
from minhash_nb.kernels.mixing import mix64

NONE = np.int32(-1)


@helper
def _digest(row, start, stop):
    value = np.uint64(0)
    for i in range(start, stop):  # position matters: each step mixes what came before
        value = mix64(value + np.uint64(row[i]) + np.uint64(0x9E3779B97F4A7C15))
    return value


@helper
def _equal(first, second, start, stop):
    for i in range(start, stop):
        if first[i] != second[i]:
            return False
    return True


@kernel(parallel=True)
def link_buckets(values, is_empty, rows, links, leads, band_pairs):
    """Chain the documents of each bucket in ascending order, band by band.

    ``links[d, t]`` becomes the next document with the same band t as document d, or -1; ``leads[d, t]``
    whether d is the first of a bucket of two or more; ``band_pairs[t]`` the pairs in all buckets of band
    t. Rows of the signatures are compared in full: a hash table only finds the place to look.
    """
    documents = np.int64(values.shape[0])
    bits = np.int64(1)
    while (np.int64(1) << bits) < 2 * documents:
        bits += 1
    for t_ in prange(links.shape[1]):
        t = np.int64(t_)
        start = t * rows
        stop = start + rows
        mask = (np.int64(1) << bits) - 1
        table = np.full(mask + 1, NONE, dtype=np.int32)  # the last document of a bucket so far
        digests = np.empty(documents, dtype=np.uint64)
        ranks = np.zeros(documents, dtype=np.int32)  # place in the bucket, from 0
        pairs = np.int64(0)
        for d in range(documents):
            links[d, t] = NONE
            leads[d, t] = False
            if is_empty[d]:
                continue
            digests[d] = _digest(values[d], start, stop)
            place = np.int64(digests[d] >> np.uint64(1)) & mask
            while True:
                last = np.int64(table[place])
                if last < 0:
                    break
                if digests[last] == digests[d] and _equal(values[last], values[d], start, stop):
                    ranks[d] = ranks[last] + np.int32(1)
                    pairs += np.int64(ranks[d])
                    links[last, t] = np.int32(d)
                    leads[last, t] = ranks[last] == 0
                    break
                place = (place + 1) & mask
            table[place] = np.int32(d)
        band_pairs[t] = pairs


@helper
def _met_before(values, leads, rows, star, i, j, t):
    """Whether an earlier band than t has given the pair (i, j) already."""
    for earlier in range(t):
        if (not star or leads[i, earlier]) and _equal(values[i], values[j], earlier * rows, (earlier + 1) * rows):
            return True
    return False


@kernel(parallel=True)
def count_pairs(values, links, leads, rows, star, counts):
    """Count the distinct pairs (i, j), i < j, that share a bucket; with `star` only those led by i."""
    for i_ in prange(links.shape[0]):
        i = np.int64(i_)
        found = np.int64(0)
        for t in range(links.shape[1]):
            if star and not leads[i, t]:
                continue
            j = np.int64(links[i, t])
            while j >= 0:
                found += np.int64(not _met_before(values, leads, rows, star, i, j, t))
                j = np.int64(links[j, t])
        counts[i] = found


@kernel(parallel=True)
def fill_pairs(values, links, leads, rows, star, starts, out):
    """Write what `count_pairs` counted as i * 2^32 + j, the pairs of document i from ``out[starts[i]]`` on."""
    for i_ in prange(links.shape[0]):
        i = np.int64(i_)
        write = starts[i]
        for t in range(links.shape[1]):
            if star and not leads[i, t]:
                continue
            j = np.int64(links[i, t])
            while j >= 0:
                if not _met_before(values, leads, rows, star, i, j, t):
                    out[write] = (i << np.int64(32)) | j
                    write += 1
                j = np.int64(links[j, t])
