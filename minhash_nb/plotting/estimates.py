"""How far off estimates are, and how often their intervals hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from minhash_nb import theory
from minhash_nb.plotting._common import (
    COLOURS,
    DASHES,
    GREY,
    axes_or_new,
    cycle,
    drawable,
    dress,
    groups,
    intervals,
    legend_below,
    log_scale,
)
from minhash_nb.validation import check_integer, check_probability


def plot_estimator_error(errors: pd.DataFrame, *, ax: Axes | None = None, **kwargs: Any) -> Axes:
    """Draw the error of the estimate against that of independent hash functions, sqrt(J (1 - J) / num_hashes).

    On the dashed diagonal lies a scheme that spreads like classic MinHash, below it a better one. Other dashed
    lines are what the schemes state for themselves. Both axes are logarithmic.

    Parameters
    ----------
    errors : DataFrame
        From `experiments.estimator_error`: scheme, num_hashes, bits, jaccard, union_size, error, low, high,
        theory (left out where NaN).
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
        If the frame cannot be drawn; similarities 0 and 1, without any error, do not fit logarithmic axes.
    """
    columns = ["scheme", "num_hashes", "bits", "jaccard", "union_size", "error", "low", "high"]
    frame = drawable("errors", errors, columns, "experiments.estimator_error")
    if (frame["error"] <= 0.0).any() or not frame["jaccard"].between(0.0, 1.0, inclusive="neither").all():
        raise ValueError(
            "`errors` must have errors above 0 and jaccard inside (0, 1) for logarithmic axes, "
            "got rows without: leave those out"
        )
    frame["independent"] = np.sqrt(theory.jaccard_variance(frame["jaccard"].to_numpy(), frame["num_hashes"].to_numpy()))
    ax = axes_or_new(ax)
    ends = np.array([frame["independent"].min() / 1.25, frame["independent"].max() * 1.25])
    ax.plot(ends, ends, color=GREY, linestyle=cycle(DASHES, 0), linewidth=1.2, label="independent hashes")
    schemes, sizes = [key for key, _ in groups(frame, ["scheme", "bits"])], frame["union_size"].unique().tolist()
    for (scheme, bits, size), group in groups(frame, ["scheme", "bits", "union_size"]):
        position, fill = schemes.index((scheme, bits)), sizes.index(size)
        label = f"{series_label(scheme, bits)}, union {size:,}"
        intervals(ax, group, "independent", "error", position, fill, label=label, **kwargs)
        for _, stated in groups(group.dropna(subset="theory"), ["num_hashes"]):
            line = stated.sort_values("independent")
            if not np.allclose(line["theory"], line["independent"]):
                style = {"color": cycle(COLOURS, position), "linestyle": cycle(DASHES, 1 + fill), "linewidth": 1.0}
                ax.plot(line["independent"], line["theory"], **style)
    log_scale(ax)
    dress(ax, "√(J (1 − J) / num_hashes)", "root mean square error of the estimate")
    legend_below(ax)
    return ax


def plot_estimates(
    pairs: pd.DataFrame,
    *,
    num_hashes: int,
    confidence: float = 0.95,
    ax: Axes | None = None,
    **kwargs: Any,
) -> Axes:
    """Draw estimated against exact similarity, with the exact binomial band.

    Parameters
    ----------
    pairs : DataFrame
        With columns jaccard and estimate, as the pairs of `find_near_duplicates`.
    num_hashes : int
        Hashes behind the estimates.
    confidence : float in (0, 1)
        Share of the estimates that the dashed band holds, for independent hash functions: a quantile of the
        binomial distribution cut off on either side.
    ax : Axes, optional
        Where to draw; a new figure by default.
    **kwargs
        For the cells, as in ``Axes.hexbin``.

    Returns
    -------
    Axes

    Raises
    ------
    TypeError, ValueError
        If the frame cannot be drawn, or another argument is out of its range.
    """
    from scipy import stats

    frame = drawable("pairs", pairs, ["jaccard", "estimate"], "find_near_duplicates(...).pairs")
    num_hashes = check_integer("num_hashes", num_hashes)
    tail = (1.0 - check_probability("confidence", confidence, one=False)) / 2.0
    ax = axes_or_new(ax)
    style: dict[str, Any] = {
        "gridsize": 40,
        "bins": "log",
        "mincnt": 1,
        "cmap": "Greys",
        "linewidths": 0.2,
        "vmin": 0.3,
    }
    cells = ax.hexbin(frame["jaccard"], frame["estimate"], **{**style, **kwargs})
    ax.figure.colorbar(cells, ax=ax, label="pairs").ax.set_ylim(bottom=1.0)
    low, high = max(frame["jaccard"].min() - 0.02, 0.0), min(frame["jaccard"].max() + 0.02, 1.0)
    exact = np.linspace(low, high, 501)
    for probability, label in ((tail, f"exact {confidence:.0%} band, {num_hashes} hashes"), (1.0 - tail, None)):
        edge = stats.binom.ppf(probability, num_hashes, exact) / num_hashes
        ax.plot(exact, edge, color=COLOURS[1], linestyle=DASHES[0], linewidth=1.4, label=label)
    ax.plot(exact, exact, color=COLOURS[1], linestyle=DASHES[1], linewidth=1.0, label="estimate = exact")
    dress(ax, "exact Jaccard similarity", "estimated Jaccard similarity")
    legend_below(ax)
    return ax


def plot_interval_coverage(coverage: pd.DataFrame, *, ax: Axes | None = None, **kwargs: Any) -> Axes:
    """Draw how often intervals hold the true similarity, over the exact coverage for independent hashes.

    Parameters
    ----------
    coverage : DataFrame
        From `experiments.interval_coverage`: scheme, num_hashes, method, confidence, jaccard, coverage, low,
        high, theory (drawn where measured: in between it jumps up and down).
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
    columns = ["scheme", "num_hashes", "method", "confidence", "jaccard", "coverage", "low", "high", "theory"]
    frame = drawable("coverage", coverage, columns, "experiments.interval_coverage")
    ax = axes_or_new(ax)
    for confidence in frame["confidence"].unique():
        ax.axhline(confidence, color=GREY, linewidth=1.0, label=f"nominal {confidence:.0%}")
    keys = ["scheme", "method", "num_hashes", "confidence"]
    for position, ((scheme, method, num_hashes, _), group) in enumerate(groups(frame, keys)):
        line = group.sort_values("jaccard")
        style = {"color": cycle(COLOURS, position), "linestyle": cycle(DASHES, position), "linewidth": 1.2}
        ax.plot(line["jaccard"], line["theory"], label=f"{method}, {num_hashes} hashes, theory", **style)
        intervals(ax, group, "jaccard", "coverage", position, label=f"{method}, {scheme}", **kwargs)
    dress(ax, "exact Jaccard similarity", "share of intervals that hold it")
    legend_below(ax)
    return ax


def series_label(scheme: str, bits: int) -> str:
    """Return the scheme, and the bits of a slot where they are not all 32."""
    return scheme if bits == 32 else f"{scheme}, {bits} bit{'s' if bits > 1 else ''}"
