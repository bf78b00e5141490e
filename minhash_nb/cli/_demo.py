"""``minhash-nb demo``: the main job on text that every machine has."""

from __future__ import annotations

import os
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

import click

from minhash_nb.cli._dedup import name_documents, summary
from minhash_nb.cli._options import detect, save_figure
from minhash_nb.io import Corpus, check_outputs, write_outputs, write_table

if TYPE_CHECKING:
    import pandas as pd

THRESHOLD = 0.8
SHOWN = 12


@click.command()
@click.option(
    "--output-dir",
    type=click.Path(file_okay=False),
    default="minhash-nb-demo",
    show_default=True,
    help="Where to write; created if need be.",
)
def demo(output_dir: str) -> None:
    """Find near-duplicates in text that this machine has.

    Reads the docstrings and the licence files of the installed packages, prints the closest pairs, and
    writes pairs.csv, removed.csv and s_curve.png. Nothing is downloaded.

    \b
    Example:
      minhash-nb demo --output-dir /tmp/demo
    """  # noqa: D301 - click reads the backspace
    from minhash_nb.banding import Banding
    from minhash_nb.datasets import installed_docs
    from minhash_nb.plotting import plot_s_curve

    started = time.perf_counter()
    os.makedirs(output_dir, exist_ok=True)
    pairs_path, removed_path, picture_path = (
        os.path.join(output_dir, name) for name in ("pairs.csv", "removed.csv", "s_curve.png")
    )
    check_outputs(None, [pairs_path, removed_path, picture_path])
    click.echo("reading docstrings and licences of installed packages", err=True)
    docs = installed_docs(progress=sys.stderr.isatty())
    names = docs["name"].to_list()
    corpus = Corpus("installed packages", "folder", docs["text"].to_list(), names)
    banding = Banding.for_recall(THRESHOLD)
    result = detect(corpus, threads=None, threshold=THRESHOLD, banding=banding)
    pairs = name_documents(result.pairs, ["i", "j"], names)
    removed = name_documents(result.removed, ["document", "representative"], names)
    draw = partial(plot_s_curve, [banding], threshold=THRESHOLD)
    write_outputs(
        {
            pairs_path: lambda stream: write_table(pairs, pairs_path, stream),
            removed_path: lambda stream: write_table(removed, removed_path, stream),
            picture_path: partial(save_figure, draw, picture_path),
        }
    )
    for line in [
        "The closest pairs that are not identical (Jaccard similarity of their 5-character shingles):",
        *_closest(pairs),
        "",
        *summary(result, corpus, time.perf_counter() - started),
        "",
        f"{pairs_path}: all {len(pairs):,} verified pairs",
        f"{removed_path}: {len(removed):,} removed documents, each with the kept one it is similar to",
        f"{picture_path}: how likely a pair is found, by its similarity",
        "",
        "Try next, on your own documents (one a line, or .jsonl, .csv, a folder):",
        "  minhash-nb dedup corpus.txt --threshold 0.8 --output kept.txt --removed removed.csv",
        "  minhash-nb dedup --help",
    ]:
        click.echo(line)


def _closest(pairs: pd.DataFrame) -> list[str]:
    """Return two lines for each of the closest pairs below 1, no document shown twice."""
    lines = []
    shown: set[int] = set()
    near = pairs[pairs["jaccard"] < 1].sort_values(["jaccard", "i", "j"], ascending=[False, True, True])
    columns = near[["i", "j", "i_id", "j_id", "jaccard"]]
    for i, j, first, second, jaccard in columns.to_numpy(dtype=object).tolist():
        if not shown.isdisjoint((i, j)):
            continue
        shown |= {i, j}
        lines += [f"  {jaccard:.4f}  {first}", f"          {second}"]
        if len(lines) == 2 * SHOWN:
            break
    return lines
