# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 5 · Tuning for a threshold
#
# > **Question.** I want the pairs with a similarity of at least .8. How many bands and rows do I need, and what do the
# > defaults of well-known tools give me?
#
# The user thinks of a threshold; banding offers a curve, $P(s) = 1 - (1 - s^r)^b$ for $b$ bands of $r$ rows (notebook
# 4). Between the two lies a choice that most tools make silently.
# We look at three ways to make it: least error area, a floor for the recall, and least cost on the corpus at hand. Then
# we hold the forecasts against what comes out.
#
# Sources: E. Zhu et al., datasketch (the area rule, `lsh.py`); J. Leskovec, A. Rajaraman, J. Ullman, *Mining of Massive
# Datasets*, section 3.4; the papers named in `tuning.PRESETS`.

# %%
import os
from importlib.util import find_spec

import matplotlib.pyplot as plt
import pandas as pd
from scipy import stats

import minhash_nb as mnb
from minhash_nb import datasets, experiments, theory, tuning

QUICK = os.environ.get("MINHASH_NB_QUICK") == "1"

# %% [markdown]
# ## Rule 1: the least area
#
# For a threshold $t$ there are two error areas: below $t$, under the curve (dissimilar candidates), and above $t$, over
# the curve (missed pairs):
#
# $$\int_0^t P(s) \, ds \quad \text{and} \quad \int_t^1 \big(1 - P(s)\big) \, ds.$$
#
# The library datasketch tries all bands and rows within a budget of hashes and takes those with the least sum.
# `Banding.for_threshold` does the same.

# %%
# Figure: the S-curve of 9 bands of 13 rows, the choice of the area rule for a threshold of .8, with both error areas
# shaded. They are about equally large. At the threshold itself the curve has reached only .4.
by_area = mnb.Banding.for_threshold(0.8, num_hashes=128)
ax = mnb.plotting.plot_s_curve(by_area, threshold=0.8, shade=True)
ax.plot(0.8, by_area.detection_probability(0.8), "o", color="black")
ax.set_title("Least area finds 40 % of the pairs at the threshold")
plt.show()

# %% [markdown]
# **To see:** the areas, .025 and .033, nearly balance, and that is the trouble. A pair of similarity .8, which the user
# asked for, is found with probability .40: this $P(t)$ is the **recall at the threshold**. The half-point of this
# "threshold .8" is .819.

# %%
areas = [area(0.8, 9, 13) for area in (theory.false_positive_area, theory.false_negative_area)]
assert by_area == mnb.Banding(9, 13)
assert by_area.half_point > 0.8
if not QUICK:
    assert (round(by_area.detection_probability(0.8), 2), round(by_area.half_point, 3)) == (0.40, 0.819)
    assert [round(area, 3) for area in areas] == [0.025, 0.033]

# %% [markdown]
# It is no accident of .8. At five thresholds, with 128 hashes, the rule leaves the recall *at* the threshold between
# .31 and .55:

# %%
rows = []
for threshold in (0.5, 0.6, 0.7, 0.8, 0.9):
    shape = mnb.Banding.for_threshold(threshold, num_hashes=128)
    rows.append((threshold, shape.num_bands, shape.rows_per_band, shape.detection_probability(threshold)))
shipped = pd.DataFrame(rows, columns=["threshold", "bands", "rows", "recall at the threshold"]).set_index("threshold")
shipped.round(2)

# %%
assert (shipped["recall at the threshold"] < 0.6).all()
assert shipped["recall at the threshold"].round(2).tolist() == [0.55, 0.40, 0.44, 0.40, 0.31]
assert shipped.loc[[0.5, 0.8, 0.9], ["bands", "rows"]].to_numpy().tolist() == [[25, 5], [9, 13], [5, 25]]

# %% [markdown]
# ## Rule 2: a floor for the recall
#
# The two errors do not cost the same. A dissimilar candidate costs one exact comparison and is then thrown away; a
# missed pair is lost. So fix the recall at the threshold first, and be as strict as possible after that: the most rows,
# then the fewest bands, with $P(t) \ge .95$. `find_near_duplicates` bands by this rule.

# %%
rows = []
for budget in (32, 64, 128, 256, 512, 1024):
    shape = mnb.Banding.for_recall(0.8, recall=0.95, num_hashes=budget)
    probability = shape.detection_probability([0.8, 0.7, 0.6, 0.5])
    rows.append((budget, shape.num_bands, shape.rows_per_band, shape.num_hashes, *probability))
columns = ["budget", "bands", "rows", "hashes used", "P(.8)", "P(.7)", "P(.6)", "P(.5)"]
floor = pd.DataFrame(rows, columns=columns).set_index("budget")
floor.round(3)

# %%
# Figure: S-curves of the recall rule for budgets of 32, 128, 512 and 1,024 hashes. All pass through .95 at similarity
# .8; with more hashes the part below the threshold falls more steeply.
shapes = [mnb.Banding.for_recall(0.8, recall=0.95, num_hashes=budget) for budget in (32, 128, 512, 1024)]
ax = mnb.plotting.plot_s_curve(shapes, threshold=0.8, half_points=False)
ax.axhline(0.95, color="0.6", linewidth=0.8)
ax.set_title("Same recall at .8; more hashes buy fewer dissimilar candidates")
plt.show()

# %% [markdown]
# **To see:** hashes do not buy recall (32 are enough for 95 %). They buy silence below the threshold: a pair of
# similarity .5 is a candidate with probability .32 at 24 hashes and .04 at 189.

# %%
assert (floor["P(.8)"] >= 0.95).all()
assert floor["P(.5)"].is_monotonic_decreasing
assert (floor["hashes used"] <= floor.index).all()
assert floor.loc[[32, 256], "P(.5)"].round(2).tolist() == [0.32, 0.04]
assert floor.loc[[32, 256], "hashes used"].tolist() == [24, 189]

# %% [markdown]
# Try thresholds, recalls and budgets (in a running notebook):

# %%


def draw(threshold=0.8, recall=0.95, num_hashes=256):
    """Draw the choice of the recall rule."""
    shape = mnb.Banding.for_recall(threshold, recall, num_hashes)
    mnb.plotting.plot_s_curve(shape, threshold=threshold, shade=True)


if find_spec("ipywidgets"):
    from ipywidgets import SelectionSlider, interact

    budgets = SelectionSlider(options=[2**n for n in range(7, 13)], value=256)
    interact(draw, threshold=(0.5, 0.95, 0.05), recall=(0.5, 0.95, 0.05), num_hashes=budgets)

# %%
# Figure: the S-curve of 21 bands of 9 rows, the choice of the recall rule for threshold .8, recall .95 and 256 hashes,
# with shaded error areas. The area above the curve is nearly gone, that below it is large.
draw()
plt.title("Threshold .8, recall .95, at most 256 hashes: 21 × 9")
plt.show()

# %% [markdown]
# **To see:** against the least area this curve looks wasteful: the orange area is large. Whether it costs anything
# depends on how many pairs live there, and that is no property of a curve but of a corpus.

# %%
chosen = mnb.Banding.for_recall(0.8, 0.95, 256)
assert chosen == mnb.Banding(21, 9)
assert theory.false_positive_area(0.8, 21, 9) > theory.false_positive_area(0.8, 9, 13)

# %% [markdown]
# ## The corpus's own similarities
#
# The area rule treats all similarities as equally frequent. No corpus is like that. We count the pairs of two corpora
# by exact similarity: texts of about 100 words with planted, edited copies (`planted_corpus`), and the corpus of
# notebook 4, short variations of five sentences (`generate_corpus`). The pairs of one bar times $P$ of its similarity
# are the candidates to expect of it (dark in the picture).

# %%
num_docs = 600 if QUICK else 2_000
planted = mnb.shingle(datasets.planted_corpus(num_docs, seed=0)["text"])
variations = mnb.shingle(datasets.generate_corpus(num_docs, seed=0))
histograms = {
    "planted copies": mnb.similarity_histogram(planted, bins=50),
    "variations of five sentences": mnb.similarity_histogram(variations, bins=50),
}

# %%
# Figure: two histograms of pairs by similarity on logarithmic scales, with the S-curve of 21 × 9 and the candidates to
# expect of it. Planted copies: a hill of unrelated pairs near .1, an empty valley, and few pairs from .5 up.
# Variations: no valley, the number of pairs falls steadily, and most candidates to expect lie in the middle.
_, axes = plt.subplots(1, 2, figsize=(10.5, 5))
for ax, (name, histogram) in zip(axes, histograms.items(), strict=True):
    mnb.plotting.plot_similarity_histogram(histogram, chosen, ax=ax)
    ax.set_title(name)
axes[1].set_ylabel("")
plt.show()

# %% [markdown]
# **To see:** the same curve is nearly free on the left, where a valley separates copies from the rest, and expensive on
# the right, where it reaches into the mass of half-similar pairs. The size of an area alone says nothing about the
# cost; the pairs under the curve do.

# %%
expected = {}
for name, histogram in histograms.items():
    similar = histogram.counts[histogram.edges[:-1] >= 0.8].sum()
    candidates = theory.expected_candidates(num_docs, histogram.density, 21, 9)
    expected[name] = {"pairs of at least .8": similar, "candidates to expect": candidates}
expected = pd.DataFrame(expected).T
expected["candidates per pair"] = expected["candidates to expect"] / expected["pairs of at least .8"]
expected.round(1)

# %%
valley = histograms["planted copies"]
middle = valley.counts[(valley.edges[:-1] >= 0.2) & (valley.edges[:-1] < 0.48)]
assert middle.sum() == 0
assert expected.loc["planted copies", "candidates per pair"] < 1.5
assert expected.loc["variations of five sentences", "candidates per pair"] > 5

# %% [markdown]
# ## Forecast against observed
#
# The sum of the S-curve over the exact similarities of all pairs forecasts the candidates. Does it come true? We band
# with 20 different draws of the hash functions (one would not do, see notebook 4) and compare the mean with the
# forecast. In the table `spread` is the standard deviation between draws, and `z` how many standard errors of the mean
# (`spread` over the root of the number of draws) lie between the mean and the forecast.

# %%
draws = 5 if QUICK else 20
few, many = (
    [mnb.Banding(*shape) for shape in shapes]
    for shapes in ([(5, 25), (9, 13), (16, 8)], [(9, 13), (21, 9), (13, 7), (20, 5)])
)
forecast = pd.concat(
    experiments.candidates_predicted_vs_observed(shingles, shapes, draws=draws, seed=5).assign(scheme=name)
    for name, shingles, shapes in (("planted copies", planted, few), ("variations", variations, many))
)
forecast[["scheme", "num_bands", "rows_per_band", "predicted", "observed", "spread", "z"]].round(1)

# %%
# Figure: observed against predicted candidates for several bandings of two corpora, on logarithmic axes, with
# intervals. The points lie on the diagonal over more than two decades.
ax = mnb.plotting.plot_candidates(forecast)
ax.set_title("The corpus's own histogram forecasts the candidates")
plt.show()

# %% [markdown]
# **To see:** the forecast holds on both corpora. (That all four points of the variations lie on one side is one
# accident, not four: they share their draws.) Bandings can be compared on paper, before any signature is computed, once
# the histogram is known; for a large corpus `similarity_histogram` estimates it from a sample of documents. (With few
# rows on the planted corpus, unrelated pairs would come in lumps, and 20 draws would be too few to judge: notebook 9.)

# %%
assert (forecast["z"].abs() < stats.t.isf(3e-5 / len(forecast), draws - 1)).all()  # 4 sigma over all rows together

# %% [markdown]
# ## Rule 3: `tune`
#
# `tune` puts it together: among all bandings within the budget that reach the recall at the threshold, the one with the
# fewest candidates to expect *on this corpus*; among those within half a pair of the fewest, the one with the fewest
# hashes.

# %%
tuned = mnb.tune(planted, threshold=0.8, recall=0.95, max_hashes=256)
tuned

# %%
columns = ["num_bands", "rows_per_band", "num_hashes", "recall_at_threshold", "recall_above_threshold", "candidates"]
front = tuned.table.loc[tuned.table["pareto"], [*columns, "bytes_per_document"]]
front.round(3)

# %% [markdown]
# These are the choices that no other one beats in both hashes and candidates, the **Pareto front**.
# (`recall_above_threshold` is the mean of $P$ over the corpus's own pairs from the threshold up.) From 40 hashes on
# little is gained: the candidates that remain are true pairs and the few between .5 and .8. The best by the letter of
# the rule is not always the one to take.

# %%
# Figure: candidates to expect against hashes for all bandings that reach the recall, on logarithmic axes, and the
# Pareto front as a line. It falls by nearly three decades from 2 to 40 hashes and is nearly flat after that.
reached = tuned.table[tuned.table["recall_at_threshold"] >= 0.95]
similar = tuned.histogram.counts[tuned.histogram.edges[:-1] >= 0.8].sum()
_, ax = plt.subplots()
ax.loglog(reached["num_hashes"], reached["candidates"], ".", color="0.75", label="bandings with P(.8) of at least .95")
ax.loglog(front["num_hashes"], front["candidates"], "o-", color="C0", label="Pareto front")
for row in front.itertuples():
    label = f"{row.num_bands} × {row.rows_per_band}"
    style = {"xytext": (0, 7), "textcoords": "offset points", "fontsize": "small", "rotation": 45}
    ax.annotate(label, (row.num_hashes, row.candidates), **style)
ax.axhline(similar, color="C1", linestyle="--", label=f"{similar:.0f} pairs of at least .8")
ax.set(xlabel="hashes (bands × rows)", ylabel="candidate pairs to expect")
ax.set_title("After the unrelated pairs are gone, more hashes buy little")
ax.legend()
plt.show()

# %% [markdown]
# **To see:** up to 4 rows each further row leaves less than a sixth of the candidates, since unrelated pairs go. Then
# the curve meets the floor that the similar pairs themselves make.

# %%
assert front["candidates"].is_monotonic_decreasing
assert front["num_hashes"].is_monotonic_increasing
assert tuned.chosen["candidates"] <= front["candidates"].min() + 0.5
if not QUICK:
    at = front.set_index("num_hashes")["candidates"]
    assert (at.loc[[2, 6, 15]].to_numpy() > 6 * at.loc[[6, 15, 24]].to_numpy()).all()
    assert at.loc[2] / at.loc[40] > 500
    assert at.loc[40] / at.iloc[-1] < 1.5
    assert tuned.best == mnb.Banding(21, 9)

# %% [markdown]
# And is it so? `parameter_sweep` *runs* every banding of a grid and holds it against the exact join.

# %%
grid = {"num_bands": range(2, 31, 4 if QUICK else 2), "rows_per_band": range(2, 15, 4 if QUICK else 2)}
truth = mnb.similarity_join(planted, threshold=0.8)
sweep = experiments.parameter_sweep(planted, 0.8, truth=truth, **grid)

# %%
# Figure: two heat maps over bands and rows from real runs. Left, the recall of the pairs of at least .8: lowest in the
# corner of few bands and many rows. Right, the candidates on a logarithmic scale: thirty to five hundred times as many
# with 2 rows as with 6. Rings, all in the top rows, mark the bandings that no other one of the grid beats in both.
_, axes = plt.subplots(1, 2, figsize=(10, 4.4))
mnb.plotting.plot_parameter_sweep(sweep, value="recall", ax=axes[0])
mnb.plotting.plot_parameter_sweep(sweep, value="candidates", ax=axes[1])
axes[0].set_title("Measured recall")
axes[1].set_title("Candidates")
plt.show()

# %% [markdown]
# **To see:** recall is a slope that falls towards few bands and many rows; cost is a cliff at the bottom. Above 4 rows
# the candidates hardly fall. Rings mark a Pareto front again, of recall and candidates. That they lie at the top, where
# rows are many, shows what is left out: hashes. They are on the axis of the picture before.

# %%
both = sweep.merge(tuned.table, on=["num_bands", "rows_per_band"], suffixes=("", "_forecast"))
distinct = both["recall"] - both["recall_above_threshold"]
print(f"measured minus forecast recall: mean {distinct.mean():+.3f}, largest {distinct.abs().max():.3f}")
assert (sweep.groupby("rows_per_band")["recall"].apply(lambda recall: recall.is_monotonic_increasing)).all()
assert distinct.abs().mean() < 0.1
if not QUICK:
    drop = sweep.pivot_table(index="rows_per_band", columns="num_bands", values="candidates")
    assert (drop.loc[2] / drop.loc[6]).between(30, 500).all()
    assert sweep.loc[sweep["pareto"], "rows_per_band"].min() == 10

# %% [markdown]
# The measured recall is a little higher, and for a reason: the sweep counts equal documents as pairs, which every
# banding finds, while `tune` leaves them out, as the pipeline groups them beforehand. Tools that report recall on a
# corpus full of exact copies flatter themselves in the same way.

# %%
assert (truth["jaccard"] == 1.0).any()
assert distinct.mean() > 0

# %% [markdown]
# ## What well-known pipelines would do here
#
# `compare_presets` forecasts published bandings on *our* corpus.

# %%
presets = tuning.compare_presets(planted, threshold=0.8)
presets.insert(0, "published threshold", [preset.threshold for preset in tuning.PRESETS.values()])
shown = ["num_bands", "rows_per_band", "num_hashes", "recall_at_threshold", "recall_above_threshold", "candidates"]
presets[["published threshold", *shown]].round(3)

# %%
# Figure: S-curves of five published bandings with a line at .8. There RefinedWeb's has nearly reached 1, FineWeb's and
# the Stack's more than .9, NeMo's two thirds, SlimPajama's 40 %.
names = ["fineweb", "refinedweb", "slimpajama", "nemo", "stack"]
ax = mnb.plotting.plot_s_curve([tuning.PRESETS[name].banding for name in names], threshold=0.8, half_points=False)
for line, name in zip(ax.get_lines(), names, strict=False):
    line.set_label(f"{name}: {line.get_label()}")
ax.legend(loc="upper left", fontsize="small")
ax.set_title("Five pipelines, five meanings of similar")
plt.show()

# %% [markdown]
# **To see:** three of them state a threshold of .8 and find .99, .68 and .40 of the pairs there. Nothing is wrong with
# any of these curves; wrong is to believe the name. The recall *above* the threshold is better for all of them, as it
# must be, since the curves rise; by how much depends on how far above the threshold a corpus has its pairs.

# %%
stated = presets[presets["published threshold"] == 0.8].index.tolist()
assert stated == ["refinedweb", "slimpajama", "nemo"]
assert (presets.loc[["fineweb", "stack"], "recall_at_threshold"] > 0.9).all()
assert (presets["recall_above_threshold"] > presets["recall_at_threshold"]).all()
assert presets.loc[stated, "recall_at_threshold"].round(2).tolist() == [0.99, 0.40, 0.68]

# %% [markdown]
# ## What to take along
#
# * The area rule finds 31 to 55 % of the pairs at its threshold (128 hashes). Choose by recall.
# * More hashes at a fixed recall mean fewer candidates below the threshold, and how many there are is a question to the
#   corpus: count a histogram, forecast, then choose.
# * Report the recall *at* the threshold beside the recall above it, and leave exact copies out of both.
#
# Next: better schemes, among them one whose curve is steeper than the formula.
#
# ## Exercises
#
# **1.** How many hashes does a recall of .95 at a threshold of .8 need at the very least? What is wrong with that
# choice?
#
# <details><summary>Solution</summary>
#
# Two: 2 bands of 1 row, $1 - .2^2 = .96$. Of unrelated pairs at .1 it makes 19 % candidates.
#
# ```python
# assert round(theory.s_curve(0.8, 2, 1), 2) == 0.96
# assert theory.s_curve(0.8, 2, 1) >= 0.95 > theory.s_curve(0.8, 1, 1)
# assert round(theory.s_curve(0.1, 2, 1), 2) == 0.19
# ```
#
# </details>
#
# **2.** By which factor do 12 more rows in each of 8 bands of 5 reduce the candidates among unrelated pairs of
# similarity .1, and how many bands does it take to keep the recall at .8?
#
# <details><summary>Solution</summary>
#
# By $10^{12}$ a band, but each band also finds $.8^{12} = .069$ times the pairs at .8, so that about 1/.069, some 15
# times as many bands are needed: the price of strictness is hashes.
#
# ```python
# assert round(0.8**12, 3) == 0.069
# strict = next(bands for bands in range(1, 1000) if theory.s_curve(0.8, bands, 17) >= theory.s_curve(0.8, 8, 5))
# assert 14 < strict / 8 < 18
# ```
#
# </details>
#
# **3.** A tool weighs missed pairs nine times as much as dissimilar candidates. Redo the area rule for a threshold of
# .8 and 128 hashes.
#
# <details><summary>Solution</summary>
#
# It takes 14 bands of 9 rows: recall .87 at the threshold. Weights help, but they are no promise; a floor is.
#
# ```python
# def weighed(shape):
#     false, missed = (
#         area(0.8, shape.num_bands, shape.rows_per_band)
#         for area in (theory.false_positive_area, theory.false_negative_area)
#     )
#     return 0.1 * false + 0.9 * missed
#
# best = min((mnb.Banding(b, r) for b in range(1, 129) for r in range(1, 128 // b + 1)), key=weighed)
# assert best == mnb.Banding(14, 9)
# assert round(best.detection_probability(0.8), 2) == 0.87
# ```
#
# </details>
#
# **4.** Tune the corpus of variations with a budget of 64 and with 256 hashes. What do more hashes buy there?
#
# <details><summary>Solution</summary>
#
# A great deal: the half-similar pairs are many, and each further row removes some.
#
# ```python
# few, many = (mnb.tune(variations, threshold=0.8, recall=0.95, max_hashes=budget) for budget in (64, 256))
# assert few.chosen["recall_at_threshold"] >= 0.95 <= many.chosen["recall_at_threshold"]
# assert few.chosen["candidates"] > 2 * many.chosen["candidates"]
# ```
#
# </details>
