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
# # 3 · Hash functions can lie
#
# > **Question.** MinHash needs functions that put a set in random order. What happens if they only look random, and
# > which faults does no number of hashes repair?
#
# "More hashes fix everything" is an expensive mistake. More hashes lower the *spread* of an estimate. A weak family of
# functions, ids that are too short, or arithmetic that wraps around shift its *mean*, equally in every column of the
# signature, and a thousand columns agree on the wrong value. The distance of the mean from the truth is called
# **bias**. Four such faults follow, each made on purpose and mended.
#
# Sources: M. Thorup, "Bottom-k and priority sampling, set similarity and subset sums with minimal independence" (STOC
# 2013); M. Pătraşcu, M. Thorup, "On the k-independence required by linear probing and minwise independence" (ICALP
# 2010); the issue threads named below.

# %%
import os

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import minhash_nb as mnb
from minhash_nb import datasets, experiments, theory

QUICK = os.environ.get("MINHASH_NB_QUICK") == "1"
PRIME = 2**31 - 1


def signatures(sets, num_hashes, family):
    """Sign sets of ids."""
    scheme = mnb.MinHash(num_hashes=num_hashes, seed=0, family=family)
    return np.asarray(mnb.compute_signatures(mnb.ShingleMatrix.from_sets(sets), scheme))


# %% [markdown]
# ## Fault 1: straight lines through consecutive ids
#
# The textbook family is $h(x) = (a x + b) \bmod p$ with a prime $p$: `family="mersenne31"` here, and in most courses.
# Give it the ids that courses use, too: the numbers 0, 1, 2 ... of a vocabulary. Here are 300 of them. In truly random
# order each would come first equally often (notebook 2). We draw many functions and count which id does, beside the
# package's default family `multiply-add`, which is explained below.

# %%
num_hashes = 2**13 if QUICK else 2**16
vocabulary = list(range(300))
singletons = [[word] for word in vocabulary]
first = {}
for family in ("mersenne31", "multiply-add"):
    least = signatures(singletons, num_hashes, family).argmin(axis=0)
    first[family] = np.bincount(least, minlength=300) * 300 / num_hashes
ends, middle = (first["mersenne31"][where].mean() for where in ([0, -1], slice(100, 200)))
print(f"fair shares with mersenne31: {ends:.1f} for an end, {middle:.1f} for the middle third")

# %%
# Figure: how often each of 300 consecutive ids comes first, relative to a fair share. With mersenne31 the curve is a
# bath tub, 1.7 for the ten ids at either end and below .9 in the middle; with multiply-add it is flat at 1.
spread = 1.96 * (300 / num_hashes / 10) ** 0.5
_, ax = plt.subplots()
for (family, share), marker in zip(first.items(), "os", strict=True):
    ax.plot(np.arange(5, 300, 10), share.reshape(30, 10).mean(axis=1), marker, label=family)
ax.axhline(1, color="black", linestyle="--", label="fair share, and 95 % of fair counts")
ax.axhspan(1 - spread, 1 + spread, color="black", alpha=0.15, linewidth=0)
ax.set(xlabel="id (means of ten neighbours)", ylabel="how often it comes first / fair share", ylim=(0, 2))
ax.set_title("On consecutive ids a straight line favours the ends")
ax.legend()
plt.show()

# %% [markdown]
# **To see:** bend the remainders 0 to $p - 1$ into a circle. From each id to the next $a x + b$ moves on by $a$, in
# equal steps around it, and the id that comes first is the first one met from the point 0 on: an id wins with a
# probability that is the length of the empty gap before it. For most ids the gap is closed by an id some fixed number
# of steps earlier or later in the run. Near the ends that partner is missing, so the gaps there are wider and the ends
# win too often.
#
# Whether the estimate comes out too high or too low now depends on *who sits at the ends*. Two pairs of sets over these
# 300 ids, both with $J = 100/300$:

# %%
run = np.array(vocabulary)
arrangements = {
    "ends belong to one set each": (run[:200], run[100:]),
    "ends belong to both": (np.r_[run[:50], run[250:], run[50:150]], np.r_[run[:50], run[250:], run[150:250]]),
}
estimates = pd.DataFrame(index=list(arrangements), columns=["mersenne31", "multiply-add"], dtype=float)
for name, (a, b) in arrangements.items():
    assert mnb.reference.exact_jaccard(set(a.tolist()), set(b.tolist())) == 1 / 3
    for family in estimates:
        one, other = signatures([a.tolist(), b.tolist()], num_hashes, family)
        estimates.loc[name, family] = (one == other).mean()
(estimates - 1 / 3).round(3).rename_axis("estimate - J")

# %%
error = 4 * (1 / 3 * 2 / 3 / num_hashes) ** 0.5
low, high = estimates["mersenne31"] - 1 / 3
assert low < -error < error < high
assert ((estimates["multiply-add"] - 1 / 3).abs() < 0.01).all()
if not QUICK:
    assert (round(low, 2), round(high, 2)) == (-0.05, 0.08)
    assert ends > 2
    assert 0.8 < middle < 0.9
    assert (first["mersenne31"].reshape(30, 10).mean(axis=1)[[0, -1]].round(1) == 1.7).all()

# %% [markdown]
# A bias of $-.05$ or $+.08$ where the truth is .333. Does it go away with more hashes? We sign 1,000 pairs of sets with
# 16 to 1,024 hashes, once on random ids and once on runs of consecutive ones that begin anywhere, arranged as in the
# first row above. (In tables and legends `MinHash` without a family has the default one.)

# %%
trials = 100 if QUICK else 1_000
families = [
    mnb.MinHash(2**n, seed=n, family=family) for family in ("mersenne31", "multiply-add") for n in (4, 6, 8, 10)
]
options = {"jaccard": 1 / 3, "union_size": 300, "trials": trials}
bias = pd.concat([experiments.estimator_error(families, ids=ids, **options) for ids in ("random", "consecutive")])
bias.pivot_table(index=["scheme", "ids"], columns="num_hashes", values="bias").round(4)

# %%
# Figure: bias of the estimate against the number of hashes. Mersenne31 on consecutive ids stays near -.05 from 16 to
# 1,024 hashes, far outside its intervals; mersenne31 on random ids and mixed ids of both kinds lie on 0.
_, ax = plt.subplots()
for position, ((scheme, ids), group) in enumerate(bias.groupby(["scheme", "ids"])):
    x = group["num_hashes"] * 1.06 ** (position - 1.5)
    ax.errorbar(
        x, group["bias"], 1.96 * group["bias_error"], fmt="os^D"[position], capsize=3, label=f"{scheme}, {ids} ids"
    )
ax.axhline(0, color="black", linestyle="--", linewidth=1)
ax.set(xlabel="number of hashes", ylabel="mean of estimate - J, and 95 %", xscale="log")
ax.set_xticks([16, 64, 256, 1024], ["16", "64", "256", "1,024"], minor=False)
ax.set_title("Hashes buy precision, not truth")
ax.legend(fontsize="small")
plt.show()

# %% [markdown]
# **To see:** the interval shrinks around the wrong value; on random ids the same family does no harm. (It is an
# interval over pairs of sets; that the four triangles differ is the luck of four draws of functions, each shared by all
# of its pairs.) A corpus that is numbered by vocabulary, by row or by time is full of such runs.

# %%
z = bias["bias"] / bias["bias_error"]
lies = (bias["ids"] == "consecutive") & bias["scheme"].str.contains("mersenne31")
assert (z[~lies].abs() < 4).all()
assert (z[lies & (bias["num_hashes"] == 1024)] < -10).all()
if not QUICK:
    assert bias.loc[lies, "bias"].between(-0.06, -0.04).all()

# %% [markdown]
# ## The remedy: mix once
#
# A **mixer** is a one-to-one map of 32-bit numbers that scatters neighbours: combine the bits with a shifted copy of
# themselves (`^` is one where two bits differ), multiply, and again. It is applied to each id *once*; after that the
# cheapest family, $(a x + b) \bmod 2^{32}$ with odd $a$, is good enough. (An odd $a$ keeps
# different numbers different; an even one does not.) This is the default, `family="multiply-add"`, and these few lines
# are all of it.


# %%
def mix(x):
    """Mix 32-bit words, without loss (constants by Chris Wellons)."""
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D)
    x = (x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B)
    return x ^ (x >> np.uint32(16))


words = np.arange(4, dtype=np.uint32)
print("mixed:", *[f"{word:032b}" for word in mix(words).tolist()], sep="\n")

# %%
scheme = mnb.MinHash(num_hashes=128, seed=0)
ids = np.random.default_rng(0).integers(0, 2**32, 500, dtype=np.uint32)
factors, shifts = scheme.coefficients
by_hand = (factors[:, None] * mix(ids) + shifts[:, None]).min(axis=1)
assert (signatures([ids.tolist()], 128, "multiply-add")[0] == by_hand).all()
assert (factors % 2 == 1).all()

many = np.arange(2**20, dtype=np.uint32)
flipped = np.bitwise_count(mix(many) ^ mix(many ^ np.uint32(1)))
assert len(np.unique(mix(many))) == len(many)
print(f"changing the last bit of an id changes {flipped.mean():.2f} of 32 bits")
assert abs(flipped.mean() - 16) < 0.1

# %% [markdown]
# Three honest remarks. First, no such recipe is perfect: 0 stays 0, and 2 comes out as 1 does, moved by one bit; the
# factor $a$ and the other ids of the set have to hide that, and the measurements above say that they do. Second, the
# mixer is fixed, so a *particular* run of ids can keep a small bias of its own, of either sign (above: less than .01);
# over many sets it vanishes. Third, ids that are hashes of strings, as `shingle` makes them, are mixed already. The
# remedy costs one mixing per id, against one multiplication per id and hash function, and makes your own ids safe.
#
# ## Fault 2: ids that are too short
#
# Cut the ids to a few bits, and different shingles become one. Take two sets that have *nothing* in common, with
# $n$ = 2,000 ids each. Of the $n^2$ pairs across, each becomes one id with probability $2^{-bits}$, and the union has
# nearly $2n$ ids, so the similarity to expect is about $n^2 2^{-bits} / 2n = n / 2^{bits + 1}$.

# %%
size, draws = 2_000, 10 if QUICK else 60
disjoint, pairs = datasets.pairs_with_jaccard(draws, 0.0, union_size=2 * size, seed=1)
rows = []
for bits in (12, 14, 16, 18, 20, 22):
    cut = [ids.tolist() for ids in np.split(disjoint.indices % 2**bits, disjoint.indptr[1:-1])]
    rows.append(pd.DataFrame({"bits": bits, "jaccard": mnb.exact_jaccard(mnb.ShingleMatrix.from_sets(cut), pairs)}))
short = pd.concat(rows).groupby("bits")["jaccard"].agg(["mean", "sem"]).reset_index()
short["theory"] = [theory.collision_bias(0, size, size, bits) for bits in short["bits"]]
short.round(5)

# %%
# Figure: similarity of the cut ids of two sets without a common shingle, against the width of an id, on a logarithmic
# scale. The measured points fall from .24 at 12 bits to .0003 at 22 bits along the dashed line of theory.
_, ax = plt.subplots()
ax.plot(short["bits"], short["theory"], "--", color="C0", label="theory, n / 2$^{bits + 1}$")
ax.errorbar(short["bits"], short["mean"], 1.96 * short["sem"], fmt="o", color="C0", capsize=3, label="measured, 95 %")
ax.set(xlabel="bits of an id", ylabel="Jaccard similarity of disjoint sets", yscale="log")
ax.set_title("Short ids invent similarity")
ax.legend()
plt.show()

# %% [markdown]
# **To see:** every two bits divide the fault by four. (At 12 bits the formula is a little high: so many ids meet that
# the union is visibly smaller, and several meetings share an id.) Even `exact_jaccard` is deceived: the harm is done
# before the first hash function is drawn, so no number of them can undo it.

# %%
sets = [
    (disjoint.indices[start:stop] % 2**12).tolist() for start, stop in zip([0, size], [size, 2 * size], strict=True)
]
for num_hashes in (64, 1024, 16384):
    one, other = signatures(sets, num_hashes, "multiply-add")
    print(f"{num_hashes:6,} hashes of 12-bit ids: {(one == other).mean():.3f} for a true 0")
assert (one == other).mean() > 0.2
if not QUICK:
    assert (short["mean"].iloc[0].round(2), short["mean"].iloc[-1].round(4)) == (0.24, 0.0003)
assert (
    (short["mean"] - short["theory"]).abs() < 4 * short["sem"] + short["theory"] * size / 2 ** short["bits"] / 4
).all()

# %% [markdown]
# And with 32 bits, as this package uses? For documents that is enough. To number the *vocabulary*, all different
# shingles of a large corpus, it is not: of a billion, a tenth would be merged with others.

# %%
for size in (10_000, 1_000_000, 10_000_000):
    print(f"two documents of {size:>10,}: similarity too high by {theory.collision_bias(0, size, size):.1e}")
merged = theory.expected_lost_shingles(10**9) / 10**9
print(f"vocabulary of 1,000,000,000: {merged:.1%} merged")
assert f"{theory.collision_bias(0, 10**6, 10**6):.1e} {merged:.1%}" == "1.2e-04 10.8%"

# %% [markdown]
# ## Fault 3: a prime below the range of the ids
#
# The chapter hashes shingles to 32 bits and then computes modulo $p = 2^{31} - 1$. Only $p$ remainders exist for twice
# as many ids, so $x$ and $x + p$ are one element to *every* function of the family, whatever $a$ and $b$:

# %%
x = 12_345
for family in ("mersenne31", "multiply-add"):
    one, other = signatures([[x], [x + PRIME]], 1024, family)
    print(f"{family:12}: {{x}} and {{x + p}} agree in {(one == other).sum():5,} of 1,024 columns")
    assert (one == other).all() == (family == "mersenne31")

# %% [markdown]
# How much does it matter? Each of the $2^{32}$ ids has one such partner (0 and 1 have two), so two disjoint sets of $n$
# random ids meet in about $n^2 / 2^{32}$ places: as often again as 32-bit ids of different shingles collide anyhow.

# %%
size, draws = 200_000, 5 if QUICK else 40
meetings = []
for seed in range(draws):
    sets, _ = datasets.pairs_with_jaccard(1, 0.0, union_size=2 * size, seed=seed)
    meetings.append(np.intersect1d(sets.indices[:size] % PRIME, sets.indices[size:] % PRIME).size)
expected = size**2 / 2**32
print(
    f"sets of {size:,}: {np.mean(meetings):.1f} meetings, expected {expected:.1f}; J {np.mean(meetings) / 2 / size:.1e}"
)
assert abs(np.mean(meetings) - expected) < 4 * (expected / draws) ** 0.5

# %% [markdown]
# Harmless at the size of documents, and still a fault worth knowing: it costs nothing to avoid. Reduce the ids below
# $p$ first if the field must be this one, or drop the prime, as the default family does. (The package keeps
# `mersenne31` because it is the chapter's, bit for bit.)
#
# ## Fault 4: the product wraps before the prime comes
#
# A larger prime, $p = 2^{61} - 1$, leaves room for 32-bit ids, but not for the product: $a x$ reaches $2^{93}$, and
# NumPy's uint64 keeps its lowest 64 bits without a word: it *wraps*. `(a * x + b) % p` then is
# $((a x + b) \bmod 2^{64}) \bmod p$, another function. Long in wide use: reported for datasketch before 2.0
# (ekzhu/datasketch issues 99 of 2019 and 239 of 2024) and for datatrove (huggingface/datatrove issue 198 of 2024, whose
# maintainer saw no proof of harm). Both keep the lowest 32 bits of the result. We compare with Python's integers, which
# do not wrap.

# %%
p61 = 2**61 - 1
rng = np.random.default_rng(3)
a, b = rng.integers(1, p61, (100, 1), dtype=np.uint64), rng.integers(0, p61, (100, 1), dtype=np.uint64)
x = rng.integers(0, 2**32, 1_000, dtype=np.uint64)
low_half = np.uint64(2**32 - 1)
wrapped = (a * x + b) % np.uint64(p61) & low_half
true = ((a.astype(object) * x.astype(object) + b.astype(object)) % p61 & (2**32 - 1)).astype(np.uint64)
no_prime = (a * x + b) & low_half
print("equal to the true values:", int((wrapped == true).sum()), "of", wrapped.size)
print("differences to (a x + b) mod 2^32:", np.unique((wrapped - no_prime) & low_half).tolist())
print(f"even factors: {(a % 2 == 0).mean():.0%}")
assert ((p61 - 1) * (2**32 - 1)).bit_length() == 93
assert not (wrapped == true).any()
assert set(np.unique((wrapped - no_prime) & low_half).tolist()) <= set(range(8))

# %% [markdown]
# Not one value is right, and the prime does nothing any more: up to a difference of 7 the function is
# $(a x + b) \bmod 2^{32}$, with *even* factors half of the time, which is not one-to-one. Does it hurt? Ids that are
# hashes already hide much. Different ids that get the same value are what remains, and they make large sets look more
# similar than they are. To see it on sets that fit a notebook, we build the same machine at half the width: 16-bit ids,
# 32-bit products, a prime three bits below the word ($p = 2^{29} - 3$; $2^{29} - 1$ is none), the lowest 16 bits kept.
#
# What should it give? If every id got a random one of $m$ values, a set of $n$ ids would take a given value with
# probability $u = 1 - e^{-n/m}$, nearly. Go up from value 0 to the first that either of two disjoint sets takes: both
# take it, and the minima are equal, with probability $u^2 / (2u - u^2) = u / (2 - u)$, which is $\tanh(n / 2m)$.

# %%
narrow_prime, universe = 2**29 - 3, 2**16
assert all(narrow_prime % divisor for divisor in range(2, int(narrow_prime**0.5) + 1))
assert (2**29 - 1) % 233 == 0


def wraps(a, b, x):
    """Wrap at 32 bits, then take the prime, then keep 16 bits."""
    return (a * x + b) % np.uint32(narrow_prime) & np.uint32(universe - 1)


def exact(a, b, x):
    """Compute the same without wrapping."""
    return (a.astype(np.uint64) * x + b) % np.uint64(narrow_prime) & np.uint64(universe - 1)


def odd(a, b, x):
    """Use no prime and odd factors: one-to-one on 16-bit ids."""
    return ((a | np.uint32(1)) * x + b) & np.uint32(universe - 1)


# %%
sizes, num_hashes, draws = [2_000, 4_000, 8_000, 16_000], 128, 2 if QUICK else 128
rows = []
for size in sizes:
    for seed in range(draws):
        rng = np.random.default_rng([size, seed])
        ids = rng.permutation(universe)[: 2 * size].astype(np.uint32)
        a, b = rng.integers(1, narrow_prime, (2, num_hashes, 1), dtype=np.uint32)
        for family in (wraps, exact, odd):
            values = family(a, b, ids)
            equal = (values[:, :size].min(axis=1) == values[:, size:].min(axis=1)).mean()
            rows.append((family.__name__, size, equal))
narrow = pd.DataFrame(rows, columns=["family", "size", "estimate"]).groupby(["family", "size"])["estimate"]
narrow = narrow.agg(["mean", "sem"]).reset_index()
narrow.pivot_table(index="family", columns="size", values="mean").round(4)

# %%
# Figure: estimated similarity of two disjoint sets against their size, for the half-width machine. The family that
# wraps rises fastest, the exact prime follows the dashed line of random values below it, odd factors stay at 0.
_, ax = plt.subplots()
for marker, (family, group) in zip("os^", narrow.groupby("family"), strict=True):
    ax.errorbar(group["size"], group["mean"], 1.96 * group["sem"], fmt=marker, capsize=3, label=family)
grid = np.linspace(0, sizes[-1], 101)
ax.plot(grid, np.tanh(grid / 2 / universe), "--", color="black", label="random values, tanh(n / 2m)")
ax.set(xlabel="ids in each of two disjoint sets, of 65,536", ylabel="estimated Jaccard similarity (true: 0)")
ax.set_title("What is not one-to-one makes large sets look similar")
ax.legend()
plt.show()

# %% [markdown]
# **To see:** two faults on top of each other. Cutting the *correct* remainder ("exact") to fewer bits makes different
# ids meet like random values, $\tanh(n / 2m)$ with $m$ = 65,536; wrapping adds about a sixth to that. Odd factors
# without any prime are one-to-one and have no such bias at all. At the full 32 bits the dashed curve is stretched
# 65,536 times: a document of a million shingles is off by .0001, one of 300 million by .035.

# %%
table = narrow.pivot_table(index="size", columns="family", values="mean")
accidental = np.tanh(table.index.to_numpy() / 2 / universe)
noise = (accidental * (1 - accidental) / num_hashes / draws) ** 0.5
print("wraps over exact:", (table["wraps"] / table["exact"]).round(2).to_dict())
assert (table["odd"] == 0).all()
assert ((table["exact"] - accidental).abs() < 4 * noise).all()
assert ((table["wraps"] - accidental) > -4 * noise).all()
if not QUICK:
    assert round(table["wraps"].sum() / table["exact"].sum() - 1, 2) == 0.16  # a sixth
    assert (table["wraps"] - table["exact"]).sum() > 4 * (2 * (noise**2).sum()) ** 0.5
assert (f"{np.tanh(10**6 / 2**33):.4f}", f"{np.tanh(3 * 10**8 / 2**33):.3f}") == ("0.0001", "0.035")

# %% [markdown]
# That is what datasketch 2.0 changed (pull request 323, 2026): it mixes once and uses odd factors without a prime, and
# names the bias on large sets as the reason.
#
# ## What to take along
#
# | fault | what it does | more hashes? | remedy |
# |---|---|---|---|
# | straight lines on patterned ids | bias of either sign, here $-.05$ and $+.08$ | no help | mix each id once |
# | ids too short | invents similarity, $n / 2^{bits + 1}$ | no help | 32 bits per document, 64 per corpus |
# | prime below the range of ids | $x$ and $x + p$ are one | no help | larger prime, or none |
# | product wraps before the prime | another family, not one-to-one | no help | odd factors modulo $2^w$, on purpose |
#
# Next: from estimates of given pairs to *finding* the pairs.
#
# ## Exercises
#
# **1.** Vocabulary numbers are multiplied by 1,000 to "spread them out". Does it help `mersenne31`?
#
# <details><summary>Solution</summary>
#
# No. $a \cdot 1000 x + b$ is a straight line in $x$ again, with another random factor.
#
# ```python
# spread_out = [(1000 * part).tolist() for part in (run[:200], run[100:])]
# one, other = signatures(spread_out, 2**13, "mersenne31")
# assert (one == other).mean() < 1 / 3 - 0.03
# ```
#
# </details>
#
# **2.** Someone mixes once and then uses $h_j(x) = \text{mix}(x) \oplus c_j$ with random constants, which is cheaper
# still. Measure it on several runs of 300 ids.
#
# <details><summary>Solution</summary>
#
# Each run has a bias of its own, some hundredths, up or down: xor with a constant ($\oplus$, `^`) reorders one fixed
# arrangement in too few ways. Random odd factors on the same mixed ids leave next to nothing beyond the noise.
#
# ```python
# rng = np.random.default_rng(0)
# constants, a, b = rng.integers(0, 2**32, (3, 4096, 1), dtype=np.uint32)
# by_xor, by_product = [], []
# for start in range(0, 20_000, 1_000):
#     mixed = mix((run + start).astype(np.uint32))
#     for values, biases in ((mixed ^ constants, by_xor), ((a | np.uint32(1)) * mixed + b, by_product)):
#         equal = values[:, :200].min(axis=1) == values[:, 100:].min(axis=1)
#         biases.append(equal.mean() - 1 / 3)
# noise = (1 / 3 * 2 / 3 / 4096) ** 0.5
# by_xor, by_product = (np.square(biases).mean() ** 0.5 for biases in (by_xor, by_product))
# assert by_product < 2 * noise < 3 * noise < by_xor
# ```
#
# </details>
#
# **3.** How many bits must the keys of a vocabulary of a billion shingles have, so that on average less than one is
# lost?
#
# <details><summary>Solution</summary>
#
# $n^2 / 2^{bits + 1} < 1$ gives 59 bits; 64 are the next that a machine has.
#
# ```python
# assert theory.expected_lost_shingles(10**9, bits=58) > 1 > theory.expected_lost_shingles(10**9, bits=59)
# ```
#
# </details>
#
# **4.** Compute $(a x + b) \bmod (2^{31} - 1)$ for 31-bit numbers without `%`, and without wrapping in 64 bits.
#
# <details><summary>Solution</summary>
#
# $2^{31} \equiv 1$, so the bits above the 31st may be added to those below; twice, then subtract once if needed.
#
# ```python
# def fold(v):
#     v = (v & np.uint64(PRIME)) + (v >> np.uint64(31))
#     v = (v & np.uint64(PRIME)) + (v >> np.uint64(31))
#     return np.where(v >= PRIME, v - np.uint64(PRIME), v)
#
# a, b, x = np.random.default_rng(0).integers(0, PRIME, (3, 100_000), dtype=np.uint64)
# assert (fold(a * x + b) == (a * x + b) % np.uint64(PRIME)).all()
# ```
#
# </details>
