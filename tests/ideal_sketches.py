"""Ideal sketches: true random numbers in place of hash functions, to expect what has no formula.

Each returns which element of the union of two sets every slot keeps, int (trials, k). Elements are numbered at
random, so that any `shared` of them may be 0 .. shared - 1, and a slot agrees in the sketches of the two sets
exactly if its element is one of these.
"""

import numpy as np

NONE = -1


def throw(rng, trials, union, k):
    """Throw every element into one slot; a slot keeps one of its elements."""
    kept = np.full((trials, k), NONE)
    order = rng.permuted(np.broadcast_to(np.arange(union), (trials, union)), axis=1)
    kept[np.arange(trials)[:, None], rng.integers(k, size=(trials, union))] = order
    return kept


def fast_similarity(rng, trials, union, k, rounds):
    kept = throw(rng, trials, union, k)
    for _ in range(1, rounds):
        if (unfinished := np.flatnonzero((kept == NONE).any(axis=1))).size == 0:
            break
        rows = kept[unfinished]
        kept[unfinished] = np.where(rows == NONE, throw(rng, unfinished.size, union, k), rows)
    return np.where(kept == NONE, rng.integers(union, size=(trials, k)), kept)


def super_minhash(rng, trials, union, k):
    """Every element has a random permutation of the slots; places count, then chance."""
    least, kept = np.full((trials, k), np.inf), np.zeros((trials, k), dtype=np.int64)
    for element in range(union):
        place = rng.permuted(np.broadcast_to(np.arange(float(k)), (trials, k)), axis=1) + rng.random((trials, k))
        kept[place < least] = element
        np.minimum(least, place, out=least)
    return kept


def rotation(rng, trials, union, k):
    """An empty slot copies the next filled one to its right, around the corner."""
    kept = throw(rng, trials, union, k)
    place = np.where(np.tile(kept, 2) != NONE, np.arange(2 * k), 2 * k)
    source = np.minimum.accumulate(place[:, ::-1], axis=1)[:, ::-1][:, :k] % k
    return np.take_along_axis(kept, source, axis=1)


def optimal(rng, trials, union, k):
    """An empty slot draws slots until it meets one that was filled."""
    thrown = throw(rng, trials, union, k)
    kept = thrown.copy()
    while (empty := np.argwhere(kept == NONE)).size:
        kept[empty[:, 0], empty[:, 1]] = thrown[empty[:, 0], rng.integers(k, size=len(empty))]
    return kept


def push(rng, trials, union, k):
    """The filled slots throw copies in turn; an empty slot keeps the first that it gets."""
    thrown = throw(rng, trials, union, k)
    filled = (thrown != NONE).sum(axis=1, keepdims=True)
    sources = np.take_along_axis(thrown, np.argsort(thrown == NONE, axis=1, kind="stable"), axis=1)
    kept, turns = thrown.copy(), np.arange(20 * k)
    while (kept == NONE).any():
        copies = np.take_along_axis(sources, turns % filled, axis=1)
        got = np.full((trials, k), NONE)
        target = rng.integers(k, size=(trials, turns.size))
        got[np.arange(trials)[:, None], target[:, ::-1]] = copies[:, ::-1]  # of several, the first is written last
        kept = np.where(kept == NONE, got, kept)
    return kept
