"""Texts to shingles: the sparse 0/1 matrix of documents by shingle ids."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from minhash_nb.shingling.ids import id_chunks
from minhash_nb.shingling.matrix import ShingleMatrix
from minhash_nb.shingling.options import Normalize, Shingling
from minhash_nb.validation import as_texts

__all__ = ["Normalize", "ShingleMatrix", "Shingling", "shingle"]


def shingle(
    texts: Iterable[str],
    k: int = 5,
    unit: str = "char",
    id_hash: str = "fast",
    normalize: Normalize = "default",
    short_texts: str = "whole",
    *,
    progress: bool = False,
) -> ShingleMatrix:
    """Turn texts into the sets of their shingles (k consecutive characters, words or bytes).

    Parameters
    ----------
    texts : sequence or iterable of str
        A list, a generator, a pandas Series (its index is ignored), an Arrow string array.
    k : int, default 5
        Units in a shingle.
    unit : {"char", "word", "byte"}
        Code points; pieces between spaces; bytes of the UTF-8 encoding.
    id_hash : {"fast", "md5"}
        "fast": a polynomial of the units modulo 2**64, mixed, upper 32 bits. "md5": MD5 of the shingle's
        UTF-8 bytes modulo 2**32, as in the handbook chapter (about three times slower).
    normalize : {"default", None} or callable
        "default": lower-case, strip, collapse runs of white space to one space. None: the text as it is.
        A callable maps str to str, for example ``lambda text: unicodedata.normalize("NFC", text)``
        (composed and decomposed accents are different characters otherwise).
    short_texts : {"whole", "drop"}
        A text of fewer than k units is one shingle, the whole text; or it has none (the chapter's rule).
    progress : bool
        Show a progress bar.

    Returns
    -------
    ShingleMatrix
        uint32 ids, sorted and distinct in each row. Two different shingles of a corpus share an id with
        probability 2**-32 each: a document of n shingles loses about n**2 / 2**33 of them.

    Raises
    ------
    TypeError
        If `texts` is a bare str or holds anything but str.
    ValueError
        If an option is not one of those above.

    Notes
    -----
    Linear in the number of characters. Lone surrogates and NUL are characters like any other.
    Source: Broder, "On the resemblance and containment of documents" (1997), section 2 (shingling).

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> mnb.shingle(["MinHash  and LSH", "minhash and lsh", ""], k=4)
    ShingleMatrix: 3 documents, 24 shingle ids (uint32), 8.0 per document; k=4, unit='char',
    normalize='default', short_texts='whole', id_hash='fast'
    """
    shingling = Shingling(k=k, unit=unit, normalize=normalize, short_texts=short_texts, id_hash=id_hash)
    chunks = list(id_chunks(as_texts(texts), shingling, distinct=True, progress=progress))
    counts = np.concatenate([chunk.counts for chunk in chunks]) if chunks else np.empty(0, dtype=np.int64)
    return ShingleMatrix(
        np.concatenate(([0], np.cumsum(counts))),
        np.concatenate([chunk.ids for chunk in chunks]) if chunks else np.empty(0, dtype=np.uint32),
        shingling,
        is_short=np.concatenate([chunk.is_short for chunk in chunks]) if chunks else None,
    )
