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
# # 7 · Near-duplicates in real text
#
# > **Question.** The pairs are found. Which documents should go, and how do I know that nothing went that should have
# > stayed?
#
# Real text is not made of pairs. It has licences that exist a hundred times, docstrings that differ in one word,
# templates, and texts that contain other texts. What is done with the pairs, the clustering, decides about a corpus
# more than any parameter of the search. The text of this notebook is on every machine that runs it: docstrings and
# licences of installed packages. It varies from one installation to another, so numbers are shown, and only relations
# are asserted.
#
# Sources: J. Aslam, E. Pelekhov, D. Rus, "The star clustering algorithm" (2004); A. Broder, "On the resemblance and
# containment of documents" (1997); K. Lee et al., "Deduplicating training data makes language models better" (ACL
# 2022).

# %%
import os

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import minhash_nb as mnb
from minhash_nb import datasets, experiments
from minhash_nb.clustering import star_clusters

QUICK = os.environ.get("MINHASH_NB_QUICK") == "1"

# %%
packages = ["numpy", "click", "tqdm"] if QUICK else ["numpy", "scipy", "click", "tqdm"]
docs = datasets.installed_docs(packages)
docs.groupby("kind")["text"].agg(["size", lambda text: int(text.str.len().median())]).set_axis(
    ["documents", "median length in characters"], axis=1
)

# %% [markdown]
# ## One call
#
# Shingles of 5 characters, a threshold of .8, and everything verified exactly:

# %%
result = mnb.find_near_duplicates(docs["text"], threshold=0.8)
counts = ["documents", "exact_duplicates", "candidates", "verified", "clusters", "removed", "largest_cluster"]
pd.Series({name: result.report[name] for name in counts}, name="count").to_frame()

# %%
assert (result.pairs["jaccard"] >= 0.8).all()
assert result.keep.sum() + len(result.removed) == len(docs)
assert result.report["verified"] <= result.report["candidates"]

# %% [markdown]
# Every installation holds its share: a licence is copied with each package, and methods that are documented alike are
# documented by copying. Some of the removed documents, those least similar to what is kept in their place:

# %%
names = docs["name"].to_numpy()
removed = result.removed.sort_values("jaccard").head(10)
pd.DataFrame(
    {
        "removed": names[removed["document"]],
        "kept in its place": names[removed["representative"]],
        "jaccard": removed["jaccard"].round(3).to_numpy(),
    }
)

# %%
assert (result.removed["jaccard"] >= 0.8).all()  # every removed document has a witness
assert result.keep[result.removed["representative"]].all()

# %% [markdown]
# ## A cluster is a graph
#
# Clusters are usually printed as lists. Drawn as graphs, they show whether all members resemble each other or only
# their neighbours.

# %%
components = mnb.connected_components(result.pairs, n_docs=len(docs))
sizes = np.bincount(components)
sparse = result.pairs.groupby(components[result.pairs["i"]])["jaccard"].agg(["size", "min"])
sparse["documents"] = sizes[sparse.index]
sparse["share of pairs"] = sparse["size"] / (sparse["documents"] * (sparse["documents"] - 1) / 2)
chosen = sparse.query("3 < documents <= 12").sort_values("share of pairs").index
short = [name.partition("/")[0] if "/" in name else name.rpartition(".")[2] for name in names]

# %%
# Figure: one group of near-duplicates of the corpus as a graph. Documents are named; orange squares are kept, blue
# circles removed; lines join pairs of at least .8, darker if more similar. Several pairs are not joined.
_, ax = plt.subplots(figsize=(8, 5.5))
mnb.plotting.plot_cluster(result.pairs, int(chosen[0]), labels=result.labels, names=short, ax=ax)
ax.set_title("Connected, but not all alike")
plt.show()

# %% [markdown]
# **To see:** lines are missing. Documents may be connected through others and be below the threshold to each other:
# *similarity is not transitive*. What to do about it is a decision.

# %%
assert len(chosen) > 0
assert (sparse["share of pairs"] <= 1).all()

# %% [markdown]
# ## Chaining: A-B-C-D
#
# A pure case. Four texts of 100 words, each one ten words further on in the same source. Neighbours share 90 of 110
# words, $J = .818$; one step further it is .667, and the ends have .538.

# %%
words = [f"word{number}" for number in range(130)]
chain = [" ".join(words[start : start + 100]) for start in (0, 10, 20, 30)]
shingles = mnb.shingle(chain, k=1, unit="word")
matrix = pd.DataFrame(
    [[mnb.exact_jaccard(shingles, [(i, j)])[0] for j in range(4)] for i in range(4)], list("ABCD"), list("ABCD")
)
matrix.round(3)

# %%
linkages = {
    linkage: mnb.find_near_duplicates(chain, 0.8, k=1, unit="word", linkage=linkage)
    for linkage in ("star", "components")
}
for linkage, outcome in linkages.items():
    kept = [letter for letter, keep in zip("ABCD", outcome.keep, strict=True) if keep]
    print(f"{linkage:10} keeps {kept}; least similarity to the kept one {outcome.removed['jaccard'].min():.3f}")
assert matrix.loc["A"].round(3).tolist() == [1.0, 0.818, 0.667, 0.538]
assert linkages["star"].keep.tolist() == [True, False, True, False]
assert linkages["components"].keep.tolist() == [True, False, False, False]
assert (linkages["components"].removed["jaccard"].round(3) == [0.818, 0.667, 0.538]).all()

# %%
# Figure: two graphs of the chain A-B-C-D, whose neighbours are joined. With components, at the left, only A is an
# orange square, which is kept. With star, at the right, A and C are kept.
_, axes = plt.subplots(1, 2, figsize=(9, 3.6))
for ax, linkage in zip(axes, ("components", "star"), strict=True):
    outcome = linkages[linkage]
    mnb.plotting.plot_cluster(outcome.pairs, 0, labels=outcome.labels, names=list("ABCD"), ax=ax)
    ax.set_title(linkage)
plt.show()

# %% [markdown]
# **To see:** connected components remove D, although what is kept is only .538 similar to it. Along a chain of $L$
# steps nothing better than $1 - L (1 - t)$ is guaranteed: at $t = .8$, five steps guarantee nothing. The star rule goes
# through the documents in order and removes one only if it is similar to a document that is *kept*; C stays.

# %%
assert matrix.loc["A", "D"] > 1 - 3 * (1 - 0.8)
assert all(outcome.keep.sum() >= 1 for outcome in linkages.values())

# %% [markdown]
# ## Why verify before clustering
#
# Some pipelines skip the exact check: candidates go straight into connected components. A candidate of low similarity
# is then not a wasted comparison but an *edge*, and one false edge joins two clusters. We cluster the installed text
# both ways, with a lenient banding (32 × 4).

# %%
shingles = mnb.shingle(docs["text"])
signatures = mnb.compute_signatures(shingles, mnb.FastSimilaritySketch(128))
candidates = mnb.candidate_pairs(signatures, mnb.Banding(32, 4))
jaccard = mnb.exact_jaccard(shingles, candidates)
edges = {
    "not verified": candidates,
    "verified at .5": candidates[jaccard >= 0.5],
    "verified at .8": candidates[jaccard >= 0.8],
}
runs = []
for run, pairs in edges.items():
    size = np.bincount(mnb.connected_components(pairs, n_docs=len(docs)))
    runs.append(pd.DataFrame({"run": run, "size": size[size > 1]}))
runs = pd.concat(runs, ignore_index=True)
runs.groupby("run", sort=False)["size"].agg(clusters="size", largest="max", documents="sum")

# %%
# Figure: number of clusters of at least each size, on logarithmic axes, for connected components of unverified
# candidates and of those verified at .5 and .8. The unverified line reaches farthest to the right.
ax = mnb.plotting.plot_cluster_sizes(runs)
ax.set_title("Unverified edges make giants")
plt.show()

# %% [markdown]
# **To see:** without verification one cluster swallows a large part of the corpus, documents that have little in common
# but a chain of chance. All but one of them would be removed.

# %%
largest = runs.groupby("run", sort=False)["size"].max()
assert largest.is_monotonic_decreasing  # fewer edges, smaller components
assert (jaccard < 0.5).any()

# %% [markdown]
# ## Boilerplate: where the pairs come from
#
# Most buckets hold one document, a few hold dozens, and pairs grow with the square. This is how one licence can cost
# more than the rest of a corpus.

# %%
buckets = experiments.bucket_sizes(signatures, [mnb.Banding(32, 4), mnb.Banding(16, 8)])

# %%
# Figure: number of buckets of at least each size for 32 × 4 and 16 × 8, on logarithmic axes. Both fall over several
# decades to a few buckets of dozens of documents.
ax = mnb.plotting.plot_bucket_sizes(buckets)
ax.set_title("A few buckets hold most of the pairs")
plt.show()

# %% [markdown]
# **To see:** the tail is long. Remedies, in this order: group exact copies before banding (`find_near_duplicates`
# does), and let a giant bucket emit a star, its first document with each of the others (`bucket_pairs="star"`). A star
# gives the same connected components for a linear number of pairs; pairs of its other members go without verification.

# %%
star = mnb.candidate_pairs(signatures, mnb.Banding(32, 4), bucket_pairs="star")
of_ten = buckets.query("num_bands == 32 and size > 10")["pairs"].sum() / buckets.query("num_bands == 32")["pairs"].sum()
print(f"candidates: all {len(candidates):,}, star {len(star):,}")
print(f"share of the bucket pairs from buckets of more than ten documents: {of_ten:.2f}")
assert len(star) <= len(candidates)
assert mnb.connected_components(star, len(docs)).tolist() == mnb.connected_components(candidates, len(docs)).tolist()

# %% [markdown]
# ## How many go, at which threshold
#
# The exact join gives all pairs of at least .5; from these, both linkages at every threshold above cost nothing more.

# %%
truth = mnb.similarity_join(shingles, threshold=0.5)
thresholds = np.round(np.arange(0.5, 1.001, 0.025), 3)
gone = pd.DataFrame(
    [
        (
            (star_clusters(truth[truth["jaccard"] >= t], len(docs)) != np.arange(len(docs))).sum(),
            (mnb.connected_components(truth[truth["jaccard"] >= t], len(docs)) != np.arange(len(docs))).sum(),
        )
        for t in thresholds
    ],
    index=pd.Index(thresholds, name="threshold"),
    columns=["star", "components"],
)

# %%
# Figure: documents removed against the threshold for star linkage and for components. Both fall towards 1, where only
# exact copies are left; components lie above star, the more the lower the threshold.
_, ax = plt.subplots()
ax.plot(gone.index, gone["components"], "s-", color="C1", label="components")
ax.plot(gone.index, gone["star"], "o-", color="C0", label="star")
ax.set(xlabel="threshold (Jaccard similarity of 5-character shingles)", ylabel="documents removed", ylim=(0, None))
ax.set_title("No cliff tells you the threshold")
ax.legend()
plt.show()

# %% [markdown]
# **To see:** the curves fall without a step. No threshold is *the* right one; the two linkages are a second dial of the
# same size. Which pairs lie near the threshold must be looked at.

# %%
assert (gone["components"] >= gone["star"]).all()
assert gone["components"].is_monotonic_decreasing
assert gone["star"].iloc[-1] == gone["components"].iloc[-1] == result.report["exact_duplicates"]

# %% [markdown]
# ## Containment, where Jaccard fails
#
# A package that bundles others has *their* licences inside its own file. Every word of the small text is in the large
# one, and yet $J$ is low, because $J$ is at most the ratio of the sizes. Containment, $|A \cap B| / |A|$, sees it. For
# the licences, here a small matrix product is all it takes (word 5-shingles, so that chance overlap is rare):

# %%
licences = docs.query("kind == 'licence'").reset_index(drop=True)
by_word = mnb.shingle(licences["text"], k=5, unit="word")
ones, _ = by_word.to_scipy()
shared = (ones @ ones.T).toarray()
first, second = np.nonzero(np.triu(shared, 1))
smaller = np.minimum(by_word.sizes[first], by_word.sizes[second])
union = by_word.sizes[first] + by_word.sizes[second] - shared[first, second]
overlap = pd.DataFrame({"containment": shared[first, second] / smaller, "jaccard": shared[first, second] / union})
inside = overlap.query("containment >= 0.9 and jaccard < 0.5")
print(f"{(overlap['jaccard'] >= 0.8).sum()} pairs of licences with J of at least .8")
print(f"{len(inside)} pairs with containment of at least .9 but J below .5")

# %%
# Figure: containment of the smaller in the larger text against Jaccard similarity for all pairs of licences with a
# common word 5-shingle. All points lie above the diagonal; a group at the upper left has containment near 1 at low J.
_, ax = plt.subplots()
ax.plot(overlap["jaccard"], overlap["containment"], ".", color="C5", alpha=0.4)
ax.plot(inside["jaccard"], inside["containment"], ".", color="C1", label="containment ≥ .9, J < .5")
ax.plot([0, 1], [0, 1], "--", color="0.5", label="containment = J")
ax.set(xlabel="Jaccard similarity", ylabel="containment of the smaller text in the larger one")
ax.set_title("Contained, but not similar")
ax.legend(loc="lower right")
plt.show()

# %% [markdown]
# **To see:** a search by Jaccard at .8 sees the right edge of this picture; the group at the upper left is invisible to
# it. If you are after quotations or bundled texts, ask for containment.

# %%
assert (overlap["containment"] >= overlap["jaccard"]).all()
by_length = licences["text"].str.len().sort_values().index
small, large = licences["text"][by_length[0]], licences["text"][by_length[-1]]
bundle = mnb.compare(small, f"{small}\n{large}", k=5, unit="word")
print(f"the shortest licence in a bundle with the longest: J = {bundle.jaccard:.3f}, ", end="")
print(f"containment {bundle.containment_first:.3f}")
assert bundle.containment_first == 1.0
assert bundle.jaccard < 0.8

# %% [markdown]
# ## The audit: what was missed, and what went
#
# Two questions remain before anybody deletes a file.
#
# **What did the search miss?** With `audit=n`, that many documents are drawn and *all* of their exact neighbours found;
# the report says which part the run had found, with an interval. Here we can hold it against the whole truth.

# %%
audited = mnb.find_near_duplicates(docs["text"], threshold=0.8, audit=200 if QUICK else 500)
audit = audited.report["audit"]
print(f"audit: {audit['found']} of {audit['neighbours']} neighbours, {audit['low']:.3f} to {audit['high']:.3f}")
distinct = result.pairs[result.pairs["jaccard"] < 1]
every = truth[(truth["jaccard"] >= 0.8) & (truth["jaccard"] < 1)]
both = every.merge(result.expanded_pairs(), on=["i", "j"])
print(f"truth: {len(both):,} of {len(every):,} pairs of different documents were found, {len(both) / len(every):.3f}")

# %%
assert audit["found"] <= audit["neighbours"]
assert audit["low"] <= audit["recall"] <= audit["high"]
assert len(distinct.merge(every, on=["i", "j"])) == len(distinct)  # whatever was reported is true
assert len(both) <= len(every)

# %% [markdown]
# **What went?** Look at removed pairs, above all at those just over the threshold: which words make the difference?

# %%
texts = docs["text"].to_numpy()
near = result.removed[result.removed["jaccard"] < 1]
for row in near.iloc[:: len(near) // 5 + 1].itertuples():
    by_word = mnb.compare(texts[row.document], texts[row.representative], k=1, unit="word")
    print(f"{names[row.document]}  ~  {names[row.representative]}   J = {row.jaccard:.3f}")
    print("   only in the removed text:", *by_word.only_first[:8])
    print("   only in the kept text:   ", *by_word.only_second[:8])

# %% [markdown]
# Typical findings: the same sentence about another function (removing it loses one fact), a licence with another
# holder (removing it may lose an obligation), a template filled in twice. Whether such a text is a "duplicate" is for
# you to say, with the threshold, the shingles, or a rule of your own on top. `result.removed` names for every document
# what it is similar to and how much, and that is the list to read.
#
# ## What to take along
#
# * Verify every edge before clustering. Unverified edges chain.
# * Components may remove documents that resemble nothing that is kept; the star rule leaves every removed document a
#   witness above the threshold.
# * Group copies first; giant buckets are boilerplate.
# * Jaccard does not see containment.
# * Audit what was missed (`audit=n`), read what was removed.
#
# ## Exercises
#
# **1.** How long must a chain at a threshold of .9 be before its ends may have nothing in common?
#
# <details><summary>Solution</summary>
#
# $1 - L (1 - t) = 0$ for $L = 10$ steps.
#
# ```python
# assert round(1 / (1 - 0.9)) == 10
# ```
#
# </details>
#
# **2.** The star rule depends on the order of the documents. Put B first: what is kept of the chain then?
#
# <details><summary>Solution</summary>
#
# B, which takes A and C away, and D, which is similar to C only: again two, but others. Order the corpus by what you
# would like to keep (the longest, the newest, the best source).
#
# ```python
# reordered = mnb.find_near_duplicates([chain[1], chain[0], *chain[2:]], 0.8, k=1, unit="word")
# assert reordered.keep.tolist() == [True, False, False, True]
# ```
#
# </details>
#
# **3.** Which threshold on $J$ would find a text of 100 shingles contained in one of 1,000? Why is that no solution?
#
# <details><summary>Solution</summary>
#
# $J = 100 / 1000 = .1$, where unrelated texts of short shingles lie as well: everything becomes a candidate.
#
# ```python
# assert mnb.theory.jaccard_from_containment(1.0, 100, 1000) == 0.1
# assert mnb.Banding.for_recall(0.1, recall=0.95, num_hashes=256).rows_per_band <= 2
# ```
#
# </details>
#
# **4.** Two documents that are *kept* by the star rule: can they be similar above the threshold?
#
# <details><summary>Solution</summary>
#
# Not if the pair was found: no two kept documents have a verified pair.
#
# ```python
# assert not (result.keep[result.pairs["i"]] & result.keep[result.pairs["j"]]).any()
# ```
#
# </details>
