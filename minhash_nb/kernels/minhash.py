"""Classic MinHash: the minimum of k hash functions over the ids of a document."""

import numpy as np
from numba import prange

from minhash_nb.kernels._compile import kernel
from minhash_nb.kernels.lanes import lower_mersenne31, lower_multiply_add
from minhash_nb.kernels.mixing import fold32

MAXIMUM = np.uint32(0xFFFFFFFF)  # the value of every slot of an empty document
PRIME = np.uint64(2**31 - 1)
BLOCK = 1024  # ids prepared together: they stay in the first-level cache while the slots pass
DOCUMENTS = 32  # documents that share scratch arrays


@kernel(parallel=True)
def multiply_add(indptr, indices, a, b, out):
    """Fill ``out[d, j]`` with the least of (a[j] fold32(x) + b[j]) mod 2^32 over the ids x of document d.

    `a` and `b` are padded to a multiple of 16; `out` has as many columns as are wanted.
    """
    documents = np.int64(indptr.size - 1)
    for chunk_ in prange((documents + DOCUMENTS - 1) // DOCUMENTS):
        chunk = np.int64(chunk_)
        prepared = np.empty(BLOCK, dtype=np.uint32)
        minima = np.empty(a.size, dtype=np.uint32)
        for d in range(chunk * DOCUMENTS, min((chunk + 1) * DOCUMENTS, documents)):
            minima[:] = MAXIMUM
            for start in range(indptr[d], indptr[d + 1], BLOCK):
                ids = indices[start : min(start + BLOCK, indptr[d + 1])]
                for i in range(ids.size):
                    prepared[i] = fold32(np.uint64(ids[i]))
                lower_multiply_add(prepared, np.int64(ids.size), a, b, minima, np.int64(a.size))
            out[d, :] = minima[: out.shape[1]]


@kernel(parallel=True)
def mersenne31(indptr, indices, a, b, out):
    """Fill ``out[d, j]`` with the least of (a[j] x + b[j]) mod 2^31 - 1 over the ids x of document d.

    x is reduced first, which changes nothing and keeps the products below 2^62.
    """
    documents = np.int64(indptr.size - 1)
    for chunk_ in prange((documents + DOCUMENTS - 1) // DOCUMENTS):
        chunk = np.int64(chunk_)
        prepared = np.empty(BLOCK, dtype=np.uint32)
        minima = np.empty(a.size, dtype=np.uint32)
        for d in range(chunk * DOCUMENTS, min((chunk + 1) * DOCUMENTS, documents)):
            minima[:] = MAXIMUM
            for start in range(indptr[d], indptr[d + 1], BLOCK):
                ids = indices[start : min(start + BLOCK, indptr[d + 1])]
                for i in range(ids.size):
                    prepared[i] = np.uint32(np.uint64(ids[i]) % PRIME)
                lower_mersenne31(prepared, np.int64(ids.size), a, b, minima, np.int64(a.size))
            out[d, :] = minima[: out.shape[1]]
