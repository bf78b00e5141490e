"""What a reader returns, the formats there are, and the one error for input that cannot be read."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from minhash_nb.validation import check_choice

FORMATS = ("txt", "jsonl", "csv", "parquet")
_BY_EXTENSION = {".txt": "txt", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet"}


class InputError(ValueError):
    """A file that cannot be read or written as asked: one sentence with file and line."""


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Documents as they were read, with the bytes they came from.

    Attributes
    ----------
    source : str
        The path, or ``"-"`` for standard input.
    format : str
        ``"txt"``, ``"jsonl"``, ``"csv"``, ``"parquet"`` or ``"folder"``.
    texts : list of str
        The documents. Bytes that are not UTF-8 are kept as lone surrogates (``surrogateescape``).
    ids : list of str or int, or None
        Unique ids: the id column, or the relative paths of a folder's files.
    header : bytes
        What comes before the first record: a byte-order mark, the header row of a CSV file.
    records : list of bytes
        The raw bytes of each document's record, line end included: ``header`` and all records joined
        are the (decompressed) input. Of a folder: the relative path and a line end. Empty for Parquet.
    undecodable : int
        How many records hold bytes that are not UTF-8.
    skipped : list of str
        Relative paths of the binary files of a folder, which are not documents.
    table : pyarrow.Table or None
        The whole table of a Parquet file.
    """

    source: str
    format: str
    texts: list[str]
    ids: list[Any] | None = None
    header: bytes = b""
    records: list[bytes] = field(default_factory=list)
    undecodable: int = 0
    skipped: list[str] = field(default_factory=list)
    table: Any = None

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        ids = "without ids" if self.ids is None else "with ids"
        return f"Corpus({self.source!r}, {self.format}, {len(self):,} documents {ids})"


def format_by_name(path: str | os.PathLike[str]) -> str | None:
    """Return the format that a file's extension says (``.gz`` taken off first), or None.

    Examples
    --------
    >>> format_by_name("corpus.jsonl.gz")
    'jsonl'
    """
    name = os.fspath(path).lower().removesuffix(".gz")
    return _BY_EXTENSION.get(os.path.splitext(name)[1])


def corpus_format(source: str | os.PathLike[str], format: str | None = None) -> str:
    """Return the format in which `read_corpus` reads `source`.

    Parameters
    ----------
    source : path
        A file, a folder, or ``"-"`` for standard input.
    format : {"txt", "jsonl", "csv", "parquet"}, optional
        Needed for standard input and for extensions that say nothing; stronger than the extension.

    Returns
    -------
    str
        One of the four, or ``"folder"``.

    Raises
    ------
    InputError
        If there is no such file, or nothing says which format it has.
    """
    name = os.fspath(source)
    if format is not None:
        check_choice("format", format, FORMATS)
    if name == "-":
        if format is None:
            raise InputError(f"standard input needs a `format`: one of {', '.join(FORMATS)}")
        return format
    if os.path.isdir(name):
        if format is not None:
            raise InputError(f"{name} is a folder, read as one document a file: `format` does not apply")
        return "folder"
    if not os.path.exists(name):
        raise InputError(f"{name}: no such file or folder")
    known = format or format_by_name(name)
    if known is None:
        extensions = ", ".join(_BY_EXTENSION)
        raise InputError(f"{name} ends in none of {extensions} (or these with .gz): say which with `format`")
    return known


def parquet_modules(name: str) -> tuple[ModuleType, ModuleType]:
    """Return ``pyarrow`` and ``pyarrow.parquet``, or say how to install them."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InputError(f"{name} needs pyarrow: pip install 'minhash-nb[parquet]'") from None
    return pyarrow, pyarrow.parquet
