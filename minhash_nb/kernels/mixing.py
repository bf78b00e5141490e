"""Bijective mixers: what makes any ids look random before the cheap hash families see them."""

import numpy as np

from minhash_nb.kernels._compile import helper


@helper
def mix64(x):
    """Austin Appleby's 64-bit finaliser of MurmurHash3 (a bijection, 0 to 0)."""
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return x ^ (x >> np.uint64(33))


@helper
def mix32(x):
    """Chris Wellons's 32-bit mixer (a bijection, 0 to 0) on a uint32."""
    # numba's product of two uint32 is a uint64: without the casts the high half would come back in the shifts.
    x = np.uint32((x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D))
    x = np.uint32((x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B))
    return np.uint32(x ^ (x >> np.uint32(16)))


@helper
def fold32(x):
    """Fold a uint64 id to a well mixed uint32; on ids below 2**32 a bijection, so no two of them meet."""
    high = mix64(x >> np.uint64(32)) >> np.uint64(32)
    return mix32(np.uint32(x ^ high))
