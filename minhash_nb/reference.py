"""MinHash and LSH in plain Python, with sets and dicts: lesson one, to be read first.

Near-duplicate texts are found in four steps, each a few lines long:

1. **Shingles**: a text becomes the set of its windows of k characters, each named by a 32-bit id.
2. **Signatures**: a set of any size becomes a short list of numbers. Each is the least value that one hash
   function takes on the set; two sets agree on it with probability equal to their Jaccard similarity.
3. **Bands**: documents that agree on a whole band of their signatures are a candidate pair, so that not every
   document must be compared with every other.
4. **Verification, clusters**: the exact Jaccard similarity of each candidate pair decides, and of each group
   of near-duplicates one document is kept.

The rest of the package does the same with compiled kernels over arrays, checks what it is given, is tested
against this module and measures its speed against it.

Ids, coefficients, signatures and candidates are, bit for bit, those of M. Brenndoerfer, *Language AI
Handbook* (2026), ch. 143, section 7. MinHash comes from Broder (1997), "On the resemblance and containment of
documents", and, with many hash functions, from Broder, Charikar, Frieze, Mitzenmacher (1998), "Min-wise
independent permutations"; for bands see Leskovec, Rajaraman, Ullman, *Mining of Massive Datasets*, ch. 3.

Examples
--------
>>> texts = ["The cat sat on the mat by the door.", "the cat sat on the mat by the  door", "No two alike."]
>>> sets = [shingle_ids(text) for text in texts]
>>> pairs = candidate_pairs(signatures(sets), num_bands=16, rows_per_band=8)
>>> pairs
[(0, 1)]
>>> len(sets[0]), len(sets[1]), len(sets[0] & sets[1])
(30, 29, 29)
>>> round(exact_jaccard(sets[0], sets[1]), 3)
0.967
>>> star_clusters(pairs, n_docs=3)  # document 1 goes, document 0 stays in its place
[0, 0, 2]
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations
from typing import Any

PRIME = 2**31 - 1
"""The hash functions work modulo this Mersenne prime, so all their values are below it."""

EMPTY = 2**32 - 1
"""What an empty set leaves in every position of its signature: no hash value equals it."""


def normalize(text: str) -> str:
    r"""Lower-case, strip, and collapse each run of white space to one space.

    Examples
    --------
    >>> normalize("  Hello\t World\n")
    'hello world'
    """
    return re.sub(r"\s+", " ", text.lower().strip())


def shingle_id(shingle: str) -> int:
    """Return the MD5 of the shingle's UTF-8 bytes modulo 2**32. Lone surrogates pass.

    Not the built-in ``hash``: that changes from one run of Python to the next.

    Examples
    --------
    >>> shingle_id("abcde")
    2245310342
    """
    digest = hashlib.md5(shingle.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()
    return int.from_bytes(digest, "big") % 2**32


def shingle_ids(text: str, k: int = 5) -> set[int]:
    """Return the ids of all windows of `k` characters of the normalised text; none if it is shorter than `k`.

    Examples
    --------
    >>> shingle_ids("abcdefg") == {shingle_id("abcde"), shingle_id("bcdef"), shingle_id("cdefg")}
    True
    >>> shingle_ids("abcd")
    set()
    """
    text = normalize(text)
    return {shingle_id(text[start : start + k]) for start in range(len(text) - k + 1)}


def coefficients(num_hashes: int = 128, seed: int = 42) -> tuple[list[int], list[int]]:
    """Draw the hash functions ``h_i(x) = (a[i] * x + b[i]) % PRIME``: first all of `a`, then all of `b`.

    Returns
    -------
    a, b : list of int
        `num_hashes` values each, ``1 <= a[i] < PRIME`` and ``0 <= b[i] < PRIME``.

    Examples
    --------
    >>> a, b = coefficients()
    >>> a[:2], b[:2]
    ([1373158607, 239081664], [1810010706, 1649940838])
    """
    draw = random.Random(seed)
    a = [draw.randint(1, PRIME - 1) for _ in range(num_hashes)]
    b = [draw.randint(0, PRIME - 1) for _ in range(num_hashes)]
    return a, b


def signature(ids: Collection[int], a: Sequence[int], b: Sequence[int]) -> list[int]:
    """Return the least value of every hash function over a set of shingle ids.

    Why it works: if a function puts the union of two sets in random order, each element of the union is
    equally likely to come first, and the two minima are equal when that element lies in both sets.

    Returns
    -------
    list of int
        One value below `PRIME` for each function, or `EMPTY` in every position if there are no ids. (The
        chapter leaves 2**32 there; one less fits into 32 bits.) Cost: ``len(ids) * len(a)`` evaluations.

    Notes
    -----
    Ids reach up to 2**32 but there are only `PRIME` remainders: `x` and ``x - PRIME`` are one and the same
    element to every function, and more functions do not help.

    Examples
    --------
    >>> a, b = coefficients(4)
    >>> signature({5}, a, b) == signature({5 + PRIME}, a, b)
    True
    >>> signature(set(), a, b) == [EMPTY] * 4
    True
    """
    return [min(((slope * x + shift) % PRIME for x in ids), default=EMPTY) for slope, shift in zip(a, b, strict=True)]


def signatures(sets: Iterable[Collection[int]], num_hashes: int = 128, seed: int = 42) -> list[list[int]]:
    """Return the signature of every set, all with the same hash functions.

    Examples
    --------
    >>> signatures([{7, 8, 9}, {8, 9, 10}], num_hashes=4)  # of J = 1/2, and 2 of 4 positions are equal
    [[64146552, 51989257, 855312718, 154494186], [64146552, 291070921, 909022903, 154494186]]
    """
    a, b = coefficients(num_hashes, seed)
    return [signature(ids, a, b) for ids in sets]


def estimate_jaccard(first: Sequence[int], second: Sequence[int]) -> float:
    """Return the fraction of equal positions of two signatures: an estimate of their Jaccard similarity J.

    With n positions its standard deviation is ``sqrt(J * (1 - J) / n)``: at most .044 for n = 128. Empty
    documents are similar to nothing, not even to each other. Signatures of different length raise ValueError.

    Examples
    --------
    >>> estimate_jaccard([3, 1, 4, 1], [3, 1, 2, 1])
    0.75
    """
    return sum(x == y != EMPTY for x, y in zip(first, second, strict=True)) / len(first)


def candidate_pairs(
    signatures: Sequence[Sequence[int]],
    num_bands: int = 16,
    rows_per_band: int = 8,
    is_empty: Sequence[bool] | None = None,
) -> list[tuple[int, int]]:
    """Return all pairs of documents whose signatures are equal in at least one whole band.

    A band is `rows_per_band` consecutive positions. Documents with equal bands share a bucket, and every two
    documents of a bucket are a candidate pair. So a pair of similarity s becomes a candidate with probability
    ``1 - (1 - s**rows_per_band)**num_bands``.

    Parameters
    ----------
    signatures : sequence of sequence of int
        One for each document; the first ``num_bands * rows_per_band`` positions are used.
    num_bands, rows_per_band : int
        How many bands, and how many positions make one.
    is_empty : sequence of bool, optional
        Documents to leave out: empty ones have equal signatures and would all share one bucket. By default
        those with `EMPTY` in every position, which `signature` gives to empty sets and to no others.

    Returns
    -------
    list of (int, int)
        Positions ``i < j``, sorted, each pair once.

    Raises
    ------
    ValueError
        If a signature is shorter than the bands need.

    Examples
    --------
    >>> candidate_pairs([[1, 2, 3, 4], [9, 9, 3, 4], [1, 2, 9, 9], [2, 1, 4, 3]], 2, 2)
    [(0, 1), (0, 2)]
    """
    needed = num_bands * rows_per_band
    if any(len(values) < needed for values in signatures):
        raise ValueError(f"{num_bands} bands of {rows_per_band} rows need signatures of at least {needed} values")
    if is_empty is None:
        is_empty = [all(value == EMPTY for value in values) for values in signatures]
    pairs: set[tuple[int, int]] = set()
    for start in range(0, needed, rows_per_band):
        buckets = defaultdict(list)
        for document, values in enumerate(signatures):
            if not is_empty[document]:
                buckets[tuple(values[start : start + rows_per_band])].append(document)
        for members in buckets.values():
            pairs.update(combinations(members, 2))
    return sorted(pairs)


def exact_jaccard(first: set[int], second: set[int]) -> float:
    """Return the Jaccard similarity: shared shingles over all shingles of both. Two empty sets give 0.0.

    Examples
    --------
    >>> exact_jaccard({1, 2, 3}, {2, 3, 4})
    0.5
    """
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) if shared else 0.0


def brute_force_pairs(sets: Sequence[set[int]], threshold: float) -> list[tuple[int, int, float]]:
    """Return ``(i, j, jaccard)`` for every pair ``i < j`` with exact Jaccard >= `threshold`, sorted.

    The truth that candidates are measured against; it looks at all ``n * (n - 1) / 2`` pairs. Empty sets are
    in no pair.

    Examples
    --------
    >>> brute_force_pairs([{1, 2, 3}, {2, 3, 4}, {1, 2, 3}, set()], threshold=0.9)
    [(0, 2, 1.0)]
    """
    documents = [document for document, ids in enumerate(sets) if ids]
    pairs = ((i, j, exact_jaccard(sets[i], sets[j])) for i, j in combinations(documents, 2))
    return [pair for pair in pairs if pair[2] >= threshold]


def connected_components(pairs: Iterable[Sequence[Any]], n_docs: int) -> list[int]:
    """Label each document by the least document that a chain of pairs connects it to (often itself).

    Similarity is not transitive: the ends of a long chain may have nothing in common. `pairs` holds
    ``(i, j)`` or ``(i, j, jaccard)`` in any order.

    Examples
    --------
    >>> connected_components([(1, 2), (2, 4)], n_docs=5)
    [0, 1, 1, 3, 1]
    """
    parent = list(range(n_docs))

    def root(document: int) -> int:
        while parent[document] != document:
            parent[document] = parent[parent[document]]  # halve the path, so that later walks are short
            document = parent[document]
        return document

    for i, j, *_ in pairs:
        low, high = sorted((root(i), root(j)))
        parent[high] = low
    return [root(document) for document in range(n_docs)]


def star_clusters(pairs: Iterable[Sequence[Any]], n_docs: int) -> list[int]:
    """Label each document by the one kept in its place: itself, or the least kept one it has a pair with.

    Documents are decided in order: keep it, unless it has a pair with one kept before. So every removed
    document has a pair with its representative and no two kept documents have a pair. `pairs` holds
    ``(i, j)`` or ``(i, j, jaccard)``, verified, in any order.

    Examples
    --------
    Document 2 is removed, so document 4, which has a pair with 2 only, is kept:

    >>> star_clusters([(1, 2), (2, 4)], n_docs=5)
    [0, 1, 1, 3, 4]
    """
    earlier = defaultdict(set)
    for i, j, *_ in pairs:
        earlier[max(i, j)].add(min(i, j))
    labels = list(range(n_docs))
    for document in range(n_docs):
        kept = (other for other in earlier[document] if labels[other] == other)
        labels[document] = min(kept, default=document)
    return labels
