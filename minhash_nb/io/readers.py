"""Files, folders and standard input -> `Corpus`."""

from __future__ import annotations

import codecs
import gzip
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

from minhash_nb.io.corpus import Corpus, InputError, corpus_format
from minhash_nb.io.parsers import (
    Rows,
    any_field_size,
    decode,
    is_utf8,
    parse_csv,
    parse_jsonl,
    parse_parquet,
    parse_txt,
    shown,
)

_GZIP = b"\x1f\x8b"
_BINARY_PROBE = 8192


def read_corpus(
    source: str | os.PathLike[str],
    *,
    text_column: str = "text",
    id_column: str | None = None,
    format: str | None = None,
) -> Corpus:
    r"""Read documents, and keep the bytes of every record so that it can be written back unchanged.

    Parameters
    ----------
    source : path
        A ``.txt`` file (a document a line, split at ``\n`` only, one ``\r`` before it taken off; a blank
        line is an empty document), ``.jsonl`` or ``.ndjson`` (an object a line; blank lines are no
        documents), ``.csv`` (comma-separated with a header, as RFC 4180 says), each also ``.gz``;
        ``.parquet`` (needs pyarrow); a folder (every file below it is a document; hidden files and
        folders are left out, links to folders are not followed, files with a NUL byte in their first
        8,192 bytes count as binary and are listed in ``Corpus.skipped``; sorted by relative path);
        ``"-"`` for standard input, gzip or not.
    text_column, id_column : str
        Which column (or key) holds the text, and which the id, where the format has columns.
    format : {"txt", "jsonl", "csv", "parquet"}, optional
        Needed for standard input and for extensions that say nothing.

    Returns
    -------
    Corpus

    Raises
    ------
    InputError
        In one sentence, with file and line: a file that is missing, unreadable, truncated, UTF-16 or
        malformed; a missing column; a text that is null or not a string; an id that is missing, not str
        or int, or repeated.

    Notes
    -----
    The whole input is held in memory, once as bytes and once as text. Text is UTF-8 with or without a
    byte-order mark; other bytes are kept (``surrogateescape``) and counted.
    """
    name = os.fspath(source)
    kind = corpus_format(name, format)
    if id_column is not None and kind == "folder":
        raise InputError(f"{name} is a folder: the relative paths are its ids, `id_column` does not apply")
    if kind == "folder":
        return _read_folder(name)
    title = "standard input" if name == "-" else name
    if id_column is not None and kind == "txt":
        raise InputError(f"{title} is plain text without columns: `id_column` does not apply")
    data = _read_bytes(name, title)
    if kind == "txt":
        rows = parse_txt(data)
    elif kind == "jsonl":
        rows = parse_jsonl(data, title, text_column, id_column)
    elif kind == "csv":
        with any_field_size():
            rows = parse_csv(data, title, text_column, id_column)
    else:
        rows = parse_parquet(data, title, text_column, id_column)
    place = "row" if kind == "parquet" else "line"
    _check_texts(rows, title, place, text_column)
    _check_ids(rows, title, place, id_column)
    undecodable = rows.undecodable + sum(not is_utf8(record) for record in rows.records)
    return Corpus(name, kind, rows.texts, rows.ids, rows.header, rows.records, undecodable, table=rows.table)


def _read_bytes(name: str, title: str) -> bytes:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"{title}: {error.strerror}") from error
    if data.startswith(_GZIP):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{title}: damaged or truncated gzip ({error})") from error
    elif name.lower().endswith(".gz"):
        raise InputError(f"{title}: named .gz but not gzip data")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{title}: UTF-16 text, convert it to UTF-8 first")
    return data


def _read_folder(name: str) -> Corpus:
    texts, ids, records, skipped, undecodable = [], [], [], [], 0
    for relative in sorted(_files_below(name)):
        if "\n" in relative:
            raise InputError(f"{name}: the file name {relative!r} holds a line break, rename it")
        try:
            raw = Path(name, relative).read_bytes()
        except OSError as error:
            raise InputError(f"{os.path.join(name, relative)}: {error.strerror}") from error
        if b"\0" in raw[:_BINARY_PROBE]:
            skipped.append(relative)
            continue
        texts.append(decode(raw.removeprefix(codecs.BOM_UTF8)))
        ids.append(relative)
        records.append(os.fsencode(relative) + b"\n")
        undecodable += not is_utf8(raw)
    if not texts:
        found = f"only binary files ({len(skipped)})" if skipped else "no files (hidden ones do not count)"
        raise InputError(f"{name}: the folder holds {found}")
    return Corpus(name, "folder", texts, ids, b"", records, undecodable, skipped)


def _files_below(folder: str) -> Iterator[str]:
    def refuse(error: OSError) -> None:
        raise InputError(f"{error.filename}: {error.strerror}") from error

    for parent, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for file in files:
            path = os.path.join(parent, file)
            if not file.startswith(".") and os.path.isfile(path):  # no pipes, sockets, dangling links
                yield os.path.relpath(path, folder).replace(os.sep, "/")


def _check_texts(rows: Rows, title: str, place_name: str, column: str) -> None:
    for place, text in zip(rows.places, rows.texts, strict=True):
        if not isinstance(text, str):
            where = f"{title}, {place_name} {place}"
            raise InputError(f"{where}: column {column!r} must be a string, got {shown(text)}")


def _check_ids(rows: Rows, title: str, place_name: str, column: str | None) -> None:
    if rows.ids is None:
        return
    seen: dict[str, int] = {}
    for place, value in zip(rows.places, rows.ids, strict=True):
        where = f"{title}, {place_name} {place}"
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            raise InputError(f"{where}: column {column!r} must be a string or integer, got {shown(value)}")
        written = str(value)  # 1 and "1" look the same in every output, so they are the same id
        try:
            written.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise InputError(f"{where}: the id {value!r} cannot be written, it is not Unicode") from None
        if written in seen:
            both = f"{place_name} {seen[written]} and again in {place_name} {place}"
            raise InputError(f"{title}: ids must be unique, but {shown(value)} stands in {both}")
        seen[written] = place
