"""``minhash-nb curve``."""

from __future__ import annotations

from functools import partial

import click

from minhash_nb.cli._options import save_figure
from minhash_nb.io import check_outputs, write_outputs

SHOWN = (0.5, 0.6, 0.7, 0.8, 0.9)  # similarities of the table


@click.command()
@click.option("--bands", type=int, multiple=True, required=True, help="Number of bands; repeat for more curves.")
@click.option("--rows", type=int, multiple=True, required=True, help="Rows of each band; one for each --bands.")
@click.option("--threshold", type=float, help="Similarity to mark in the picture.")
@click.option("--output", "-o", type=click.Path(), metavar="PICTURE", help="Also draw the curves (.png, .svg, .pdf).")
def curve(bands: tuple[int, ...], rows: tuple[int, ...], threshold: float | None, output: str | None) -> None:
    """Show how likely a pair is found, by its similarity.

    Prints the landmarks of each S-curve and the probability that a pair becomes a candidate.

    \b
    Example:
      minhash-nb curve --bands 16 --rows 8 --bands 32 --rows 4 --threshold 0.8 -o curve.png
    """  # noqa: D301 - click reads the backspace
    from minhash_nb.banding import Banding

    if len(bands) != len(rows):
        raise click.UsageError(f"--bands and --rows must come in pairs, got {len(bands)} and {len(rows)}")
    bandings = [Banding(*shape) for shape in zip(bands, rows, strict=True)]
    if output is not None:
        check_outputs(None, [output])
    heads = ["bands", "rows", "hashes", "(1/b)^(1/r)", "half-point", "steepest", *(f"P({s})" for s in SHOWN)]
    click.echo("  ".join(heads))
    for banding in bandings:
        numbers = [banding.num_bands, banding.rows_per_band, banding.num_hashes]
        points = [banding.threshold, banding.half_point, banding.steepest]
        cells = [*map(str, numbers), *(f"{x:.4f}" for x in (*points, *banding.detection_probability(SHOWN)))]
        click.echo("  ".join(cell.rjust(len(head)) for cell, head in zip(cells, heads, strict=True)))
    if output is not None:
        from minhash_nb.plotting import plot_s_curve

        draw = partial(plot_s_curve, bandings, threshold=threshold)
        write_outputs({output: partial(save_figure, draw, output)})
        click.echo(f"{len(bandings)} curves -> {output}", err=True)
