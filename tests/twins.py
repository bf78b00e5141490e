"""The package's definitions in plain Python integers: slow, obvious, and independent of the kernels."""

import re
from hashlib import md5
from types import MappingProxyType

MASK32, MASK64 = 2**32 - 1, 2**64 - 1
BASE = 0x9E3779B97F4A7C15
PRIME = 2**31 - 1
MAXIMUM = 2**32 - 1

# What has bitten others: final sigma, dotted I, Python's own kinds of white space, NUL, surrogates, a
# byte-order mark, CRLF, both forms of an accent, ligatures, code points beyond 16 bits.
NASTY = "Σσς İıIi \x00\x1c\x1d\x1e\x1f\x85\xa0\u2028\u2029\u3000\u200b\ufeff\ud800\udfff\r\n\t\v\féÉe\u0301ßẞ𝔸😀Ⅷǅ."
TEXTS = (
    "",
    " ",
    "\x1c\u2028 \t",
    "a",
    "ab",
    "abcd",
    "abcde",
    "The quick brown fox jumps over the lazy dog. The quick brown fox!",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "  Leading and   trailing\r\nspace\t\t",
    "ΟΔΥΣΣΕΥΣ ΣΑΣ Σ ΑΣ.",
    "İSTANBUL'DA İYİ GÜNLER",
    "naïve café",
    "\ufeffbyte-order mark",
    "nul\x00in the\x00middle",
    "lone \ud800 and \udfff surrogates",
    "他们说中文 没有空格 很多字",
    "x" * 1500 + "yz" * 700,
    NASTY,
    NASTY * 3,
)
NORMALIZERS = MappingProxyType({"default": "default", "none": None, "callable": str.swapcase})


def normalise(text, normalize="default"):
    if callable(normalize):
        return normalize(text)
    return text if normalize is None else re.sub(r"\s+", " ", text.lower().strip())


def windows(text, k=5, unit="char", normalize="default", short_texts="whole"):
    """Return the shingles of a text, each as a str of units or a list of words or the bytes."""
    text = normalise(text, normalize)
    if unit == "word":
        units = [word for word in text.split(" ") if word]
    else:
        units = text if unit == "char" else text.encode("utf-8", "surrogatepass")
    if len(units) < k:
        return [units] if units and short_texts == "whole" else []
    return [units[i : i + k] for i in range(len(units) - k + 1)]


def fast_id(window, unit):
    """Mix the polynomial of the numbers of all units, keep the upper half; a word's number is found likewise."""
    if unit == "word":
        numbers = [mix64(polynomial(map(ord, word))) for word in window]
    else:
        numbers = map(ord, window) if unit == "char" else window
    return mix64(polynomial(numbers)) >> 32


def md5_id(window, unit):
    if unit == "word":
        window = " ".join(window)
    data = window if unit == "byte" else window.encode("utf-8", "surrogatepass")
    return int.from_bytes(md5(data, usedforsecurity=False).digest(), "big") % 2**32


def shingle_ids(text, id_hash="fast", unit="char", **options):
    """Return the sorted distinct ids of a text."""
    hash_ = fast_id if id_hash == "fast" else md5_id
    return sorted({hash_(window, unit) for window in windows(text, unit=unit, **options)})


def polynomial(numbers):
    value = 0
    for number in numbers:
        value = (value * BASE + number + 1) & MASK64
    return value


def mix64(x):
    x = ((x ^ (x >> 33)) * 0xFF51AFD7ED558CCD) & MASK64
    x = ((x ^ (x >> 33)) * 0xC4CEB9FE1A85EC53) & MASK64
    return x ^ (x >> 33)


def mix32(x):
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & MASK32
    x = ((x ^ (x >> 15)) * 0x846CA68B) & MASK32
    return x ^ (x >> 16)


def fold32(x):
    return mix32((x & MASK32) ^ (mix64(x >> 32) >> 32))


def signature(ids, a, b, family):
    """Return the minimum of every hash function over the ids (any ints below 2**64)."""
    if family == "multiply-add":
        mixed = [fold32(x) for x in ids]
        return [min(((p * x + q) & MASK32 for x in mixed), default=MAXIMUM) for p, q in zip(a, b, strict=True)]
    return [min(((p * x + q) % PRIME for x in ids), default=MAXIMUM) for p, q in zip(a, b, strict=True)]


def jaccard(first, second):
    return len(first & second) / len(first | second) if first & second else 0.0
