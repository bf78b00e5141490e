"""Shingle matrix times scheme: signatures."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from minhash_nb.files import replacing
from minhash_nb.schemes import Scheme, scheme_from_key
from minhash_nb.shingling import Normalize, ShingleMatrix, Shingling
from minhash_nb.shingling.ids import id_chunks
from minhash_nb.threads import parallel_region
from minhash_nb.validation import as_texts, frozen

FILE_FORMAT = "minhash_nb signatures"
FILE_VERSION = 1
PROGRESS_IDS = 1 << 24  # ids between two steps of the progress bar


@dataclass(frozen=True, eq=False, repr=False)
class SignatureMatrix:
    """The signatures of all documents, with the scheme and the shingling that give them their meaning.

    Parameters
    ----------
    values : uint32 array (n_docs, num_hashes), C order
        Row d is the signature of document d; 2**32 - 1 throughout where the document is empty.
    is_empty : bool array (n_docs,)
        Documents without a shingle: they are similar to nothing.
    scheme : Scheme
        What a column means.
    shingling : Shingling or None
        How texts became ids; None for your own ids.

    See Also
    --------
    compute_signatures, sign_texts

    Notes
    -----
    ``np.asarray(signatures)`` gives `values`. Both arrays are read-only.
    """

    values: np.ndarray
    is_empty: np.ndarray
    scheme: Scheme
    shingling: Shingling | None = None

    def __post_init__(self) -> None:
        values = np.ascontiguousarray(self.values, dtype=np.uint32)
        is_empty = np.ascontiguousarray(self.is_empty, dtype=bool)
        if values.ndim != 2 or values.shape[1] != self.scheme.num_hashes:
            raise ValueError(
                f"`values` must have shape (n_docs, {self.scheme.num_hashes}) for {self.scheme}, got {values.shape}"
            )
        if is_empty.shape != values.shape[:1]:
            raise ValueError(f"`is_empty` must have shape ({len(values)},), got {is_empty.shape}")
        object.__setattr__(self, "values", frozen(values))
        object.__setattr__(self, "is_empty", frozen(is_empty))

    @property
    def key(self) -> dict[str, Any]:
        """Scheme and shingling as plain values; matrices with equal keys compare."""
        return {"scheme": self.scheme.key, "shingling": self.shingling and self.shingling.key}

    def take(self, documents: np.ndarray) -> SignatureMatrix:
        """Return the signatures of the given documents (int positions or bool mask), in that order."""
        return SignatureMatrix(self.values[documents], self.is_empty[documents], self.scheme, self.shingling)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write values, scheme and shingling to one file (an .npz archive, with checksums).

        The file is written beside `path` and renamed when it is complete.

        Raises
        ------
        OSError
            If it cannot be written; an older file at `path` is then untouched.

        Examples
        --------
        >>> import minhash_nb as mnb, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "signatures.npz"
        >>> mnb.sign_texts(["a text"], mnb.MinHash(16)).save(path)
        >>> mnb.SignatureMatrix.load(path).scheme
        MinHash(num_hashes=16, seed=42, family='multiply-add')
        """
        header = {"format": FILE_FORMAT, "version": FILE_VERSION, **self.key}
        with replacing(path) as file:
            np.savez(
                file,
                header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8),
                values=self.values,
                is_empty=self.is_empty,
            )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SignatureMatrix:
        """Read what `save` wrote.

        Raises
        ------
        OSError
            If there is no such file.
        ValueError
            If the file is cut short or altered, is something else, or comes from a version whose
            signatures do not compare with this one's.
        """
        try:
            with np.load(path, allow_pickle=False) as archive:
                header = json.loads(archive["header"].tobytes())
                values, is_empty = archive["values"], archive["is_empty"]
        except OSError:
            raise
        except (KeyError, TypeError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(f"{path} is not a whole signature file ({error}): compute the signatures again") from error
        if header.get("format") != FILE_FORMAT or header.get("version") != FILE_VERSION:
            raise ValueError(
                f"{path} must be {FILE_FORMAT!r} version {FILE_VERSION}, found {header.get('format')!r} "
                f"version {header.get('version')}: compute the signatures again"
            )
        shingling = header["shingling"] and Shingling.from_key(header["shingling"])
        try:
            return cls(values, is_empty, scheme_from_key(header["scheme"]), shingling)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}: {error}") from error

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return (
            f"SignatureMatrix: {len(self):,} documents x {self.scheme.num_hashes} hashes "
            f"({self.values.dtype}, {self.values.nbytes:,} bytes), {self.is_empty.sum():,} empty; {self.scheme}"
        )


def check_comparable(first: SignatureMatrix, second: SignatureMatrix) -> None:
    """Raise ValueError unless the two matrices have the same scheme and the same shingling."""
    for what in ("scheme", "shingling"):
        if first.key[what] != second.key[what]:
            raise ValueError(
                f"signatures compare only with the same {what}, got {getattr(first, what)} and {getattr(second, what)}: "
                "compute both with one"
            )


def compute_signatures(shingles: ShingleMatrix, scheme: Scheme, *, progress: bool = False) -> SignatureMatrix:
    """Compute the signature of every document.

    Parameters
    ----------
    shingles : ShingleMatrix
        From `shingle`, or built from your own ids.
    scheme : Scheme
        For example ``MinHash(num_hashes=128, seed=42)``.
    progress : bool
        Show a progress bar.

    Returns
    -------
    SignatureMatrix
        The same values whatever the number of threads and the order of the documents.

    Raises
    ------
    TypeError
        If `shingles` or `scheme` is something else.

    Notes
    -----
    4 * num_hashes bytes a document; for the time see the scheme.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> shingles = mnb.ShingleMatrix.from_sets([{1, 2, 3}, {1, 2, 3}, set()])
    >>> signatures = mnb.compute_signatures(shingles, mnb.MinHash(num_hashes=16))
    >>> bool((signatures.values[0] == signatures.values[1]).all()), signatures.is_empty
    (True, array([False, False,  True]))
    """
    if not isinstance(shingles, ShingleMatrix):
        raise TypeError(
            f"`shingles` must be a ShingleMatrix, got {type(shingles).__name__}: mnb.shingle(texts) makes one"
        )
    _check_scheme(scheme)
    values = np.empty((len(shingles), scheme.num_hashes), dtype=np.uint32)
    indptr, steps = shingles.indptr, [0, len(shingles)]
    if progress:
        marks = np.arange(0, shingles.indices.size, PROGRESS_IDS)
        steps = [*np.unique(np.searchsorted(indptr, marks)).tolist(), len(shingles)]
    from tqdm import tqdm

    with tqdm(total=len(shingles), desc="signatures", unit="doc", disable=not progress) as bar:
        for start, stop in pairwise(steps):
            with parallel_region():
                scheme.fill(indptr[start : stop + 1], shingles.indices, values[start:stop])
            bar.update(stop - start)
    return SignatureMatrix(values, shingles.is_empty, scheme, shingles.shingling)


def sign_texts(
    texts: Iterable[str],
    scheme: Scheme,
    k: int = 5,
    unit: str = "char",
    id_hash: str = "fast",
    normalize: Normalize = "default",
    short_texts: str = "whole",
    *,
    progress: bool = False,
) -> SignatureMatrix:
    """Compute signatures straight from texts: the values of `shingle` and `compute_signatures`, less memory.

    The shingle ids live only for a few million characters at a time and are never sorted (a minimum does
    not mind order or repeats), so memory beside the result does not grow with the corpus.

    Parameters
    ----------
    texts, k, unit, id_hash, normalize, short_texts, progress
        As in `shingle`.
    scheme : Scheme
        As in `compute_signatures`.

    Returns
    -------
    SignatureMatrix

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> signatures = mnb.sign_texts(["one text", "One  text"], mnb.MinHash(num_hashes=32), k=3)
    >>> mnb.estimate_jaccard(signatures, [(0, 1)])
    array([1.])
    """
    _check_scheme(scheme)
    shingling = Shingling(k=k, unit=unit, normalize=normalize, short_texts=short_texts, id_hash=id_hash)
    documents = as_texts(texts)
    values = np.empty((len(documents), scheme.num_hashes), dtype=np.uint32)
    is_empty = np.empty(len(documents), dtype=bool)
    start = 0
    for chunk in id_chunks(documents, shingling, distinct=False, progress=progress):
        stop = start + len(chunk.counts)
        with parallel_region():
            scheme.fill(frozen(chunk.indptr), frozen(chunk.ids), values[start:stop])
        is_empty[start:stop] = chunk.counts == 0
        start = stop
    return SignatureMatrix(values, is_empty, scheme, shingling)


def _check_scheme(scheme: Any) -> None:
    if isinstance(scheme, type) or not isinstance(scheme, Scheme):
        shown = scheme.__name__ if isinstance(scheme, type) else repr(scheme)
        raise TypeError(f"`scheme` must be a scheme such as MinHash(num_hashes=128, seed=42), got {shown:.60}")
