"""Texts to ids, a chunk of documents at a time, in kernels that see units of one width."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import md5
from typing import NamedTuple

import numba
import numpy as np

from minhash_nb.kernels import md5 as md5_kernels
from minhash_nb.kernels import shingling as kernels
from minhash_nb.shingling.options import Shingling, normalise_text
from minhash_nb.threads import parallel_region
from minhash_nb.validation import as_texts, frozen

CHUNK_CHARACTERS = 1 << 20  # characters for each thread at a time: bounds the memory beside the result
TABLE_SIZE = 0x20000  # no code point from here on is white space or has a lower case
CONTEXTUAL = "\u03a3"  # capital sigma: its lower case depends on its place in the word


class IdChunk(NamedTuple):
    """The ids of some consecutive documents, one after another."""

    counts: np.ndarray  # int64 (documents,): ids of each document
    ids: np.ndarray  # uint32 (sum of counts,)
    is_short: np.ndarray  # bool (documents,): fewer than k units, but at least one

    @property
    def indptr(self) -> np.ndarray:
        """Where each document's ids begin and end."""
        return np.concatenate(([0], np.cumsum(self.counts)))


def id_chunks(texts: list[str], shingling: Shingling, *, distinct: bool, progress: bool = False) -> Iterator[IdChunk]:
    """Yield the ids of all texts in order, a million characters for each thread at a time.

    With ``distinct=False`` ids come in the order of the text and repeat: enough for a minimum.
    """
    from tqdm import tqdm

    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    ends = np.cumsum(lengths)
    with tqdm(total=len(texts), desc="shingling", unit="doc", disable=not progress) as bar:
        start = 0
        while start < len(texts):
            reach = (ends[start - 1] if start else 0) + CHUNK_CHARACTERS * numba.get_num_threads()
            stop = max(start + 1, int(np.searchsorted(ends, reach, side="right")))
            yield _chunk_ids(texts[start:stop], shingling, distinct)
            bar.update(stop - start)
            start = stop


class _Group(NamedTuple):
    """Documents whose units are of one width; document d is ``units[starts[d]:ends[d]]``."""

    documents: np.ndarray  # their positions in the chunk
    units: np.ndarray
    starts: np.ndarray
    ends: np.ndarray


def _chunk_ids(texts: list[str], shingling: Shingling, distinct: bool) -> IdChunk:
    groups = list(_unit_groups(texts, shingling))
    sizes = np.zeros(len(texts), dtype=np.int64)
    for group in groups:
        sizes[group.documents] = group.ends - group.starts
    is_short = (sizes > 0) & (sizes < shingling.k)
    counts = _num_windows(sizes, shingling)
    starts = np.cumsum(counts) - counts
    ids = np.empty(counts.sum(), dtype=np.uint32)
    if shingling.id_hash == "md5" and not all(_fits_block(group, shingling) for group in groups):
        ids[:] = _md5_in_python(texts, shingling)
    else:
        hash_windows = md5_kernels.md5_ids if shingling.id_hash == "md5" else kernels.shingle_ids
        keep_short = shingling.short_texts == "whole"
        with parallel_region():
            for documents, units, unit_starts, unit_ends in groups:
                hash_windows(units, unit_starts, unit_ends, shingling.k, keep_short, ids, starts, documents)
    if not distinct:
        return IdChunk(counts, ids, is_short)
    with parallel_region():
        kernels.distinct(ids, starts, counts)
        indptr = np.concatenate(([0], np.cumsum(counts)))
        packed = np.empty(indptr[-1], dtype=np.uint32)
        kernels.pack(frozen(ids), starts, indptr, packed)
    return IdChunk(counts, packed, is_short)


def _num_windows(sizes: np.ndarray, shingling: Shingling) -> np.ndarray:
    """Return how many windows documents of these sizes (in units) have."""
    keep_short = shingling.short_texts == "whole"
    return np.where(sizes < shingling.k, (sizes > 0) & keep_short, sizes - shingling.k + 1)


def _fits_block(group: _Group, shingling: Shingling) -> bool:
    """Whether the kernel for MD5 can hash these windows: characters or bytes, few enough for one block."""
    bytes_per_unit = 1 if group.units.itemsize == 1 else 4  # at most, as UTF-8
    return shingling.unit != "word" and shingling.k * bytes_per_unit <= md5_kernels.MOST_BYTES


def _unit_groups(texts: list[str], shingling: Shingling) -> Iterator[_Group]:
    """Normalise, cut into units, and group by the width of a unit (ASCII in one byte, the rest in four)."""
    normalize = shingling.normalize
    if callable(normalize):
        texts = as_texts(map(normalize, texts), "normalize(texts)")
        normalize = None
    is_ascii = np.fromiter(map(str.isascii, texts), bool, len(texts))
    for ascii_only in (True, False):
        documents = np.flatnonzero(is_ascii == ascii_only)
        if not documents.size:
            continue
        part = texts if documents.size == len(texts) else [texts[d] for d in documents]
        if shingling.unit == "byte" and not ascii_only:
            encoded = [normalise_text(text, normalize).encode("utf-8", "surrogatepass") for text in part]
            units = np.frombuffer(b"".join(encoded), dtype=np.uint8)
            yield _cut(_group(documents, units, map(len, encoded)), shingling.unit)
            continue
        group = _encode(documents, part, ascii_only)
        if normalize is not None:
            group, in_python = _normalise_group(group)
            if in_python.size:
                rest = [normalise_text(texts[d], normalize) for d in in_python]
                yield _cut(_encode(in_python, rest, ascii_only=False), shingling.unit)
        yield _cut(group, shingling.unit)


def _encode(documents: np.ndarray, texts: list[str], ascii_only: bool) -> _Group:
    encoding, dtype = ("ascii", np.uint8) if ascii_only else ("utf-32-le", np.uint32)
    units = np.frombuffer("".join(texts).encode(encoding, "surrogatepass"), dtype=dtype)
    return _group(documents, units, map(len, texts))


def _group(documents: np.ndarray, units: np.ndarray, lengths: Iterable[int]) -> _Group:
    ends = np.cumsum(np.fromiter(lengths, np.int64, documents.size))
    starts = np.concatenate(([0], ends[:-1]))
    return _Group(documents, units, starts, ends)


def _normalise_group(group: _Group) -> tuple[_Group, np.ndarray]:
    """Normalise by table; documents with letters that a table cannot lower come back separately."""
    units, ends = np.empty_like(group.units), np.empty_like(group.ends)
    with parallel_region():
        kernels.normalise(group.units, group.starts, group.ends, _lower_table(), units, ends)
    done = ends >= 0
    if done.all():
        return group._replace(units=units, ends=ends), group.documents[:0]
    kept = _Group(group.documents[done], units, group.starts[done], ends[done])
    return kept, group.documents[~done]


def _cut(group: _Group, unit: str) -> _Group:
    """Cut normalised text into units: as it is, or into hashes of its words."""
    units = group.units if group.units.flags.writeable else group.units.copy()  # one dtype, one compilation
    if unit != "word":
        return group._replace(units=units)
    words, ends = np.empty(units.size, dtype=np.uint64), np.empty_like(group.ends)
    with parallel_region():
        kernels.hash_words(units, group.starts, group.ends, words, ends)
    return group._replace(units=words, ends=ends)


@cache
def _lower_table() -> np.ndarray:
    """Return the lower case of every code point, a space for white space, a mark where Python must do it."""
    lower = [chr(point).lower() for point in range(TABLE_SIZE)]
    table = np.fromiter(
        (ord(text) if len(text) == 1 else kernels.NEEDS_PYTHON for text in lower), np.uint32, TABLE_SIZE
    )
    table[[point for point in range(TABLE_SIZE) if chr(point).isspace()]] = kernels.SPACE
    table[ord(CONTEXTUAL)] = kernels.NEEDS_PYTHON
    return table


def _md5_of(shingles: Iterable[bytes]) -> np.ndarray:
    """Return MD5, read as a big-endian integer, modulo 2**32 (its last four bytes) for each shingle."""
    digests = b"".join([md5(shingle, usedforsecurity=False).digest() for shingle in shingles])
    return np.frombuffer(digests, dtype=">u4")[3::4].astype(np.uint32)


def _md5_in_python(texts: list[str], shingling: Shingling) -> np.ndarray:
    """Return the MD5 ids of all shingles in order, each distinct shingle hashed once: words, and long windows."""
    numbers: dict[str | bytes, int] = {}
    order = [numbers.setdefault(shingle, len(numbers)) for text in texts for shingle in shingling.texts(text)]
    encoded = (
        shingle if isinstance(shingle, bytes) else shingle.encode("utf-8", "surrogatepass") for shingle in numbers
    )
    return _md5_of(encoded)[np.array(order, dtype=np.int64)]
