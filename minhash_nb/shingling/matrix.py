"""The sparse 0/1 matrix of documents (rows) by shingle ids (columns)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from minhash_nb.kernels import shingling as kernels
from minhash_nb.shingling.options import Shingling
from minhash_nb.threads import parallel_region
from minhash_nb.validation import frozen

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False, repr=False)
class ShingleMatrix:
    """The shingle ids of every document, CSR-packed: row d is ``indices[indptr[d]:indptr[d + 1]]``.

    Parameters
    ----------
    indptr : int array (n_docs + 1,)
        Where the rows begin and end; 0 first, never falling, the number of ids last.
    indices : uint32 or uint64 array (n_ids,)
        Shingle ids, strictly ascending within a row. Other integer dtypes are converted when their
        values fit.
    shingling : Shingling, optional
        How texts became these ids; None for your own ids.
    is_short : bool array (n_docs,), optional
        Which documents had fewer than k units, but at least one; for own ids none.

    Raises
    ------
    ValueError
        If the arrays do not describe rows of sorted, distinct, non-negative ids.

    See Also
    --------
    shingle : from texts.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> mnb.ShingleMatrix([0, 3, 5], [2, 7, 9, 2, 8])
    ShingleMatrix: 2 documents, 5 shingle ids (uint32), 2.5 per document; own ids
    """

    indptr: np.ndarray
    indices: np.ndarray
    shingling: Shingling | None = None
    is_short: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        indptr = np.asarray(self.indptr)
        indices = _as_ids(self.indices)
        if indptr.ndim != 1 or indptr.size == 0 or indptr.dtype.kind not in "iu":
            raise ValueError(
                f"`indptr` must be integers of shape (n_docs + 1,), got {indptr.dtype} of shape {indptr.shape}"
            )
        indptr = np.ascontiguousarray(indptr, dtype=np.int64)
        if indptr[0] != 0 or indptr[-1] != indices.size or np.any(indptr[1:] < indptr[:-1]):
            raise ValueError(
                f"`indptr` must rise from 0 to the number of ids {indices.size}, got {indptr[0]} to {indptr[-1]}"
                + ("" if np.all(indptr[1:] >= indptr[:-1]) else ", falling in between")
            )
        if self.shingling is None:
            row_starts = np.zeros(indices.size + 1, dtype=bool)
            row_starts[indptr] = True
            unsorted = (indices[1:] <= indices[:-1]) & ~row_starts[1:-1]
            if unsorted.any():
                row = int(np.searchsorted(indptr, int(unsorted.argmax()), side="right")) - 1
                raise ValueError(
                    f"`indices` must be strictly ascending within each row, but row {row} is not: "
                    "ShingleMatrix.from_sets sorts and removes repeats"
                )
        object.__setattr__(self, "indptr", frozen(indptr))
        object.__setattr__(self, "indices", frozen(indices))
        is_short = np.zeros(len(self), dtype=bool) if self.is_short is None else self.is_short
        if np.shape(is_short) != (len(self),):
            raise ValueError(f"`is_short` must have shape ({len(self)},), got {np.shape(is_short)}")
        object.__setattr__(self, "is_short", frozen(np.asarray(is_short, dtype=bool)))

    @classmethod
    def from_sets(cls, sets: Iterable[Iterable[int]]) -> ShingleMatrix:
        """Build from iterables of non-negative ints (below 2**64); sorts them and removes repeats.

        Examples
        --------
        >>> import minhash_nb as mnb
        >>> mnb.ShingleMatrix.from_sets([{3, 1}, [], [5, 5]]).indices
        array([1, 3, 5], dtype=uint32)
        """
        rows = [set(row) for row in sets]
        for element in chain.from_iterable(rows):
            if isinstance(element, bool) or not isinstance(element, (int, np.integer)):
                raise TypeError(f"`sets` must hold sets of integers, got {element!r} in one")
            if not 0 <= element < 2**64:
                raise ValueError(f"`sets` must hold ids from 0 to 2**64 - 1, got {element}")
        indptr = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=indptr[1:])
        flat = [element for row in rows for element in sorted(row)]
        width = np.uint32 if max(flat, default=0) < 2**32 else np.uint64
        return cls(indptr, np.array(flat, dtype=width))

    @classmethod
    def from_scipy(cls, matrix: Any) -> ShingleMatrix:
        """Build from any scipy sparse matrix or array: the column numbers of its nonzero entries."""
        csr = matrix.tocsr().copy()
        csr.sum_duplicates()
        csr.eliminate_zeros()
        return cls(csr.indptr, csr.indices)

    def to_scipy(self) -> tuple[csr_array, np.ndarray]:
        """Return a scipy CSR array of ones, its columns the distinct ids in ascending order, and those ids.

        Returns
        -------
        matrix : scipy.sparse.csr_array of int32, shape (n_docs, n_distinct)
        ids : array (n_distinct,)
            The shingle id of each column. 32-bit ids as column numbers would need 2**32 columns, which
            scipy's int32 indices cannot hold.
        """
        from scipy.sparse import csr_array

        ids, columns = np.unique(self.indices, return_inverse=True)
        ones = np.ones(columns.size, dtype=np.int32)
        return csr_array((ones, columns, self.indptr), shape=(len(self), max(ids.size, 1))), ids

    @property
    def sizes(self) -> np.ndarray:
        """Number of distinct shingles of each document, int64 (n_docs,)."""
        return np.diff(self.indptr)

    @property
    def is_empty(self) -> np.ndarray:
        """Which documents have no shingle, bool (n_docs,)."""
        return self.sizes == 0

    def take(self, documents: np.ndarray) -> ShingleMatrix:
        """Return the matrix of the given documents (int positions), in that order."""
        starts = np.ascontiguousarray(self.indptr[:-1][documents])
        indptr = np.zeros(len(starts) + 1, dtype=np.int64)
        np.cumsum(self.sizes[documents], out=indptr[1:])
        indices = np.empty(indptr[-1], dtype=self.indices.dtype)
        with parallel_region():
            kernels.pack(self.indices, starts, indptr, indices)
        return replace(self, indptr=indptr, indices=indices, is_short=self.is_short[documents])

    def row(self, document: int) -> np.ndarray:
        """Return the sorted ids of one document (a read-only view)."""
        return self.indices[self.indptr[document] : self.indptr[document + 1]]

    def __len__(self) -> int:
        return self.indptr.size - 1

    def __repr__(self) -> str:
        mean = self.indices.size / len(self) if len(self) else 0.0
        origin = (
            "own ids"
            if self.shingling is None
            else ", ".join(f"{name}={value!r}" for name, value in self.shingling.key.items())
        )
        return (
            f"ShingleMatrix: {len(self):,} documents, {self.indices.size:,} shingle ids "
            f"({self.indices.dtype}), {mean:.1f} per document; {origin}"
        )


def _as_ids(indices: Any) -> np.ndarray:
    """Return ids as a C-order uint32 or uint64 array: the two widths the kernels are compiled for."""
    ids = np.asarray(indices)
    if ids.ndim != 1:
        raise ValueError(f"`indices` must be one-dimensional, got shape {ids.shape}")
    if ids.size == 0:
        return np.empty(0, dtype=np.uint64 if ids.dtype == np.uint64 else np.uint32)
    if ids.dtype.kind not in "iu":
        raise TypeError(f"`indices` must be integers from 0 to 2**64 - 1, got {ids.dtype}")
    if ids.dtype not in (np.uint32, np.uint64):
        if ids.min() < 0:
            raise ValueError(f"`indices` must not be negative, got {ids.min()}")
        ids = ids.astype(np.uint32 if ids.max() < 2**32 else np.uint64)
    return np.ascontiguousarray(ids)
