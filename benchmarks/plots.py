"""Pictures of the tables of schemes."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes

MARKERS = "osD^v<>PX*hp"
COLOURS = colormaps["tab20"].colors  # a colour for each of up to twenty tools


def plot_equal_error(frame: pd.DataFrame, *, ax: Axes) -> Axes:
    """Draw nanoseconds times error over the length of the documents, a line a tool."""
    _lines(frame, "shingles", "ns x error", ax)
    ax.set(
        xscale="log",
        yscale="log",
        xlabel="shingles in a document",
        ylabel="ns per shingle x error (variance + bias²) / (J(1-J)/128)",
        title="Speed at equal error: lower is better",
    )
    return ax


def plot_spread(frame: pd.DataFrame, *, ax: Axes) -> Axes:
    """Draw measured variances as points with two standard errors, and those by theory dashed."""
    lines = _lines(frame, "union", "variance", ax, errors="± variance", linestyle="none")
    for tool, rows in frame.dropna(subset="theory").groupby("tool", sort=False):
        ax.plot(rows["union"].astype(int), rows["theory"], "--", color=lines[tool], linewidth=1)
    ax.axhline(1.0, color="0.8", zorder=0)
    ax.set(
        xscale="log",
        yscale="log",
        xlabel="ids in the union of a pair",
        ylabel="variance / (J(1-J)/128)",
        title="Spread of the estimates (dashed: theory)",
    )
    return ax


def _lines(frame: pd.DataFrame, x: str, y: str, ax: Axes, errors: str | None = None, **style: Any) -> dict[Any, Any]:
    """Draw one line for each tool, and return their colours."""
    colours = {}
    for number, (tool, rows) in enumerate(frame.groupby("tool", sort=False)):
        drawn = ax.errorbar(
            rows[x].astype(int),
            rows[y],
            yerr=None if errors is None else 2 * rows[errors],
            label=str(tool),
            marker=MARKERS[number % len(MARKERS)],
            markersize=4,
            linewidth=1,
            color=COLOURS[number % len(COLOURS)],
            **style,
        )
        colours[tool] = drawn.lines[0].get_color()
    ax.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return colours
