"""What schemes, documents, hashes and threads cost, and candidates to expect."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

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

COSTS = {"bytes_per_document": "signature / bytes per document", "nanoseconds": "time / ns per shingle"}

CELL = ["union_size", "jaccard"]


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
    check_choice("x", x, tuple(COSTS))
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
    dress(ax, COSTS[x], "root mean square error of the estimate")
    legend_below(ax)
    return ax


def plot_scaling(times: pd.DataFrame, *, varied: str = "documents", ax: Axes | None = None, **kwargs: Any) -> Axes:
    """Draw the time of each step, and of all together, against what was varied.

    Parameters
    ----------
    times : DataFrame
        From `experiments.scaling`: varied, documents, num_hashes, threads, step, seconds.
    varied : {"documents", "hashes", "threads"}
        Which of its parts to draw. The dashed line is in proportion to documents or hashes, through the total of
        the largest number, or in inverse proportion to threads, through that of the fewest.
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
    anchor = total.iloc[0 if varied == "threads" else -1]
    ratio = total[column] / anchor[column]
    ideal = anchor["seconds"] * (1.0 / ratio if varied == "threads" else ratio)
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
