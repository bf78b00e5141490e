"""Outputs: checked before the work begins, written beside their place, and renamed into it at the end."""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import compress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from minhash_nb.files import replacing
from minhash_nb.io.corpus import Corpus, InputError, format_by_name, parquet_modules

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

Writer = Callable[[IO[bytes]], None]


def check_outputs(source: str | os.PathLike[str] | None, outputs: Iterable[str | os.PathLike[str]]) -> None:
    """Refuse outputs that could not be written, or that would overwrite the input or one another.

    Parameters
    ----------
    source : path
        The input: a file, a folder or ``"-"``; None where nothing is read.
    outputs : iterable of path
        Where results will go; ``"-"`` is standard output.

    Raises
    ------
    InputError
        If an output is the input (also through links) or lies inside the input folder; if two outputs
        are one; if an output is a folder or a device, cannot be overwritten, or its folder does not
        exist or cannot be written to.
    """
    seen: dict[str, str] = {}
    for output in [os.fspath(path) for path in outputs]:
        place = output if output == "-" else os.path.realpath(output)
        if output != "-":
            _check_writable(output, place)
            if source is not None:
                _check_not_input(output, place, os.fspath(source))
        if place in seen:
            raise InputError(f"two outputs would go to one place: {seen[place]} and {output}")
        seen[place] = output


def _check_writable(output: str, place: str) -> None:
    folder = os.path.dirname(place)
    if os.path.isdir(place):
        raise InputError(f"{output} is a folder, an output must be a file")
    if not os.path.isdir(folder):
        raise InputError(f"{output}: the folder {folder} does not exist")
    if os.path.exists(place) and not os.path.isfile(place):
        raise InputError(f"{output} is not a regular file (for standard output write -)")
    if not os.access(folder, os.W_OK) or (os.path.exists(place) and not os.access(place, os.W_OK)):
        raise InputError(f"{output}: no permission to write there")


def _check_not_input(output: str, place: str, source: str) -> None:
    if source != "-" and os.path.isdir(source):
        if Path(place).is_relative_to(os.path.realpath(source)):
            raise InputError(f"{output} lies in the input folder {source}: it would be read as a document")
    elif os.path.exists(place) and _is_same(place, source):
        raise InputError(f"{output} is the input itself: write to another file")


def _is_same(place: str, source: str) -> bool:
    try:
        read = os.fstat(sys.stdin.fileno()) if source == "-" else os.stat(source)
    except (OSError, ValueError):  # standard input may be no file; a missing input is the reader's to report
        return False
    return os.path.samestat(read, os.stat(place))


def write_outputs(outputs: Mapping[str, Writer]) -> None:
    """Write all outputs; none takes its place before all are written.

    Each file is written under a temporary name in its own folder and renamed at the end, so that an
    error or an interrupt leaves the earlier file as it was, and nothing else behind. Standard output
    comes last. Names ending in ``.gz`` are compressed, with no time stamp inside: equal content, equal file.

    Parameters
    ----------
    outputs : mapping of path to function
        Each function gets a binary stream and writes to it; the path ``"-"`` is standard output.
    """
    with ExitStack() as stack:
        for path, write in outputs.items():
            if path != "-":
                write(stack.enter_context(_opened(path)))
    if "-" in outputs:
        outputs["-"](sys.stdout.buffer)
        sys.stdout.buffer.flush()


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    with replacing(path) as raw:
        if path.lower().endswith(".gz"):
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as stream:
                yield cast(BinaryIO, stream)
        else:
            yield raw


def check_kept_name(path: str | os.PathLike[str], format: str) -> None:
    """Refuse a name for the kept documents whose extension promises another format than they have.

    Raises
    ------
    InputError
    """
    promised, actual = format_by_name(path), "txt" if format == "folder" else format
    if promised not in (None, actual):
        what = "a list of the kept paths" if format == "folder" else f"{actual}, as the input is"
        raise InputError(f"{os.fspath(path)}: the output will be {what}, give it another extension")


def write_kept(corpus: Corpus, keep: Sequence[bool] | np.ndarray, stream: IO[bytes]) -> None:
    """Write the records of the documents where `keep` is true, byte for byte as they were read.

    Parameters
    ----------
    corpus : Corpus
        Of a folder, the relative paths are written, one a line; a Parquet table keeps its schema.
    keep : sequence of bool, shape (len(corpus),)
        Which documents to write.
    stream : binary file
        Where to.
    """
    if corpus.table is not None:
        pa, pq = parquet_modules(corpus.source)
        table = corpus.table.filter(pa.array(keep, type=pa.bool_()))
        pq.write_table(table, stream, use_compliant_nested_type=False)  # else it renames fields inside lists
        return
    stream.write(corpus.header)
    stream.writelines(compress(corpus.records, keep))


def check_table_name(path: str | os.PathLike[str]) -> None:
    """Refuse a name for a table that ends neither in ``.csv`` (or ``.csv.gz``) nor in ``.parquet``.

    Raises
    ------
    InputError
        Also if it ends in ``.parquet`` and pyarrow is missing.
    """
    name = os.fspath(path)
    kind = format_by_name(name)
    if name != "-" and kind not in ("csv", "parquet"):
        raise InputError(f"{name}: a table is written as .csv, .csv.gz or .parquet, name it so")
    if kind == "parquet":
        parquet_modules(name)


def write_table(frame: pd.DataFrame, path: str, stream: IO[bytes]) -> None:
    r"""Write a table as `path` says: Parquet if it ends so, else CSV (UTF-8, ``\n``, no index).

    Parameters
    ----------
    frame : DataFrame
        The table. Floats are written in full: reading them gives the same values.
    path : str
        Its extension chooses the format.
    stream : binary file
        Where to.

    Raises
    ------
    InputError
        If Parquet cannot hold the values: ids of mixed types, beyond 64 bits or not UTF-8.
    """
    if format_by_name(path) == "parquet":
        pa, pq = parquet_modules(path)
        try:
            pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), stream)
        except (pa.ArrowException, UnicodeEncodeError, OverflowError) as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"{path}: Parquet cannot hold this table ({reason}), choose .csv") from error
        return
    frame.to_csv(stream, mode="wb", index=False, lineterminator="\n", encoding="utf-8", errors="surrogateescape")


def write_json(value: Any, stream: IO[bytes]) -> None:
    """Write `value` as indented JSON in ASCII; NumPy scalars and arrays become numbers and lists, NaN null."""
    plain = json.dumps(value, default=lambda item: item.tolist())
    # JSON has no NaN, which Python writes all the same and few others read.
    text = json.dumps(json.loads(plain, parse_constant=lambda _: None), indent=2)
    stream.write(text.encode("ascii") + b"\n")
