"""Computing signatures: from shingles, straight from texts, and of unions."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from minhash_nb.schemes import Scheme
from minhash_nb.shingling import Normalize, ShingleMatrix, Shingling
from minhash_nb.shingling.ids import id_chunks
from minhash_nb.signatures.matrix import SignatureMatrix, check_comparable
from minhash_nb.threads import parallel_region
from minhash_nb.validation import as_texts, check_instance, frozen

PROGRESS_IDS = 1 << 24  # ids between two steps of the progress bar


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
    check_instance("shingles", shingles, ShingleMatrix, "shingle(texts)")
    check_scheme(scheme)
    values = np.empty((len(shingles), scheme.num_hashes), dtype=np.uint32)
    indptr, steps = shingles.indptr, [0, len(shingles)]
    if progress:
        marks = np.arange(PROGRESS_IDS, shingles.indices.size, PROGRESS_IDS)
        steps = [0, *np.unique(np.searchsorted(indptr, marks)).tolist(), len(shingles)]
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

    The shingle ids live only for a chunk of documents at a time and are never sorted (a minimum does
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
    check_scheme(scheme)
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


def check_scheme(scheme: Any) -> None:
    """Raise TypeError unless `scheme` is one (an instance, not the class)."""
    if isinstance(scheme, type) or not isinstance(scheme, Scheme):
        shown = scheme.__name__ if isinstance(scheme, type) else repr(scheme)
        raise TypeError(f"`scheme` must be a scheme such as MinHash(num_hashes=128, seed=42), got {shown:.60}")


def merge_signatures(first: SignatureMatrix, second: SignatureMatrix) -> SignatureMatrix:
    """Return the signatures of the unions, row by row, without the shingles.

    Parameters
    ----------
    first, second : SignatureMatrix
        Of equal length, scheme and shingling; row d of one belongs with row d of the other.

    Returns
    -------
    SignatureMatrix
        Exactly the signatures of the united shingle sets; a row is empty where both are.

    Raises
    ------
    TypeError
        If either is something else.
    ValueError
        If the matrices do not compare or differ in length, the scheme's signatures do not merge
        (OnePermutation with densification), or they are truncated.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> scheme = mnb.MinHash(64)
    >>> a, b, union = (
    ...     mnb.compute_signatures(mnb.ShingleMatrix.from_sets([ids]), scheme) for ids in ({1, 2}, {2, 3}, {1, 2, 3})
    ... )
    >>> bool((mnb.merge_signatures(a, b).values == union.values).all())
    True
    """
    for name, signatures in (("first", first), ("second", second)):
        check_instance(name, signatures, SignatureMatrix, "compute_signatures or sign_texts")
    check_comparable(first, second)
    if len(first) != len(second):
        raise ValueError(f"`first` and `second` must have equal length, got {len(first)} and {len(second)}")
    if first.bits != 32:
        raise ValueError(f"signatures of {first.bits} bits a slot do not merge: merge first, then truncate")
    if not first.scheme.mergeable:
        raise ValueError(f"signatures of {first.scheme} do not merge: sign the united documents instead")
    return SignatureMatrix(
        np.minimum(first.values, second.values), first.is_empty & second.is_empty, first.scheme, first.shingling
    )
