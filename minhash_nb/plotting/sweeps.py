"""What settings buy: bands and rows, schemes, documents, hashes and threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm

from minhash_nb.plotting._common import (
    COLOURS,
    DASHES,
    GREY,
    MARKERS,
    axes_or_new,
    cycle,
    drawable,
    dress,
    groups,
    intervals,
    legend_below,
    log_scale,
    several,
)
from minhash_nb.plotting.estimates import series_label
from minhash_nb.validation import check_choice

UNITS = {
    "recall": "recall",
    "recall_at_threshold": "recall at the threshold",
    "recall_above_threshold": "recall above the threshold",
    "precision": "precision",
    "candidates": "candidate pairs",
    "seconds": "time / s",
    "num_hashes": "hashes",
    "bytes_per_document": "signature / bytes per document",
    "nanoseconds": "time / ns per shingle",
}
"""Labels of the columns that may be drawn."""

CELL = ["union_size", "jaccard"]


def plot_parameter_sweep(
    sweep: pd.DataFrame,
    *,
    value: str = "recall",
    recall: str = "recall",
    cost: str = "candidates",
    ax: Axes | None = None,
    **kwargs: Any,
) -> Axes:
    """Draw a heat map over bands and rows, and ring the bandings that no other one beats.

    Parameters
    ----------
    sweep : DataFrame
        From `experiments.parameter_sweep` or the table of `tune`: num_bands, rows_per_band and the columns
        below; one row for each banding. What was filtered out stays blank.
    value : str
        Column to colour; spread over more than two decades, it gets a logarithmic scale.
    recall, cost : str
        Columns of the Pareto front: rings mark the bandings for which no other one of the frame has as much
        of the first at less of the second, or more of the first at as much of the second.
    ax : Axes, optional
        Where to draw; a new figure by default.
    **kwargs
        For the cells, as in ``Axes.pcolormesh``.

    Returns
    -------
    Axes

    Raises
    ------
    TypeError, ValueError
        If the frame cannot be drawn, or holds a banding twice.
    """
    columns = ["num_bands", "rows_per_band", value, recall, cost]
    frame = drawable("sweep", sweep, columns, "experiments.parameter_sweep or tune")
    shape = ["num_bands", "rows_per_band"]
    if frame.duplicated(shape).any():
        bands, rows = frame.loc[frame.duplicated(shape), shape].iloc[0]
        raise ValueError(f"`sweep` must hold every banding once, got {bands} × {rows} twice: filter to one threshold")
    grid = frame.set_index(["rows_per_band", "num_bands"])[value].unstack()  # noqa: PD010
    ax = axes_or_new(ax)
    cells = grid.to_numpy(dtype=np.float64)
    least, most = np.nanmin(cells), np.nanmax(cells)
    style: dict[str, Any] = {
        "cmap": "cividis",
        "norm": LogNorm(least, most) if least > 0 and most > 100 * least else None,
    }
    mesh = ax.pcolormesh(np.arange(cells.shape[1]), np.arange(cells.shape[0]), cells, **{**style, **kwargs})
    ax.figure.colorbar(mesh, ax=ax, label=UNITS.get(value, value))
    front = frame[_front(frame[recall].to_numpy(), frame[cost].to_numpy())]
    x, y = (
        axis.get_indexer(pd.Index(front[name])) for axis, name in zip((grid.columns, grid.index), shape, strict=True)
    )
    style = {"linestyle": "none", "marker": "o", "markersize": 4.5, "markerfacecolor": "white"}
    label = f"Pareto front: {UNITS.get(recall, recall)} against {UNITS.get(cost, cost)}"
    ax.plot(x, y, markeredgecolor="black", markeredgewidth=0.9, label=label, **style)
    ax.set_xticks(*_ticks(grid.columns))
    ax.set_yticks(*_ticks(grid.index))
    ax.set_xlabel("number of bands")
    ax.set_ylabel("rows per band")
    legend_below(ax)
    return ax


def plot_candidates(candidates: pd.DataFrame, *, ax: Axes | None = None, **kwargs: Any) -> Axes:
    """Draw the observed number of candidates against the predicted one.

    Parameters
    ----------
    candidates : DataFrame
        From `experiments.candidates_predicted_vs_observed`: scheme, num_bands, rows_per_band, predicted,
        observed, low, high.
    ax : Axes, optional
        Where to draw; a new figure by default. Both axes are logarithmic above 1 and linear below.
    **kwargs
        For the points, as in ``Axes.errorbar``.

    Returns
    -------
    Axes

    Raises
    ------
    TypeError, ValueError
        If the frame cannot be drawn.
    """
    numbers = ["num_bands", "rows_per_band", "predicted", "observed", "low", "high"]
    frame = drawable("candidates", candidates, ["scheme", *numbers], "experiments.candidates_predicted_vs_observed")
    ax = axes_or_new(ax)
    top = 4.0 * max(frame["predicted"].max(), frame["high"].max(), 1.0)
    ends = np.array([0.0, top])
    ax.plot(ends, ends, color=GREY, linestyle=DASHES[0], linewidth=1.2, label="as predicted")
    for position, ((scheme,), group) in enumerate(groups(frame, ["scheme"])):
        intervals(ax, group, "predicted", "observed", position, label=f"{scheme}, mean of draws and 95 %", **kwargs)
    ax.set_xscale("symlog", linthresh=1.0)
    ax.set_yscale("symlog", linthresh=1.0)
    for row in frame.itertuples():
        text = f"{row.num_bands} × {row.rows_per_band}"
        at = (row.predicted, row.observed)
        ax.annotate(text, at, textcoords="offset points", xytext=(6, -4), fontsize="small", va="top")
    least = min(frame["predicted"].min(), frame["low"].min())
    bottom = 10.0 ** np.floor(np.log10(least)) if least >= 1.0 else 0.0
    ax.set_xlim(bottom, top)
    ax.set_ylim(bottom, top)
    dress(ax, "predicted candidate pairs", "observed candidate pairs")
    legend_below(ax)
    return ax


def plot_scheme_comparison(
    comparison: pd.DataFrame, *, x: str = "bytes_per_document", ax: Axes | None = None, **kwargs: Any
) -> Axes:
    """Draw the error of schemes against what they cost: lower left is better.

    Parameters
    ----------
    comparison : DataFrame
        From `experiments.scheme_comparison`: scheme, num_hashes, bits, jaccard, union_size, error, low, high,
        theory (left out where NaN), and the column `x`.
    x : {"bytes_per_document", "nanoseconds"}
        The cost; both axes are logarithmic.
    ax : Axes, optional
        Where to draw; a new figure by default.
    **kwargs
        For the points, as in ``Axes.errorbar``.

    Returns
    -------
    Axes

    Raises
    ------
    TypeError, ValueError
        If the frame cannot be drawn.
    """
    check_choice("x", x, ("bytes_per_document", "nanoseconds"))
    columns = ["scheme", "num_hashes", "bits", "jaccard", "union_size", "error", "low", "high", x]
    frame = drawable("comparison", comparison, columns, "experiments.scheme_comparison")
    if (frame["error"] <= 0.0).any():
        raise ValueError(
            "`comparison` must have errors above 0 for logarithmic axes, got rows without: leave those out"
        )
    ax = axes_or_new(ax)
    schemes, cells = ([key for key, _ in groups(frame, keys)] for keys in (["scheme", "bits"], CELL))
    words = [word for word, name in zip(("union {:,}", "J = {:.2g}"), CELL, strict=True) if several(frame, name)]
    for (scheme, bits, *cell), group in groups(frame, ["scheme", "bits", *CELL]):
        position, fill = schemes.index((scheme, bits)), cells.index(tuple(cell))
        varied = [part for part, name in zip(cell, CELL, strict=True) if several(frame, name)]
        label = ", ".join([series_label(scheme, bits), *map(str.format, words, varied)])
        intervals(ax, group, x, "error", position, fill, label=label, **kwargs)
        stated = group.dropna(subset="theory").sort_values("num_hashes")
        style = {"color": cycle(COLOURS, position), "linestyle": cycle(DASHES, position), "linewidth": 1.0}
        ax.plot(stated[x], stated["theory"], **style)
    log_scale(ax)
    dress(ax, UNITS[x], "root mean square error of the estimate")
    legend_below(ax)
    return ax


def plot_scaling(times: pd.DataFrame, *, varied: str = "documents", ax: Axes | None = None, **kwargs: Any) -> Axes:
    """Draw the time of each step, and of all together, against what was varied.

    Parameters
    ----------
    times : DataFrame
        From `experiments.scaling`: varied, documents, num_hashes, threads, step, seconds.
    varied : {"documents", "hashes", "threads"}
        Which of its parts to draw. The dashed line grows in proportion to documents or hashes, or falls in
        proportion to threads, from the first measured total.
    ax : Axes, optional
        Where to draw; a new figure by default. Both axes are logarithmic.
    **kwargs
        For the points, as in ``Axes.plot``.

    Returns
    -------
    Axes

    Raises
    ------
    TypeError, ValueError
        If the frame cannot be drawn, or has no such part.
    """
    column = {"documents": "documents", "hashes": "num_hashes", "threads": "threads"}[
        check_choice("varied", varied, ("documents", "hashes", "threads"))
    ]
    frame = drawable("times", times, ["varied", column, "step", "seconds"], "experiments.scaling")
    part = drawable("times", frame[frame["varied"] == varied], [column], f"experiments.scaling, with {varied} varied,")
    ax = axes_or_new(ax)
    total = part.groupby(column, as_index=False)["seconds"].sum().assign(step="together")
    first = total.iloc[0]
    ratio = total[column] / first[column]
    ideal = first["seconds"] * (1.0 / ratio if varied == "threads" else ratio)
    label = "inversely proportional" if varied == "threads" else "proportional"
    ax.plot(total[column], ideal, color=GREY, linestyle=DASHES[0], linewidth=1.2, label=label)
    for position, ((step,), group) in enumerate(groups(pd.concat([total, part]), ["step"])):
        style: dict[str, Any] = {
            "color": cycle(COLOURS, position - 1),
            "marker": cycle(MARKERS, position),
            "markersize": 5,
        }
        style |= {"linewidth": 0.6, "label": step}
        ordered = group.sort_values(column)
        ax.plot(ordered[column], ordered["seconds"], **{**style, **kwargs})
    log_scale(ax)
    ax.set_xticks(total[column], [f"{value:,}" for value in total[column]])
    ax.minorticks_off()
    dress(ax, {"documents": "documents", "hashes": "hashes", "threads": "threads"}[varied], "time / s")
    legend_below(ax, columns=3)
    return ax


def _front(gain: np.ndarray, cost: np.ndarray) -> np.ndarray:
    """Return which points no other one beats: as much gain at less cost, or more gain at as much."""
    best, most = np.zeros(gain.size, dtype=bool), -np.inf
    for position in np.lexsort((-gain, cost)):
        best[position] = gain[position] > most
        most = max(most, gain[position])
    return best


def _ticks(values: pd.Index) -> tuple[np.ndarray, list[str]]:
    """Return at most ten evenly spaced positions, and the values there."""
    where = np.arange(0, len(values), -(-len(values) // 10))
    return where, values[where].astype(str).to_list()
