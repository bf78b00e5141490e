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
# # 9 · How the cost grows
#
# > **Question.** A thousand documents are done in a blink. What happens at a million, or at a billion, and what did
# > those choose who have done it?
#
# "LSH makes it linear" is the sentence of the books. It is true for a while. This notebook measures brute force, the
# exact join and LSH side by side, finds the quadratic term that every banding keeps, and turns it around: the number of
# documents decides how many rows a band must have, and with it the hashes and the memory.
#
# Sources: J. Leskovec, A. Rajaraman, J. Ullman, *Mining of Massive Datasets*, section 3.4; P. Indyk, R. Motwani (STOC
# 1998) for the exponent; C. Xiao et al., "Efficient similarity joins for near duplicate detection" (WWW 2008); the
# papers named in `tuning.PRESETS`.

# %%
import os
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import stats

import minhash_nb as mnb
from minhash_nb import datasets, experiments, theory, tuning

QUICK = os.environ.get("MINHASH_NB_QUICK") == "1"

# %% [markdown]
# ## Three ways to the same pairs
#
# Corpora of $N$ made-up texts of about 100 words, a fifth of them edited copies of others. We want all pairs of at
# least .8 and take
#
# * **brute force**: the exact similarity of all $N (N - 1) / 2$ pairs,
# * the **exact join** (`similarity_join`): an index and filters that discard most pairs without loss,
# * **LSH**: sign, band, and verify the candidates.

# %%
threshold, banding = 0.8, mnb.Banding.for_recall(0.8, recall=0.95, num_hashes=256)
scheme = mnb.FastSimilaritySketch(banding.num_hashes)
sizes = [250, 500, 1000] if QUICK else [250, 500, 1000, 2000, 4000, 8000, 16_000]
corpora = {n: mnb.shingle(datasets.planted_corpus(n, seed=n)["text"]) for n in sizes}


def brute_force(shingles):
    """Return all pairs above the threshold and how many were compared."""
    pairs = np.stack(np.triu_indices(len(shingles), 1), axis=1)
    return pairs[mnb.exact_jaccard(shingles, pairs) >= threshold], len(pairs)


def join(shingles):
    """Return all pairs above the threshold."""
    return mnb.similarity_join(shingles, threshold=threshold)[["i", "j"]].to_numpy(), None


def lsh(shingles):
    """Return the verified candidates and how many candidates there were."""
    pairs = mnb.candidate_pairs(mnb.compute_signatures(shingles, scheme), banding)
    return pairs[mnb.exact_jaccard(shingles, pairs) >= threshold], len(pairs)


# %%
runs, results = [], {}
for way in (brute_force, join, lsh):
    way(corpora[sizes[0]])  # compiled before the clock starts
    for n in sizes if way is not brute_force else sizes[:3]:
        start = perf_counter()
        results[way.__name__, n], compared = way(corpora[n])
        seconds = perf_counter() - start
        runs.append((way.__name__, n, compared, len(results[way.__name__, n]), seconds))
runs = pd.DataFrame(runs, columns=["way", "documents", "compared", "found", "seconds"])
runs.pivot_table(index="documents", columns="way", values=["compared", "found", "seconds"]).round(3)

# %%
# Figure: time against number of documents on logarithmic axes. Brute force rises with slope 2 and takes longer than the
# others by more than a decade already at 1,000 documents; join and LSH rise more slowly, the join more steeply than
# LSH.
_, ax = plt.subplots()
labels = {
    "brute_force": "brute force",
    "join": "exact join",
    "lsh": f"LSH {banding.num_bands} × {banding.rows_per_band}",
}
for marker, (way, group) in zip("so^", runs.groupby("way", sort=False), strict=True):
    ax.loglog(group["documents"], group["seconds"], marker + "-", label=labels[way])
slow = runs[runs["way"] == "brute_force"].iloc[-1]
reach = np.array([slow["documents"], sizes[-1]])
ax.loglog(reach, slow["seconds"] * (reach / reach[0]) ** 2, "--", color="C0", label="brute force, extrapolated as N²")
ax.set(xlabel="documents", ylabel="time / s")
ax.set_title("Only brute force looks at every pair")
ax.legend()
plt.show()

# %% [markdown]
# **To see:** brute force leaves the race at once. The exact join is a serious rival, and it misses nothing: for some
# ten thousand documents and a high threshold you may not need LSH at all. Its cost grows with the square all the same,
# with a small factor.

# %%
for n in sizes[:3]:
    assert results["brute_force", n].tolist() == results["join", n].tolist()
recalls = []
for n in sizes:
    truth, found = (set(map(tuple, results[way, n].tolist())) for way in ("join", "lsh"))
    assert found <= truth  # verified
    recalls.append(len(found) / len(truth))
print("recall of LSH:", np.round(recalls, 3))
assert min(recalls) > 0.9

# %% [markdown]
# Times depend on the machine and what else it does; the number of pairs that are compared does not:

# %%
# Figure: pairs compared against number of documents, on logarithmic axes: all pairs rise with slope 2, candidates of
# LSH with slope 1, just above the true pairs.
by_way = runs.set_index(["way", "documents"])
_, ax = plt.subplots()
ax.loglog(sizes, [n * (n - 1) / 2 for n in sizes], "s-", color="C0", label="brute force: all pairs")
ax.loglog(
    sizes, by_way.loc["lsh", "compared"], "^-", color="C2", label=f"LSH {banding.num_bands} × {banding.rows_per_band}"
)
ax.loglog(sizes, by_way.loc["join", "found"], "--", color="black", label="true pairs")
ax.set(xlabel="documents", ylabel="pairs compared exactly")
ax.set_title("LSH compares little more than it has to report")
ax.legend()
plt.show()

# %% [markdown]
# **To see:** up to 16,000 documents the candidates grow like the true pairs, in proportion to $N$. This is where the
# sentence about linearity comes from. Now look below the surface.

# %%
compared = by_way.loc["lsh", "compared"].to_numpy(dtype=float)
assert (compared < 3 * by_way.loc["join", "found"].to_numpy() + 30).all()
if not QUICK:
    slope = np.polyfit(np.log(sizes[2:]), np.log(compared[2:]), 1)[0]
    print(f"slope of the candidates {slope:.2f}")
    assert 0.9 < slope < 1.1

# %% [markdown]
# ## The term that is quadratic
#
# There are about $N^2 / 2$ pairs of unrelated documents. They have a small similarity $s$, not none, and each becomes a
# candidate with probability $1 - (1 - s^r)^b \approx b s^r$. So
#
# $$E[\text{candidates}] \approx \text{similar pairs} + \tfrac{1}{2} N^2\, b\, s^r.$$
#
# A small factor does not make a term linear. To see it, take a lenient banding, 20 × 3, and corpora *without* copies:
# every candidate is background. The forecast needs one histogram, of the first and smallest corpus. And as a run is one
# draw, shared by all pairs (notebook 4), we look at many draws of the hash functions.

# %%
draws = 3 if QUICK else 20
unrelated = {
    n: mnb.shingle(datasets.planted_corpus(n, 0.0, seed=n)["text"]) for n in (sizes[2:3] if QUICK else sizes[2:6])
}
density = mnb.similarity_histogram(unrelated[sizes[2]], bins=1000).density
background = []
for n, shingles in unrelated.items():
    for seed in range(draws):
        signatures = mnb.compute_signatures(shingles, mnb.MinHash(num_hashes=60, seed=seed))
        background.append((n, len(mnb.candidate_pairs(signatures, mnb.Banding(20, 3)))))
background = pd.DataFrame(background, columns=["documents", "candidates"])
summary = background.groupby("documents")["candidates"].agg(["min", "median", "mean", "max", "sem"])
summary["forecast"] = theory.expected_candidates(summary.index.to_numpy(), density, 20, 3)
summary.round()

# %%
# Figure: candidates among unrelated documents against their number for 20 × 3, on logarithmic axes: many draws as small
# points that spread over a decade, their means near a dashed line of slope 2.
grid = np.geomspace(sizes[2] / 1.3, 1.3 * max(unrelated), 50).astype(int)
_, ax = plt.subplots()
ax.loglog(grid, theory.expected_candidates(grid, density, 20, 3), "--", color="black", label="forecast, slope 2")
ax.plot(
    background["documents"], background["candidates"], ".", color="C5", label=f"{draws} draws of the hash functions"
)
ax.plot(summary.index, summary["mean"], "D", color="C1", label="their mean")
ax.set(xlabel="documents, none similar to another", ylabel="candidate pairs of 20 × 3")
ax.set_title("The background grows with the square, and comes in lumps")
ax.legend()
plt.show()

# %% [markdown]
# **To see:** eight times the documents, 64 times the candidates, none of them of any use. And the draws scatter over a
# decade: where a shingle that most documents share happens to win all rows of a band, its documents become one giant
# bucket. The forecast is a mean over draws; most runs stay below it, some go far beyond. `max_pairs` guards against
# those.

# %%
deviation = (summary["mean"] - summary["forecast"]).abs() / summary["sem"]
print("deviation in standard errors:", deviation.round(1).tolist())
if not QUICK:
    assert (deviation < stats.t.isf(3e-5 / len(deviation), draws - 1)).all()
    assert 63 < summary["forecast"].iloc[-1] / summary["forecast"].iloc[0] < 65
    assert (summary["median"] < summary["forecast"]).all()
    assert (summary["max"] > 5 * summary["min"]).all()

# %% [markdown]
# Every further row divides the background by $1 / s$. All bandings below find pairs of .8 with probability .95 or more;
# they differ in rows, and in the size of corpus that they can bear. Similarity of unrelated pairs: .1.

# %%
rows = np.array([3, 5, 7, 9, 11, 14])
bands = np.ceil(np.log(0.05) / np.log1p(-(0.8**rows))).astype(int)
millions = theory.expected_candidates(1_000_000, ([0.1, 0.1], [1.0]), bands, rows)
pd.DataFrame({"bands": bands, "rows": rows, "hashes": bands * rows, "background at a million documents": millions})

# %%
# Figure: background candidates per document against the number of documents from a thousand to ten billion, one line
# for each of six bandings, on logarithmic axes. All rise with slope 1; each further row shifts a line to the right. A
# horizontal line marks one candidate per document.
n = np.geomspace(1e3, 1e10, 60).astype(np.int64)
_, ax = plt.subplots(figsize=(7.2, 4.8))
for position, (b, r) in enumerate(zip(bands.tolist(), rows.tolist(), strict=True)):
    each = theory.expected_candidates(n, ([0.1, 0.1], [1.0]), b, r) / n
    ax.loglog(n, each, label=f"{b} × {r}, {b * r} hashes", color=f"C{position}", linestyle=["-", "--"][position % 2])
ax.axhline(1, color="black", linewidth=0.8)
ax.set(xlabel="documents", ylabel="background candidates per document", ylim=(1e-6, 1e6))
ax.set_title("The number of documents decides the rows")
ax.legend(fontsize="small", loc="upper left")
plt.show()

# %% [markdown]
# **To see:** where a line crosses 1, unrelated candidates begin to outnumber documents. A banding of 5 rows is at its
# end at 25 thousand documents, one of 9 rows at a hundred million.

# %%
probability = theory.s_curve(0.8, bands, rows)
assert (probability >= 0.95).all()
crossing = 2 / theory.s_curve(0.1, bands, rows)
print("crossing at", [f"{documents:.1e}" for documents in crossing])
assert (np.diff(crossing) > 0).all()
assert f"{crossing[1]:.1e}" == "2.5e+04"
assert 9e7 < crossing[3] < 1.1e8
textbook = [theory.expected_candidates(10**6, ([0.1, 0.1], [1.0]), b, r) for b, r in [(20, 5), (14, 8), (9, 13)]]
assert [f"{pairs:.1e}" for pairs in textbook] == ["1.0e+08", "7.0e+04", "4.5e-01"]

# %% [markdown]
# ## What a corpus of N documents demands
#
# Ask for no more than one background candidate per document. The rows needed are about $\log(N b / 2) / \log(1/s)$, and
# bands must grow to keep the recall at the threshold $t$, like $t^{-r}$. Together the hashes grow like $N^\rho$ with
#
# $$\rho = \frac{\log t}{\log s},$$
#
# the exponent of Indyk and Motwani: sublinear for each document, but not free.

# %%
demand = []
for s in (0.1, 0.2, 0.3):
    r = np.arange(1, 41)
    b = np.ceil(np.log(0.05) / np.log1p(-(0.8**r)))
    for n_docs in 10 ** np.arange(3, 13):
        least = int(np.argmax(theory.s_curve(s, b.astype(int), r) * (n_docs - 1) / 2 <= 1))
        demand.append((s, n_docs, int(b[least]), r[least], int(b[least]) * r[least]))
demand = pd.DataFrame(demand, columns=["background s", "documents", "bands", "rows", "hashes"])
demand.query("documents in [10_000, 1_000_000, 100_000_000, 10_000_000_000]").set_index(["background s", "documents"])

# %%
# Figure: hashes needed against documents, from a thousand to a million million, for background similarities of .1, .2
# and .3, on logarithmic axes. The lines rise slowly for .1 and an order of magnitude faster for .3.
_, ax = plt.subplots()
for marker, (s, group) in zip("o^s", demand.groupby("background s"), strict=True):
    rho = np.log(0.8) / np.log(s)
    ax.loglog(group["documents"], group["hashes"], marker + "-", label=f"unrelated pairs at {s}: ρ = {rho:.2f}")
ax.set(xlabel="documents", ylabel="hashes for recall .95 at .8")
ax.set_title("What unrelated documents have in common is what costs")
ax.legend()
plt.show()

# %% [markdown]
# **To see:** the similarity of *unrelated* documents is the most expensive property of a corpus. Longer shingles lower
# it (notebook 1). That is why large pipelines use five words, where strangers have next to nothing in common, and not
# five characters.

# %%
hashes = demand.set_index(["background s", "documents"])["hashes"]
assert hashes[0.1].is_monotonic_increasing
assert hashes[0.3].is_monotonic_increasing
assert (hashes[0.1] < hashes[0.3]).all()
assert [hashes[s, 10**6] for s in (0.1, 0.2, 0.3)] == [91, 374, 1260]
assert [round(np.log(0.8) / np.log(s), 2) for s in (0.1, 0.2, 0.3)] == [0.10, 0.14, 0.19]

# %% [markdown]
# ## Memory for a document
#
# `theory.memory_forecast` adds up what a run holds: 4 bytes for each hash, 5 bytes for each band while buckets are
# made, 24 bytes for each candidate pair. It is not a model but the sizes of the arrays:

# %%
n_docs = sizes[-1]
signatures = mnb.compute_signatures(corpora[n_docs], scheme)
forecast = theory.memory_forecast(
    n_docs, scheme.num_hashes, banding.num_bands, num_shingles=corpora[n_docs].indices.size, num_threads=2
)
parts = pd.Series({"shingles": forecast.shingles, "signatures": forecast.signatures, "buckets": forecast.links})
(parts / n_docs).round().rename("bytes per document").to_frame()

# %%
assert forecast.signatures == np.asarray(signatures).nbytes
assert forecast.shingles == corpora[n_docs].indices.nbytes + corpora[n_docs].indptr.nbytes
assert forecast.links == 5 * banding.num_bands * n_docs

# %% [markdown]
# ## What the published pipelines chose
#
# `tuning.PRESETS` with peak memory, and the background to expect of a million documents whose unrelated pairs have
# similarity .1 (on other shingles it is another one; here we compare bandings):

# %%
million = 10**6
rows = []
for name, preset in tuning.PRESETS.items():
    b, r, t = preset.banding.num_bands, preset.banding.rows_per_band, preset.threshold
    recall = preset.banding.detection_probability(t) if t else np.nan
    kilobytes = theory.memory_forecast(million, b * r, b).peak / million / 1000
    silence = theory.expected_candidates(million, ([0.1, 0.1], [1.0]), b, r)
    rows.append((name, b, r, preset.shingles, t, recall, preset.banding.half_point, kilobytes, silence))
columns = ["name", "bands", "rows", "shingles", "threshold", "recall there", "half-point", "kB per document"]
pipelines = pd.DataFrame(rows, columns=[*columns, "background"]).set_index("name")
pipelines.assign(background=pipelines["background"].map("{:.1e}".format)).round(2)

# %%
# Figure: published pipelines as points: memory per document on a logarithmic axis against background candidates at a
# million documents and similarity .1, on a logarithmic axis. FineWeb and the chapter are cheap with many candidates,
# RefinedWeb is dear with none.
_, ax = plt.subplots()
for marker, (name, row) in zip("os^Dv*P", pipelines.iterrows(), strict=True):
    label = f"{name}, {row['bands']} × {row['rows']}"
    ax.loglog(row["kB per document"], row["background"], marker, markersize=8, linestyle="none", label=label)
ax.set(xlabel="peak memory / kB per document, at a million documents", ylabel="background candidates")
ax.set_title("Memory buys silence, and there are cheap and dear ways")
ax.legend(fontsize="small")
plt.show()

# %% [markdown]
# **To see:** RefinedWeb (after Lee et al.) pays 38 kB a document for 9,000 hashes and a step at .72 with recall .99 at
# .8. FineWeb keeps 112 hashes, half a kilobyte, works on one crawl at a time, which keeps $N$ small, and on word
# shingles, which keep $s$ small. SlimPajama's 9 × 13 is as cheap and nearly silent, because it gives up 60 % of the
# pairs at its threshold. DCLM imitates RefinedWeb's curve with 1,395 hashes.

# %%
kilobytes, silence, at_threshold = (pipelines[name] for name in ("kB per document", "background", "recall there"))
assert round(kilobytes["refinedweb"]) == 38
assert 0.5 < kilobytes["fineweb"] < 0.6
assert tuning.PRESETS["refinedweb"].banding.num_hashes == 9000
assert tuning.PRESETS["dclm"].banding.num_hashes == 1395
assert (round(at_threshold["refinedweb"], 2), round(at_threshold["slimpajama"], 2)) == (0.99, 0.40)
assert round(pipelines["half-point"]["refinedweb"], 2) == round(pipelines["half-point"]["dclm"], 2) == 0.72
assert silence["refinedweb"] < silence["dclm"] < silence["slimpajama"] < 1 < silence["fineweb"]

# %% [markdown]
# ## Where the time goes
#
# Finally the steps of a run from texts to verified pairs, as they grow (128 hashes, 16 × 8):

# %%
documents = [100, 200, 400] if QUICK else [2000, 4000, 8000, 16_000]
times = experiments.scaling(num_docs=documents, num_hashes=128, threads=2, repeats=1 if QUICK else 3, seed=1)

# %%
# Figure: time of the steps shingle, sign, band and verify and of all together against the number of documents, on
# logarithmic axes, with a dashed line in proportion to the documents. Shingling takes the most.
ax = mnb.plotting.plot_scaling(times)
ax.set_title("Shingling takes the most")
plt.show()

# %% [markdown]
# **To see:** as long as the background is silent, everything is in proportion to the text, and the search itself is the
# least of it. The signature is no longer the bottleneck that it was in Python (notebook 8). (Verification grows faster
# here for a reason of its own: the smaller corpora are parts of the largest, and a part holds few pairs; exercise 1.)

# %%
steps = times[times["varied"] == "documents"].pivot_table(index="documents", columns="step", values="seconds")
assert (steps > 0).all(axis=None)
assert steps.columns.tolist() == ["band", "shingle", "sign", "verify"]

# %% [markdown]
# ## What to take along
#
# * Brute force ends at thousands, the exact join at tens or hundreds of thousands of documents.
# * LSH has a quadratic term, $N^2 b s^r / 2$. Rows keep it small; the number of documents and the similarity of
#   *unrelated* ones decide how many.
# * Strictness costs bands, bands cost hashes, hashes cost memory: $N^\rho$ for each document.
# * Shorter shingles are paid for here. So is a corpus that shares boilerplate.
#
# ## Exercises
#
# **1.** You try your pipeline on every hundredth document of a corpus. Which share of the similar pairs, and of the
# background, will you see?
#
# <details><summary>Solution</summary>
#
# Both documents of a pair must be drawn: one in ten thousand, of either kind. A sample looks free of duplicates.
#
# ```python
# whole = corpora[sizes[-1]]
# drawn = np.random.default_rng(0).choice(len(whole), len(whole) // 2, replace=False)
# seen, there = (len(mnb.similarity_join(part, threshold=0.8)) for part in (whole.take(np.sort(drawn)), whole))
# assert 0.1 < seen / there < 0.45  # a quarter, for every second document
# ```
#
# </details>
#
# **2.** A billion documents, unrelated pairs at .05. How many rows and hashes does recall .95 at .8 take?
#
# <details><summary>Solution</summary>
#
# 8 rows in 17 bands, 136 hashes: 0.33 background candidates for each document.
#
# ```python
# def per_document(b, r):
#     return theory.s_curve(0.05, b, r) * 10**9 / 2
#
# assert mnb.Banding.for_recall(0.8, 0.95, num_hashes=136) == mnb.Banding(17, 8)
# assert round(per_document(17, 8), 2) == 0.33 and per_document(13, 7) > 1
# ```
#
# </details>
#
# **3.** How much memory do the signatures of a billion documents take with FineWeb's and with RefinedWeb's hashes? And
# what would 8-bit slots save?
#
# <details><summary>Solution</summary>
#
# 448 GB and 36 TB; a quarter of it with 8 bits. Larger corpora keep one band at a time, a 64-bit digest and an id.
#
# ```python
# fine, refined = (theory.memory_forecast(10**9, *size).signatures for size in [(112, 14), (9000, 450)])
# assert (fine / 1e9, refined / 1e12) == (448.0, 36.0)
# ```
#
# </details>
#
# **4.** A corpus doubles. Which terms of the cost double, and which do not?
#
# <details><summary>Solution</summary>
#
# Shingling, signing and banding double; similar pairs double if the new half is like the old one; the background
# quadruples.
#
# ```python
# half, full = (theory.expected_candidates(n, ([0.1, 0.1], [1.0]), 16, 8) for n in (10**6, 2 * 10**6))
# assert abs(full / half - 4) < 1e-4
# ```
#
# </details>
