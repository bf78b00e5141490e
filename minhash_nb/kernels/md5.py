"""The last 32 bits of MD5, for many short shingles at a time.

MD5 of a message below 56 bytes is one block: 64 steps on four words. Every step is done for a whole batch of
shingles before the next, so that LLVM vectorises over the batch. Source: Rivest, RFC 1321 (1992), section 3.4.
"""

import math

import numpy as np
from numba import prange

from minhash_nb.kernels._compile import helper, kernel

MOST_BYTES = 55  # of a shingle: its padding and its length fill the block
BATCH = 64
START = np.array([0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476], dtype=np.uint32)
SINES = np.array([int(abs(math.sin(step + 1)) * 2**32) for step in range(64)], dtype=np.uint32)
WORDS = np.array(
    [
        step if step < 16 else (5 * step + 1) % 16 if step < 32 else (3 * step + 5) % 16 if step < 48 else 7 * step % 16
        for step in range(64)
    ]
)
TURNS = np.array([7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21], dtype=np.uint32)


@helper
def _put_byte(message, shingle, position, value):
    message[position >> 2, shingle] |= np.uint32(value) << np.uint32(8 * (position & 3))


@helper
def _put_unit(message, shingle, position, unit, as_utf8):
    """Append a unit (a byte, or a code point as UTF-8) and return the position behind it."""
    if not as_utf8 or unit < np.uint32(0x80):
        _put_byte(message, shingle, position, unit)
        return position + 1
    if unit < np.uint32(0x800):
        _put_byte(message, shingle, position, np.uint32(0xC0) | (unit >> np.uint32(6)))
        position += 1
    else:
        if unit < np.uint32(0x10000):
            _put_byte(message, shingle, position, np.uint32(0xE0) | (unit >> np.uint32(12)))
            position += 1
        else:
            _put_byte(message, shingle, position, np.uint32(0xF0) | (unit >> np.uint32(18)))
            _put_byte(message, shingle, position + 1, np.uint32(0x80) | ((unit >> np.uint32(12)) & np.uint32(0x3F)))
            position += 2
        _put_byte(message, shingle, position, np.uint32(0x80) | ((unit >> np.uint32(6)) & np.uint32(0x3F)))
        position += 1
    _put_byte(message, shingle, position, np.uint32(0x80) | (unit & np.uint32(0x3F)))
    return position + 1


@helper
def _rotate(word, turn):
    # Masked shifts and casts keep the arithmetic in 32 bits: numba widens uint32 to uint64.
    left = np.uint32(turn & np.uint32(31))
    right = np.uint32((np.uint32(32) - turn) & np.uint32(31))
    return np.uint32(np.uint32(word << left) | np.uint32(word >> right))


@helper
def _step(a, b, c, d, message, step):
    """Do one step for the whole batch: `a` becomes b + rotate(a + f(b, c, d) + word + sine)."""
    phase = step // 16
    word = WORDS[step]
    sine = SINES[step]
    turn = TURNS[4 * phase + step % 4]
    if phase == 0:
        for i in range(BATCH):
            total = np.uint32(a[i] + np.uint32(d[i] ^ (b[i] & (c[i] ^ d[i]))) + message[word, i] + sine)
            a[i] = np.uint32(b[i] + _rotate(total, turn))
    elif phase == 1:
        for i in range(BATCH):
            total = np.uint32(a[i] + np.uint32(c[i] ^ (d[i] & (b[i] ^ c[i]))) + message[word, i] + sine)
            a[i] = np.uint32(b[i] + _rotate(total, turn))
    elif phase == 2:
        for i in range(BATCH):
            total = np.uint32(a[i] + np.uint32(b[i] ^ c[i] ^ d[i]) + message[word, i] + sine)
            a[i] = np.uint32(b[i] + _rotate(total, turn))
    else:
        for i in range(BATCH):
            total = np.uint32(a[i] + np.uint32(c[i] ^ (b[i] | np.uint32(~d[i]))) + message[word, i] + sine)
            a[i] = np.uint32(b[i] + _rotate(total, turn))


@helper
def _last_words(message, a, b, c, d):
    """Run MD5 on the batch; `d` becomes the last word of each digest, little-endian."""
    for i in range(BATCH):
        a[i] = START[0]
        b[i] = START[1]
        c[i] = START[2]
        d[i] = START[3]
    for step in range(0, 64, 4):  # the four words change their roles from step to step
        _step(a, b, c, d, message, step)
        _step(d, a, b, c, message, step + 1)
        _step(c, d, a, b, message, step + 2)
        _step(b, c, d, a, message, step + 3)
    for i in range(BATCH):
        d[i] = np.uint32(d[i] + START[3])


@helper
def _swap_bytes(word):
    word = np.uint32(
        ((word & np.uint32(0x00FF00FF)) << np.uint32(8)) | ((word >> np.uint32(8)) & np.uint32(0x00FF00FF))
    )
    return np.uint32((word << np.uint32(16)) | (word >> np.uint32(16)))


@kernel(parallel=True)
def md5_ids(units, starts, ends, k, keep_short, out, out_starts, documents):
    """Hash every window of k units into ``out[out_starts[documents[d]]:]``: MD5 modulo 2^32 of its UTF-8 bytes.

    Units of one byte are the bytes; wider ones are code points. No window may have more than 55 bytes.
    """
    as_utf8 = units.itemsize > 1
    for d_ in prange(starts.size):
        d = np.int64(d_)
        length = ends[d] - starts[d]
        window = min(np.int64(k), length)
        count = length - k + 1
        if count < 1:
            count = np.int64(keep_short and length > 0)
        message = np.empty((16, BATCH), dtype=np.uint32)
        a = np.empty(BATCH, dtype=np.uint32)
        b = np.empty(BATCH, dtype=np.uint32)
        c = np.empty(BATCH, dtype=np.uint32)
        last = np.empty(BATCH, dtype=np.uint32)
        for first in range(0, count, BATCH):
            size = min(BATCH, count - first)
            message[:] = np.uint32(0)
            for i in range(size):
                position = np.int64(0)
                for place in range(starts[d] + first + i, starts[d] + first + i + window):
                    position = _put_unit(message, i, position, np.uint32(units[place]), as_utf8)
                _put_byte(message, i, position, 0x80)
                message[14, i] = np.uint32(8 * position)
            _last_words(message, a, b, c, last)
            target = out_starts[documents[d]] + first
            for i in range(size):
                out[target + i] = _swap_bytes(last[i])
