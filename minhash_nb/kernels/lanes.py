"""Sixteen 32-bit lanes at a time, spelled out for LLVM.

LLVM vectorises loops like ``out[j] = min(out[j], a[j] * x + b[j])`` by itself, but loads and stores `out` for every
id, and on many machines uses half the vector width. Written with vectors of 16 lanes, the minima of a block
of slots stay in registers while all ids of a document pass. On narrower machines LLVM splits the
vectors; the values are the same everywhere.
"""

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from minhash_nb.kernels._compile import helper

LANES = 16
_INT32, _INT64 = ir.IntType(32), ir.IntType(64)
_VECTOR, _WIDE = ir.VectorType(_INT32, LANES), ir.VectorType(_INT64, LANES)


def _minimum(builder, first, second):
    return builder.select(builder.icmp_unsigned("<", first, second), first, second)


def _multiply_add(builder, a, x, b):
    """Emit (a x + b) mod 2^32."""
    return builder.add(builder.mul(a, x), b)


def _mersenne31(builder, a, x, b):
    """Emit (a x + b) mod p for p = 2^31 - 1 and a, x, b below p.

    a x + b is below p^2, so folding the bits above 31 onto the others once leaves less than 2 p; of the
    sum and the sum less p, which wraps around and is huge when negative, the smaller is the remainder.
    """
    a, x, b = (builder.zext(value, _WIDE) for value in (a, x, b))
    prime = ir.Constant(_WIDE, [2**31 - 1] * LANES)
    value = builder.add(builder.mul(a, x), b)
    value = builder.add(builder.and_(value, prime), builder.lshr(value, ir.Constant(_WIDE, [31] * LANES)))
    value = builder.trunc(value, _VECTOR)
    return _minimum(builder, value, builder.sub(value, builder.trunc(prime, _VECTOR)))


def _minimum_block(hash_value, vectors):
    """Make ``f(ids, count, a, b, out, start)``: lower vectors * LANES slots of `out` to the least hash values."""

    @intrinsic
    def minimum_block(context, ids, count, a, b, out, start):
        def generate(context, builder, signature, args):
            ids, count, a, b, out, start = (
                context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value
                for kind, value in zip(signature.args, args, strict=True)
            )

            def place(pointer, number):
                index = builder.add(start, ir.Constant(_INT64, number * LANES))
                return builder.bitcast(builder.gep(pointer, [index]), _VECTOR.as_pointer())

            def load(pointer, number):
                vector = builder.load(place(pointer, number))
                vector.align = 4
                return vector

            undefined = ir.Constant(_VECTOR, ir.Undefined)
            everywhere = ir.Constant(ir.VectorType(_INT32, LANES), [0] * LANES)
            factors = [load(a, v) for v in range(vectors)]
            offsets = [load(b, v) for v in range(vectors)]
            minima = [cgutils.alloca_once_value(builder, load(out, v)) for v in range(vectors)]
            with cgutils.for_range(builder, count) as loop:
                identifier = builder.load(builder.gep(ids, [loop.index]))
                spread = builder.insert_element(undefined, identifier, ir.Constant(_INT32, 0))
                spread = builder.shuffle_vector(spread, undefined, everywhere)
                for factor, offset, minimum in zip(factors, offsets, minima, strict=True):
                    value = hash_value(builder, factor, spread, offset)
                    builder.store(_minimum(builder, value, builder.load(minimum)), minimum)
            for number, minimum in enumerate(minima):
                builder.store(builder.load(minimum), place(out, number)).align = 4
            return context.get_dummy_value()

        return types.void(ids, types.int64, a, b, out, types.int64), generate

    return minimum_block


if numba.config.DISABLE_JIT:

    @helper
    def lower_multiply_add(ids, count, a, b, out, size):
        """Lower ``out[:size]`` to the least of (a[j] x + b[j]) mod 2^32 over the first `count` ids x."""
        for x in ids[:count]:
            for j in range(size):
                out[j] = min(out[j], a[j] * x + b[j])

    @helper
    def lower_mersenne31(ids, count, a, b, out, size):
        """Lower ``out[:size]`` to the least of (a[j] x + b[j]) mod 2^31 - 1 over the first `count` ids x."""
        for x in ids[:count]:
            for j in range(size):
                value = (np.uint64(a[j]) * np.uint64(x) + np.uint64(b[j])) % np.uint64(2**31 - 1)
                out[j] = min(out[j], np.uint32(value))

else:

    def _in_blocks(hash_value):
        """Cut the slots into blocks that fit the registers: 8 vectors, then fewer."""
        eight, four, two, one = (_minimum_block(hash_value, vectors) for vectors in (8, 4, 2, 1))

        @helper
        def lower(ids, count, a, b, out, size):
            start = np.int64(0)
            while start + 8 * LANES <= size:
                eight(ids, count, a, b, out, start)
                start += 8 * LANES
            if start + 4 * LANES <= size:
                four(ids, count, a, b, out, start)
                start += 4 * LANES
            if start + 2 * LANES <= size:
                two(ids, count, a, b, out, start)
                start += 2 * LANES
            if start < size:
                one(ids, count, a, b, out, start)

        return lower

    # `size`, a multiple of LANES, slots of `out` are lowered; all arrays are contiguous uint32.
    lower_multiply_add = _in_blocks(_multiply_add)
    lower_mersenne31 = _in_blocks(_mersenne31)
