"""Rows made ready for the join: equal ones grouped, tokens ranked rare first, an inverted index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minhash_nb.joins.copies import Copies
from minhash_nb.kernels import joins as kernels
from minhash_nb.kernels.joins import Postings, Rows
from minhash_nb.shingling import ShingleMatrix
from minhash_nb.similarity import first_equal
from minhash_nb.validation import check_instance, frozen


@dataclass(frozen=True, eq=False)
class DistinctRows(Copies):
    """The distinct non-empty rows of a corpus in ascending order of size.

    Parameters
    ----------
    indptr, tokens : int64, int32 arrays
        CSR; tokens are ranks (0 for the rarest shingle), ascending within a row.
    """

    indptr: np.ndarray
    tokens: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """Tokens in each row."""
        return np.diff(self.indptr)

    def __len__(self) -> int:
        return self.indptr.size - 1


def check_shingles(*matrices: Any) -> None:
    """Raise unless all are shingle matrices of one shingling."""
    for matrix in matrices:
        check_instance("shingles", matrix, ShingleMatrix, "shingle(texts)")
    if any(matrix.shingling != matrices[0].shingling for matrix in matrices):
        shinglings = " and ".join(str(matrix.shingling) for matrix in matrices)
        raise ValueError(f"documents compare only with the same shingling, got {shinglings}: use one for both")


def rank_rows(*matrices: ShingleMatrix) -> tuple[list[DistinctRows], int]:
    """Group equal rows and rank the shingles of all matrices together; return also how many there are."""
    groups = [_group(matrix) for matrix in matrices]
    firsts = [members[starts[:-1]] for starts, members in groups]
    sizes = [matrix.sizes[first] for matrix, first in zip(matrices, firsts, strict=True)]
    indptr = np.concatenate(([0], np.cumsum(np.concatenate(sizes))))
    begins = [matrix.indptr[first] for matrix, first in zip(matrices, firsts, strict=True)]
    numbers, frequency = _number([matrix.indices for matrix in matrices], begins, indptr)

    ranks = np.empty(frequency.size, dtype=np.int32)
    starts = np.zeros(frequency.size + 1, dtype=np.int64)
    kernels.rank_tokens(frequency, np.zeros(indptr.size, dtype=np.int64), ranks, starts)
    rows = np.empty(numbers.size, dtype=np.int32)
    kernels.list_rows(indptr, numbers, ranks, starts[:-1].copy(), rows)
    tokens = numbers  # no longer needed
    kernels.fill_tokens(starts, rows, indptr[:-1].copy(), tokens)

    distinct, row = [], 0
    for group_starts, members in groups:
        bounds = indptr[row : row + group_starts.size]
        distinct.append(DistinctRows(group_starts, members, bounds - bounds[0], tokens[bounds[0] : bounds[-1]]))
        row += group_starts.size - 1
    return distinct, frequency.size


def _group(matrix: ShingleMatrix) -> tuple[np.ndarray, np.ndarray]:
    """Return starts and members of the groups of equal non-empty rows, by ascending size."""
    documents = np.flatnonzero(~matrix.is_empty)
    first = first_equal(matrix)[documents]
    firsts = documents[first == documents]
    group = np.empty(len(matrix), dtype=np.int64)
    group[firsts[np.argsort(matrix.sizes[firsts], kind="stable")]] = np.arange(firsts.size)
    group = group[first]
    starts = np.concatenate(([0], np.cumsum(np.bincount(group, minlength=firsts.size))))
    return starts, documents[np.argsort(group, kind="stable")]


def _number(ids: list[np.ndarray], begins: list[np.ndarray], indptr: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give the ids numbers 0, 1, ... as they first occur; return these, and how often each occurs."""
    dtype = np.result_type(*ids)
    numbers = np.empty(indptr[-1], dtype=np.int32)
    vocabulary, frequency, known = np.empty(0, dtype=dtype), np.empty(0, dtype=np.int32), 0
    size, start = 1 << min(max(numbers.size // 4, 1).bit_length(), 18), 0
    for matrix_ids, matrix_begins in zip(ids, begins, strict=True):
        bounds, row = indptr[start : start + matrix_begins.size + 1], 0
        start += matrix_begins.size
        while row < matrix_begins.size:
            vocabulary = np.concatenate((vocabulary[:known], np.empty(size - known, dtype=dtype)))
            frequency = np.concatenate((frequency[:known], np.zeros(size - known, dtype=np.int32)))
            table = np.full(2 * size, -1, dtype=np.int32)
            kernels.fill_table(vocabulary[:known], table)
            row, known = kernels.number_rows(
                frozen(matrix_ids.astype(dtype, copy=False)),
                matrix_begins,
                bounds,
                row,
                vocabulary,
                known,
                table,
                frequency,
                numbers,
            )
            size *= 4
    return numbers, frequency[:known]


def invert(rows: Rows, n_tokens: int) -> Postings:
    """Build the inverted index of the prefixes of rows."""
    starts = np.zeros(n_tokens + 1, dtype=np.int64)
    kernels.count_postings(rows, starts[1:])
    np.cumsum(starts, out=starts)
    places = np.empty((2, starts[-1]), dtype=np.int32)
    postings = Postings(starts, places[0], places[1])
    kernels.fill_postings(rows, starts[:-1].copy(), postings)
    return postings
