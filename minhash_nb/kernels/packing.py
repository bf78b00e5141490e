"""b-bit signatures: the lowest bits of every re-mixed slot, packed into 64-bit words."""

import numba
import numpy as np
from numba import prange, types
from numba.extending import intrinsic

from minhash_nb.kernels._compile import helper, kernel
from minhash_nb.kernels.mixing import mix32

if numba.config.DISABLE_JIT:

    @helper
    def _count_ones(word):
        return np.int64(int(word).bit_count())

else:

    @intrinsic
    def _count_ones(context, word):
        def generate(context, builder, signature, args):
            return builder.ctpop(args[0])

        return types.int64(types.uint64), generate


@kernel(parallel=True)
def pack(values, bits, out):
    """Pack the lowest `bits` (1, 2, 4 or 8) of every re-mixed slot; ``out`` is uint64 (n_docs, words).

    Re-mixing makes two different minima agree in the kept bits with probability 2^-bits, whatever the size
    of the documents: the lowest bits of a minimum are not uniform by themselves.
    """
    per_word = np.int64(64) // bits
    mask = (np.uint32(1) << np.uint32(bits)) - np.uint32(1)
    for d_ in prange(values.shape[0]):
        d = np.int64(d_)
        for w in range(out.shape[1]):
            word = np.uint64(0)
            for place in range(min(per_word, values.shape[1] - w * per_word)):
                low = np.uint64(mix32(values[d, w * per_word + place]) & mask)
                word |= low << np.uint64(place * bits)
            out[d, w] = word


@kernel(parallel=True)
def unpack(words, bits, out):
    """Fill the uint32 array `out` (n_docs, num_hashes) with the packed bits of every slot."""
    per_word = np.int64(64) // bits
    mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    for d_ in prange(out.shape[0]):
        d = np.int64(d_)
        for j in range(out.shape[1]):
            word = words[d, j // per_word]
            out[d, j] = np.uint32((word >> np.uint64((j % per_word) * bits)) & mask)


@kernel(parallel=True)
def count_unequal_slots(words, bits, pairs, out):
    """Fill ``out[p]`` with the number of slots in which the packed signatures of pair p differ."""
    lowest = ~np.uint64(0) // ((np.uint64(1) << np.uint64(bits)) - np.uint64(1))  # the lowest bit of every slot
    for p_ in prange(pairs.shape[0]):
        p = np.int64(p_)
        first = words[pairs[p, 0]]
        second = words[pairs[p, 1]]
        unequal = np.int64(0)
        for w in range(first.size):
            difference = first[w] ^ second[w]
            if bits > 4:
                difference |= difference >> np.uint64(4)
            if bits > 2:
                difference |= difference >> np.uint64(2)
            if bits > 1:
                difference |= difference >> np.uint64(1)
            unequal += _count_ones(difference & lowest)
        out[p] = unequal
