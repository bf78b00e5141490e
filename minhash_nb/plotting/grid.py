"""The grid of bands and rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm

from minhash_nb.plotting._common import axes_or_new, drawable, legend_below, log_scale

UNITS = {
    "recall": "recall",
    "recall_at_threshold": "recall at the threshold",
    "recall_above_threshold": "recall above the threshold",
    "precision": "precision",
    "candidates": "candidate pairs",
    "seconds": "time / s",
    "num_hashes": "hashes",
    "bytes_per_document": "signature / bytes per document",
}
"""Labels of the columns that may be drawn."""

SHAPE = ["num_bands", "rows_per_band"]
SOURCE = "experiments.parameter_sweep or tune"
MOST_NUMBERS = 40  # of bands or rows, on axes that are not logarithmic


def plot_parameter_sweep(
    sweep: pd.DataFrame,
    *,
    value: str | None = None,
    ax: Axes | None = None,
    **kwargs: Any,
) -> Axes:
    """Draw a heat map over bands and rows, with rings around the Pareto front.

    Parameters
    ----------
    sweep : DataFrame
        From `experiments.parameter_sweep` or the table of `tune`: num_bands, rows_per_band, pareto and the
        column `value`; one row for each banding. What was filtered out stays blank. Beyond 40 different
        numbers the axes become logarithmic.
    value : str, optional
        Column to colour, by default recall, or recall_at_threshold where there is none. Numbers beyond 1 that
        spread over more than two decades get a logarithmic scale, which ends at 1 or two decades below the
        largest.
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
    frame = drawable("sweep", sweep, [*SHAPE, "pareto"], SOURCE)
    if value is None:
        value = "recall" if "recall" in frame or "recall_at_threshold" not in frame else "recall_at_threshold"
    frame = drawable("sweep", frame, [value], SOURCE)
    if frame.duplicated(SHAPE).any():
        bands, rows = frame.loc[frame.duplicated(SHAPE), SHAPE].iloc[0]
        raise ValueError(f"`sweep` must hold every banding once, got {bands} × {rows} twice: filter to one threshold")
    grid = frame.set_index(["rows_per_band", "num_bands"])[value].unstack()  # noqa: PD010
    cells = grid.to_numpy(dtype=np.float64)
    bands, rows = grid.columns.to_numpy(), grid.index.to_numpy()
    ax = axes_or_new(ax)
    large = max(cells.shape) > MOST_NUMBERS
    most = np.nanmax(cells)
    least = max(np.nanmin(cells), min(1.0, most / 100.0))
    style: dict[str, Any] = {"cmap": "cividis", "norm": LogNorm(least, most) if most > 100.0 * least else None}
    mesh = ax.pcolormesh(_edges(bands, large), _edges(rows, large), cells, **{**style, **kwargs})
    ax.figure.colorbar(mesh, ax=ax, label=UNITS.get(value, value))

    front = frame[frame["pareto"].astype(bool)]
    x, y = front["num_bands"].to_numpy(), front["rows_per_band"].to_numpy()
    if large:
        log_scale(ax)
    else:
        x, y = np.searchsorted(bands, x), np.searchsorted(rows, y)
        ax.set_xticks(*_ticks(bands))
        ax.set_yticks(*_ticks(rows))
    style = {"linestyle": "none", "marker": "o", "markersize": 3.0 if large else 4.5, "markerfacecolor": "white"}
    ax.plot(x, y, markeredgecolor="black", markeredgewidth=0.9, label="Pareto front", **style)
    ax.set_xlabel("number of bands")
    ax.set_ylabel("rows per band")
    legend_below(ax)
    return ax


def _edges(values: np.ndarray, large: bool) -> np.ndarray:
    """Return the edges of cells of equal width around positions, or of cells on a logarithmic axis."""
    if not large:
        return np.arange(values.size + 1) - 0.5
    if values.size == 1:
        return values[0] * np.array([0.5, 2.0]) ** 0.5
    between = np.sqrt(values[:-1] * values[1:])
    return np.concatenate(([values[0] ** 2 / between[0]], between, [values[-1] ** 2 / between[-1]]))


def _ticks(values: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Return at most ten evenly spaced positions, and the values there."""
    where = np.arange(0, len(values), -(-len(values) // 10))
    return where, values[where].astype(str).tolist()
