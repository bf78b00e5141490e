"""``minhash-nb tune``."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING

import click

from minhash_nb.cli._options import INPUT, SHINGLES, TARGET, THREADS, count, options, save_figure
from minhash_nb.io import Writer, check_outputs, check_table_name, read_corpus, write_outputs, write_table
from minhash_nb.threads import num_threads

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 10  # rows of the Pareto front that are printed
COLUMNS = {
    "num_bands": "{:d}",
    "rows_per_band": "{:d}",
    "num_hashes": "{:d}",
    "recall_at_threshold": "{:.3f}",
    "recall_above_threshold": "{:.3f}",
    "candidates": "{:,.0f}",
    "bytes_per_document": "{:,.0f}",
}


@click.command()
@options(*INPUT, *TARGET, *SHINGLES)
@click.option("--max-hashes", type=int, default=256, show_default=True, callback=count, help="Hashes at most.")
@click.option(
    "--objective",
    type=click.Choice(["at_threshold", "above_threshold", "area"]),
    default="at_threshold",
    show_default=True,
    help="Recall of a pair at the threshold; of all pairs above it; or least errors.",
)
@options(THREADS)
@click.option("--output", "-o", type=click.Path(allow_dash=True), metavar="TABLE", help="All bandings, as a table.")
@click.option("--plot", type=click.Path(), metavar="PICTURE", help="The choice over the corpus's similarities.")
def tune(
    *,
    source: str,
    format: str | None,
    text_column: str,
    id_column: str | None,
    threshold: float,
    recall: float,
    k: int,
    unit: str,
    short_texts: str,
    max_hashes: int,
    objective: str,
    threads: int | None,
    output: str | None,
    plot: str | None,
) -> None:
    """Choose bands and rows for INPUT by its own similarities.

    Prints the choice, what it will find and cost, and the bandings that no other one beats in both hashes
    and candidates. TABLE is .csv or .parquet by its name, or - for CSV on standard output.

    \b
    Example:
      minhash-nb tune corpus.jsonl --threshold 0.8 --recall 0.95 --output bandings.csv --plot choice.png
    """  # noqa: D301 - click reads the backspace
    from minhash_nb.shingling import shingle
    from minhash_nb.tuning import tune as choose

    check_outputs(source, [path for path in (output, plot) if path is not None])
    if output is not None:
        check_table_name(output)
    corpus = read_corpus(source, text_column=text_column, id_column=id_column, format=format)
    with nullcontext() if threads is None else num_threads(threads), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        shingles = shingle(corpus.texts, k=k, unit=unit, short_texts=short_texts)
        tuned = choose(shingles, threshold, recall, max_hashes, objective)
    outputs: dict[str, Writer] = {}
    if output is not None:
        outputs[output] = lambda stream: write_table(tuned.table, output, stream)
    if plot is not None:
        from minhash_nb.plotting import plot_similarity_histogram

        draw = partial(plot_similarity_histogram, tuned.histogram, tuned.best)
        outputs[plot] = partial(save_figure, draw, plot)
    write_outputs(outputs)
    front = tuned.table[tuned.table["pareto"]].sort_values("candidates").head(SHOWN)
    say = partial(click.echo, err=output == "-")
    for line in [repr(tuned), "", "bandings that no other beats in hashes and candidates:", *_lines(front)]:
        say(line)
    for warning in caught:
        click.echo(f"note: {warning.message}", err=True)
    for path in outputs:
        click.echo(f"-> {'standard output' if path == '-' else path}", err=True)


def _lines(table: pd.DataFrame) -> list[str]:
    widths = [max(len(name), 6) for name in COLUMNS]
    lines = ["  ".join(name.rjust(width) for name, width in zip(COLUMNS, widths, strict=True))]
    for row in table[list(COLUMNS)].to_dict("records"):
        cells = [form.format(row[name]) for name, form in COLUMNS.items()]
        lines.append("  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)))
    return lines
