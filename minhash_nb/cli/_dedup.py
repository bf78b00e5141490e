"""``minhash-nb dedup`` and ``minhash-nb pairs``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from minhash_nb.cli._options import DETECTION, INPUT, REPORT, detect, options
from minhash_nb.io import (
    Corpus,
    Writer,
    check_kept_name,
    check_outputs,
    check_table_name,
    corpus_format,
    read_corpus,
    write_json,
    write_kept,
    write_outputs,
    write_table,
)

if TYPE_CHECKING:
    import pandas as pd

    from minhash_nb.pipeline import NearDuplicates


@click.command()
@options(*INPUT, *DETECTION)
@click.option(
    "--linkage",
    type=click.Choice(["star", "components"]),
    default="star",
    show_default=True,
    help="Remove what is similar to a kept document, or all but one of each connected group.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(allow_dash=True),
    metavar="PATH",
    help="Kept documents, in the format of INPUT, rows unchanged.",
)
@click.option("--pairs", type=click.Path(allow_dash=True), metavar="TABLE", help="Verified pairs.")
@click.option(
    "--removed",
    type=click.Path(allow_dash=True),
    metavar="TABLE",
    help="Removed documents, each with the kept one it is similar to.",
)
@options(REPORT)
def dedup(
    *,
    source: str,
    format: str | None,
    text_column: str,
    id_column: str | None,
    threads: int | None,
    output: str | None,
    pairs: str | None,
    removed: str | None,
    report: str | None,
    **parameters: Any,
) -> None:
    """Remove near-duplicates from INPUT.

    INPUT is a .txt file (a document a line; a blank line is an empty document), .jsonl, .csv (with a
    header) or .parquet, each text format also .gz; a folder of text files (--output then lists the kept
    paths); or - for standard input with --format. A TABLE is .csv or .parquet by its name, or - for CSV
    on standard output; positions in it count from 0. A summary goes to standard error.

    \b
    Examples:
      minhash-nb dedup corpus.jsonl --output kept.jsonl --pairs pairs.csv --removed removed.csv
      zcat web.csv.gz | minhash-nb dedup - --format csv --text-column body -o - > kept.csv
    """  # noqa: D301 - click reads the backspace
    started = time.perf_counter()
    tables = [path for path in (pairs, removed) if path is not None]
    check_outputs(source, [path for path in (output, *tables, report) if path is not None])
    for path in tables:
        check_table_name(path)
    if output is not None:
        check_kept_name(output, corpus_format(source, format))
    corpus = read_corpus(source, text_column=text_column, id_column=id_column, format=format)
    result = detect(corpus, threads, **parameters)
    outputs: dict[str, Writer] = {}
    wrote = {}
    if output is not None:
        outputs[output] = lambda stream: write_kept(corpus, result.keep, stream)
        wrote[output] = f"{int(result.keep.sum()):,} kept documents"
    if pairs is not None:
        outputs[pairs] = lambda stream: write_table(_named_pairs(result, corpus), pairs, stream)
        wrote[pairs] = f"{len(result.pairs):,} pairs, those with exact duplicates included"
    if removed is not None:
        outputs[removed] = lambda stream: write_table(_named_removed(result, corpus), removed, stream)
        wrote[removed] = f"{len(result.removed):,} removed documents"
    if report is not None:
        outputs[report] = lambda stream: write_json(_report(result, corpus), stream)
        wrote[report] = "report"
    write_outputs(outputs)
    for line in summary(result, corpus, time.perf_counter() - started):
        click.echo(line, err=True)
    for path, what in wrote.items():
        click.echo(f"{what} -> {'standard output' if path == '-' else path}", err=True)
    if not wrote:
        click.echo("nothing written: ask for --output, --pairs, --removed or --report", err=True)


@click.command()
@options(*INPUT, *DETECTION)
@click.option(
    "--output",
    "-o",
    type=click.Path(allow_dash=True),
    metavar="TABLE",
    default="-",
    help="Where to write the pairs.  [default: - (standard output, CSV)]",
)
@options(REPORT)
def pairs(
    *,
    source: str,
    format: str | None,
    text_column: str,
    id_column: str | None,
    threads: int | None,
    output: str,
    report: str | None,
    **parameters: Any,
) -> None:
    """List the near-duplicate pairs of INPUT.

    INPUT and TABLE are as in `minhash-nb dedup`. Columns: i and j (positions from 0), with --id-column (or
    a folder) i_id and j_id, jaccard (exact) and estimate (from the signatures). Of documents with equal
    shingle sets, each is paired with the first only, and the first stands for all in other pairs.

    \b
    Examples:
      minhash-nb pairs corpus.jsonl --threshold 0.9 | head
      minhash-nb pairs letters/ --unit word --k 3 --output pairs.csv
    """  # noqa: D301 - click reads the backspace
    check_outputs(source, [output] if report is None else [output, report])
    check_table_name(output)
    corpus = read_corpus(source, text_column=text_column, id_column=id_column, format=format)
    result = detect(corpus, threads, **parameters)
    outputs: dict[str, Writer] = {output: lambda stream: write_table(_named_pairs(result, corpus), output, stream)}
    if report is not None:
        outputs[report] = lambda stream: write_json(_report(result, corpus), stream)
    write_outputs(outputs)


def summary(result: NearDuplicates, corpus: Corpus, seconds: float) -> list[str]:
    """Return the lines of a summary for people."""
    report = result.report
    documents = report["documents"]
    share = report["removed"] / documents if documents else 0.0
    rows = {
        "documents": f"{documents:,}",
        "empty": f"{report['empty']:,}",
        "shorter than k": f"{report['short']:,}",
        "exact duplicates": f"{report['exact_duplicates']:,}",
        "candidate pairs": f"{report['candidates']:,}",
        "verified pairs": f"{report['verified']:,}",
        "clusters": f"{report['clusters']:,}",
        "removed": f"{report['removed']:,} ({share:.1%})",
        "seconds": f"{seconds:.2f}",
    }
    if report["audit"] is not None:
        rows["recall, measured"] = audited(report["audit"])
    if corpus.undecodable:
        rows["not UTF-8"] = f"{corpus.undecodable:,} (kept as they are)"
    if corpus.skipped:
        rows["binary files"] = f"{len(corpus.skipped):,} (left out; the first: {corpus.skipped[0]})"
    return [f"{name:<18}{value}" for name, value in rows.items()]


def audited(audit: dict[str, Any]) -> str:
    """Return what an audit found, for people."""
    if not audit["neighbours"]:
        return f"none of {audit['documents']:,} documents drawn has a near-duplicate"
    return (
        f"{audit['recall']:.3f} ({audit['low']:.3f} to {audit['high']:.3f}): {audit['found']:,} of "
        f"{audit['neighbours']:,} neighbours of {audit['documents']:,} documents"
    )


def name_documents(frame: pd.DataFrame, columns: Sequence[str], ids: Sequence[Any] | None) -> pd.DataFrame:
    """Return the table with a column ``<column>_id`` for each column of positions, if there are ids."""
    import pandas as pd

    if ids is None:
        return frame
    named = frame.copy()
    for place, column in enumerate(columns, start=len(columns)):
        names = [ids[position] for position in frame[column]]  # as objects: an id may be no valid Unicode
        named.insert(place, f"{column}_id", pd.Series(names, index=frame.index, dtype=object))
    return named


def _named_pairs(result: NearDuplicates, corpus: Corpus) -> pd.DataFrame:
    return name_documents(result.pairs, ["i", "j"], corpus.ids)


def _named_removed(result: NearDuplicates, corpus: Corpus) -> pd.DataFrame:
    return name_documents(result.removed, ["document", "representative"], corpus.ids)


def _report(result: NearDuplicates, corpus: Corpus) -> dict[str, Any]:
    source = {
        "source": corpus.source,
        "format": corpus.format,
        "undecodable": corpus.undecodable,
        "skipped": corpus.skipped,
    }
    return {"input": source, **result.report}
