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
# # 4 · Banding and S-curves
#
# > **Question.** How can the similar pairs among half a million be found without looking at each pair, and which pairs
# > does such a search miss?
#
# A signature makes one comparison cheap, but $n$ documents have $n (n - 1) / 2$ pairs. *Locality-sensitive hashing*
# (LSH) throws documents into buckets, made so that similar ones tend to meet, and looks only at pairs that share a
# bucket. "Tend to" is an exact curve. This notebook derives it, measures it on pairs whose similarity we set, and then
# takes a published experiment apart: what did it find, what did it miss, and at which similarity?
#
# Sources: P. Indyk, R. Motwani, "Approximate nearest neighbors" (STOC 1998); J. Leskovec, A. Rajaraman, J. Ullman,
# *Mining of Massive Datasets*, section 3.4; M. Brenndoerfer, *Language AI Handbook* (2026), ch. 143.

# %%
import os
from importlib.util import find_spec

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import stats

import minhash_nb as mnb
from minhash_nb import experiments, theory

QUICK = os.environ.get("MINHASH_NB_QUICK") == "1"

# %% [markdown]
# ## By hand: three bands of two rows
#
# Cut each signature into **bands** of $r$ **rows**. Documents that agree in *all* rows of a band fall into one
# **bucket** of that band, and all pairs of a bucket are **candidate pairs**. Here are four short texts, signed with six
# hash functions and cut into three bands.

# %%
texts = [
    "the night ferry leaves the harbour when the tide turns",
    "the night ferry leaves the harbour when the wind turns",
    "the last ferry leaves the harbour when the tide turns",
    "bakers fold cold butter into dough to make pastry",
]
signatures = mnb.sign_texts(texts, mnb.MinHash(num_hashes=6, seed=0))
bands = np.asarray(signatures).reshape(len(texts), 3, 2) % 1000  # the last three digits are enough to see it
pd.DataFrame(
    [[tuple(band) for band in document] for document in bands.tolist()], columns=["band 0", "band 1", "band 2"]
)

# %%
banding = mnb.Banding(num_bands=3, rows_per_band=2)
candidates = mnb.candidate_pairs(signatures, banding)
print("candidates:", candidates.tolist())
print("their exact similarity:", mnb.exact_jaccard(mnb.shingle(texts), candidates).round(3))
assert list(map(tuple, candidates)) == mnb.reference.candidate_pairs(np.asarray(signatures).tolist(), 3, 2)
assert (candidates != 3).all()  # the bakers meet nobody
if not QUICK:
    assert candidates.tolist() == [[0, 1], [0, 2]]
    assert (bands[0] == bands[1]).all(axis=1).tolist() == [False, False, True]
    assert (bands[0] == bands[2]).all(axis=1).tolist() == [True, False, False]

# %% [markdown]
# Documents 0, 1 and 2 are versions of one sentence, 3 is about something else. The compiled search and the plain-Python
# `reference` agree. No pair of documents was ever compared: each document was put into three buckets, and the work grew
# with the number of documents. Pair 0-1 met in band 2 and pair 0-2 in band 0. Pair 1-2, two edits apart, did not meet.
#
# ## The S-curve
#
# Two documents of similarity $s$ agree
#
# * in one row with probability $s$ (notebook 2),
# * in all $r$ rows of a band with $s^r$, since rows are independent,
# * in all rows of none of the $b$ bands with $(1 - s^r)^b$, and so
#
# $$P(s) = P(\text{candidate}) = 1 - (1 - s^r)^b.$$
#
# This function of $s$ is the **S-curve**. Rows are an *and*, which makes the test strict; bands are an *or*, which
# makes it lenient. The textbook's table for 20 bands of 5 rows (16 × 8, say, will stand for 16 bands of 8 rows) shows
# what both together do:

# %%
similarity = np.arange(2, 9) / 10
textbook = theory.s_curve(similarity, num_bands=20, rows_per_band=5)
print(pd.Series(textbook.round(4), index=similarity))
assert np.abs(textbook - [0.006, 0.047, 0.186, 0.470, 0.802, 0.975, 0.9996]).max() < 5.1e-4

# %%
# Figure: two panels of S-curves. Left, 8 rows and 4 to 256 bands: more bands move the curve to the left. Right, 16
# bands and 2 to 16 rows: more rows move it to the right and make it steeper.
_, axes = plt.subplots(1, 2, figsize=(9, 5), sharey=True)
mnb.plotting.plot_s_curve([mnb.Banding(4**n, 8) for n in range(1, 5)], half_points=False, ax=axes[0])
mnb.plotting.plot_s_curve([mnb.Banding(16, 2**n) for n in range(1, 5)], half_points=False, ax=axes[1])
axes[0].set_title("More bands find more")
axes[1].set_title("More rows are stricter")
axes[1].set_ylabel("")
plt.show()

# %% [markdown]
# **To see:** bands and rows pull in opposite directions. With both, the curve can be put anywhere and made as steep as
# the number of hashes, $b \cdot r$, allows.

# %%
grid = np.linspace(0.05, 0.95, 19)[:, None]
assert (np.diff(theory.s_curve(grid, [4, 16, 64, 256], 8), axis=1) >= 0).all()
assert (np.diff(theory.s_curve(grid, 16, [2, 4, 8, 16]), axis=1) <= 0).all()

# %% [markdown]
# A **threshold** is the similarity from which we want to find pairs. Move the sliders (in a running notebook): the
# orange area is dissimilar pairs that become candidates, the pink one is similar pairs that are missed.

# %%


def draw(num_bands=16, rows_per_band=8, threshold=0.8):
    """Draw one S-curve and its two error areas."""
    mnb.plotting.plot_s_curve(mnb.Banding(num_bands, rows_per_band), threshold=threshold, shade=True)


# %%
# Figure: the S-curve of 16 bands of 8 rows with a line at similarity .8. The area under the curve left of the line is
# shaded as dissimilar candidates, the much smaller one above the curve right of it as missed pairs.
draw()
plt.title("16 × 8 and a threshold of .8")
plt.show()

# %% [markdown]
# **To see:** both errors are areas between the curve and the ideal, a step from 0 to 1 at the threshold. At 16 × 8, a
# pair of similarity .8 is found 94.7 times in 100, and one of similarity .6 still 23.7 times.

# %%
assert mnb.Banding(16, 8).detection_probability(0.8) > mnb.Banding(16, 8).detection_probability(0.6)
if not QUICK:
    assert mnb.Banding(16, 8).detection_probability([0.8, 0.6]).round(3).tolist() == [0.947, 0.237]

# %%
if find_spec("ipywidgets"):
    from ipywidgets import interact

    interact(draw, num_bands=(1, 64), rows_per_band=(1, 32), threshold=(0.05, 1.0, 0.05))

# %% [markdown]
# ## Three landmarks, and which one is "the threshold"
#
# Nearly every text calls $(1/b)^{1/r}$ the threshold of a banding, and many say that half of the pairs there are found,
# or that the curve is steepest there. Neither is exact. Solving $P = 1/2$ for the one, and for the other $P'' = 0$
# (where the slope stops growing), gives
#
# | landmark | similarity |
# |---|---|
# | customary threshold | $(1/b)^{1/r}$ |
# | half-point | $(1 - 2^{-1/b})^{1/r}$ |
# | steepest point | $\left(\frac{r - 1}{b r - 1}\right)^{1/r}$ |
#
# At the customary threshold $s^r = 1/b$, so that $P = 1 - (1 - 1/b)^b$ there. This depends on $b$ alone and falls
# towards $1 - 1/e = .632$ as $b$ grows. Some bandings in use:

# %%
shapes = [mnb.Banding(*shape) for shape in [(16, 8), (20, 5), (14, 8), (9, 13), (20, 13), (450, 20)]]
landmarks = pd.DataFrame(
    {
        "(1/b)^(1/r)": [banding.threshold for banding in shapes],
        "P there": [banding.detection_probability(banding.threshold) for banding in shapes],
        "half-point": [banding.half_point for banding in shapes],
        "steepest": [banding.steepest for banding in shapes],
    },
    index=[f"{banding.num_bands} × {banding.rows_per_band}" for banding in shapes],
)
landmarks.round(4)

# %%
# Figure: two panels for 16 bands of 8 rows. Left, the S-curve between similarity .5 and .9 with three vertical lines:
# half-point at .674, steepest point at .696, customary threshold at .707. Right, its slope, which is largest at the
# second line.
banding = mnb.Banding(16, 8)
zoom = np.linspace(0.5, 0.9, 801)
curve = banding.detection_probability(zoom)
marks = [("half-point", banding.half_point), ("steepest", banding.steepest), ("$(1/b)^{1/r}$", banding.threshold)]
_, axes = plt.subplots(1, 2, figsize=(9, 4))
for ax, y in zip(axes, (curve, np.gradient(curve, zoom)), strict=True):
    ax.plot(zoom, y, "--", color="black")
    for colour, (name, x) in enumerate(marks):
        ax.axvline(x, color=f"C{colour}", label=f"{name} {x:.3f}")
    ax.set_xlabel("Jaccard similarity of the pair")
axes[0].set(ylabel="probability of becoming a candidate", title="Half of the pairs at .674 are found")
axes[1].set(ylabel="slope of that curve", title="The slope is largest at .696")
axes[0].legend(loc="lower right")
plt.show()

# %% [markdown]
# **To see:** the .707 that is customary for 16 × 8, and that the chapter gives, is neither of the other two. A pair
# there is found 64 times in 100, the half-point is .674. Quote a point of the curve, not "the threshold".

# %%
assert (landmarks["half-point"] < landmarks["steepest"]).all()
assert (landmarks["steepest"] < landmarks["(1/b)^(1/r)"]).all()
assert (landmarks["P there"] > 1 - np.exp(-1)).all()
assert round(1 - np.exp(-1), 3) == round(1 - (1 - 1e-6) ** 1e6, 3) == 0.632
assert abs(zoom[np.argmax(np.gradient(curve, zoom))] - banding.steepest) < 1e-3
if not QUICK:
    assert landmarks.loc["16 × 8"].round(3).tolist() == [0.707, 0.644, 0.674, 0.696]

# %% [markdown]
# ## Does the curve hold?
#
# Rows are independent only as far as the hash functions are. So we *plant* pairs, that is, make sets of exactly known
# similarity, sign them, band them, and count. The share found is the **recall**. Three bandings of the same 128 hashes:

# %%
trials = 300 if QUICK else 4_000
recall = experiments.banding_recall(
    [mnb.Banding(32, 4), mnb.Banding(16, 8), mnb.Banding(8, 16)], union_size=200, trials=trials, seed=4
)
recall.query("jaccard in [0.5, 0.7, 0.8, 0.9]").pivot_table(
    index="jaccard", columns=["num_bands", "rows_per_band"], values=["recall", "theory"]
).round(3)

# %%
# Figure: measured share of planted pairs that become candidates, with intervals, for 32 × 4, 16 × 8 and 8 × 16. All
# points lie on the dashed S-curves.
ax = mnb.plotting.plot_banding_recall(recall)
ax.set_title("Planted pairs lie on the curve")
plt.show()

# %% [markdown]
# **To see:** the formula is not an idealisation. With the same 128 hashes, pairs of similarity .7 are found, by theory,
# in nearly all cases (32 × 4), in 61 % (16 × 8) or in 3 % (8 × 16): bands and rows decide, not the number of hashes.

# %%
chance = [stats.binomtest(row.found, row.trials, row.theory).pvalue for row in recall.itertuples()]
assert min(chance) > 6e-5 / len(recall)  # 4 sigma for all points together
at_seven = recall[recall["jaccard"] == 0.7].set_index("num_bands")
assert at_seven.loc[32, "recall"] > at_seven.loc[16, "recall"] > at_seven.loc[8, "recall"]
if not QUICK:
    assert (at_seven["theory"].round(2).loc[[32, 16, 8]] == [1.0, 0.61, 0.03]).all()

# %% [markdown]
# ## A published experiment, dissected
#
# The chapter makes 1,000 short texts from a few sentences by replacing words (a fifth of them get one replacement, the
# others three to six), signs them with 128 hashes, bands them 16 × 8, and reports **2,260 candidates** of 499,500
# pairs, **221 times fewer**. We repeat it with its algorithm, bit for bit (shingle ids from the hash function MD5,
# $(a x + b) \bmod (2^{31} - 1)$, seed 42), on five sentences of our own.

# %%
corpus = mnb.datasets.generate_corpus(num_docs=1000, dup_fraction=0.2, seed=0)
shingles = mnb.shingle(corpus, k=5, id_hash="md5", short_texts="drop")
scheme = mnb.MinHash(num_hashes=128, seed=42, family="mersenne31")
candidates = mnb.candidate_pairs(mnb.compute_signatures(shingles, scheme), banding)
everything = np.stack(np.triu_indices(len(corpus), 1), axis=1)
jaccard = mnb.exact_jaccard(shingles, everything)
is_candidate = np.isin(everything @ [1000, 1], candidates @ [1000, 1])  # a pair i, j as the number 1000 i + j
published = pd.Series({"candidates": 2260, "pairs": 499_500, "times fewer": 221.0}, name="chapter")
ours = {"candidates": len(candidates), "pairs": len(everything), "times fewer": len(everything) / len(candidates)}
pd.DataFrame([published, pd.Series(ours, name="our sentences")]).round(1)

# %%
assert len(everything) == 499_500
assert (shingles.indices.size, np.unique(shingles.indices).size) == (60_997, 2_047)
assert len(candidates) == is_candidate.sum() == 2_044
assert round(len(everything) / len(candidates), 1) == 244.4
assert round(499_500 / 2_260) == 221
assert len(mnb.datasets.BASE_TEXTS) == 5

# %% [markdown]
# 60,997 shingles in all documents, 2,047 of them distinct, and 2,044 candidates, 244.4 times fewer than pairs: the
# chapter's picture. But a reduction says nothing about what was lost (a search that finds *nothing* reduces without
# limit). At 1,000 documents we can afford the truth, the exact similarity of every pair, so let us look.

# %%
levels = [0.5, 0.7, 0.8, 0.9]
table = pd.DataFrame(
    {
        "pairs": [(jaccard >= level).sum() for level in levels],
        "found": [(is_candidate & (jaccard >= level)).sum() for level in levels],
    },
    index=pd.Index(levels, name="similarity of at least"),
).assign(recall=lambda frame: frame["found"] / frame["pairs"])
table.round(3)

# %%
# Figure: pairs of the corpus by similarity on a logarithmic scale, and in front of them, darker, those that became
# candidates. Below .3 nearly all are missed, above .8 none; in between the dark part of a bar grows.
bins = np.linspace(0, 1, 21)
_, ax = plt.subplots()
ax.hist(jaccard, bins, color="C5", label="all pairs")
ax.hist(jaccard[is_candidate], bins, color="C0", label="candidates")
ax.axvline(banding.threshold, color="C1", linestyle="--", label=f"$(1/b)^{{1/r}}$ = {banding.threshold:.3f}")
ax.set(yscale="log", xlabel="exact Jaccard similarity", ylabel="pairs per .05 of similarity", xlim=(0, 1))
ax.set_title("What 16 × 8 found, and what it left")
ax.legend()
plt.show()

# %% [markdown]
# **To see:** of 5,711 pairs at .5 or above 1,603 were found, at .7 or above 414 of 484 (85.5 %), at .8 all 109, at .9
# all 31. And 441 candidates, a fifth, are below .5; only 414 of 2,044 reach .7. A candidate is not a duplicate: it is a
# pair worth verification.

# %%
assert table["recall"].is_monotonic_increasing
assert table["pairs"].tolist() == [5711, 484, 109, 31]
assert table["found"].tolist() == [1603, 414, 109, 31]
assert round(414 / 484, 3) == 0.855
assert (is_candidate & (jaccard < 0.5)).sum() == 2_044 - 1_603 == 441
assert round(441 / 2_044, 1) == 0.2

# %% [markdown]
# Here is one missed pair, the most similar of them, and the least similar candidate:

# %%
missed, odd = np.where(is_candidate, -1, jaccard).argmax(), np.where(is_candidate, jaccard, 2).argmin()
for title, pair in (("missed", missed), ("candidate", odd)):
    first, second = (corpus[document] for document in everything[pair])
    print(f"{title}, J = {jaccard[pair]:.3f}", first, second, sep="\n   ")
assert jaccard[odd] < 0.2
assert 0.7 < jaccard[missed] < 0.8

# %% [markdown]
# ## One run is one draw
#
# The number of candidates to expect is the sum of $P(s)$ over all pairs: 1,602, and the run gave 2,044. Is the curve
# wrong after all? *Hundreds* of texts come from each sentence and share long runs of its shingles. If such shared
# shingles happen to be the minima of a whole band, all of these pairs are found together. They share one draw of the
# hash functions, so the count spreads far more than that of independent pairs. The remedy is the one of notebook 2:
# look at many draws.

# %%
draws = 5 if QUICK else 60
predicted = banding.detection_probability(jaccard)
found = []
for seed in range(draws):
    scheme = mnb.MinHash(num_hashes=128, seed=seed, family="mersenne31")
    pairs = mnb.candidate_pairs(mnb.compute_signatures(shingles, scheme), banding)
    found.append(np.isin(everything @ [1000, 1], pairs @ [1000, 1]))
found = np.array(found)
counts = found.sum(axis=1)
binomial = (predicted * (1 - predicted)).sum() ** 0.5
print(
    f"predicted {predicted.sum():.0f}; mean of {draws} draws {counts.mean():.0f}, from {counts.min()} to {counts.max()}"
)
print(f"standard deviation {counts.std(ddof=1):.0f}; it would be {binomial:.0f} if pairs were independent")

# %%
# Figure: share of the pairs found in each class of similarity. Thin lines, one for each draw of the hash functions,
# scatter widely around the dashed S-curve; the points, their mean, lie on it.
place = np.digitize(jaccard, bins) - 1
number = np.bincount(place, minlength=20)[:20]
shares = np.array([np.bincount(place[run], minlength=20)[:20] for run in found]) / np.maximum(number, 1)
expected = np.bincount(place, predicted, minlength=20)[:20] / np.maximum(number, 1)
middle, enough = (bins[:-1] + bins[1:]) / 2, number >= 20
_, ax = plt.subplots()
ax.plot(middle[enough], shares[:, enough].T, color="C5", linewidth=0.5)
ax.plot([], [], color="C5", label=f"{draws} draws")
ax.plot(middle[enough], shares.mean(axis=0)[enough], "o", color="C0", label="their mean")
ax.plot(middle[enough], expected[enough], "--", color="black", label="S-curve, summed over the pairs")
ax.axhline(0.5, color="0.8", linewidth=0.6, zorder=0)
ax.set(xlabel="exact Jaccard similarity (classes of .05)", ylabel="share of the pairs found", xlim=(0, 1))
ax.set_title("The mean follows the curve, a single run need not")
ax.legend()
plt.show()

# %% [markdown]
# **To see:** the mean over draws lies on the curve; single runs do not, and the spread of the number of candidates is
# about ten times that of independent pairs. The run with seed 42, one of these draws, is a rich one and no broken
# formula: it lies less than two standard deviations above the mean.

# %%
error = counts.std(ddof=1) / draws**0.5
assert abs(counts.mean() - predicted.sum()) < stats.t.isf(3e-5, draws - 1) * error  # 4 sigma, two-sided
assert counts.std(ddof=1) > 3 * binomial
if not QUICK:
    assert round(predicted.sum()) == 1_602
    assert counts[42] == 2_044 < counts.mean() + 2 * counts.std(ddof=1)
    assert 7 < counts.std(ddof=1) / binomial < 13

# %% [markdown]
# ## What to take along
#
# * Rows are an *and*, bands an *or*; together $1 - (1 - s^r)^b$, and planted pairs obey it.
# * $(1/b)^{1/r}$ is a landmark, not the half-point. Ask for the similarity that is found with probability .95:
#   solve $P(s) = .95$ (`theory.inverse_s_curve`).
# * Report recall beside reduction. Candidates are to be verified, and what was not a candidate is lost.
# * A run on a corpus is one draw, shared by all of its pairs.
#
# Next: choosing bands and rows for a threshold, with the corpus in hand.
#
# ## Exercises
#
# **1.** Somebody types 8 × 16 for 16 × 8. How many of the pairs at .8 are found?
#
# <details><summary>Solution</summary>
#
# 20 % instead of 95 %. Papers write $(b, r)$ in both orders; `Banding` names its parameters.
#
# ```python
# assert round(mnb.Banding(num_bands=8, rows_per_band=16).detection_probability(0.8), 2) == 0.2
# assert round(mnb.Banding(num_bands=16, rows_per_band=8).detection_probability(0.8), 2) == 0.95
# ```
#
# </details>
#
# **2.** Above which similarity does 16 × 8 find 95 % of the pairs? How many bands of 8 rows would do so from .7 on?
#
# <details><summary>Solution</summary>
#
# From .802 on. At .7 a band agrees with probability $.7^8 = .0576$, and $1 - (1 - .0576)^b \ge .95$ takes 51 bands,
# 408 hashes.
#
# ```python
# assert round(theory.inverse_s_curve(0.95, 16, 8), 3) == 0.802
# bands = int(np.ceil(np.log(0.05) / np.log1p(-(0.7**8))))
# assert bands == 51 and theory.s_curve(0.7, 51, 8) >= 0.95 > theory.s_curve(0.7, 50, 8)
# ```
#
# </details>
#
# **3.** Can an additional band lose a candidate? Try it on the corpus.
#
# <details><summary>Solution</summary>
#
# No: candidates are a union over bands. (An additional *row* can, and usually does.)
#
# ```python
# signatures = mnb.compute_signatures(shingles, mnb.MinHash(num_hashes=128))
# fewer, more, stricter = (
#     set(map(tuple, mnb.candidate_pairs(signatures, mnb.Banding(*shape)).tolist()))
#     for shape in [(8, 8), (9, 8), (8, 9)]
# )
# assert fewer < more
# assert not fewer <= stricter
# ```
#
# </details>
#
# **4.** 100 hashes may be cut into 1, 2, 4, 5, 10, 20, 25, 50 or 100 bands. Which cut has its half-point nearest to .8?
#
# <details><summary>Solution</summary>
#
# 5 bands of 20 rows have .903, 10 of 10 have .763: the latter. The choice between factors is coarse; use fewer hashes
# than you have (9 × 11 has .789).
#
# ```python
# cuts = [mnb.Banding(b, 100 // b) for b in (1, 2, 4, 5, 10, 20, 25, 50, 100)]
# assert min(cuts, key=lambda cut: abs(cut.half_point - 0.8)) == mnb.Banding(10, 10)
# halves = [round(mnb.Banding(*shape).half_point, 3) for shape in [(5, 20), (10, 10), (9, 11)]]
# assert halves == [0.903, 0.763, 0.789]
# ```
#
# </details>
