"""Plots read back from their artists: points where the data says, theory where theory says, labels with units."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import same_color, to_rgb
from matplotlib.figure import Figure
from scipy import stats

import minhash_nb as mnb
from minhash_nb import experiments, plotting, theory
from minhash_nb.plotting import _common

SCHEMES = [mnb.MinHash(32), mnb.MinHash(64), mnb.FastSimilaritySketch(64)]
BANDINGS = [mnb.Banding(8, 4), mnb.Banding(4, 8)]


@pytest.fixture(scope="module")
def frames():
    """One frame for each plot, small."""
    corpus = mnb.datasets.generate_corpus(200)
    shingles = mnb.shingle(corpus)
    run = mnb.find_near_duplicates(corpus, 0.6)
    pairs = mnb.datasets.pairs_with_jaccard(500, np.linspace(0.05, 0.95, 500), 100)
    estimate = mnb.estimate_jaccard(mnb.compute_signatures(pairs[0], mnb.MinHash(64)), pairs[1])
    return {
        "errors": experiments.estimator_error(SCHEMES, [0.3, 0.5], [40, 400], trials=60),
        "coverage": experiments.interval_coverage(SCHEMES[:2], [0.2, 0.4, 0.6], trials=80),
        "recall": experiments.banding_recall(BANDINGS, [0.3, 0.6, 0.9], SCHEMES[1:], trials=80),
        "candidates": experiments.candidates_predicted_vs_observed(shingles, BANDINGS, draws=4),
        "sweep": experiments.parameter_sweep(shingles, 0.6, [1, 2, 4, 8], [2, 3, 5]),
        "comparison": experiments.scheme_comparison(SCHEMES, 0.5, [40, 80], trials=40),
        "times": experiments.scaling([50, 100, 200], [16, 32], repeats=1, words_per_doc=20),
        "effect": experiments.shingling_effect(corpus, [3, 5], pairs=run.pairs, sample=300),
        "buckets": experiments.bucket_sizes(mnb.compute_signatures(shingles, mnb.MinHash(32)), BANDINGS),
        "decomposition": experiments.error_decomposition(
            corpus, 0.6, verify="estimate", id_bits=8, banding=mnb.Banding(16, 8)
        ),
        "clusters": run.clusters,
        "graph": run.pairs,
        "estimates": pairs[1].assign(estimate=estimate),
        "run": run,
    }


# What each plot is called, the frame it takes, how the message calls that frame, and a column it draws.
PLOTS = {
    "error": (plotting.plot_estimator_error, "errors", "errors", "error", {}),
    "estimates": (plotting.plot_estimates, "estimates", "pairs", "estimate", {"num_hashes": 64}),
    "coverage": (plotting.plot_interval_coverage, "coverage", "coverage", "coverage", {}),
    "recall": (plotting.plot_banding_recall, "recall", "recall", "recall", {}),
    "candidates": (plotting.plot_candidates, "candidates", "candidates", "observed", {}),
    "sweep": (plotting.plot_parameter_sweep, "sweep", "sweep", "candidates", {"value": "candidates"}),
    "comparison": (plotting.plot_scheme_comparison, "comparison", "comparison", "error", {}),
    "scaling": (plotting.plot_scaling, "times", "times", "seconds", {}),
    "effect": (plotting.plot_shingling_effect, "effect", "effect", "jaccard", {}),
    "buckets": (plotting.plot_bucket_sizes, "buckets", "buckets", "buckets", {}),
    "clusters": (plotting.plot_cluster_sizes, "clusters", "clusters", "size", {}),
    "decomposition": (plotting.plot_error_decomposition, "decomposition", "errors", "outcome", {}),
    "cluster": (plotting.plot_cluster, "graph", "pairs", "jaccard", {}),
}
every_plot = pytest.mark.parametrize("plot", PLOTS)


def draw(plot, frames, change=lambda frame: frame, **options):
    function, key, _, _, standard = PLOTS[plot]
    return function(change(frames[key]), **{"ax": Figure().subplots(), **standard, **options})


def points(ax, number=None):
    """Return the data of the error bars (or of one of them), each an array of (x, y, low, high)."""
    series = []
    for container in ax.containers:
        line, _, (bars,) = container.lines
        ends = np.array([segment[:, 1] for segment in bars.get_segments()])
        series.append(np.column_stack((line.get_xdata(), line.get_ydata(), ends)))
    return series if number is None else series[number]


def dashed(ax):
    return [line for line in ax.lines if line.get_linestyle() == "--"]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


# -- rules that hold for all


@every_plot
def test_returns_the_axes_it_was_given(plot, frames):
    ax = Figure().subplots()
    assert draw(plot, frames, ax=ax) is ax
    assert ax.has_data()


@every_plot
def test_new_figure_without_axes_and_none_otherwise(plot, frames):
    before = plt.get_fignums()
    draw(plot, frames)
    assert plt.get_fignums() == before
    ax = draw(plot, frames, ax=None)
    assert ax.figure.number in plt.get_fignums()
    assert len(plt.get_fignums()) == len(before) + 1
    plt.close(ax.figure)


@every_plot
def test_global_style_is_left_alone(plot, frames):
    before = dict(mpl.rcParams)
    draw(plot, frames).figure.canvas.draw()
    assert dict(mpl.rcParams) == before


@every_plot
def test_fits_a_cell_of_a_grid(plot, frames):
    grid = Figure(layout="constrained", figsize=(9, 7)).subplots(2, 2)
    ax = draw(plot, frames, ax=grid[0, 1])
    ax.figure.canvas.draw()  # warnings are errors: also those about a layout that does not fit
    assert not any(other.has_data() for other in (grid[0, 0], *grid[1]))


@every_plot
def test_filtered_and_concatenated_frames(plot, frames):
    def again(frame):
        half = len(frame) // 2
        return pd.concat([frame.iloc[half:], frame.iloc[:half]]).set_index(np.zeros(len(frame), dtype=int))

    given = again(frames[PLOTS[plot][1]])
    copy = given.copy()
    ax = draw(plot, frames, again)
    pd.testing.assert_frame_equal(given, copy)  # the caller's frame is not touched
    whole = draw(plot, frames)

    def drawn(axes):
        # Boxes stand in the order in which choices appear; what they show does not depend on it.
        lines = [line.get_xydata()[:, 1:] if plot == "effect" else line.get_xydata() for line in axes.lines]
        return sorted(tuple(line[np.lexsort(line.T)].ravel()) for line in lines)

    if plot != "cluster":  # a layout comes from sums in the order of the pairs
        assert drawn(ax) == drawn(whole)


@every_plot
def test_no_rows(plot, frames):
    name = PLOTS[plot][2]
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        draw(plot, frames, lambda frame: frame.iloc[:0])
    assert str(caught.value).startswith(
        f"`{name}` must have at least {1 if plot == 'cluster' else 2} rows to draw, got no rows"
    )


@pytest.mark.parametrize("plot", sorted(set(PLOTS) - {"cluster"}))
def test_one_row(plot, frames):
    name = PLOTS[plot][2]
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        draw(plot, frames, lambda frame: frame.iloc[:1])
    assert str(caught.value).startswith(f"`{name}` must have at least 2 rows to draw, got one row: ")


@every_plot
def test_missing_values(plot, frames):
    _, _, name, column, _ = PLOTS[plot]

    def holes(frame):
        return frame.assign(**{column: frame[column].where(np.arange(len(frame)) != 1)})

    with pytest.raises(ValueError) as caught:  # noqa: PT011
        draw(plot, frames, holes)
    message = str(caught.value)
    assert message.startswith(f"`{name}` must be finite in column {column!r}, got nan in 1 of ")
    assert message.endswith("rows: leave those rows out")


@pytest.mark.parametrize("plot", sorted(set(PLOTS) - {"decomposition"}))
def test_infinite_values(plot, frames):
    column = PLOTS[plot][3]
    with pytest.raises(ValueError, match=rf"must be finite in column '{column}', got inf in 2 of "):
        draw(plot, frames, lambda frame: frame.assign(**{column: np.where(np.arange(len(frame)) < 2, np.inf, 0.5)}))


@every_plot
def test_missing_column(plot, frames):
    _, _, name, column, _ = PLOTS[plot]
    with pytest.raises(ValueError, match=f"`{name}` must have a column '{column}', got .*: .* makes it"):
        draw(plot, frames, lambda frame: frame.drop(columns=column))


@every_plot
def test_something_else_than_a_frame_or_axes(plot, frames):
    function, key, name, _, standard = PLOTS[plot]
    with pytest.raises(TypeError, match=f"`{name}` must be a DataFrame as .* makes it, got list"):
        function([1, 2, 3], **standard)
    with pytest.raises(TypeError, match="`ax` must be a matplotlib Axes, got ndarray: of a grid, pass one cell"):
        function(frames[key], ax=Figure().subplots(2, 2), **standard)


@every_plot
def test_axes_are_labelled(plot, frames):
    ax = draw(plot, frames)
    if plot == "cluster":  # distances have no axes; the scale of the lines has
        assert [other.get_ylabel() for other in ax.figure.axes] == ["", "Jaccard similarity"]
    elif plot == "decomposition":
        assert ax.get_xlabel() == "pairs of documents"
        assert all(label.get_text() for label in ax.get_yticklabels())
    else:
        assert ax.get_xlabel()
        assert ax.get_ylabel()


@pytest.mark.parametrize(("plot", "option", "value"), [
    ("error", {"markersize": 11}, lambda ax: ax.containers[0].lines[0].get_markersize()),
    ("recall", {"markersize": 11}, lambda ax: ax.containers[0].lines[0].get_markersize()),
    ("coverage", {"markersize": 11}, lambda ax: ax.containers[0].lines[0].get_markersize()),
    ("candidates", {"markersize": 11}, lambda ax: ax.containers[0].lines[0].get_markersize()),
    ("comparison", {"markersize": 11}, lambda ax: ax.containers[0].lines[0].get_markersize()),
    ("scaling", {"markersize": 11}, lambda ax: ax.lines[1].get_markersize()),
    ("buckets", {"markersize": 11}, lambda ax: ax.lines[0].get_markersize()),
    ("clusters", {"markersize": 11}, lambda ax: ax.lines[0].get_markersize()),
    ("estimates", {"alpha": 0.5}, lambda ax: ax.collections[0].get_alpha()),
    ("sweep", {"alpha": 0.5}, lambda ax: ax.collections[0].get_alpha()),
    ("decomposition", {"alpha": 0.5}, lambda ax: ax.patches[0].get_alpha()),
    ("cluster", {"alpha": 0.5}, lambda ax: ax.collections[0].get_alpha()),
    ("effect", {"widths": 0.1}, lambda ax: np.ptp(ax.patches[0].get_path().vertices[:, 0])),
])  # fmt: skip
def test_options_reach_the_artists(plot, option, value, frames):
    assert value(draw(plot, frames, **option)) == pytest.approx(next(iter(option.values())))


def test_series_differ_without_colour():
    assert len({repr(dash) for dash in _common.DASHES}) == len(_common.COLOURS) == len(set(_common.MARKERS))
    luminance = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in map(to_rgb, _common.COLOURS)]
    assert max(luminance) < 0.65  # dark enough on white


def test_plots_do_not_need_pyplot():
    code = """
import sys
import minhash_nb as mnb
from matplotlib.figure import Figure
mnb.plotting.plot_s_curve(mnb.Banding(4, 4), ax=Figure().subplots()).figure.savefig(sys.stdout.buffer, format="png")
assert "matplotlib.pyplot" not in sys.modules
assert "pandas" in sys.modules
"""
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout.startswith(b"\x89PNG")


def test_experiments_and_plotting_load_on_first_use():
    code = (
        "import sys, minhash_nb; print(sorted({'pandas', 'matplotlib', 'minhash_nb.experiments'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout.strip() == b"[]"


# -- curves


def test_s_curves_are_those_of_theory():
    bandings = [mnb.Banding(16, 8), mnb.Banding(32, 4), mnb.Banding(1, 1)]
    ax = plotting.plot_s_curve(bandings, threshold=0.8, ax=Figure().subplots())
    for line, banding in zip(ax.lines, bandings, strict=False):
        s, p = line.get_data()
        assert s[0] == 0.0
        assert s[-1] == 1.0
        np.testing.assert_array_equal(p, theory.s_curve(s, banding.num_bands, banding.rows_per_band))
        (mark,) = line.get_markevery()
        assert s[mark] == banding.half_point
        assert p[mark] == pytest.approx(0.5)
        assert line.get_linestyle() == "--"
    assert len({line.get_marker() for line in ax.lines[:3]}) == 3
    assert list(ax.lines[3].get_xdata()) == [0.8, 0.8]
    assert legend(ax) == [
        "16 bands × 8 rows, half-point 0.674",
        "32 bands × 4 rows, half-point 0.383",
        "1 band × 1 row, half-point 0.500",
        "threshold 0.8",
    ]
    assert (ax.get_xlabel(), ax.get_ylabel()) == (
        "Jaccard similarity of the pair",
        "probability of becoming a candidate",
    )


def test_shaded_areas_are_the_errors_of_the_first_banding():
    ax = plotting.plot_s_curve(BANDINGS, threshold=0.6, shade=True, half_points=False, ax=Figure().subplots())
    below, above = (collection.get_paths()[0].vertices for collection in ax.collections)
    assert below[:, 0].max() == above[:, 0].min() == 0.6

    def area(polygon):  # the shoelace formula
        x, y = polygon.T
        return abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2

    assert area(below) == pytest.approx(theory.false_positive_area(0.6, 8, 4), rel=1e-3)
    assert area(above) == pytest.approx(theory.false_negative_area(0.6, 8, 4), rel=1e-3)
    assert "8 bands × 4 rows" in legend(ax)
    assert ax.lines[0].get_marker() == "None"


def test_one_banding_and_line_options():
    ax = plotting.plot_s_curve(mnb.Banding(4, 4), ax=Figure().subplots(), linewidth=5, color="black", label="mine")
    assert ax.lines[0].get_linewidth() == 5
    assert same_color(ax.lines[0].get_color(), "black")
    assert legend(ax) == ["mine"]
    assert len(ax.lines) == 1


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"bandings": []}, ValueError, "`bandings` must hold at least one Banding, got none"),
        ({"bandings": [(16, 8)]}, TypeError, "`bandings` must be Bandings such as Banding(16, 8), got (16, 8)"),
        ({"threshold": 1.2}, ValueError, "`threshold` must be in (0, 1], got 1.2"),
        ({"threshold": float("nan")}, ValueError, "`threshold` must be in (0, 1], got nan"),
        ({"shade": True}, ValueError, "`shade` needs a `threshold`, got None: the areas lie on both sides of it"),
    ],
)
def test_bad_curves(arguments, error, message):
    with pytest.raises(error) as caught:
        plotting.plot_s_curve(**{"bandings": BANDINGS, **arguments})
    assert str(caught.value) == message


def test_recall_dots_on_their_curves(frames):
    frame = frames["recall"]
    ax = draw("recall", frames)
    groups = [group for _, group in frame.groupby(["scheme", "num_bands", "rows_per_band"], sort=False)]
    for drawn, group in zip(points(ax), groups, strict=True):
        np.testing.assert_allclose(drawn, group[["jaccard", "recall", "low", "high"]])
    curves = dashed(ax)
    assert len(curves) == 2  # one for each banding, though there are two schemes
    for line, (bands, rows) in zip(curves, [(4, 8), (8, 4)], strict=True):
        np.testing.assert_array_equal(line.get_ydata(), theory.s_curve(line.get_xdata(), bands, rows))
    assert legend(ax)[:2] == ["4 × 8, theory", "8 × 4, theory"]
    assert "8 × 4, FastSimilaritySketch" in legend(ax)


# -- estimates


def test_errors_against_independent_hashes(frames):
    frame = frames["errors"]
    ax = draw("error", frames)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    groups = [group for _, group in frame.groupby(["scheme", "bits", "union_size"], sort=False)]
    for drawn, group in zip(points(ax), groups, strict=True):
        x = np.sqrt(group["jaccard"] * (1 - group["jaccard"]) / group["num_hashes"])
        np.testing.assert_allclose(drawn, np.column_stack((x, group[["error", "low", "high"]])))
    diagonal, *stated = dashed(ax)
    assert (diagonal.get_xdata() == diagonal.get_ydata()).all()
    assert len(stated) == 2  # of FastSimilaritySketch, for each size; classic MinHash has the diagonal
    for line, size in zip(stated, [40, 400], strict=True):
        part = frame[(frame["scheme"] == "FastSimilaritySketch") & (frame["union_size"] == size)]
        np.testing.assert_allclose(np.sort(line.get_ydata()), np.sort(part["theory"]))
    assert legend(ax) == [
        "independent hashes",
        *(f"{scheme}, union {size}" for size in (40, 400) for scheme in ("MinHash", "FastSimilaritySketch")),
    ]
    kinds = {(container.lines[0].get_marker(), container.lines[0].get_markerfacecolor()) for container in ax.containers}
    assert len(kinds) == 4


def test_errors_without_theory_or_without_error(frames):
    ax = draw("error", frames, lambda frame: frame.assign(theory=np.nan))
    assert len(dashed(ax)) == 1
    with pytest.raises(ValueError, match=r"`errors` must have errors above 0 and jaccard inside \(0, 1\)"):
        draw("error", frames, lambda frame: frame.assign(jaccard=1.0))
    with pytest.raises(ValueError, match="`errors` must have errors above 0"):
        draw("error", frames, lambda frame: frame.assign(error=0.0))


def test_estimates_in_the_binomial_band(frames):
    frame = frames["estimates"]
    ax = draw("estimates", frames, confidence=0.9)
    cells = ax.collections[0]
    assert cells.get_array().sum() == len(frame)
    lower, upper, identity = dashed(ax)
    for line, probability in ((lower, 0.05), (upper, 0.95)):
        exact, edge = line.get_data()
        assert exact[0] == pytest.approx(frame["jaccard"].min() - 0.02)
        np.testing.assert_array_equal(edge, stats.binom.ppf(probability, 64, exact) / 64)
    assert (identity.get_xdata() == identity.get_ydata()).all()
    assert legend(ax) == ["exact 90% band, 64 hashes", "estimate = exact"]
    assert ax.figure.axes[1].get_ylabel() == "pairs"
    with pytest.raises(ValueError, match="`num_hashes` must be at least 1, got 0"):
        draw("estimates", frames, num_hashes=0)


def test_coverage_over_theory(frames):
    frame = frames["coverage"]
    ax = draw("coverage", frames)
    groups = [group for _, group in frame.groupby(["scheme", "method", "num_hashes"], sort=False)]
    for drawn, line, group in zip(points(ax), dashed(ax), groups, strict=True):
        np.testing.assert_allclose(drawn, group[["jaccard", "coverage", "low", "high"]])
        np.testing.assert_array_equal(line.get_xydata(), group[["jaccard", "theory"]])
    assert list(ax.lines[0].get_ydata()) == [0.95, 0.95]
    assert legend(ax)[0] == "nominal 95%"


# -- sweeps


def test_sweep_cells_and_front(frames):
    frame = frames["sweep"]
    ax = draw("sweep", frames, value="precision")
    cells = ax.collections[0].get_array()
    assert cells.shape == (3, 4)
    for row in frame.itertuples():
        assert cells[[2, 3, 5].index(row.rows_per_band), [1, 2, 4, 8].index(row.num_bands)] == row.precision
    front = frame[frame["pareto"]]
    expected = {([1, 2, 4, 8].index(row.num_bands), [2, 3, 5].index(row.rows_per_band)) for row in front.itertuples()}
    assert set(map(tuple, ax.lines[0].get_xydata().astype(int))) == expected
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "4", "8"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["2", "3", "5"]
    assert ax.figure.axes[1].get_ylabel() == "precision"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("number of bands", "rows per band")


def test_table_of_tune_on_logarithmic_axes():
    table = mnb.tune(mnb.shingle(mnb.datasets.generate_corpus(200)), 0.7, max_hashes=64).table
    ax = plotting.plot_parameter_sweep(table, ax=Figure().subplots())
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    mesh = ax.collections[0]
    cells, corners = mesh.get_array(), mesh.get_coordinates()
    bands, rows = np.unique(table["num_bands"]), np.unique(table["rows_per_band"])
    assert cells.count() == len(table)
    for row in table.iloc[::17].itertuples():
        at = np.searchsorted(rows, row.rows_per_band), np.searchsorted(bands, row.num_bands)
        assert cells[at] == row.recall_at_threshold
        assert corners[at][0] < row.num_bands < corners[at[0], at[1] + 1][0]
        assert corners[at][1] < row.rows_per_band < corners[at[0] + 1, at[1]][1]
    front = table.loc[table["pareto"], ["num_bands", "rows_per_band"]]
    assert len(front)
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), front)
    assert ax.figure.axes[1].get_ylabel() == "recall at the threshold"
    one_row = plotting.plot_parameter_sweep(table[table["rows_per_band"] == 1], ax=Figure().subplots())
    one_row.figure.canvas.draw()


def test_sweep_without_what_was_filtered_out(frames):
    rest = frames["sweep"][~frames["sweep"]["pareto"]]
    ax = draw("sweep", frames, lambda _: rest)
    assert len(ax.lines[0].get_xdata()) == 0
    assert ax.collections[0].get_array().count() == len(rest)


def test_sweep_scales_and_refuses(frames):
    wide = draw("sweep", frames, lambda frame: frame.assign(candidates=10.0 ** np.arange(len(frame))))
    assert type(wide.collections[0].norm).__name__ == "LogNorm"
    assert wide.figure.axes[1].get_ylabel() == "candidate pairs"
    with pytest.raises(ValueError, match="`sweep` must hold every banding once, got 1 × 2 twice"):
        draw("sweep", frames, lambda frame: pd.concat([frame, frame]))
    with pytest.raises(ValueError, match="`sweep` must be finite in column 'seconds', got nan in 1 of 12 rows"):
        draw("sweep", frames, lambda frame: frame.assign(seconds=[np.nan] + [1.0] * 11), value="seconds")


def test_candidates_on_the_diagonal(frames):
    frame = frames["candidates"]
    ax = draw("candidates", frames)
    np.testing.assert_allclose(points(ax, 0), frame[["predicted", "observed", "low", "high"]])
    (diagonal,) = dashed(ax)
    assert (diagonal.get_xdata() == diagonal.get_ydata()).all()
    assert [text.get_text() for text in ax.texts] == ["8 × 4", "4 × 8"]
    none = draw("candidates", frames, lambda frame: frame.assign(observed=0.0, low=0.0))
    assert none.get_ylim()[0] == 0.0  # no candidate at all is a point, too
    none.figure.canvas.draw()


@pytest.mark.parametrize("x", ["bytes_per_document", "nanoseconds"])
def test_schemes_against_their_cost(x, frames):
    frame = frames["comparison"]
    ax = draw("comparison", frames, x=x)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    groups = [group for _, group in frame.groupby(["scheme", "bits", "union_size", "jaccard"], sort=False)]
    for drawn, line, group in zip(points(ax), dashed(ax), groups, strict=True):
        np.testing.assert_allclose(drawn, group[[x, "error", "low", "high"]])
        np.testing.assert_array_equal(line.get_xydata(), group.sort_values("num_hashes")[[x, "theory"]])
    assert legend(ax)[0] == "MinHash, union 40"
    assert (
        ax.get_xlabel()
        == {"bytes_per_document": "signature / bytes per document", "nanoseconds": "time / ns per shingle"}[x]
    )
    assert legend(draw("comparison", frames, lambda frame: frame[frame["union_size"] == 40]))[0] == "MinHash"
    with pytest.raises(ValueError, match="`x` must be one of"):
        draw("comparison", frames, x="seconds")
    with pytest.raises(ValueError, match="`comparison` must have errors above 0"):
        draw("comparison", frames, lambda frame: frame.assign(error=0.0))


@pytest.mark.parametrize("varied", ["documents", "hashes", "threads"])
def test_scaling_lines(varied, frames):
    column = {"documents": "documents", "hashes": "num_hashes", "threads": "threads"}[varied]
    times = frames["times"]
    if (times["varied"] == "threads").sum() == 4:  # one core only: make up a second
        times = pd.concat([times, times[times["varied"] == "threads"].assign(threads=2)])
    part = times[times["varied"] == varied]
    ax = plotting.plot_scaling(times, varied=varied, ax=Figure().subplots())
    total = part.groupby(column)["seconds"].sum()
    ideal, together, *steps = ax.lines
    np.testing.assert_allclose(together.get_xydata(), np.column_stack((total.index, total)))
    if varied == "threads":
        expected = total.iloc[0] * total.index[0] / total.index
    else:
        expected = total.iloc[-1] * total.index / total.index[-1]
    np.testing.assert_allclose(ideal.get_ydata(), expected)
    assert ideal.get_linestyle() == "--"
    for line, (step, group) in zip(steps, part.groupby("step", sort=False), strict=True):
        assert line.get_label() == step
        np.testing.assert_array_equal(line.get_xydata(), group[[column, "seconds"]])
    assert (ax.get_xlabel(), ax.get_ylabel()) == (varied, "time / s")


def test_scaling_of_what_was_not_varied(frames):
    with pytest.raises(ValueError, match="`varied` must be one of"):
        draw("scaling", frames, varied="weather")
    with pytest.raises(ValueError, match=r"`times` must have at least 2 rows to draw, got no rows.*with hashes varied"):
        draw("scaling", frames, lambda frame: frame[frame["varied"] == "documents"], varied="hashes")


# -- corpus


def test_histogram_and_curves():
    histogram = mnb.joins.similarity_histogram(mnb.shingle(mnb.datasets.generate_corpus(200)), 50)
    ax = plotting.plot_similarity_histogram(histogram, BANDINGS, ax=Figure().subplots())
    pairs, expected = ax.containers
    np.testing.assert_array_equal([bar.get_height() for bar in pairs], histogram.counts)
    np.testing.assert_array_equal([bar.get_x() for bar in pairs], histogram.edges[:-1])
    middle = (histogram.edges[:-1] + histogram.edges[1:]) / 2
    np.testing.assert_allclose([bar.get_height() for bar in expected], histogram.counts * theory.s_curve(middle, 8, 4))
    right = ax.figure.axes[1]
    for line, banding in zip(right.lines, BANDINGS, strict=True):
        s, p = line.get_data()
        np.testing.assert_array_equal(p, theory.s_curve(s, banding.num_bands, banding.rows_per_band))
        assert line.get_linestyle() == "--"
    assert ax.get_yscale() == "log"
    assert ax.get_ylabel() == "pairs per 0.02 of similarity"
    assert right.get_ylabel() == "probability of becoming a candidate"
    assert legend(ax) == ["pairs", "candidates to expect of 8 × 4", "S-curve of 8 × 4", "S-curve of 4 × 8"]


def test_histogram_alone_and_empty():
    histogram = mnb.joins.similarity_histogram(mnb.ShingleMatrix.from_sets([{1, 2}, {2, 3}]))
    ax = plotting.plot_similarity_histogram(histogram, ax=Figure().subplots())
    assert len(ax.figure.axes) == 1
    with pytest.raises(ValueError, match="`histogram` must count at least one pair with a common shingle, got none"):
        plotting.plot_similarity_histogram(mnb.joins.similarity_histogram(mnb.ShingleMatrix.from_sets([{1}, {2}])))
    with pytest.raises(TypeError, match="`histogram` must be a SimilarityHistogram, got list"):
        plotting.plot_similarity_histogram([1, 2])


def test_boxes_are_quantiles(frames):
    frame = frames["effect"]
    ax = draw("effect", frames)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["char 3", "char 5"]
    assert legend(ax) == ["given pairs", "random pairs"]
    boxes = iter(ax.patches)
    for origin in ("given", "random"):
        for position, k in enumerate((3, 5)):
            jaccard = frame.loc[(frame["pairs"] == origin) & (frame["k"] == k), "jaccard"]
            corners = next(boxes).get_path().vertices
            assert corners[:, 1].min() == pytest.approx(jaccard.quantile(0.25))
            assert corners[:, 1].max() == pytest.approx(jaccard.quantile(0.75))
            assert corners[:, 0].mean() == pytest.approx(position, abs=0.5)
    medians = [
        line.get_ydata() for line in ax.lines if same_color(line.get_color(), "black") and np.ptp(line.get_ydata()) == 0
    ]
    assert any(y[0] == frame.loc[(frame["pairs"] == "random") & (frame["k"] == 3), "jaccard"].median() for y in medians)


def test_effect_names_the_rule_where_there_are_several(frames):
    two = pd.concat([frames["effect"], frames["effect"].assign(normalize="none")])
    ax = draw("effect", frames, lambda _: two)
    assert [label.get_text() for label in ax.get_xticklabels()] == [
        f"char {k}\n{rule}" for rule in ("default", "none") for k in (3, 5)
    ]


def test_tails_of_buckets_and_clusters(frames):
    buckets = frames["buckets"]
    ax = draw("buckets", frames)
    for line, (_, group) in zip(ax.lines, buckets.groupby(["num_bands", "rows_per_band"], sort=False), strict=True):
        for size, number in line.get_xydata():
            assert number == group.loc[group["size"] >= size, "buckets"].sum()
        assert sorted(line.get_xdata()) == sorted(group["size"])
    assert legend(ax) == ["8 × 4", "4 × 8"]

    clusters = frames["clusters"]
    ax = draw("clusters", frames)
    for size, number in ax.lines[0].get_xydata():
        assert number == (clusters["size"] >= size).sum()
    assert ax.get_legend() is None
    runs = pd.concat([clusters.assign(run="loose"), clusters.iloc[:2].assign(run="tight")])
    assert legend(draw("clusters", frames, lambda _: runs)) == ["loose", "tight"]


# -- errors


def test_waterfall_adds_up(frames):
    frame = frames["decomposition"]
    ax = draw("decomposition", frames)
    names = [label.get_text() for label in ax.get_yticklabels()]
    bars = {name: (bar.get_x(), bar.get_width()) for name, bar in zip(names, ax.patches, strict=True)}
    outcomes = frame["outcome"].value_counts()
    assert bars.pop("true pairs") == (0, outcomes["found"] + outcomes["missed"])
    assert bars.pop("found") == (0, outcomes["found"])
    assert bars.pop("pairs of the result") == (0, outcomes["found"] + outcomes["extra"])
    level = outcomes["found"] + outcomes["missed"]
    for name, (start, length) in bars.items():
        outcome, cause = name.split(" by ")
        assert length == ((frame["outcome"] == outcome) & (frame["cause"] == cause)).sum() > 0
        assert start == (level - length if outcome == "missed" else level)
        level = start if outcome == "missed" else start + length
        assert f"{'−' if outcome == 'missed' else '+'}{length:,}" in [text.get_text() for text in ax.texts]
    assert level == outcomes["found"] + outcomes["extra"]
    assert {"missed by banding", "extra by estimate", "extra by id collision"} <= set(bars)


def test_waterfall_without_errors(frames):
    ax = draw("decomposition", frames, lambda frame: frame[frame["outcome"] == "found"])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["true pairs", "found", "pairs of the result"]


def test_cluster_is_a_component_of_the_pairs(frames):
    run = frames["run"]
    ax = plotting.plot_cluster(run.pairs, labels=run.labels, ax=Figure().subplots())
    component = mnb.connected_components(run.pairs, len(run.labels))
    sizes = np.bincount(component)
    members = np.flatnonzero(component == sizes.argmax())
    inside = run.pairs[run.pairs["i"].isin(members)]
    lines = ax.collections[0]
    assert len(lines.get_segments()) == len(inside)
    np.testing.assert_array_equal(lines.get_array(), inside["jaccard"])
    kept, removed = ax.lines
    assert len(kept.get_xdata()) == run.keep[members].sum()
    assert len(removed.get_xdata()) == (~run.keep[members]).sum()
    assert (kept.get_marker(), removed.get_marker()) == ("s", "o")
    assert legend(ax) == ["kept", "removed"]


def test_similar_documents_are_near_each_other():
    pairs = pd.DataFrame({"i": [3, 3, 5], "j": [5, 9, 9], "jaccard": [0.95, 0.55, 0.55]})
    ax = plotting.plot_cluster(pairs, ax=Figure().subplots(), names=[f"document {n}" for n in range(10)])
    assert [text.get_text() for text in ax.texts] == ["document 3", "document 5", "document 9"]
    length = [np.hypot(*np.diff(segment, axis=0)[0]) for segment in ax.collections[0].get_segments()]
    np.testing.assert_allclose(length, [0.15, 0.55, 0.55], rtol=1e-3)  # 0.1 + 1 - J: a triangle can have them all
    assert ax.get_legend() is None
    assert [len(line.get_xdata()) for line in ax.lines] == [1, 2]


def test_smallest_chosen_and_too_large_clusters():
    pairs = pd.DataFrame({"i": [0, 2, 3], "j": [1, 3, 4], "jaccard": [0.7, 0.8, 0.9]})
    one = plotting.plot_cluster(pairs.iloc[:1], ax=Figure().subplots())
    assert len(one.collections[0].get_segments()) == 1
    assert [text.get_text() for text in plotting.plot_cluster(pairs, ax=Figure().subplots()).texts] == ["2", "3", "4"]
    assert [text.get_text() for text in plotting.plot_cluster(pairs, 1, ax=Figure().subplots()).texts] == ["0", "1"]
    with pytest.raises(ValueError, match="`document` must be in one of the pairs, got 7"):
        plotting.plot_cluster(pairs, 7)
    star = pd.DataFrame({"i": 0, "j": np.arange(1, 301), "jaccard": 0.9})
    with pytest.raises(ValueError, match="`pairs` must hold a cluster of at most 300 documents, got 301"):
        plotting.plot_cluster(star)
    unnamed = plotting.plot_cluster(star.iloc[:60], ax=Figure().subplots())
    assert not unnamed.texts
