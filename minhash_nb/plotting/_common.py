"""What every plot shares: the axes to draw on, the check of the frame, and the look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import font_manager, rcParams
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from matplotlib.transforms import ScaledTranslation

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito (2008), without yellow, which is too pale on white."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")

DASHES: tuple[Any, ...] = (
    (0, (6, 2)),
    (0, (2, 1.5)),
    (0, (7, 2, 1.5, 2)),
    (0, (10, 3)),
    (0, (4, 1.5, 1.5, 1.5, 1.5, 1.5)),
    (0, (1, 1)),
    (0, (3, 4)),
)
"""One for each series of theory: all dashed, all different."""

FILLS = ("full", "full", "left", "bottom", "right", "top")

GREY = "#595959"


def axes_or_new(ax: Axes | None) -> Axes:
    """Return `ax`, or the only Axes of a new pyplot figure."""
    if ax is None:
        from matplotlib import pyplot as plt

        return plt.subplots(layout="constrained")[1]
    if not isinstance(ax, Axes):
        raise TypeError(f"`ax` must be a matplotlib Axes, got {type(ax).__name__}: of a grid, pass one cell")
    return ax


def drawable(name: str, frame: Any, columns: Iterable[str], source: str, *, least: int = 2) -> pd.DataFrame:
    """Return a copy of the frame with a fresh index, or raise if these columns cannot be drawn.

    Parameters
    ----------
    name : str
        What the messages call the frame.
    frame : DataFrame
        As the caller gave it: filtered, concatenated, with any index.
    columns : iterable of str
        Columns that are drawn: present, and finite where they hold numbers.
    source : str
        What makes such a frame, for the message.
    least : int
        Rows that a picture needs.
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"`{name}` must be a DataFrame as {source} makes it, got {type(frame).__name__}")
    for column in columns:
        if column not in frame.columns:
            raise ValueError(
                f"`{name}` must have a column {column!r}, got {', '.join(map(str, frame.columns))}: {source} makes it"
            )
    if len(frame) < least:
        rows = "no rows" if frame.empty else "one row" if len(frame) == 1 else f"{len(frame)} rows"
        raise ValueError(
            f"`{name}` must have at least {least} rows to draw, got {rows}: loosen the filter or run {source} on more"
        )
    for column in columns:
        values = frame[column]
        missing = values.isna().to_numpy()
        if values.dtype.kind == "f":
            missing = ~np.isfinite(values.to_numpy())
        if missing.any():
            raise ValueError(
                f"`{name}` must be finite in column {column!r}, got {values.iloc[int(missing.argmax())]} in "
                f"{missing.sum()} of {len(frame)} rows: leave those rows out"
            )
    return frame.reset_index(drop=True)


def groups(frame: pd.DataFrame, keys: list[str]) -> list[tuple[tuple[Any, ...], pd.DataFrame]]:
    """Return the groups of rows with equal keys, in order of appearance."""
    return [(key if isinstance(key, tuple) else (key,), group) for key, group in frame.groupby(keys, sort=False)]


def several(frame: pd.DataFrame, column: str) -> bool:
    """Whether a column has more than one value."""
    return len(frame[column].unique()) > 1


def cycle(choices: Sequence[Any], position: int) -> Any:
    """Return the choice at `position`, starting again after the last."""
    return choices[position % len(choices)]


def dress(ax: Axes, xlabel: str, ylabel: str, *, grid: str = "both") -> None:
    """Label the axes and lay a faint grid under the data."""
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.grid(True, which="major", axis=grid, color="#D9D9D9", linewidth=0.6)  # type: ignore[arg-type]
    ax.set_axisbelow(True)


def legend_below(ax: Axes, *, columns: int = 2, **kwargs: Any) -> None:
    """Put the legend under the x label, where it hides no data and leaves room for a title."""
    room = 3.6 * font_manager.FontProperties(size=rcParams["axes.labelsize"]).get_size_in_points()  # ticks and label
    under = ax.transAxes + ScaledTranslation(0.0, -room / 72.0, ax.figure.dpi_scale_trans)
    style: dict[str, Any] = {"ncols": columns, "fontsize": "small", "frameon": False, "handlelength": 3.2}
    style |= {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "borderaxespad": 0.0, "bbox_transform": under}
    ax.legend(**{**style, **kwargs})


def intervals(ax: Axes, group: pd.DataFrame, x: str, y: str, position: int, fill: int = 0, **kwargs: Any) -> None:
    """Draw measured points with the intervals from columns low and high.

    Colour and marker are those of series `position`; the way the marker is filled tells its parts (`fill`).
    """
    value = group[y].to_numpy()
    reach = np.stack((value - group["low"].to_numpy(), group["high"].to_numpy() - value))
    style: dict[str, Any] = {"color": cycle(COLOURS, position), "fmt": cycle(MARKERS, position), "linestyle": "none"}
    style |= {"markersize": 5.5, "fillstyle": cycle(FILLS, fill), "elinewidth": 1.0, "capsize": 2}
    style |= {"markerfacecoloralt": "white", "markeredgewidth": 0.8} | (
        {"markerfacecolor": "white"} if fill == 1 else {}
    )
    ax.errorbar(group[x].to_numpy(), value, yerr=np.maximum(reach, 0.0), **{**style, **kwargs})


def log_scale(ax: Axes, axes: str = "xy") -> None:
    """Make "x", "y" or both logarithmic, with plain numbers at 1, 2 and 5 of every decade."""
    for which in axes:
        ax.set(**{f"{which}scale": "log"})
        axis = ax.xaxis if which == "x" else ax.yaxis
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(
            FuncFormatter(lambda x, _: f"{x:,.0f}" if x >= 1.0 else np.format_float_positional(x, 9))
        )
        axis.set_minor_formatter(NullFormatter())
