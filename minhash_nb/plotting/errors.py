"""Where pairs were lost, and what a cluster is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from minhash_nb.clustering import connected_components
from minhash_nb.plotting._common import COLOURS, GREY, axes_or_new, drawable, dress, legend_below
from minhash_nb.validation import check_integer

CAUSES = ("id collision", "banding", "estimate", "verification", "clustering")
MOST_DOCUMENTS = 300  # of a cluster that is drawn
NAMED_DOCUMENTS = 40  # of a cluster whose documents are named: more names hide each other


def plot_error_decomposition(errors: pd.DataFrame, *, ax: Axes | None = None, **kwargs: Any) -> Axes:
    """Draw the way from the true pairs to those of the result: minus what was missed, plus what is extra.

    Parameters
    ----------
    errors : DataFrame
        From `experiments.error_decomposition`: outcome, cause.
    ax : Axes, optional
        Where to draw; a new figure by default.
    **kwargs
        For the bars, as in ``Axes.barh``.

    Returns
    -------
    Axes

    Raises
    ------
    TypeError, ValueError
        If the frame cannot be drawn.
    """
    frame = drawable("errors", errors, ["outcome", "cause"], "experiments.error_decomposition")
    counts = frame.groupby(["outcome", "cause"]).size()
    missed, extra = (
        [(cause, int(counts[outcome, cause])) for cause in CAUSES if (outcome, cause) in counts]
        for outcome in ("missed", "extra")
    )
    found = int((frame["outcome"] == "found").sum())
    level = found + sum(number for _, number in missed)
    bars = [("true pairs", 0, level, "total")]  # name, start, length, kind
    for cause, number in missed:
        level -= number
        bars.append((f"missed by {cause}", level, number, "missed"))
    bars.append(("found", 0, level, "total"))
    for cause, number in extra:
        bars.append((f"extra by {cause}", level, number, "extra"))
        level += number
    bars.append(("pairs of the result", 0, level, "total"))

    ax = axes_or_new(ax)
    looks = {"total": (COLOURS[0], ""), "missed": (COLOURS[1], "///"), "extra": (COLOURS[4], "...")}
    signs = {"total": "", "missed": "−", "extra": "+"}
    top = max(start + length for _, start, length, _ in bars)
    for position, (_, start, length, kind) in enumerate(bars):
        colour, hatch = looks[kind]
        style = {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0.0, "height": 0.7}
        ax.barh(position, length, left=start, **{**style, **kwargs})
        ax.text(start + length + 0.01 * top, position, f"{signs[kind]}{length:,}", va="center", fontsize="small")
        if position + 1 < len(bars):
            after = start if kind == "missed" else start + length
            ax.plot([after, after], [position + 0.35, position + 0.65], color=GREY, linewidth=0.8)
    ax.set_yticks(range(len(bars)), [name for name, *_ in bars])
    ax.invert_yaxis()
    ax.set_xlim(0, 1.12 * max(top, 1))
    dress(ax, "pairs of documents", "", grid="x")
    return ax


def plot_cluster(
    pairs: pd.DataFrame,
    document: int | None = None,
    *,
    labels: Any = None,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
    **kwargs: Any,
) -> Axes:
    """Draw one cluster as the graph of its verified pairs: the more similar, the nearer and the darker the line.

    Parameters
    ----------
    pairs : DataFrame
        The pairs of `find_near_duplicates`: i, j, jaccard. One is enough.
    document : int, optional
        A document of the cluster; by default one of the largest cluster. The cluster is all that pairs
        connect with it, so with star linkage it may have several kept documents.
    labels : int array, optional
        The labels of `find_near_duplicates`: kept documents become squares.
    names : sequence of str, optional
        What to call the documents; their positions by default. Clusters of more than 40 go without.
    ax : Axes, optional
        Where to draw; a new figure by default.
    **kwargs
        For the lines, as in ``LineCollection``.

    Returns
    -------
    Axes

    Raises
    ------
    TypeError, ValueError
        If the frame cannot be drawn, `document` is in no pair, or the cluster has more than 300 documents.
    """
    frame = drawable("pairs", pairs, ["i", "j", "jaccard"], "find_near_duplicates(...).pairs", least=1)
    ends = frame[["i", "j"]].to_numpy(dtype=np.int64)
    component = connected_components(ends, int(ends.max()) + 1)[ends[:, 0]]
    if document is None:
        members = frame.groupby(component)["j"].nunique()
        chosen = int(members.index[int(members.to_numpy().argmax())])
    else:
        document = check_integer("document", document, least=0)
        inside = (ends == document).any(axis=1)
        if not inside.any():
            raise ValueError(f"`document` must be in one of the pairs, got {document}, which is similar to nothing")
        chosen = int(component[inside.argmax()])
    edges, jaccard = ends[component == chosen], frame["jaccard"].to_numpy()[component == chosen]
    nodes = np.unique(edges)
    if nodes.size > MOST_DOCUMENTS:
        raise ValueError(
            f"`pairs` must hold a cluster of at most {MOST_DOCUMENTS} documents, got {nodes.size}: raise the threshold"
        )
    place = _layout(np.searchsorted(nodes, edges), jaccard, nodes.size)

    ax = axes_or_new(ax)
    style: dict[str, Any] = {"cmap": "Greys", "linewidths": 0.8 + 1.6 * (jaccard - jaccard.min()), "zorder": 1}
    lines = LineCollection(list(place[np.searchsorted(nodes, edges)]), **{**style, **kwargs})
    lines.set_array(jaccard)
    least = min(float(jaccard.min()), 0.99)
    lines.set_clim(least - 0.5 * (1.0 - least), 1.0)  # the palest grey is hard to see
    ax.add_collection(lines)
    ax.figure.colorbar(lines, ax=ax, label="Jaccard similarity").ax.set_ylim(least, 1.0)
    kept = nodes == nodes[0] if labels is None else np.asarray(labels)[nodes] == nodes
    for which, marker, colour, label in ((kept, "s", COLOURS[1], "kept"), (~kept, "o", COLOURS[5], "removed")):
        style = {"linestyle": "none", "marker": marker, "markersize": 9, "markeredgecolor": "black", "zorder": 2}
        ax.plot(*place[which].T, color=colour, label=label if labels is not None else None, **style)
    for node, at in zip(nodes.tolist(), place, strict=True) if nodes.size <= NAMED_DOCUMENTS else ():
        text = str(node) if names is None else names[node]
        ax.annotate(text, at, textcoords="offset points", xytext=(7, 5), fontsize="small", zorder=3)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.12)
    ax.set_axis_off()
    if labels is not None:
        legend_below(ax, handlelength=1.0)
    return ax


def _layout(edges: np.ndarray, jaccard: np.ndarray, n_nodes: int) -> np.ndarray:
    """Place the nodes so that distances follow 1 - J along the shortest paths (Kamada and Kawai, 1989)."""
    from scipy.optimize import minimize
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import shortest_path

    weights = 0.1 + (1.0 - jaccard)  # equal documents keep some distance
    graph = coo_array((weights, (edges[:, 0], edges[:, 1])), shape=(n_nodes, n_nodes)).tocsr()
    first, second = np.triu_indices(n_nodes, 1)
    distance = shortest_path(graph, directed=False)
    wanted = distance[first, second]

    def stress(flat: np.ndarray) -> tuple[float, np.ndarray]:
        place = flat.reshape(n_nodes, 2)
        step = place[first] - place[second]
        length = np.maximum(np.sqrt((step**2).sum(axis=1)), 1e-9)
        excess = (length - wanted) / wanted
        force = (2.0 * excess / (wanted * length))[:, None] * step
        slope = np.zeros_like(place)
        np.add.at(slope, first, force)
        np.add.at(slope, second, -force)
        return float((excess**2).sum()), slope.ravel()

    # Classical scaling (Torgerson, 1952) unfolds chains, which a circle would leave twisted.
    squared = distance**2
    inner = (squared.mean(axis=0) + squared.mean(axis=1)[:, None] - squared.mean() - squared) / 2.0
    value, vector = np.linalg.eigh(inner)
    start = vector[:, :-3:-1] * np.sqrt(np.maximum(value[:-3:-1], 0.0))
    return minimize(stress, start.ravel(), jac=True, method="L-BFGS-B").x.reshape(n_nodes, 2)
