"""S-curves, and what was measured on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from minhash_nb import theory
from minhash_nb.banding import Banding, as_bandings
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
)
from minhash_nb.validation import check_probability

SIMILARITIES = np.linspace(0.0, 1.0, 501)


def plot_s_curve(
    bandings: Banding | Iterable[Banding],
    *,
    threshold: float | None = None,
    half_points: bool = True,
    shade: bool = False,
    ax: Axes | None = None,
    **kwargs: Any,
) -> Axes:
    """Draw how likely a pair becomes a candidate, by its Jaccard similarity.

    Parameters
    ----------
    bandings : Banding or iterable of Banding
        One curve each, in this order.
    threshold : float in (0, 1], optional
        Similarity above which pairs count as near-duplicates: a vertical line.
    half_points : bool
        Mark where each curve crosses 1/2.
    shade : bool
        Shade the two error areas of the first banding: dissimilar pairs that become candidates, similar
        pairs that do not. Needs `threshold`.
    ax : Axes, optional
        Where to draw; a new figure by default.
    **kwargs
        For the curves, as in ``Axes.plot`` (linewidth, alpha ...).

    Returns
    -------
    Axes

    Raises
    ------
    TypeError, ValueError
        If there is no banding, an argument is not of its kind, or `shade` has no threshold.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> from matplotlib.figure import Figure
    >>> ax = mnb.plotting.plot_s_curve([mnb.Banding(16, 8), mnb.Banding(32, 4)], threshold=0.8, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['16 bands × 8 rows, half-point 0.674', '32 bands × 4 rows, half-point 0.383', 'threshold 0.8']
    """
    shown = as_bandings(bandings)
    if threshold is not None:
        threshold = check_probability("threshold", threshold)
    elif shade:
        raise ValueError("`shade` needs a `threshold`, got None: the areas lie on both sides of it")
    ax = axes_or_new(ax)
    for position, banding in enumerate(shown):
        similarity, label = SIMILARITIES, banding_label(banding)
        style: dict[str, Any] = {
            "color": cycle(COLOURS, position),
            "linestyle": cycle(DASHES, position),
            "linewidth": 2.0,
        }
        if half_points:
            similarity, label = (
                np.union1d(similarity, banding.half_point),
                f"{label}, half-point {banding.half_point:.3f}",
            )
            where = int(np.searchsorted(similarity, banding.half_point))
            style |= {
                "marker": cycle(MARKERS, position),
                "markevery": [where],
                "markersize": 7,
                "markeredgecolor": "white",
            }
        ax.plot(similarity, banding.detection_probability(similarity), **{**style, "label": label, **kwargs})
    if threshold is not None:
        ax.axvline(threshold, color=GREY, linewidth=1.2, label=f"threshold {threshold:g}")
        if shade:
            _shade(ax, shown[0], threshold)
    _dress_curve(ax)
    legend_below(ax)
    return ax


def plot_banding_recall(recall: pd.DataFrame, *, ax: Axes | None = None, **kwargs: Any) -> Axes:
    """Draw the measured recall of planted pairs over the S-curve that predicts it.

    Parameters
    ----------
    recall : DataFrame
        From `experiments.banding_recall`: scheme, num_bands, rows_per_band, jaccard, recall, low, high.
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
    columns = ["num_bands", "rows_per_band", "jaccard", "recall", "low", "high"]
    frame = drawable("recall", recall, ["scheme", *columns], "experiments.banding_recall")
    ax = axes_or_new(ax)
    for position, ((bands, rows), _) in enumerate(groups(frame, ["num_bands", "rows_per_band"])):
        curve = theory.s_curve(SIMILARITIES, bands, rows)
        label = f"{bands} × {rows}, theory"
        ax.plot(SIMILARITIES, curve, color=GREY, linestyle=cycle(DASHES, position), linewidth=1.5, label=label)
    found = groups(frame, ["scheme", "num_bands", "rows_per_band"])
    for position, ((scheme, bands, rows), group) in enumerate(found):
        intervals(ax, group, "jaccard", "recall", position, label=f"{bands} × {rows}, {scheme}", **kwargs)
    _dress_curve(ax)
    legend_below(ax)
    return ax


def banding_label(banding: Banding) -> str:
    """Return "16 bands × 8 rows"."""
    return "{} band{} × {} row{}".format(
        *(part for count in (banding.num_bands, banding.rows_per_band) for part in (count, "s" if count > 1 else ""))
    )


def _shade(ax: Axes, banding: Banding, threshold: float) -> None:
    below, above = np.linspace(0.0, threshold, 256), np.linspace(threshold, 1.0, 256)
    found, missed = banding.detection_probability(below), banding.detection_probability(above)
    style: dict[str, Any] = {"alpha": 0.25, "linewidth": 0.0}
    label = f"dissimilar candidates of {banding.num_bands} × {banding.rows_per_band}"
    ax.fill_between(below, 0.0, found, color=COLOURS[4], hatch="...", label=label, **style)
    label = "similar pairs it misses"
    ax.fill_between(above, missed, 1.0, color=COLOURS[3], hatch="///", label=label, **style)


def _dress_curve(ax: Axes) -> None:
    dress(ax, "Jaccard similarity of the pair", "probability of becoming a candidate")
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(-0.02, 1.02)
