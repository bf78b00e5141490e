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
# # 2 · Why the minimum works
#
# > **Question.** How can one number per hash function, the least value on a set, know how similar two sets are, and how
# > far can it be off?
#
# Comparing a million documents pair by pair means half a trillion set intersections. MinHash replaces each set, however
# large, by a short list of numbers, the **signature**; the share of equal numbers estimates the Jaccard similarity.
# This notebook shows why, and then takes the word *estimates* seriously: with its spread, its exact interval, and a
# published estimate of .7734 for a true .6970.
#
# Sources: A. Broder, "On the resemblance and containment of documents" (1997), who kept the least values of a single
# permutation; A. Broder, M. Charikar, A. Frieze, M. Mitzenmacher, "Min-wise independent permutations" (STOC 1998), with
# many permutations and one minimum of each, as here.

# %%
import os
from importlib.util import find_spec

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import stats

import minhash_nb as mnb
from minhash_nb import datasets, experiments, theory

QUICK = os.environ.get("MINHASH_NB_QUICK") == "1"

# %% [markdown]
# ## By hand: shuffle the rows
#
# Three documents over eight shingles, as a table of 0 and 1. Shuffle the rows, and write down for each document the
# first shingle that it has. Do it six times: a document's six names are its signature.

# %%
letters = pd.Index(list("abcdefgh"), name="shingle")
documents = pd.DataFrame(
    {"A": [1, 1, 1, 1, 0, 0, 1, 0], "B": [1, 1, 1, 0, 1, 0, 1, 0], "C": [0, 0, 0, 0, 0, 1, 0, 1]}, letters
)
documents

# %%
rng = np.random.default_rng(3)
by_hand = pd.DataFrame([documents.loc[rng.permutation(letters)].idxmax() for _ in range(6)])
by_hand.index = pd.RangeIndex(1, 7, name="shuffle")
by_hand.T

# %%
in_both, in_any = (documents[["A", "B"]].min(axis=1).sum(), documents[["A", "B"]].max(axis=1).sum())
equal = int((by_hand["A"] == by_hand["B"]).sum())
print(f"J(A, B) = {in_both}/{in_any} = {in_both / in_any:.3f}; the signatures agree in {equal} of 6")
assert (by_hand["A"] != by_hand["C"]).all()
assert (in_both, in_any) == (4, 6)
assert 10**6 * (10**6 - 1) // 2 == 499_999_500_000  # half a trillion
if not QUICK:
    assert equal == 4

# %% [markdown]
# `A` and `C` have nothing in common, so they can never name the same shingle. `A` and `B` name the same one exactly
# when the first row *of their union* lies in both. That is the whole proof. Let $h(x)$ be the place of $x$ in the
# shuffled order, and $\min h(A)$ the least place of an element of $A$.
#
# > In a random order, each element of $A \cup B$ comes first with the same probability $1 / |A \cup B|$. The two minima
# > are equal if and only if the element that comes first lies in $A \cap B$. Therefore
# > $$P\big(\min h(A) = \min h(B)\big) = \frac{|A \cap B|}{|A \cup B|} = J(A, B).$$
#
# ## One permutation, many times
#
# A *permutation* is one such order. Does the share of equal minima come out as promised?
#
# The chapter that this course starts from (M. Brenndoerfer, *Language AI Handbook*, 2026, ch. 143) compares two
# documents of 28 shingles each, 23 of them common: $J = 23/33 = .6970$. We shuffle the 33 shingles of such a union over
# and over. Elements 0 to 22 lie in both sets, 23 to 27 in $A$ only, 28 to 32 in $B$ only. The printed interval holds
# the values of $J$ that are plausible after such a count; what "95 %" promises is measured below.

# %%
shared, only_a, only_b = np.arange(23), np.arange(23, 28), np.arange(28, 33)
true = 23 / 33
shuffles = 2_000 if QUICK else 50_000
ranks = np.random.default_rng(1).permuted(np.tile(np.arange(33), (shuffles, 1)), axis=1)  # of each element
first_of_a = ranks[:, [*shared, *only_a]].min(axis=1)
first_of_b = ranks[:, [*shared, *only_b]].min(axis=1)
matches = int((first_of_a == first_of_b).sum())
low, high = theory.clopper_pearson(matches, shuffles, 0.95)
print(f"share of equal minima {matches / shuffles:.4f}, 95 % interval {low:.4f} to {high:.4f}; J = {true:.4f}")
assert abs(matches / shuffles - true) < 4 * (true * (1 - true) / shuffles) ** 0.5

# %%
# Figure: 33 bars, one for each element of the union: how often it came first. 23 belong to shared elements, 5 to each
# set alone; all end near the dashed line of equal chance.
first = np.bincount(ranks.argmin(axis=1), minlength=33)
share, spread = 1 / 33, 1.96 * (1 / 33 * 32 / 33 / shuffles) ** 0.5
_, ax = plt.subplots()
for elements, label in ((shared, "in both: equal minima"), (only_a, "in A only"), (only_b, "in B only")):
    ax.bar(elements, first[elements] / shuffles, label=label)
ax.axhline(share, color="black", linestyle="--", label="1/33, and 95 % of shuffled counts")
ax.axhspan(share - spread, share + spread, color="black", alpha=0.15, linewidth=0)
ax.set(xlabel="element of the union", ylabel="share of shuffles in which it comes first", ylim=(0, 1.45 * share))
ax.set_title("Everyone is equally often first; 23 of 33 are shared")
ax.legend(ncols=2, fontsize="small")
plt.show()

# %% [markdown]
# **To see:** no element is favoured, so the share that the blue bars take *is* the Jaccard similarity. (With 33 bars,
# one or two outside a 95 % band are to be expected; a chi-square test of all of them follows.) Notebook 3 shows such a
# picture when the order is not random, and what is lost then.

# %%
test = stats.chisquare(first)
assert test.pvalue > 6e-5  # two-sided 4 sigma
assert first[shared].sum() == matches

# %% [markdown]
# ## From permutations to hash functions
#
# Nobody shuffles a universe of $2^{32}$ ids. A **hash function** $h(x) = (a x + b) \bmod p$, the remainder of $a x + b$
# after division by a fixed prime number $p$, gives every id a place in some order, and the least place is the minimum.
# The *family* is all of these functions; drawing $a$ and $b$ at random draws one of them. With $k$ functions a document
# has $k$ minima, its **signature**; the family, the seed of the draws and the size $k$ together are the **scheme**.
# (In formulas $k$ counts hash functions from here on. In notebook 1 it was the length of a shingle, and as an argument,
# `k=5`, it still is.)

# %%
names = [[0, 1, 2, 3, 6], [0, 1, 2, 4, 6], [5, 7]]  # A, B and C of above, by the number of the shingle
scheme = mnb.MinHash(num_hashes=6, seed=42, family="mersenne31")
signatures = np.asarray(mnb.compute_signatures(mnb.ShingleMatrix.from_sets(names), scheme))
signatures

# %%
assert signatures.tolist() == mnb.reference.signatures(names, num_hashes=6, seed=42)
factors, shifts = scheme.coefficients
assert (factors.tolist(), shifts.tolist()) == mnb.reference.coefficients(6, 42)

# %% [markdown]
# One row for each document, one column for each hash function. The compiled package and the plain Python of
# `reference.signatures` give the same numbers.
#
# ## How far off: a binomial distribution
#
# Each of $k$ independent functions gives equal minima, a *match*, with probability $J$, like a biased coin. So the
# number of matches is binomial, and the estimate $\hat J = \text{matches} / k$ has the mean and the standard deviation
#
# $$E[\hat J] = J, \qquad \operatorname{sd}[\hat J] = \sqrt{\frac{J (1 - J)}{k}} \le \frac{1}{2 \sqrt k}.$$
#
# An estimate whose mean is the truth is called *unbiased*. We look at many pairs of sets with similarities from 0 to 1.
# The first 16 columns of a signature of 1,024 are a signature of 16, so one run serves all sizes.

# %%
num_pairs = 1_000 if QUICK else 20_000
wanted = np.random.default_rng(2).uniform(0, 1, num_pairs)
shingles, pairs = datasets.pairs_with_jaccard(num_pairs, wanted, union_size=200, seed=3)
values = np.asarray(mnb.compute_signatures(shingles, mnb.MinHash(num_hashes=1024)))
assert (np.asarray(mnb.compute_signatures(shingles, mnb.MinHash(num_hashes=16))) == values[:, :16]).all()
agree = values[0::2] == values[1::2]


def draw(num_hashes, ax=None):
    """Draw estimated against exact similarity for the first columns of the signatures."""
    estimate = agree[:, :num_hashes].mean(axis=1)
    mnb.plotting.plot_estimates(pairs.assign(estimate=estimate), num_hashes=num_hashes, ax=ax, gridsize=(56, 32))


# %%
# Figure: four clouds of estimated against exact Jaccard similarity, for 16, 64, 256 and 1,024 hashes. All lie around
# the diagonal inside the dashed binomial band, which is widest in the middle and half as wide from one panel to the
# next.
figure, axes = plt.subplots(2, 2, figsize=(9, 8), sharex=True, sharey=True)
for ax, num_hashes in zip(axes.flat, (16, 64, 256, 1024), strict=True):
    draw(num_hashes, ax)
    ax.set_title(f"{num_hashes:,} hashes")
    ax.get_legend().remove()
    ax.label_outer()
figure.suptitle("Estimated against exact similarity; dashed: the exact 95 % band", fontsize="medium")
plt.show()

# %% [markdown]
# **To see:** no cloud leans to one side (the estimate is unbiased), and four times the hashes halve the band, in which
# theory wants at least 95 % of the estimates at each similarity. With 16 hashes .5 and .7 are less than two standard
# deviations apart, with 1,024 more than ten.

# %%
assert 2 * theory.jaccard_variance(0.5, 16) ** 0.5 > 0.2 > 10 * theory.jaccard_variance(0.5, 1024) ** 0.5
levels = pairs["jaccard"].to_numpy()
for num_hashes in (16, 64, 256, 1024):
    low, high = (stats.binom.ppf(tail, num_hashes, levels) / num_hashes for tail in (0.025, 0.975))
    estimate = agree[:, :num_hashes].mean(axis=1)
    inside = ((low <= estimate) & (estimate <= high)).mean()
    rms = ((estimate - levels) ** 2).mean() ** 0.5
    predicted = (levels * (1 - levels) / num_hashes).mean() ** 0.5
    print(f"{num_hashes:5,} hashes: {inside:.1%} in the band; root mean square error {rms:.4f}, theory {predicted:.4f}")
    assert inside > 0.95 - 4 * (0.05 * 0.95 / num_pairs) ** 0.5
    assert abs(rms / predicted - 1) < 4 / num_pairs**0.5  # the relative standard error is below 1 / sqrt(num_pairs)

# %%
if find_spec("ipywidgets"):  # the panels above say the same where sliders do not run
    from ipywidgets import SelectionSlider, fixed, interact

    interact(draw, num_hashes=SelectionSlider(options=[2**n for n in range(4, 11)], value=128), ax=fixed(None))

# %% [markdown]
# ## The error against the number of hashes
#
# Now many pairs of the same similarity. The *root mean square error* is the root of the mean of
# $(\hat J - J)^2$; for an unbiased estimate it should be the standard deviation above ("theory" in the table).

# %%
trials = 200 if QUICK else 4_000
schemes = [mnb.MinHash(num_hashes=2**n, seed=n) for n in range(4, 11)]
errors = experiments.estimator_error(schemes, jaccard=[0.5, 0.7, 0.9], union_size=200, trials=trials, seed=5)
errors.pivot_table(index="num_hashes", columns="jaccard", values=["error", "theory"]).round(4)

# %%
# Figure: root mean square error against the standard deviation that independent hash functions have, both on
# logarithmic axes. The points lie on the dashed diagonal from 16 to 1,024 hashes.
ax = mnb.plotting.plot_estimator_error(errors)
ax.set_title("Four times the hashes for half of the error")
plt.show()

# %% [markdown]
# **To see:** theory holds over the whole range. At 128 hashes the standard deviation is .044 for $J = .5$, .041 for .7
# and .027 for .9: one estimate is a number with one good digit. Better schemes lie *below* this line (notebook 6).

# %%
ratio = errors["error"] / errors["theory"]
assert ((ratio - 1).abs() < 4 * (errors["high"] / errors["error"] - 1) / 1.96).all()
if not QUICK:
    assert [round(theory.jaccard_variance(j, 128) ** 0.5, 3) for j in (0.5, 0.7, 0.9)] == [0.044, 0.041, 0.027]

# %% [markdown]
# ## The case of .7734
#
# The chapter estimates those two documents with 128 hashes and reports .7734 for the true .6970. Is MinHash off by
# 11 %? $.7734 = 99 / 128$, so 99 coins of 128 came up. We repeat the experiment: two sets of the same sizes, 8,192
# *fresh draws* of 128 hash functions of the chapter's own family.

# %%
draws = 1_024 if QUICK else 8_192
ids = np.random.default_rng(6).integers(0, 2**32, 33, dtype=np.uint32)
two = mnb.ShingleMatrix.from_sets([ids[[*shared, *only_a]].tolist(), ids[[*shared, *only_b]].tolist()])
assert mnb.exact_jaccard(two, [(0, 1)])[0] == true
scheme = mnb.MinHash(num_hashes=128 * draws, seed=0, family="mersenne31")
first, second = np.asarray(mnb.compute_signatures(two, scheme))
matches = (first == second).reshape(draws, 128).sum(axis=1)
z = (99 / 128 - true) / theory.jaccard_variance(true, 128) ** 0.5
at_least = theory.power(99 / 128, true, 128)
as_far = stats.binomtest(99, 128, true).pvalue
print(f"z = {z:.2f}; P(99 or more) = {at_least:.3f}; P(as far on either side) = {as_far:.3f}, one in {1 / as_far:.0f}")
print(f"of {draws:,} draws {(np.abs(matches - 128 * true) >= 99 - 128 * true).mean():.3f} are as far off")

# %%
# Figure: histogram of the estimates of the same pair under fresh draws of the hash functions, over the binomial
# distribution. The chapter's .7734 stands in the right flank; its 95 % interval reaches down over the true .6970.
low, high = theory.clopper_pearson(99, 128)
x = np.arange(70, 110)
_, ax = plt.subplots()
ax.bar(x / 128, np.bincount(matches, minlength=129)[x] / draws, 0.9 / 128, color="C5", label=f"{draws:,} draws")
ax.plot(x / 128, stats.binom.pmf(x, 128, true), "--", color="C0", label="binomial, theory")
ax.axvline(true, color="black", linewidth=1, label=f"true {true:.4f}")
ax.errorbar(
    99 / 128,
    0.05,
    xerr=[[99 / 128 - low], [high - 99 / 128]],
    fmt="s",
    color="C1",
    capsize=4,
    label="99/128, exact 95 %",
)
ax.set(xlabel="estimated Jaccard similarity from 128 hashes", ylabel="share of the draws")
ax.set_title("The chapter's estimate is one draw in fifteen")
ax.legend(loc="upper left", fontsize="small")
plt.show()

# %% [markdown]
# **To see:** .7734 is 1.88 standard deviations high. One draw in fifteen is as far off, high or low (one in thirty as
# high), and the exact 95 % interval of 99 matches in 128, from .691 to .843, contains the truth. Nothing is wrong with
# MinHash; a single estimate without its interval is.

# %%
found = (np.abs(matches - 128 * true) >= 99 - 128 * true).mean()
assert abs(found - as_far) < 4 * (as_far * (1 - as_far) / draws) ** 0.5
assert low < true < high
assert round(99 / 128, 4) == 0.7734
assert (round(true, 4), round(z, 2), round(low, 3), round(high, 3)) == (0.6970, 1.88, 0.691, 0.843)
assert (round(at_least, 3), round(as_far, 3), round(1 / as_far)) == (0.034, 0.067, 15)
assert (round(1 / at_least, -1), round((99 / 128) / true - 1, 2)) == (30, 0.11)

# %% [markdown]
# ## Intervals that keep their promise
#
# `estimate_jaccard(..., interval=0.95)` returns the *Clopper-Pearson* interval. It ends where the count seen becomes
# implausible: at its low end, as many matches or more would have probability .025, and at its high end as many or
# fewer. Does it hold the truth 95 times in 100 draws, whatever the truth is? Matches are whole numbers, so an interval
# with that promise must often be wider than needed. The *Wilson* interval holds every $J$ within 1.96 of its own
# standard deviations $\sqrt{J (1 - J) / k}$ of the estimate; it is narrower, right on average but not everywhere.

# %%
# Figure: share of intervals that hold the true similarity against that similarity. The points of Clopper-Pearson lie
# above .95, those of Wilson around it; the dashed lines of the exact coverage go up and down as the points do.
coverage = experiments.interval_coverage(mnb.MinHash(128), trials=200 if QUICK else 4_000, seed=7)
ax = mnb.plotting.plot_interval_coverage(coverage)
ax.set_title("Clopper-Pearson never promises too much")
plt.show()

# %% [markdown]
# **To see:** measured coverage follows the exact one. Its ups and downs are no noise: they come from counting whole
# matches. Clopper-Pearson pays for its promise with slightly wider intervals.

# %%
noise = 4 * (coverage["theory"] * (1 - coverage["theory"]) / coverage["trials"]) ** 0.5
assert ((coverage["coverage"] - coverage["theory"]).abs() < noise + 1 / coverage["trials"]).all()
assert (coverage.loc[coverage["method"] == "clopper-pearson", "theory"] >= 0.95).all()

# %% [markdown]
# ## How many hashes?
#
# For large $k$ the binomial is close to a bell curve, which has 95 % within 1.96 standard deviations. For an error of
# at most $\varepsilon$ in 95 % of draws, set $\varepsilon = 1.96 \sqrt{J (1 - J) / k}$, which gives
# $k = 1.96^2 J (1 - J) / \varepsilon^2$. And a filter that keeps pairs with $\hat J \ge t$, for a threshold $t$, is not
# a step but a curve, whose steepness grows with $k$. Remember its shape: the search of notebook 4 has one too.

# %%
# Figure: probability that the estimate reaches .8, against the true similarity, for 32, 128, 512 and 2,048 hashes. All
# curves cross one half near .8; with more hashes they approach a step.
grid = np.linspace(0.5, 1, 401)
_, ax = plt.subplots()
for num_hashes in (32, 128, 512, 2048):
    ax.plot(grid, theory.power(0.8, grid, num_hashes), "--", label=f"{num_hashes:,} hashes")
ax.axvline(0.8, color="black", linewidth=1)
ax.set(xlabel="true Jaccard similarity", ylabel="probability that the estimate is at least .8")
ax.set_title("A threshold on estimates is a curve, not a step")
ax.legend()
plt.show()

# %% [markdown]
# **To see:** with 128 hashes a pair of true similarity .75 passes a filter at .8 once in eleven times. That is why the
# final verdict should come from the exact similarity (**verification**, by `exact_jaccard`), which costs little once
# few pairs are left to look at.

# %%
needed = theory.hashes_for_error(0.05), theory.hashes_for_error(0.05, 0.8), theory.hashes_for_error(0.01)
print("hashes for .05 at J = .5:", needed[0], "; at J = .8:", needed[1], "; for .01 at J = .5:", needed[2])
assert needed == (385, 246, 9604)
assert round(1 / theory.power(0.8, 0.75, 128)) == 11

# %% [markdown]
# ## What to take along
#
# * Equal minima have probability $J$, because everyone in the union is equally likely to be first.
# * $k$ hashes are $k$ coins: unbiased, standard deviation $\sqrt{J (1 - J) / k}$. Half the error costs four times $k$.
# * Report the interval. Look at the distribution over seeds, never at a single draw.
# * All pairs of a corpus share one draw of the hash functions: their errors are not independent. To know the spread of
#   a figure about a corpus, repeat with other seeds (as notebook 4 does).
#
# All this rests on one word, *random* order. Next: what happens when it is not.
#
# ## Exercises
#
# **1.** For a pair that you chose beforehand, 120 of 128 hashes agree. May you say that its similarity is above .85?
#
# <details><summary>Solution</summary>
#
# Yes, with 95 % confidence: the exact interval is .881 to .973. (Had you picked the pair *because* it has the most
# matches of thousands, no: the luckiest of many draws is no longer one draw.)
#
# ```python
# low, high = theory.clopper_pearson(120, 128)
# assert (round(low, 3), round(high, 3)) == (0.881, 0.973)
# ```
#
# </details>
#
# **2.** Would the *maximum* work as well? And both at once?
#
# <details><summary>Solution</summary>
#
# The last element of a random order is as random as the first, so equal maxima have probability $J$, too. Keeping both
# halves the number of hash functions, and the error does not grow (Ji et al., "Min-max hash for Jaccard similarity",
# ICDM 2013).
#
# ```python
# assert theory.minmax_variance(true, 128, 33) < theory.jaccard_variance(true, 128)
# last_a, last_b = ranks[:, [*shared, *only_a]].max(axis=1), ranks[:, [*shared, *only_b]].max(axis=1)
# assert abs((last_a == last_b).mean() - true) < 4 * (true * (1 - true) / shuffles) ** 0.5
# ```
#
# </details>
#
# **3.** With which probability do two documents of $J = .7$ agree in *all* of eight hash functions?
#
# <details><summary>Solution</summary>
#
# Eight independent coins: $.7^8 = .058$. With 128 functions there are sixteen such chances: notebook 4.
#
# ```python
# assert round(0.7**8, 3) == 0.058
# sets, chosen = datasets.pairs_with_jaccard(5_000, 0.7, union_size=1_000, seed=8)
# rows = np.asarray(mnb.compute_signatures(sets, mnb.MinHash(num_hashes=8)))
# whole = (rows[0::2] == rows[1::2]).all(axis=1).mean()
# assert abs(whole - 0.7**8) < 4 * (0.7**8 * (1 - 0.7**8) / 5_000) ** 0.5
# ```
#
# </details>
#
# **4.** With which probability do the minima of *three* documents all agree?
#
# <details><summary>Solution</summary>
#
# The first element of the union of all three must lie in all three: $|A \cap B \cap C| / |A \cup B \cup C|$.
#
# ```python
# halves = [ranks[:, :22].min(axis=1), ranks[:, 11:].min(axis=1), ranks[:, 6:28].min(axis=1)]
# all_three = (halves[0] == halves[1]) & (halves[1] == halves[2])
# expected = 11 / 33  # elements 11 to 21, of 33
# assert abs(all_three.mean() - expected) < 4 * (expected * (1 - expected) / shuffles) ** 0.5
# ```
#
# </details>
