"""Exact join: rows as ascending token ranks (rare first), an inverted index, and the search of one row in it."""

from typing import NamedTuple

import numpy as np
from numba import prange

from minhash_nb.kernels._compile import helper, kernel

PRUNED = np.int32(-1)


class Rows(NamedTuple):
    """Token ranks of every row (CSR, ascending), and how many of them have to be looked at."""

    indptr: np.ndarray
    tokens: np.ndarray
    prefix: np.ndarray


class Postings(NamedTuple):
    """For every token the rows whose prefix holds it, ascending, and its place in each of them."""

    starts: np.ndarray
    rows: np.ndarray
    places: np.ndarray


@helper
def _place(token, table):
    """Return where to look for an id in a hash table, whose size is a power of two."""
    product = np.uint64(token) * np.uint64(0x9E3779B97F4A7C15)
    return (product >> np.uint64(32)) & np.uint64(table.size - 1)


@kernel(parallel=False)
def fill_table(vocabulary, table):
    """Enter distinct ids into a table full of -1."""
    mask = np.uint64(table.size - 1)
    for v in range(vocabulary.size):
        place = _place(vocabulary[v], table)
        while table[place] >= 0:
            place = (place + np.uint64(1)) & mask
        table[place] = np.int32(v)


@kernel(parallel=False)
def number_rows(ids, begins, indptr, row, vocabulary, known, table, frequency, numbers):
    """Give the ids of the rows from `row` on numbers as they first occur, after the first `known`, and count them.

    Row d is at ``ids[begins[d]]`` and goes to ``numbers[indptr[d]]``. Return the row it came to and how many
    different ids it knows then: it stops before a row that `vocabulary` may have no room for. Indices are
    unsigned, which saves the test for negative ones: this loop is most of the time of an easy join.
    """
    mask = np.uint64(table.size - 1)
    while row < begins.size and known + indptr[row + 1] - indptr[row] <= vocabulary.size:
        source = ids[begins[row] : begins[row] + indptr[row + 1] - indptr[row]]
        target = numbers[indptr[row] : indptr[row + 1]]
        for i in range(source.size):
            token = source[i]
            place = _place(token, table)
            number = table[place]
            while number >= 0 and vocabulary[np.uint32(number)] != token:
                place = (place + np.uint64(1)) & mask
                number = table[place]
            if number < 0:
                number = np.int32(known)
                vocabulary[np.uint32(number)] = token
                table[place] = number
                known += 1
            frequency[np.uint32(number)] += np.int32(1)
            target[i] = number
        row += 1
    return row, known


@kernel(parallel=False)
def rank_tokens(frequency, firsts, ranks, starts):
    """Rank tokens by ascending frequency, then number, and lay out a list of that length for each rank.

    `firsts` is full of zeros, at least one more than the greatest frequency; ``starts[0]`` is 0.
    """
    for token in range(frequency.size):
        firsts[frequency[token]] += 1
    rank = np.int64(0)
    for count in range(firsts.size):
        tokens = firsts[count]
        firsts[count] = rank
        for _ in range(tokens):
            starts[rank + 1] = starts[rank] + count
            rank += 1
    for token in range(frequency.size):
        ranks[token] = np.int32(firsts[frequency[token]])
        firsts[frequency[token]] += 1


@kernel(parallel=False)
def list_rows(indptr, numbers, ranks, ends, rows):
    """List for every rank the rows that hold the token; `ends` are the starts of the lists, and are moved."""
    for row in range(indptr.size - 1):
        for i in range(indptr[row], indptr[row + 1]):
            rank = np.uint32(ranks[np.uint32(numbers[i])])
            rows[np.uint64(ends[rank])] = np.int32(row)
            ends[rank] += 1


@kernel(parallel=False)
def fill_tokens(starts, rows, ends, tokens):
    """Write the ranks of every row in ascending order; `ends` are where rows start, and are moved."""
    for rank in range(starts.size - 1):
        for i in range(starts[rank], starts[rank + 1]):
            row = np.uint32(rows[i])
            tokens[np.uint64(ends[row])] = np.int32(rank)
            ends[row] += 1


@kernel(parallel=False)
def count_postings(rows, counts):
    """Add to ``counts[w]`` the number of prefixes that hold token w."""
    for d in range(rows.prefix.size):
        for i in range(rows.indptr[d], rows.indptr[d] + rows.prefix[d]):
            counts[rows.tokens[i]] += 1


@kernel(parallel=False)
def fill_postings(rows, ends, postings):
    """Write the postings; `ends` are the starts of the lists, and are moved to their ends."""
    for d in range(rows.prefix.size):
        for i in range(rows.prefix[d]):
            token = rows.tokens[rows.indptr[d] + i]
            postings.rows[ends[token]] = np.int32(d)
            postings.places[ends[token]] = np.int32(i)
            ends[token] += 1


@helper
def _first_from(rows, start, stop, least):
    """Return the first position in rows[start:stop] (ascending) whose row is `least` or later."""
    while start < stop:
        middle = (start + stop) >> np.int64(1)
        if rows[middle] < least:
            start = middle + 1
        else:
            stop = middle
    return start


@helper
def _gather(probes, p, first, stop, index, postings, need, common, last, touched):
    """Count common prefix tokens of probe p and the index rows from `first` to `stop`; return how many it met.

    ``common[s]`` becomes the number of tokens in common, or PRUNED once the tokens that remain cannot make up
    for those that differ; ``last[s]`` the places of the last one in p and in s; `touched` the rows it met.
    """
    begin = probes.indptr[p]
    size = probes.indptr[p + 1] - begin
    met = np.int64(0)
    for i in range(probes.prefix[p]):
        token = np.uint32(probes.tokens[begin + i])
        start, end = postings.starts[token], postings.starts[np.uint64(token) + np.uint64(1)]
        if start == end or postings.rows[start] >= stop:
            continue  # most rare tokens, and no need to search
        start = _first_from(postings.rows, start, end, first)
        rows, places = postings.rows[start:end], postings.places[start:end]
        for k in range(rows.size):
            if rows[k] >= stop:
                break
            s = np.uint32(rows[k])  # unsigned: no test for negative indices
            known = common[s]
            if known == PRUNED:
                continue
            if known == 0:
                touched[met] = np.int32(s)
                met += 1
            other = index.indptr[s + 1] - index.indptr[s]
            if known + min(size - i, other - np.int64(places[k])) >= need[size + other]:
                common[s] = known + np.int32(1)
                last[s, 0] = np.int32(i)
                last[s, 1] = places[k]
            else:
                common[s] = PRUNED
    return met


@helper
def _common(first, i, second, j, common, least):
    """Merge first[i:] and second[j:]; return all tokens in common, or some number below `least`."""
    i, j = np.uint64(i), np.uint64(j)
    m, n = np.uint64(first.size), np.uint64(second.size)
    steps = np.int64(0)
    while i < m and j < n:
        if steps & 7 == 0 and common + np.int64(min(m - i, n - j)) < least:
            return common
        a = first[i]  # no branch on the comparison: it would be mispredicted
        b = second[j]
        common += np.int64(a == b)
        i += np.uint64(a <= b)
        j += np.uint64(b <= a)
        steps += 1
    return common


@kernel(parallel=True)
def join_rows(probes, begin, end, first, stop, index, postings, need, common, last, touched, counts, out):
    """Find the index rows from ``first[p]`` to ``stop[p]`` similar to probe p, for p from `begin` to `end`.

    Chunk c takes every ``counts.size``-th probe, adds up the pairs in ``counts[c]`` and writes (p, row, common
    tokens) to ``out[c]`` while there is room. ``common[c]`` is all zero before and after. ``need[x + y]`` is
    the least overlap of rows with x and y tokens.
    """
    for c_ in prange(counts.size):
        c = np.int64(c_)
        found = np.int64(0)
        for p in range(begin + c, end, counts.size):
            met = _gather(probes, p, first[p], stop[p], index, postings, need, common[c], last[c], touched[c])
            row = probes.tokens[probes.indptr[p] : probes.indptr[p + 1]]
            for m in range(met):
                s = np.int64(touched[c, m])
                known = np.int64(common[c, s])
                common[c, s] = np.int32(0)
                if known < 0:
                    continue
                other = index.tokens[index.indptr[s] : index.indptr[s + 1]]
                i, j = probes.prefix[p], index.prefix[s]
                if row[i - 1] <= other[j - 1]:  # all tokens of this prefix have been looked for in the other
                    j = np.int64(last[c, s, 1]) + 1
                else:
                    i = np.int64(last[c, s, 0]) + 1
                least = need[row.size + other.size]
                known = _common(row, i, other, j, known, least)
                if known >= least:
                    if found < out.shape[1]:
                        out[c, found, 0] = np.int32(p)
                        out[c, found, 1] = np.int32(s)
                        out[c, found, 2] = np.int32(known)
                    found += 1
        counts[c] = found


@kernel(parallel=True)
def count_similarities(documents, rows, starts, postings, copies, edges, cells, common, out):
    """Compare rows ``documents`` with all others, and sum the copies of the others by bin of similarity.

    ``out[d, b]`` is for similarities from ``edges[b]`` to below ``edges[b + 1]`` (the last bin has both ends),
    pairs without a common token left out. ``cells[c]`` is the bin of c / (cells.size - 1). ``common[c]``, the
    scratch of chunk c, is all zero before and after.
    """
    bins = np.int64(out.shape[1])
    scale = np.float64(cells.size - 1)
    for c_ in prange(common.shape[0]):
        c = np.int64(c_)
        shared = common[c]
        for d in range(c, documents.size, common.shape[0]):
            row = documents[d]
            for i in range(rows.indptr[row], rows.indptr[row + 1]):
                token = rows.tokens[i]
                others = postings[starts[token] : starts[token + 1]]
                for place in range(others.size):
                    shared[np.uint32(others[place])] += np.int32(1)  # unsigned: no test for negative indices
            size = rows.indptr[row + 1] - rows.indptr[row]
            shared[row] = np.int32(0)
            for s in range(shared.size):
                if shared[s] == 0:
                    continue
                both = np.int64(shared[s])
                shared[s] = np.int32(0)
                jaccard = both / (size + rows.indptr[s + 1] - rows.indptr[s] - both)
                b = np.int64(cells[np.int64(jaccard * scale)])
                while b + 1 < bins and jaccard >= edges[b + 1]:
                    b += 1
                out[d, b] += copies[s]
