"""The bytes of one file -> rows: texts, ids, and the raw bytes of each record."""

from __future__ import annotations

import codecs
import csv
import json
import reprlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import Any, NamedTuple

from minhash_nb.io.corpus import InputError, parquet_modules


class Rows(NamedTuple):
    """What a parser found, texts and ids not yet checked; `places` counts lines or rows from 1."""

    texts: list[Any]
    places: Sequence[int]
    ids: list[Any] | None
    header: bytes
    records: list[bytes]
    table: Any = None
    undecodable: int = 0


def decode(raw: bytes) -> str:
    """Decode UTF-8; other bytes become lone surrogates, which encode back to the same bytes."""
    return raw.decode("utf-8", "surrogateescape")


def is_utf8(raw: bytes) -> bool:
    """Return whether `raw` is valid UTF-8."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def shown(value: Any) -> str:
    """Return a short form of a value for a message."""
    return "null" if value is None else reprlib.repr(value)


def parse_txt(data: bytes) -> Rows:
    r"""Read a document a line; ``\n`` alone ends a line, and one ``\r`` before it is no part of the text."""
    mark, lines = _split_lines(data)
    texts = [decode(line.removesuffix(b"\n").removesuffix(b"\r")) for line in lines]
    return Rows(texts, range(1, len(lines) + 1), None, mark, lines)


def parse_jsonl(data: bytes, name: str, text_column: str, id_column: str | None) -> Rows:
    """Read an object a line; a blank line is no document and belongs to the record before it."""
    header, lines = _split_lines(data)
    texts: list[Any] = []
    ids: list[Any] = []
    records: list[bytes] = []
    places: list[int] = []
    for number, line in enumerate(lines, start=1):
        where = f"{name}, line {number}"
        if not line.strip(b" \t\r\n"):
            if records:
                records[-1] += line
            else:
                header += line
            continue
        row = _json_object(line, where)
        texts.append(_value(row, text_column, "text_column", where))
        if id_column is not None:
            ids.append(_value(row, id_column, "id_column", where))
        records.append(line)
        places.append(number)
    return Rows(texts, places, None if id_column is None else ids, header, records)


def _json_object(line: bytes, where: str) -> dict[str, Any]:
    try:
        value = json.loads(decode(line.rstrip(b"\r\n")))
    except json.JSONDecodeError as error:
        raise InputError(f"{where}: not valid JSON ({error.msg} at column {error.colno})") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; endless nesting
        raise InputError(f"{where}: JSON beyond what can be read ({error})") from error
    if not isinstance(value, dict):
        raise InputError(f"{where}: must be a JSON object, got {shown(value)}")
    return value


def _value(row: dict[str, Any], column: str, option: str, where: str) -> Any:
    if column not in row:
        raise _no_column(column, option, list(row), where)
    return row[column]


def parse_csv(data: bytes, name: str, text_column: str, id_column: str | None) -> Rows:
    """Read a header and rows; a blank line is no document and belongs to the record before it."""
    header, lines = _split_lines(data)
    columns: list[str] = []
    text_at = id_at = -1
    texts: list[Any] = []
    ids: list[Any] = []
    records: list[bytes] = []
    places: list[int] = []
    for first, last, fields in _csv_rows(lines, name):
        raw = b"".join(lines[first - 1 : last])
        if not fields:
            if records:
                records[-1] += raw
            else:
                header += raw
        elif not columns:
            columns = fields
            header += raw
            text_at = _position(columns, text_column, "text_column", name)
            if id_column is not None:
                id_at = _position(columns, id_column, "id_column", name)
        elif len(fields) != len(columns):
            found = f"{len(fields)} field{'s' * (len(fields) != 1)}"
            raise InputError(f"{name}, line {first}: {found} where the header has {len(columns)}")
        else:
            texts.append(fields[text_at])
            if id_column is not None:
                ids.append(fields[id_at])
            records.append(raw)
            places.append(first)
    if not columns:
        raise InputError(f"{name}: empty, a CSV file needs a header row")
    return Rows(texts, places, None if id_column is None else ids, header, records)


def _csv_rows(lines: list[bytes], name: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the first and the last line (from 1) and the fields of each row."""
    reader = csv.reader(map(decode, lines), strict=True)
    first = 1
    while True:
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(f"{name}, line {first}: not a valid CSV row ({error})") from error
        yield first, reader.line_num, fields
        first = reader.line_num + 1


@contextmanager
def any_field_size() -> Iterator[None]:
    """Lift the csv module's limit on the size of a field, and put it back afterwards."""
    before = csv.field_size_limit(2**31 - 1)  # the most that a C long holds on every platform
    try:
        yield
    finally:
        csv.field_size_limit(before)


def parse_parquet(data: bytes, name: str, text_column: str, id_column: str | None) -> Rows:
    """Read a table with a column of strings."""
    pa, pq = parquet_modules(name)
    try:
        table = pq.read_table(pa.BufferReader(data))
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{name}: not a readable Parquet file ({reason})") from error
    column = table.column(_position(table.column_names, text_column, "text_column", name))
    if not _holds_strings(pa, column.type):
        raise InputError(f"{name}: column {text_column!r} must hold strings, its type is {column.type}")
    raws = column.cast(pa.large_string()).cast(pa.large_binary()).to_pylist()
    texts = [raw if raw is None else decode(raw) for raw in raws]
    undecodable = sum(raw is not None and not is_utf8(raw) for raw in raws)
    ids = None
    if id_column is not None:
        column = table.column(_position(table.column_names, id_column, "id_column", name))
        if not (pa.types.is_integer(column.type) or _holds_strings(pa, column.type)):
            found = f"its type is {column.type}"
            raise InputError(f"{name}: column {id_column!r} must hold strings or integers, {found}")
        ids = column.to_pylist()
    return Rows(texts, range(1, len(texts) + 1), ids, b"", [], table, undecodable)


def _holds_strings(pa: Any, kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _split_lines(data: bytes) -> tuple[bytes, list[bytes]]:
    r"""Return the byte-order mark, if any, and the lines with their ends; ``\n`` alone ends a line."""
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    stream = BytesIO(data)
    stream.seek(len(mark))
    return mark, stream.readlines()


def _position(columns: list[str], column: str, option: str, where: str) -> int:
    if column not in columns:
        raise _no_column(column, option, columns, where)
    if columns.count(column) > 1:
        raise InputError(f"{where}: {columns.count(column)} columns are named {column!r}, one is needed")
    return columns.index(column)


def _no_column(column: str, option: str, present: list[str], where: str) -> InputError:
    listed = ", ".join(map(repr, present[:20])) + (", ..." if len(present) > 20 else "")
    return InputError(f"{where}: no column {column!r}, there are {listed or 'none'}: choose with `{option}`")
