"""What a corpus looks like: its similarities, its buckets, its clusters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

from minhash_nb.banding import Banding, as_bandings
from minhash_nb.joins import SimilarityHistogram
from minhash_nb.plotting._common import (
    COLOURS,
    DASHES,
    MARKERS,
    axes_or_new,
    cycle,
    drawable,
    dress,
    groups,
    legend_below,
    log_scale,
    several,
)
from minhash_nb.plotting.curves import SIMILARITIES
from minhash_nb.validation import check_instance


def plot_similarity_histogram(
    histogram: SimilarityHistogram,
    bandings: Banding | Iterable[Banding] = (),
    *,
    ax: Axes | None = None,
    **kwargs: Any,
) -> Axes:
    """Draw how many pairs of a corpus have which similarity, and S-curves over them.

    Dark bars are the candidates to expect of the first banding: the S-curve times the pairs.

    Parameters
    ----------
    histogram : SimilarityHistogram
        From `similarity_histogram`; pairs without a common shingle are left out.
    bandings : Banding or iterable of Banding
        Curves to draw, on a second scale at the right.
    ax : Axes, optional
        Where to draw; a new figure by default.
    **kwargs
        For the bars, as in ``Axes.bar``.

    Returns
    -------
    Axes
        The one with the pairs, on a logarithmic scale.

    Raises
    ------
    TypeError, ValueError
        If the histogram is something else, or no pair of the corpus has a common shingle.
    """
    check_instance("histogram", histogram, SimilarityHistogram, "similarity_histogram")
    counts, edges = histogram.counts, histogram.edges
    if counts.sum() <= 0.0:
        raise ValueError(
            "`histogram` must count at least one pair with a common shingle, got none: there is nothing to draw"
        )
    shown = as_bandings(bandings) if not isinstance(bandings, tuple) or bandings else []
    ax = axes_or_new(ax)
    style: dict[str, Any] = {"align": "edge", "edgecolor": "none", "width": np.diff(edges)}
    ax.bar(edges[:-1], counts, **{**style, "color": "#CCCCCC", "label": "pairs", **kwargs})
    if shown:
        middle = (edges[:-1] + edges[1:]) / 2
        expected = counts * shown[0].detection_probability(middle)
        label = f"candidates to expect of {shown[0].num_bands} × {shown[0].rows_per_band}"
        ax.bar(edges[:-1], expected, **{**style, "color": "#808080", "label": label, **kwargs})
    log_scale(ax, "y")
    ax.yaxis.set_major_locator(LogLocator())
    ax.set_ylim(0.5, 2.0 * counts.max())
    ax.set_xlim(0.0, 1.0)
    dress(ax, "Jaccard similarity", f"pairs per {edges[1] - edges[0]:.2g} of similarity")
    if shown:
        right = ax.twinx()
        right.set_ylabel("probability of becoming a candidate")
        right.set_ylim(0.0, 1.02)
        for position, banding in enumerate(shown):
            style = {"color": cycle(COLOURS, position), "linestyle": cycle(DASHES, position), "linewidth": 1.8}
            label = f"S-curve of {banding.num_bands} × {banding.rows_per_band}"
            right.plot(SIMILARITIES, banding.detection_probability(SIMILARITIES), label=label, **style)
        handles = [*ax.get_legend_handles_labels()[0], *right.get_legend_handles_labels()[0]]
        legend_below(ax, handles=handles)
    else:
        legend_below(ax)
    return ax


def plot_shingling_effect(effect: pd.DataFrame, *, ax: Axes | None = None, **kwargs: Any) -> Axes:
    """Draw the distribution of the similarities under each choice of shingles.

    Boxes hold the middle half and have a line at the median; whiskers reach from the 5th to the 95th percentile.

    Parameters
    ----------
    effect : DataFrame
        From `experiments.shingling_effect`: unit, k, normalize, pairs, jaccard.
    ax : Axes, optional
        Where to draw; a new figure by default.
    **kwargs
        For the boxes, as in ``Axes.boxplot``.

    Returns
    -------
    Axes

    Raises
    ------
    TypeError, ValueError
        If the frame cannot be drawn.
    """
    frame = drawable("effect", effect, ["unit", "k", "normalize", "pairs", "jaccard"], "experiments.shingling_effect")
    ax = axes_or_new(ax)
    choices = groups(frame, ["unit", "k", "normalize"])
    origins = [name for name in ("given", "random") if (frame["pairs"] == name).any()]
    looks = {"given": (COLOURS[1], "//"), "random": (COLOURS[5], "")}
    width = 0.8 / len(origins)
    for place, origin in enumerate(origins):
        values, at = [], []
        for position, (_, group) in enumerate(choices):
            jaccard = group.loc[group["pairs"] == origin, "jaccard"].to_numpy()
            if jaccard.size:
                values.append(jaccard)
                at.append(position + (place - (len(origins) - 1) / 2) * width)
        colour, hatch = looks[origin]
        style: dict[str, Any] = {"widths": 0.85 * width, "whis": (5, 95), "showfliers": False, "patch_artist": True}
        style |= {"boxprops": {"facecolor": colour, "hatch": hatch, "alpha": 0.8}, "medianprops": {"color": "black"}}
        boxes = ax.boxplot(values, positions=at, manage_ticks=False, **{**style, **kwargs})
        boxes["boxes"][0].set_label(f"{origin} pairs")
    rules = several(frame, "normalize")
    names = [f"{unit} {k}" + (f"\n{rule}" if rules else "") for (unit, k, rule), _ in choices]
    ax.set_xticks(range(len(choices)), names)
    ax.set_xlim(-0.6, len(choices) - 0.4)
    ax.set_ylim(-0.02, 1.02)
    dress(ax, "shingle: unit and length", "Jaccard similarity of a pair", grid="y")
    legend_below(ax, handlelength=1.6)
    return ax


def plot_bucket_sizes(buckets: pd.DataFrame, *, ax: Axes | None = None, **kwargs: Any) -> Axes:
    """Draw how many buckets hold at least so many documents.

    Parameters
    ----------
    buckets : DataFrame
        From `experiments.bucket_sizes`: num_bands, rows_per_band, size, buckets.
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
        If the frame cannot be drawn.
    """
    columns = ["num_bands", "rows_per_band", "size", "buckets"]
    frame = drawable("buckets", buckets, columns, "experiments.bucket_sizes")
    ax = axes_or_new(ax)
    for position, ((bands, rows), group) in enumerate(groups(frame, ["num_bands", "rows_per_band"])):
        _tail(ax, group["size"], group["buckets"], position, f"{bands} × {rows}", **kwargs)
    dress(ax, "documents in a bucket", "buckets of at least that size")
    legend_below(ax)
    return ax


def plot_cluster_sizes(clusters: pd.DataFrame, *, ax: Axes | None = None, **kwargs: Any) -> Axes:
    """Draw how many clusters hold at least so many documents.

    Parameters
    ----------
    clusters : DataFrame
        The clusters of `find_near_duplicates`: size; frames of several runs may be concatenated with a column
        run that names them.
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
        If the frame cannot be drawn.
    """
    frame = drawable("clusters", clusters, ["size"], "find_near_duplicates(...).clusters")
    runs = frame["run"] if "run" in frame else pd.Series("clusters", index=frame.index)
    ax = axes_or_new(ax)
    for position, (run, size) in enumerate(frame["size"].groupby(runs, sort=False)):
        _tail(ax, size, pd.Series(1, index=size.index), position, str(run), **kwargs)
    dress(ax, "documents in a cluster", "clusters of at least that size")
    if "run" in frame:
        legend_below(ax)
    return ax


def _tail(ax: Axes, size: pd.Series, number: pd.Series, position: int, label: str, **kwargs: Any) -> None:
    """Draw the number at or above each size that occurs."""
    at_size = number.groupby(size).sum().sort_index(ascending=False)
    style: dict[str, Any] = {"color": cycle(COLOURS, position), "marker": cycle(MARKERS, position), "markersize": 4}
    style |= {"linewidth": 0.6, "label": label}
    ax.plot(at_size.index, at_size.cumsum(), **{**style, **kwargs})
    log_scale(ax)
