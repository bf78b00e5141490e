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
# # 1 · Shingles and Jaccard
#
# > **Question.** When do two texts count as similar, and which of our own choices decide it?
#
# Nothing is estimated before the next notebook. Here a text becomes a set, and the similarity of two texts becomes a
# fraction that can be counted by hand. Three choices go into that fraction: the **unit** (characters, words or bytes),
# the number **k** of units in a shingle, and the **normalisation** before the text is cut. All that follows finds
# pairs that are similar *by these choices*.
#
# Sources: A. Broder, "On the resemblance and containment of documents" (1997); J. Leskovec, A. Rajaraman, J. Ullman,
# *Mining of Massive Datasets*, chapter 3.

# %%
import os
import unicodedata

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import minhash_nb as mnb
from minhash_nb import datasets, experiments, theory

QUICK = os.environ.get("MINHASH_NB_QUICK") == "1"

# %% [markdown]
# ## Two sentences by hand
#
# A **shingle** is a run of $k$ consecutive units of a text: what a window $k$ units wide shows as it slides along. A
# document is the *set* of its shingles, and the **Jaccard similarity** of two documents $A$ and $B$ is the share of all
# their shingles that both have, with $|\cdot|$ for the number of elements:
#
# $$J(A, B) = \frac{|A \cap B|}{|A \cup B|}$$
#
# It is 1 for equal sets and 0 for sets without a common element. Here with $k = 5$ characters:

# %%
dusk = "The ferry leaves the harbour at dusk."
dawn = "the  ferry leaves the harbour at dawn."
comparison = mnb.compare(dusk, dawn, k=5)
comparison

# %%
a, b = (mnb.reference.shingle_ids(text) for text in (dusk, dawn))
assert len(a & b) / len(a | b) == mnb.reference.exact_jaccard(a, b) == comparison.jaccard
assert (len(a & b), len(a | b)) == (29, 37)
assert round(comparison.jaccard, 3) == 0.784

# %% [markdown]
# 29 of 37 shingles are common: $J = .784$. The second capital and the second space made no difference (that is the
# normalisation), the last word did. Replacing $m$ neighbouring characters spoils at most $m + k - 1$ windows; here the
# change lies at the end of the text, where fewer windows reach.
#
# The plain-Python `reference` and the compiled package agree. The reference is a few short functions; read it beside
# this notebook.
#
# ## How k trades tolerance against chance
#
# Let every word of a text be replaced with probability $p$, each on its own. A shingle of $k$ words survives if none of
# its words is hit, with probability $q = (1 - p)^k$. Of $n$ shingles about $nq$ survive. Both texts have $n$, so the
# union has about $2n - nq$, and the mean of $J$ over many such edits is
#
# $$E[J] \approx \frac{nq}{2n - nq} = \frac{q}{2 - q}.$$
#
# `theory.expected_jaccard_under_edits` adds a small correction, since the number of survivors varies from edit to edit.
# Let us edit a text of 300 different words and count.

# %%
copies = 20 if QUICK else 200
rates = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3]
text = " ".join(f"w{number}" for number in range(300))
edited = datasets.edited_copies([text] * copies, rates)
measured = []
for k in (1, 3, 5):
    shingles = mnb.shingle([text, *edited["text"]], k=k, unit="word")
    jaccard = mnb.exact_jaccard(shingles, [(0, copy) for copy in range(1, len(shingles))])
    measured.append(edited.assign(k=k, jaccard=jaccard))
edits = pd.concat(measured).groupby(["k", "edit_rate"])["jaccard"].agg(["mean", "sem"]).reset_index()
edits["theory"] = [theory.expected_jaccard_under_edits(301 - k, p, k) for _, k, p, *_ in edits.itertuples()]
edits.pivot_table(index="edit_rate", columns="k", values=["mean", "theory"]).round(3)

# %%
# Figure: Jaccard similarity of a text and its edited copy against the share of words replaced, for shingles of 1, 3 and
# 5 words. The measured points lie on the dashed lines of theory; all three fall, the one of 5 words most steeply.
grid = np.linspace(0, 0.3, 61)
_, ax = plt.subplots()
for colour, (k, group) in enumerate(edits.groupby("k")):
    expected = theory.expected_jaccard_under_edits(301 - k, grid, k)
    ax.plot(grid, expected, color=f"C{colour}", linestyle="--", label=f"{k} word{'s' * (k > 1)}, theory")
    ax.errorbar(group["edit_rate"], group["mean"], 1.96 * group["sem"], fmt="o", color=f"C{colour}", label="measured")
ax.set(xlabel="share of words replaced", ylabel="Jaccard similarity to the original (mean, 95 %)", ylim=(0, 1))
ax.set_title("Longer shingles punish edits harder")
ax.legend(ncols=2)
plt.show()

# %% [markdown]
# **To see:** one word in twenty replaced leaves $J = .91$ on single words, $.75$ on word 3-shingles and $.63$ on word
# 5-shingles. (The 95 % intervals of the means are narrower than the points.) A **threshold**, the similarity from which
# two texts count as **near-duplicates**, means nothing until the shingle is named: at .8, these are near-duplicates by
# single words and are not by the longer shingles.

# %%
at_five_percent = edits.loc[edits["edit_rate"] == 0.05, "mean"].to_list()
assert at_five_percent == sorted(at_five_percent, reverse=True)
assert ((edits["mean"] - edits["theory"]).abs() < 4 * edits["sem"] + 300**-1.5).all()
if not QUICK:
    assert [round(theory.expected_jaccard_under_edits(301 - k, 0.05, k), 2) for k in (1, 3, 5)] == [0.91, 0.75, 0.63]

# %% [markdown]
# So why not take single words? Because *unrelated* texts share single words as well. A good choice keeps what is meant
# to be similar far from what is not, and that is a question about a corpus.
#
# ## Real text
#
# Every installation of this package has real text: the docstrings of NumPy, click and tqdm. We take some of them, one
# copy of each in which every word is replaced with probability $1/20$ (pairs that we *mean* to be similar), and random
# pairs of different documents (pairs that we do not).

# %%
docstrings = datasets.installed_docs(["numpy", "click", "tqdm"], min_length=300).query("kind == 'docstring'")
sample = docstrings["text"].sample(100 if QUICK else 500, random_state=0).to_list()
texts = sample + datasets.edited_copies(sample, 0.05)["text"].to_list()
pairs = [(document, len(sample) + document) for document in range(len(sample))]
unplanted = 2_000 if QUICK else 20_000
effect = []
for unit, lengths in (("char", [3, 5, 9]), ("word", [1, 3, 5])):
    effect.append(experiments.shingling_effect(texts, lengths, unit, pairs=pairs, sample=0))
    effect.append(experiments.shingling_effect(sample, lengths, unit, sample=unplanted))
effect = pd.concat(effect)
effect.groupby(["unit", "k", "pairs"])["jaccard"].describe(percentiles=[0.05, 0.5, 0.95]).drop(columns="std").round(3)

# %%
# Figure: six histograms of exact Jaccard similarity, for character shingles of 3, 5 and 9 and word shingles of 1, 3 and
# 5, with shares on a logarithmic axis. Random pairs crowd at the left, edited copies at the right. With longer shingles
# both move left.
figure, axes = plt.subplots(2, 3, figsize=(9, 5), sharex=True, sharey=True)
for ax, ((unit, k), group) in zip(axes.flat, effect.groupby(["unit", "k"]), strict=True):
    for origin, colour, label in (("random", "C5", "random pairs"), ("given", "C1", "edited copies")):
        part = group.loc[group["pairs"] == origin, "jaccard"]
        share = np.full(len(part), 1 / len(part))
        ax.hist(part, np.linspace(0, 1, 41), weights=share, color=colour, alpha=0.8, label=label)
    ax.set(title=f"{unit} {k}", yscale="log")
figure.supxlabel("exact Jaccard similarity")
figure.supylabel("share of pairs per .025")
axes[0, 0].legend(loc="upper right", fontsize="small")
plt.show()

# %% [markdown]
# **To see:** longer shingles move *both* hills to the left. The random hill reaches 0 first, which is the gain; the
# hill of the copies widens, which is the price. The thin tail of random pairs far to the right (thin indeed, as the
# axis is logarithmic) is no error: real text holds near-duplicates that nobody planted.

# %%
# Figure: box plots of the similarities of edited copies and of random pairs, side by side for the six choices of
# shingles. The boxes never meet; the copies' boxes are lowest for 5 words, the random ones highest for 3 characters.
ax = mnb.plotting.plot_shingling_effect(effect)
ax.set_title("Every choice separates the two kinds, each at a threshold of its own")
plt.show()

# %% [markdown]
# **To see:** a box holds the middle half of its pairs, and its whiskers reach from the 5th to the 95th percentile. A
# threshold of .8 cuts *through* the edited copies ("given pairs") at 5 characters and lies above most of them at 5
# words. A threshold that tells the two kinds apart must lie in the gap between them. How far up the unrelated pairs
# reach will matter again: it decides what a fast search costs (notebooks 4 and 9), and they reach highest for short
# shingles.

# %%
layout = {"index": ["unit", "k"], "columns": "pairs", "values": "jaccard"}
middle = effect.pivot_table(**layout, aggfunc="median")
assert all(middle.loc[unit, "random"].is_monotonic_decreasing for unit in ("char", "word"))
assert middle.loc["word", "given"].is_monotonic_decreasing
low = effect.pivot_table(**layout, aggfunc=lambda jaccard: jaccard.quantile(0.05))
high = effect.pivot_table(**layout, aggfunc=lambda jaccard: jaccard.quantile(0.95))
assert (low["given"] > high["random"]).all()
width = (high - low)["given"]
assert width["char", 9] > width["char", 3]
assert width["word", 5] > width["word", 1]
assert low.loc[("char", 5), "given"] < 0.8 < high.loc[("char", 5), "given"]
assert middle.loc[("word", 5), "given"] < 0.8
if not QUICK:  # near-duplicates that nobody planted
    assert 0 < (effect.query("pairs == 'random' and unit == 'char' and k == 5")["jaccard"] > 0.5).mean() < 1e-2

# %% [markdown]
# ## What normalisation forgives
#
# The default lower-cases, strips, and collapses each run of white space to one space. It forgives nothing else:
# punctuation counts, and é as one character is not the same as e followed by a combining accent, though they print
# alike. (Unicode's normal form NFC joins the two.) A function of your own in place of the default closes such a gap.

# %%
rules = {
    "none": None,
    "default": "default",
    "default after NFC": lambda text: " ".join(unicodedata.normalize("NFC", text).lower().split()),
}
examples = {
    "capitals and line breaks": ("The Ferry leaves\nat dusk", "the ferry leaves at dusk"),
    "composed and decomposed é": ("a café by the harbour", "a cafe\N{COMBINING ACUTE ACCENT} by the harbour"),
    "punctuation": ("the ferry leaves at dusk", "the ferry leaves, at dusk!"),
}
forgiven = pd.DataFrame(
    {rule: [mnb.compare(*pair, normalize=form).jaccard for pair in examples.values()] for rule, form in rules.items()},
    index=list(examples),
)
forgiven.round(3)

# %%
assert forgiven.loc["capitals and line breaks"].to_list()[1:] == [1.0, 1.0]
assert forgiven.loc["composed and decomposed é", "default"] < 1.0 == forgiven.iloc[1]["default after NFC"]
assert (forgiven.loc["punctuation"] < 1.0).all()

# %% [markdown]
# ## What Jaccard does not see
#
# A set has no order and no repeats, and shingles are spelling, not meaning. And $J$ is a symmetric measure: a text that
# is wholly contained in a longer one is *not* similar to it. The share $|A \cap B| / |A|$ is called the **containment**
# of $A$ in $B$.

# %%
notice = " ".join(f"n{number}" for number in range(104))  # 100 word 5-shingles
book = notice + " " + " ".join(f"b{number}" for number in range(500))  # 600 of them
unseen = {
    "one text twice over": (text, f"{text} {text}"),
    "halves exchanged": (text, " ".join([*text.split()[150:], *text.split()[:150]])),
    "opposite meaning": ("the old ferry is quite safe in a storm", "the old ferry is not quite safe in a storm"),
    "same meaning": ("the boat departs after sunset", "a ferry leaves when it gets dark"),
    "a notice inside a book": (notice, book),
}
results = [(mnb.compare(*pair), mnb.compare(*pair, k=5, unit="word")) for pair in unseen.values()]
table = pd.DataFrame(
    {
        "Jaccard, char 5": [by_char.jaccard for by_char, _ in results],
        "Jaccard, word 5": [by_word.jaccard for _, by_word in results],
        "containment, word 5": [by_word.containment_first for _, by_word in results],
    },
    index=list(unseen),
)
table.round(3)

# %%
assert (table.loc[["one text twice over", "halves exchanged"], "Jaccard, word 5"] > 0.96).all()
assert table.loc["opposite meaning", "Jaccard, char 5"] > 0.7
assert table.loc["same meaning", "Jaccard, char 5"] < 0.1
assert table.loc["a notice inside a book", "containment, word 5"] == 1.0
assert table.loc["a notice inside a book", "Jaccard, word 5"] == theory.jaccard_from_containment(1.0, 100, 600) == 1 / 6

# %% [markdown]
# By characters, two texts of opposite meaning are similar, two of the same meaning have next to nothing in common, and
# a notice of 100 shingles inside a book of 600 has containment 1 but $J = 1/6$. None of this is a fault: near-duplicate
# detection asks whether one text was *made from* the other. If containment is what you want, measure it (notebook 7),
# or lower the threshold. With a share $\gamma$ of $A$ in $B$ they have $\gamma |A|$ shingles in common, so
#
# $$J = \frac{\gamma |A|}{|A| + |B| - \gamma |A|} = \frac{\gamma}{|B| / |A| + 1 - \gamma}$$
#
# (`theory.jaccard_from_containment`).
#
# ## Short texts and empty ones
#
# A text of fewer than $k$ units has no window at all. Two rules are in use. `"drop"` gives it the empty set, and then
# two identical short texts are not duplicates; `"whole"` makes the whole text its only shingle. Empty documents are
# similar to nothing under either rule, not even to each other: otherwise all of them would be one huge group of
# duplicates.

# %%
short = ["Yes.", "yes.", "No.", ""]
for rule in ("whole", "drop"):
    shingles = mnb.shingle(short, k=5, short_texts=rule)
    print(f"{rule:6} sizes {shingles.sizes.tolist()}  J(0, 1) = {mnb.exact_jaccard(shingles, [(0, 1)])[0]}")
    assert mnb.exact_jaccard(shingles, [(0, 1)])[0] == (rule == "whole")
    assert mnb.exact_jaccard(shingles, [(3, 3)])[0] == 0.0

# %% [markdown]
# ## From shingles to numbers
#
# Strings are slow to compare, so each shingle is *hashed*: a fixed recipe turns it into a whole number of 32 bits that
# looks random, its **shingle id**, always the same for the same shingle. A corpus becomes a table with a row for each
# document, a column for each id, and a 1 where the document has the shingle: the **shingle matrix**. Nearly all of it
# is 0, so only the places of the ones are stored (CSR, compressed sparse rows): `indices` holds the ids of all
# documents one after another, sorted in each row, and `indptr` says where each document begins and the last one stops.

# %%
small = mnb.shingle(["abcdefg", "bcdefg", "abcd"], k=5)
print("indptr ", small.indptr)
print("indices", small.indices)

# %% [markdown]
# Two different shingles share an id with probability $2^{-32}$. A document of $n$ shingles has about $n^2 / 2$ pairs of
# them and so loses about $n^2 / 2^{33}$: "exact" Jaccard similarity is exact *on ids*. How much is that? We count in
# one very long random text.

# %%
length = 100_000 if QUICK else 2_000_000
letters = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", dtype=np.uint8)
long_text = np.random.default_rng(0).choice(letters, length).tobytes().decode()
windows = len({long_text[start : start + 10] for start in range(length - 9)})
lost = windows - int(mnb.shingle([long_text], k=10).sizes[0])
expected = theory.expected_lost_shingles(windows)
print(f"{windows:,} different shingles, {lost} lost; expected {expected:.1f}")
for n in (10_000, 100_000, 1_000_000):
    print(f"expected of {n:>9,}: {theory.expected_lost_shingles(n):.3f}")
assert abs(lost - expected) <= 4 * expected**0.5 + 1
if not QUICK:
    assert [round(theory.expected_lost_shingles(n), 2) for n in (10_000, 100_000, 1_000_000)] == [0.01, 1.16, 116.41]

# %% [markdown]
# About one in a hundred documents of 10,000 shingles loses a single one. For documents 32 bits are enough; to number
# all the different shingles of a huge corpus they would not be (notebook 3).
#
# ## What to take along
#
# * Unit, $k$ and normalisation are part of every similarity. Report them with it.
# * Longer shingles set unrelated texts further apart and punish edits harder. Character 5-shingles are a common
#   compromise, and the default here; without spaces between words it must be characters (exercise 3).
# * Jaccard sees spelling, not meaning, and not containment.
#
# Next: how a few numbers per document can know $J$ of every pair.
#
# ## Exercises
#
# **1.** One letter in the middle of a long text is mistyped. How many of its 5-character shingles can change?
#
# <details><summary>Solution</summary>
#
# The letter lies in $k = 5$ windows, so at most 5 shingles go and 5 come: $m + k - 1$ with $m = 1$.
#
# ```python
# typo = mnb.compare("the night ferry leaves the harbour", "the night fezry leaves the harbour", k=5)
# assert len(typo.only_first) == len(typo.only_second) == 5
# ```
#
# </details>
#
# **2.** Which share of words may be replaced before $J$ of word 3-shingles falls below .8?
#
# <details><summary>Solution</summary>
#
# $q / (2 - q) = .8$ gives $q = 8/9$, and $(1 - p)^3 = 8/9$ gives $p = 3.85$ %. At a threshold of .8 word 3-shingles
# tolerate fewer than four edits in a hundred words.
#
# ```python
# share = 1 - (8 / 9) ** (1 / 3)
# assert round(share, 4) == 0.0385
# assert abs(theory.expected_jaccard_under_edits(100_000, share, 3) - 0.8) < 0.001
# ```
#
# </details>
#
# **3.** Two Chinese sentences differ in one character. Compare them by words and by characters.
#
# <details><summary>Solution</summary>
#
# Without spaces a sentence is one word: $J$ is 1 or 0. Characters see the common part.
#
# ```python
# first, second = "夜间渡轮在黄昏涨潮时离开港口", "夜间渡轮在清晨涨潮时离开港口"
# assert mnb.compare(first, second, k=1, unit="word").jaccard == 0.0
# assert mnb.compare(first, second, k=2, unit="char").jaccard > 0.6
# ```
#
# </details>
#
# **4.** Two licences differ only in year and holder. Write a normalisation under which the year does not count.
#
# <details><summary>Solution</summary>
#
# Replace each run of digits by one 0, then do what the default does.
#
# ```python
# import re
#
# def without_digits(text):
#     return re.sub(r"\s+", " ", re.sub(r"\d+", "0", text).lower().strip())
#
# year = "Copyright (c) {} The Harbour Office. All rights reserved."
# assert mnb.compare(year.format(1999), year.format(2024)).jaccard < 1.0
# assert mnb.compare(year.format(1999), year.format(2024), normalize=without_digits).jaccard == 1.0
# ```
#
# </details>
