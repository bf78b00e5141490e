"""The sketches beyond classic MinHash in plain Python integers: slow, obvious, and independent of the kernels.

Each twin takes the ids of one document and the scheme's parameters, draws the hash functions itself and gives
the signature as a list of ints. No document without ids: all schemes give `EMPTY` throughout for those.
"""

from functools import cache

import numpy as np
from twins import MASK32, MASK64, mix32, mix64

EMPTY = 2**32 - 1
GOLDEN = 0x9E3779B97F4A7C15


def sign(ids, scheme):
    """Return the signature of a set of ids under any scheme of this file."""
    if not ids:
        return [EMPTY] * scheme.num_hashes
    twin = {
        "FastSimilaritySketch": fast_similarity,
        "OnePermutation": one_permutation,
        "SuperMinHash": super_minhash,
    }[type(scheme).__name__]
    parameters = {name: value for name, value in scheme.key.items() if name not in {"scheme", "version"}}
    return twin(ids, **parameters)


def fast_similarity(ids, num_hashes, seed, rounds):
    """Rounds of scattering over the slots that were empty before, then the classic minimum in the others."""
    mixer, lines, a, b = fast_similarity_draws(num_hashes, seed, rounds)
    mixed = [mix64(x ^ mixer) for x in ids]
    bits = rounds.bit_length()
    slots = [None] * num_hashes
    for level, (factor, offset) in enumerate(lines):
        thrown = [[] for _ in slots]
        for y in mixed:
            value = (y * factor + offset) & MASK64
            thrown[(value >> 32) * num_hashes >> 32].append((value & MASK32) >> bits)
        for j, values in enumerate(thrown):
            if slots[j] is None and values:
                slots[j] = level << (32 - bits) | min(values)
        if None not in slots:
            return slots
    for j in range(num_hashes):
        if slots[j] is None:
            slots[j] = rounds << (32 - bits) | min((a[j] * (y & MASK32) + b[j]) & MASK32 for y in mixed) >> bits
    return slots


@cache
def fast_similarity_draws(num_hashes, seed, rounds):
    """Return the mixing seed, (factor, offset) of every round, and the factors and offsets of the last level."""
    generator = np.random.default_rng(seed)
    mixer = int(generator.integers(0, 2**64, dtype=np.uint64))
    lines = [(f | 1, o) for f, o in generator.integers(0, 2**64, (rounds, 2), dtype=np.uint64).tolist()]
    lines[0] = (1, 0)  # the first round takes the mixed id as it is
    last = generator.integers(0, 2**32, (num_hashes, 2), dtype=np.uint32).tolist()
    return mixer, lines, [a | 1 for a, _ in last], [b for _, b in last]


def one_draw(seed):
    return int(np.random.default_rng(seed).integers(0, 2**64, dtype=np.uint64))


def one_permutation(ids, num_hashes, seed, densification):
    mixer = one_draw(seed)
    sketch = [None] * num_hashes
    for x in ids:
        y = mix64(x ^ mixer)
        j, value = (y >> 32) * num_hashes >> 32, min(y & MASK32, EMPTY - 1)
        if sketch[j] is None or value < sketch[j]:
            sketch[j] = value
    filled = [j for j in range(num_hashes) if sketch[j] is not None]
    out = list(sketch)
    if densification == "none":
        return [EMPTY if value is None else value for value in sketch]
    if densification == "push":
        attempt = 0
        while None in out:
            for j in filled:
                target = throw(j, attempt, mixer, num_hashes)
                if out[target] is None:
                    out[target] = sketch[j]
            attempt += 1
        return out
    for j in range(num_hashes):
        source, tries = j, 0
        while sketch[source] is None:
            source = throw(j, tries, mixer, num_hashes) if densification == "optimal" else (source + 1) % num_hashes
            tries += 1
        mark = tries * 0x9E3779B1 if densification == "rotation" else 0
        out[j] = (sketch[source] + mark) & MASK32
    return out


def throw(slot, attempt, mixer, num_hashes):
    return (mix64(mixer ^ mix64((slot * GOLDEN + attempt) & MASK64)) >> 32) * num_hashes >> 32


def super_minhash(ids, num_hashes, seed):
    """Every id walks its whole permutation (Fisher-Yates): slot p[j] may have j in the upper bits, noise below."""
    mixer = one_draw(seed)
    bits = (num_hashes - 1).bit_length()
    slots = [EMPTY] * num_hashes
    for x in ids:
        p = list(range(num_hashes))
        state = mix64(x ^ mixer)
        for j in range(num_hashes):
            state = (state + GOLDEN) & MASK64
            value = mix64(state)
            m = j + ((value >> 32) * (num_hashes - j) >> 32)
            p[j], p[m] = p[m], p[j]
            slots[p[j]] = min(slots[p[j]], j << (32 - bits) | (value & MASK32) >> bits)
    return slots


def truncate(values, bits):
    """Return the lowest bits of every re-mixed slot."""
    return [mix32(value) % 2**bits for value in values]


def pack(low, bits):
    """Return 64-bit words, the first slot in the lowest bits of the first word."""
    number = sum(value << (place * bits) for place, value in enumerate(low))
    return [number >> shift & MASK64 for shift in range(0, len(low) * bits, 64)]
