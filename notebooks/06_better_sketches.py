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
# # 6 · Better sketches
#
# > **Question.** Classic MinHash evaluates every hash function on every shingle. Can one evaluation per shingle do, and
# > must the estimate suffer for it?
#
# 128 hashes cost 128 evaluations a shingle, and the 128 coins of notebook 2 are *independent*, which sounds ideal. It
# is neither cheap nor ideal: on short documents, slots that avoid each other know more than slots that do not. This
# notebook walks through the family of sketches that do less work for a smaller error, and shows which of them may be
# cut into bands.
#
# Sources: P. Li, A. Owen, C. Zhang, "One permutation hashing" (NIPS 2012); A. Shrivastava, P. Li (ICML 2014) and A.
# Shrivastava (ICML 2017), densification; T. Mai et al. (UAI 2019); S. Dahlgaard, M. Knudsen, M. Thorup, "Fast
# similarity sketching" (FOCS 2017); O. Ertl, "SuperMinHash" (2017); P. Li, A. König, "b-bit minwise hashing" (WWW
# 2010).

# %%
import os

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import LogLocator
from scipy import stats

import minhash_nb as mnb
from minhash_nb import experiments, theory

QUICK = os.environ.get("MINHASH_NB_QUICK") == "1"

# %% [markdown]
# ## Why independence is not the best
#
# Let $f = |A \cup B|$. A slot of the sketch holds one element of the union, and the slots of $A$ and $B$ match exactly
# if that element lies in both. So the estimate asks $k$ elements of the union whether they are shared. Independent hash
# functions ask *with replacement*: 128 questions to a union of 50 ask most elements several times and some never. A
# survey that asks everybody once needs no luck at all. With $c$, the probability that two given slots hold the same
# element,
#
# $$\operatorname{Var}[\hat J] = \frac{J (1 - J)}{k} \left(1 + (k - 1) \frac{c f - 1}{f - 1}\right).$$
#
# Independent functions have $c = 1/f$, and the bracket is 1. Whoever spreads the slots over different elements has a
# smaller $c$ and a smaller variance; whoever *copies* slots has a larger one.
#
# ## One permutation hashing and its holes
#
# One hash function throws every shingle into one of $k$ slots; each slot keeps its least value (P. Li et al.). One
# evaluation a shingle, and no two slots hold the same element. But a short document leaves slots empty, and empty slots
# cannot be compared or banded. **Densification** fills them with copies. Where from?

# %%
ids = np.random.default_rng(3).integers(0, 2**32, 12).tolist()
one = mnb.ShingleMatrix.from_sets([ids])
slots = {
    way: np.asarray(mnb.compute_signatures(one, mnb.OnePermutation(32, densification=way)))[0]
    for way in ("none", "optimal", "push")
}
filled = np.flatnonzero(slots["none"] != 2**32 - 1)
rank = np.full(32, np.nan)
rank[filled] = np.arange(len(filled))
sources = {"none": rank, "rotation": np.searchsorted(filled, np.arange(32)) % len(filled)}
for way in ("optimal", "push"):
    sources[way] = np.argmax(slots[way][:, None] == slots["none"][filled], axis=1)
copied = pd.DataFrame(sources).drop(columns="none").apply(lambda source: source.value_counts().max())
print(f"{len(filled)} of 32 slots are filled; most slots from one source:", copied.to_dict())

# %%
# Figure: 32 slots of one document of 12 shingles in four rows, coloured by the slot whose value they hold. Without
# densification two thirds are blank. Rotation fills each run of blanks with one colour; optimal and push mix colours.
_, ax = plt.subplots(figsize=(8, 2.6))
ax.pcolormesh(np.arange(33), np.arange(5), np.array(list(sources.values()), float), cmap="tab20", edgecolor="white")
ax.invert_yaxis()
ax.set_yticks(np.arange(4) + 0.5, list(sources))
ax.set(xlabel="slot (colour: where its value comes from)", ylabel="densification")
ax.set_title("Copies: in runs by rotation, scattered by the others")
plt.show()

# %% [markdown]
# **To see:** rotation copies the next filled slot to the right, so that whole runs hold one element. Optimal and push
# draw the source of each empty slot at random (push also evens out how often each source is used).

# %%
expected = 32 * (1 - (1 - 1 / 32) ** 12)
assert abs(len(filled) - expected) < 4 * 32**0.5 / 2
assert copied["rotation"] >= copied["push"]

# %% [markdown]
# ## Scatter until nothing is empty: Fast Similarity Sketching
#
# S. Dahlgaard, M. Knudsen and M. Thorup throw all shingles again, with a fresh hash function, into the slots that are
# *still empty*, and again, until none is. Slots filled in one round hold different elements. No slot is a copy. The
# paper allows as many rounds as slots; a document of 20 shingles needs many. `FastSimilaritySketch` stops scattering
# after `rounds` (four by default) and gives what is still empty the classic minimum over all shingles: nearly the same
# variance for a bounded number of evaluations. **SuperMinHash** (O. Ertl) reaches the same end by another way: each
# shingle wanders through the slots in a random permutation of its own.
#
# ## The table of variances
#
# The formula above, with $c$ worked out for each scheme: variance over that of independent hash functions, for 128
# slots and $J = .5$.

# %%
sizes = [5, 20, 50, 100, 200, 500, 5000]
classic = theory.jaccard_variance(0.5, 128)
ratios = {"MinHash": np.ones(len(sizes))}
for way in ("none", "rotation", "optimal", "push"):
    ratios[f"one permutation, {way}"] = theory.one_permutation_variance(0.5, 128, sizes, way) / classic
for rounds in (1, 2, 4, 128):
    label = f"fast similarity, {rounds} round{'s' * (rounds > 1)}"
    ratios[label] = theory.fast_similarity_sketch_variance(0.5, 128, sizes, rounds) / classic
ratios["SuperMinHash"] = theory.superminhash_variance(0.5, 128, sizes) / classic
ratios = pd.DataFrame(ratios, index=pd.Index(sizes, name="size of the union")).T
ratios.round(2)

# %%
better = ratios.loc[["one permutation, none", *(name for name in ratios.index if name.startswith(("fast", "Super")))]]
assert (better < 1).all(axis=None)
assert (ratios[5000] <= 1).all()
if not QUICK:
    assert ratios.loc["one permutation, rotation", [5, 20]].round().tolist() == [21, 6]
    assert ratios.loc["fast similarity, 4 rounds", [50, 100, 500]].round(2).tolist() == [0.53, 0.52, 0.76]
    assert ratios.loc["fast similarity, 128 rounds", [50, 100, 500]].round(2).tolist() == [0.51, 0.52, 0.76]

# %% [markdown]
# Four rounds have .53 of the classic variance at 50 shingles in the union, the paper's 128 rounds have .51. All good
# schemes meet at 1 for huge unions, where asking twice is rare anyway. Rotation has 21 times the classic variance at 5
# elements and 6 times at 20. Now we measure.

# %%
trials = 300 if QUICK else 5_000
schemes = [
    mnb.MinHash(128),
    mnb.OnePermutation(128, densification="rotation"),
    mnb.OnePermutation(128, densification="optimal"),
    mnb.OnePermutation(128, densification="push"),
    mnb.FastSimilaritySketch(128),
    mnb.SuperMinHash(128),
]
errors = experiments.estimator_error(schemes, 0.5, union_size=[10, 20, 50, 100, 200, 500, 1000], trials=trials, seed=6)

# %%
# Figure: variance over that of independent hash functions against the size of the union, both logarithmic, measured
# points on dashed lines of theory. Rotation starts above 10 and falls; optimal and push start near 1; Fast Similarity
# Sketching and SuperMinHash lie near one half up to 200. All meet below 1 at the right.
_, ax = plt.subplots(figsize=(7.2, 4.8))
for position, (name, group) in enumerate(errors.groupby("scheme", sort=False)):
    label = name.replace("densification=", "").replace("'", "") + "(optimal)" * (name == "OnePermutation")
    reach = (group["variance_ratio"] - group["ratio_low"], group["ratio_high"] - group["variance_ratio"])
    style = {"color": f"C{position}", "fmt": "os^Dv*"[position], "markersize": 5}
    ax.errorbar(group["union_size"], group["variance_ratio"], reach, label=label, **style)
    ax.plot(group["union_size"], group["ratio_theory"], "--", color=f"C{position}", linewidth=0.9)
ax.axhline(1, color="0.8", zorder=0)
ax.set(xscale="log", yscale="log", xlabel="shingles in the union", ylabel="variance / variance of independent hashes")
ax.set_xticks([10, 20, 50, 100, 200, 500, 1000], [10, 20, 50, 100, 200, 500, 1000])
ax.set_yticks([0.5, 1, 2, 5, 10], [0.5, 1, 2, 5, 10])
ax.minorticks_off()
ax.set_title("Half the variance where documents are as short as the signature")
ax.legend(fontsize="small")
plt.show()

# %% [markdown]
# **To see:** measurement and formula agree for all six. A short document halves the variance with the right scheme and
# multiplies it with the wrong one.

# %%
spread = (errors["ratio_high"] - errors["ratio_low"]) / (2 * 1.96)
sigmas = stats.norm.isf(3e-5 / len(errors))  # 4 sigma over all cells together
assert ((errors["variance_ratio"] - errors["ratio_theory"]).abs() < sigmas * spread).all()
assert (errors["bias"].abs() < sigmas * errors["bias_error"]).all()

# %% [markdown]
# ## What bands make of it
#
# A band asks whether *all* of its rows agree. What if rows are not independent? With Fast Similarity Sketching the
# slots of a document avoid each other: bands are less correlated in their luck, and the curve becomes *steeper* than
# $1 - (1 - s^r)^b$. With copies it is the other way round.

# %%
pairs = 1_500 if QUICK else 20_000
bandable = [mnb.MinHash(128), mnb.OnePermutation(128), mnb.FastSimilaritySketch(128), mnb.SuperMinHash(128)]
levels = np.round(np.arange(0.44, 0.97, 0.04), 2)
recall = experiments.banding_recall(mnb.Banding(16, 8), levels, bandable, union_size=50, trials=pairs, seed=8)

# %%
# Figure: measured probability of becoming a candidate minus the textbook curve, against similarity, for four schemes
# with 16 bands of 8 rows on unions of 50. MinHash stays at zero. Fast Similarity Sketching and SuperMinHash dip below
# zero left of .7 and rise above it on the right; one permutation hashing is too high on the left.
_, ax = plt.subplots()
for position, (name, group) in enumerate(recall.groupby("scheme", sort=False)):
    over, low, high = (100 * (group[column] - group["theory"]) for column in ("recall", "low", "high"))
    style = {"fmt": "os^D"[position] + "-", "linewidth": 0.6, "capsize": 2, "color": f"C{position}"}
    ax.errorbar(group["jaccard"], over, (over - low, high - over), label=name, **style)
ax.axhline(0, color="black", linestyle="--", label="1 − (1 − s⁸)¹⁶")
ax.set(xlabel="Jaccard similarity of the pair", ylabel="measured − textbook curve (percentage points)")
ax.set_title("A steeper curve: fewer dissimilar candidates, more similar ones")
ax.legend(fontsize="small")
plt.show()

# %% [markdown]
# **To see:** at .8 Fast Similarity Sketching finds 95.8 % where the formula says 94.7 %, and it makes fewer candidates
# of pairs below .6. The gain is a percentage point, and it is free. Densified one permutation hashing errs on the side
# of dissimilar candidates.

# %%
by_scheme = recall.set_index(["scheme", "jaccard"])
sd = (recall["theory"] * (1 - recall["theory"]) / pairs) ** 0.5
is_classic = recall["scheme"] == "MinHash"
assert ((recall["recall"] - recall["theory"])[is_classic].abs() < 4.5 * sd[is_classic] + 1 / pairs).all()
at = by_scheme.loc[("FastSimilaritySketch", 0.8)]
assert at["recall"] > at["theory"] - 4 * (at["theory"] * (1 - at["theory"]) / pairs) ** 0.5
if not QUICK:
    assert at["low"] > at["theory"]
    assert abs(at["recall"] - 0.958) < 4 * (0.958 * 0.042 / pairs) ** 0.5
    assert (
        by_scheme.loc[("FastSimilaritySketch", 0.56), "high"] < by_scheme.loc[("FastSimilaritySketch", 0.56), "theory"]
    )
    assert by_scheme.loc[("OnePermutation", 0.56), "low"] > by_scheme.loc[("OnePermutation", 0.56), "theory"]

# %% [markdown]
# And rotation? A run of copies agrees or disagrees as a whole, so that a band of eight rows is a band of one:

# %%
by_rotation = mnb.OnePermutation(128, densification="rotation")
rotation = experiments.banding_recall(mnb.Banding(16, 8), 0.5, by_rotation, union_size=50, trials=2_000)
rotation[["jaccard", "union_size", "recall", "theory"]].round(3)

# %%
assert rotation["theory"][0] < 0.07
assert round(rotation["recall"][0], 1) == 0.9

# %% [markdown]
# 92 % of the pairs of similarity .5 become candidates instead of 6 %. An unbiased estimate is not enough: a sketch that
# is to be banded must be judged as bands.
#
# ## b-bit: keep less of each slot
#
# Two different minima agree in their last $b$ bits by chance with probability $C = 2^{-b}$, so slots match with
# probability $C + (1 - C) J$, and the estimate is corrected for it. One bit a slot triples the variance at $J = .5$ for
# an equal number of slots, but at equal *bytes* there are 32 times as many.

# %%
budget = 512  # bytes a document
rows = []
for bits in (32, 8, 4, 2, 1):
    num_hashes = 8 * budget // bits
    slots_match = theory.bbit_match_probability(0.5, bits)
    deviation = theory.bbit_variance([0.2, 0.5, 0.8, 0.95], num_hashes, bits) ** 0.5
    rows.append((bits, num_hashes, slots_match, *deviation))
columns = ["bits", "slots in 512 bytes", "P(match) at .5", *(f"sd at {level}" for level in (0.2, 0.5, 0.8, 0.95))]
packed = pd.DataFrame(rows, columns=columns).set_index("bits")
packed.round(4)

# %%
one_bit, whole = (theory.bbit_variance(0.5, 128, bits) for bits in (1, 32))
assert round(one_bit / whole, 6) == 3.0
assert packed["sd at 0.8"].is_monotonic_decreasing
assert (packed.loc[32] > 3 * packed.loc[1]).loc["sd at 0.5"]

# %% [markdown]
# Signing 4,096 slots costs 32 times as many evaluations as 128, unless the sketch is one that does not care. And
# truncated slots make weak rows: with one bit, 16 × 8 makes candidates of 6 % of pairs that have *nothing* in common
# (`theory.bbit_s_curve`). Keep the bands' full slots for the search and the bits for the estimate.

# %%
nothing = theory.bbit_s_curve(0.0, 16, 8, [1, 8])
print(f"candidates among disjoint pairs: 1 bit {nothing[0]:.3f}, 8 bits {nothing[1]:.1e}")
assert round(nothing[0], 2) == 0.06
assert nothing[1] < 1e-15

# %% [markdown]
# ## Error against bytes and against nanoseconds
#
# The last word: error beside cost, measured on the same pairs. Speed without accuracy beside it means nothing. (Times
# are of the machine that ran this; ratios travel better than times.)

# %%
kinds = (mnb.MinHash, mnb.FastSimilaritySketch, mnb.OnePermutation, mnb.SuperMinHash)
measured = [kind(num_hashes=size) for kind in kinds for size in (32, 128, 512)]
sets = 200 if QUICK else 2_000
comparison = experiments.scheme_comparison(measured, 0.5, union_size=[50, 500], trials=sets, seed=9)
bit = experiments.scheme_comparison(
    [mnb.MinHash(num_hashes=size) for size in (128, 512, 2048)], 0.5, union_size=[50, 500], trials=sets, seed=9, bits=1
)

# %%
# Figure: error against bytes of the signature, for unions of 50 (left) and 500 shingles (right). All schemes with whole
# slots fall with the square root of the bytes; at 50 shingles Fast Similarity Sketching and SuperMinHash are lower, at
# 500 all are close. MinHash with one bit a slot lies far to the left: the same error for about a tenth of the
# bytes.
_, axes = plt.subplots(1, 2, figsize=(10, 5.4), sharey=True)
by_size = pd.concat([comparison, bit]).groupby("union_size")
for ax, (size, group) in zip(axes, by_size, strict=True):
    mnb.plotting.plot_scheme_comparison(group, ax=ax)
    ax.set_title(f"{size} shingles in the union")
axes[1].set_ylabel("")
plt.show()

# %% [markdown]
# **To see:** for equal bytes, the choice of the scheme matters for short documents and the choice of bits for all.

# %%
# Figure: error against nanoseconds a shingle, for unions of 50 (left) and 500 shingles (right). Lower left is better.
# SuperMinHash is far to the right, and so is one permutation hashing with many slots at 50 shingles. At 500 shingles
# the line of Fast Similarity Sketching is the steepest: more slots cost it least.
_, axes = plt.subplots(1, 2, figsize=(10, 5.4), sharey=True)
for ax, (size, group) in zip(axes, comparison.groupby("union_size"), strict=True):
    mnb.plotting.plot_scheme_comparison(group, x="nanoseconds", ax=ax)
    ax.xaxis.set_major_locator(LogLocator())
    ax.set_title(f"{size} shingles in the union")
axes[1].set_ylabel("")
plt.show()

# %% [markdown]
# **To see:** Fast Similarity Sketching is at the lower left for long documents and pays for its small error on short
# ones with some time. SuperMinHash has the same error for many times the work, and filling hundreds of slots from a few
# dozen shingles makes one permutation hashing slow. That is the evidence by which
# `find_near_duplicates` takes `FastSimilaritySketch` as its default.

# %%
error = comparison.pivot_table(index=["union_size", "num_hashes"], columns="scheme", values="error")
assert (error.loc[(50, 128), "FastSimilaritySketch"] < 0.85 * error.loc[(50, 128), "MinHash"]).all()
assert comparison["bytes_per_document"].eq(4 * comparison["num_hashes"]).all()
assert (bit["bytes_per_document"] == bit["num_hashes"] / 8).all()
result = mnb.find_near_duplicates(["one text and another", "one text and another one"], threshold=0.5)
assert result.report["parameters"]["scheme"]["scheme"] == "FastSimilaritySketch"

# %% [markdown]
# ## What to take along
#
# * A sketch is a survey of the union. Asking different elements beats asking independently.
# * One evaluation a shingle is enough; what to do with empty slots decides everything. Never band rotation.
# * Four rounds of scattering, then the classic minimum: about half the variance where documents are short, one
#   evaluation a shingle where they are long.
# * b bits save bytes, not time, and make weak bands.
#
# ## Exercises
#
# **1.** Use the formula for the variance: what would a scheme achieve whose slots *never* hold the same element?
#
# <details><summary>Solution</summary>
#
# $c = 0$ makes the bracket $1 - (k - 1) / (f - 1)$: for $k = f$ the variance is 0, everybody has been asked. No scheme
# for sets of any size can keep that promise, as $k > f$ forces repetition.
#
# ```python
# k = f = 64
# assert 1 + (k - 1) * (0 * f - 1) / (f - 1) == 0
# ```
#
# </details>
#
# **2.** One permutation hashing without densification has a small variance as well. Why may it not be banded?
#
# <details><summary>Solution</summary>
#
# Slots that are empty in both documents would agree because both documents are *short*. `estimate_jaccard` leaves them
# out; `candidate_pairs` refuses.
#
# ```python
# sketch = mnb.OnePermutation(128, densification="none")
# short = mnb.compute_signatures(mnb.ShingleMatrix.from_sets([{1, 2, 3}, {7, 8, 9}]), sketch)
# assert (short.values[0] == short.values[1]).mean() > 0.9
# assert mnb.estimate_jaccard(short, [(0, 1)])[0] == 0
# try:
#     mnb.candidate_pairs(short, mnb.Banding(16, 8))
# except ValueError as error:
#     assert "empty slots" in str(error)
# else:
#     raise AssertionError
# ```
#
# </details>
#
# **3.** How many classic hashes have the error of a Fast Similarity Sketch of 128 slots at 100 shingles in the union?
#
# <details><summary>Solution</summary>
#
# $128 / .52 = 245$: nearly twice as many.
#
# ```python
# ratio = theory.fast_similarity_sketch_variance(0.5, 128, 100, rounds=4) / theory.jaccard_variance(0.5, 128)
# assert 235 < 128 / ratio < 255
# ```
#
# </details>
#
# **4.** Signatures of parts of a book are at hand. Which schemes can make the signature of the whole book from them?
#
# <details><summary>Solution</summary>
#
# Those in which the elementwise minimum of two signatures is the signature of the union: MinHash, SuperMinHash, Fast
# Similarity Sketching (the round is kept in the upper bits), one permutation hashing before densification.
#
# ```python
# halves, whole_book = [[1, 2, 3], [3, 4, 5]], [[1, 2, 3, 4, 5]]
# scheme = mnb.FastSimilaritySketch(128)
# first, second = np.asarray(mnb.compute_signatures(mnb.ShingleMatrix.from_sets(halves), scheme))
# union = np.asarray(mnb.compute_signatures(mnb.ShingleMatrix.from_sets(whole_book), scheme))[0]
# assert (np.minimum(first, second) == union).all()
# assert not mnb.OnePermutation(128).mergeable
# ```
#
# </details>
