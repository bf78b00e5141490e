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
# # 8 · From Python to parallel Numba
#
# > **Question.** The same few lines of arithmetic can run a thousand times faster. Which steps bring how much, how do
# > we know that the values stay the same, and when is it fast enough?
#
# A signature of 128 hashes costs 128 multiplications, additions and comparisons for each shingle, and a corpus of a
# million documents has some hundred million shingles. This notebook climbs from plain Python to vectors held in
# registers. Two rules: **every version must equal the one before, bit for bit**, and a time means nothing without
# saying what was computed. Times are those of the machine that built this page, the best of several runs; ratios travel
# better than nanoseconds.
#
# Sources: S. K. Lam, A. Pitrou, S. Seibert, "Numba: a LLVM-based Python JIT compiler" (2015); A. Fog, *Instruction
# tables*, for what an instruction costs.

# %%
import os
import re
import sys
import time
import timeit

import matplotlib.pyplot as plt
import numba
import numpy as np
import pandas as pd
from numba import njit, prange

import minhash_nb as mnb
from minhash_nb import datasets, experiments
from minhash_nb.kernels.lanes import lower_multiply_add

QUICK = os.environ.get("MINHASH_NB_QUICK") == "1"
mnb.show_config()

# %% [markdown]
# ## The data, and how it is timed
#
# Documents of about 225 random shingle ids, in compressed rows (CSR, notebook 1): `indices[indptr[d]:indptr[d + 1]]`
# are the ids of document $d$. The slow versions get the first documents only; speed is counted in nanoseconds per
# shingle.

# %%
shingles, _ = datasets.pairs_with_jaccard(200 if QUICK else 5_000, 0.5, union_size=300, seed=0)
indptr, indices = shingles.indptr, shingles.indices
factors, shifts = mnb.MinHash(num_hashes=128, seed=42, family="mersenne31").coefficients
speeds = {}


def best(function, repeat=3):
    """Return the least seconds of several runs."""
    return min(timeit.repeat(function, number=1, repeat=repeat))


def record(name, function, num_shingles):
    """Time a version and remember its nanoseconds per shingle."""
    speeds[name] = 1e9 * best(function) / num_shingles
    print(f"{name}: {speeds[name]:,.1f} ns per shingle")


print(f"{len(shingles):,} documents, {indices.size:,} shingles")

# %% [markdown]
# ## Step 0: plain Python
#
# `reference.signatures` is the lesson in ten lines, and from here on the judge.

# %%
few = 20 if QUICK else 100
sets = [set(ids.tolist()) for ids in np.split(indices, indptr[1:-1])[:few]]
truth = np.array(mnb.reference.signatures(sets, num_hashes=128, seed=42))
record("plain Python", lambda: mnb.reference.signatures(sets), indptr[few])

# %% [markdown]
# ## Step 1: NumPy
#
# One document at a time, all hashes at once: a table of 128 rows and one column for each id, and the least of each row.
# Python's integers are gone; but the table is written to memory three times over before its minimum is taken.

# %%
prime = np.uint64(2**31 - 1)
a, b = factors.astype(np.uint64), shifts.astype(np.uint64)


def by_numpy(indptr, indices):
    """Sign documents one by one."""
    signatures = np.empty((len(indptr) - 1, len(a)), dtype=np.uint64)
    for d in range(len(indptr) - 1):
        ids = indices[indptr[d] : indptr[d + 1]].astype(np.uint64)
        signatures[d] = ((a[:, None] * ids + b[:, None]) % prime).min(axis=1)
    return signatures


some = indptr[: 5 * few + 1]
assert (by_numpy(some, indices)[:few] == truth).all()
record("NumPy", lambda: by_numpy(some, indices), some[-1])

# %% [markdown]
# ## Step 2: `@njit`
#
# Numba compiles loops. Now the natural program is the fast one: no table, one value at a time, the minimum kept as we
# go. Two conventions of this package: every constant has a type (see below), and a function either does one row or
# loops over rows.

# %%
EMPTY = np.uint64(2**32 - 1)


@njit
def sign_row(ids, a, b, row):
    """Fill one row with the least value of every hash function."""
    row[:] = EMPTY
    for x in ids:
        for j in range(row.size):
            value = (a[j] * np.uint64(x) + b[j]) % prime
            row[j] = min(row[j], value)


@njit
def by_loops(indptr, indices, a, b, out):
    """Sign all documents, one after another."""
    for d in range(indptr.size - 1):
        sign_row(indices[indptr[d] : indptr[d + 1]], a, b, out[d])


out = np.empty((len(shingles), 128), dtype=np.uint64)
start = time.perf_counter()
by_loops(indptr, indices, a, b, out)
first_call = time.perf_counter() - start
assert (out[:few] == truth).all()
record("@njit", lambda: by_loops(indptr, indices, a, b, out), indices.size)
print(f"the first call took {first_call:.1f} s: it compiled")

# %% [markdown]
# Compilation costs about a second for each function and combination of types. The kernels of the package are compiled
# once per machine and kept in a cache on disk.
#
# ## Step 3: `parallel=True`
#
# Documents do not depend on each other, and each writes a row of its own. So the loop over documents may be shared
# among threads, and the result cannot depend on how many there are.


# %%
@njit(parallel=True)
def by_threads(indptr, indices, a, b, out):
    """Sign all documents, shared among threads."""
    for d in prange(indptr.size - 1):
        sign_row(indices[indptr[d] : indptr[d + 1]], a, b, out[d])


serial = out.copy()
for threads in range(1, numba.get_num_threads() + 1):
    with mnb.num_threads(threads):
        out[:] = 0
        by_threads(indptr, indices, a, b, out)
        assert (out == serial).all()
cores = f"{numba.get_num_threads()} threads"
record(f"@njit, {cores}", lambda: by_threads(indptr, indices, a, b, out), indices.size)

# %% [markdown]
# ## Step 4: cheaper arithmetic
#
# The modulus is the expensive part. Since $2^{31} \equiv 1 \pmod{2^{31} - 1}$, it can be replaced by adding the high
# bits to the low ones. That is what the package does for this family, sixteen values at a time.

# %%
chapter = mnb.MinHash(num_hashes=128, seed=42, family="mersenne31")
assert (np.asarray(mnb.compute_signatures(shingles, chapter)) == serial).all()
record(f"folded, 16 lanes, {cores}", lambda: mnb.compute_signatures(shingles, chapter), indices.size)

# %% [markdown]
# Better still is no modulus at all. If the ids are mixed once, arithmetic modulo $2^{32}$ will do, which is what a
# 32-bit word does by itself (notebook 3). **Here the values change**: it is another hash family, `multiply-add`, with a
# truth of its own. The loop is the same; only `% prime` is gone.


# %%
@njit
def mix(x):
    """Mix a 32-bit word."""
    x = np.uint32((x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D))
    x = np.uint32((x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B))
    return np.uint32(x ^ (x >> np.uint32(16)))


@njit
def sign_row_32(ids, a, b, row):
    """Fill one row with the least value of every hash function, modulo 2**32."""
    row[:] = np.uint32(2**32 - 1)
    for x in ids:
        mixed = mix(x)
        for j in range(row.size):
            row[j] = min(row[j], np.uint32(a[j] * mixed + b[j]))


@njit
def by_loops_32(indptr, indices, a, b, out):
    """Sign all documents, one after another, modulo 2**32."""
    for d in range(indptr.size - 1):
        sign_row_32(indices[indptr[d] : indptr[d + 1]], a, b, out[d])


@njit(parallel=True)
def by_threads_32(indptr, indices, a, b, out):
    """Sign all documents, shared among threads, modulo 2**32."""
    for d in prange(indptr.size - 1):
        sign_row_32(indices[indptr[d] : indptr[d + 1]], a, b, out[d])


# %%
default = mnb.MinHash(num_hashes=128, seed=42)
odd, offsets = default.coefficients
words = np.empty((len(shingles), 128), dtype=np.uint32)
by_loops_32(indptr, indices, odd, offsets, words)
once = words.copy()
record("no modulus", lambda: by_loops_32(indptr, indices, odd, offsets, words), indices.size)
by_threads_32(indptr, indices, odd, offsets, words)
assert (words == once).all()
record(f"no modulus, {cores}", lambda: by_threads_32(indptr, indices, odd, offsets, words), indices.size)
for threads, name in ((1, "in registers"), (numba.get_num_threads(), f"in registers, {cores}")):
    with mnb.num_threads(threads):
        assert (np.asarray(mnb.compute_signatures(shingles, default)) == once).all()
        record(name, lambda: mnb.compute_signatures(shingles, default), indices.size)

# %% [markdown]
# ## Step 5: blocking in registers
#
# The loop above loads and stores the row of minima for *every* id. The package's kernel (`kernels/lanes.py`) holds a
# block of 128 minima, factors and offsets in the vector registers of the processor while all ids of the document pass:
# 8 vectors of 16 lanes each. LLVM would not do that by itself, so the vectors are spelled out. Is there anything left
# to gain? We look at the machine code of the inner loop.


# %%
@njit
def one_block(ids, a, b, row):
    """Lower 128 minima by the values of all ids."""
    lower_multiply_add(ids, np.int64(ids.size), a, b, row, np.int64(128))


row = np.full(128, 2**32 - 1, dtype=np.uint32)
many = np.arange(1_000, dtype=np.uint32)
one_block(many, odd, offsets, row)
(code,) = one_block.inspect_asm().values()
loops = [block.partition("\tjne")[0] for block in re.split(r"^\.?L\w+:", code, flags=re.MULTILINE)]
inner = max(loops, key=lambda block: block.count("vpmulld"))
counts = {name: len(re.findall(rf"\t{name}\t.*%zmm", inner)) for name in ("vpmulld", "vpaddd", "vpminud")}
instructions = len(re.findall(r"^\t\w", inner, flags=re.MULTILINE)) + 1  # and the jump
print(f"{instructions} instructions for one id and 128 hashes, of them with 512 bits: {counts}")
print(*inner.strip().split("\n")[:4], "...", sep="\n")

# %%
if not QUICK and "%zmm" in inner:
    assert instructions == 28
    assert counts == {"vpmulld": 8, "vpaddd": 8, "vpminud": 8}

# %% [markdown]
# On a processor with AVX-512 the loop has 28 instructions, 24 of them the arithmetic itself: 8 multiplications, 8
# additions, 8 minima of 16 lanes. A 32-bit multiplication takes two micro-operations, the others one: 32
# micro-operations, two of which start in a cycle. So **16 cycles per shingle** are the least possible on such a core,
# an eighth of a cycle for each hash value. How long is a cycle? We time a chain of operations that must wait for each
# other, four cycles a link (a product, then an exclusive or).


# %%
@njit
def chain(links):
    """Do nothing useful, four cycles at a time."""
    x = np.uint64(88172645463325252)
    for _ in range(links):
        x = (x * np.uint64(6364136223846793005)) ^ (x >> np.uint64(33))
    return x


chain(1)
links = 10**7 if QUICK else 10**8
nanoseconds_per_cycle = 1e9 * best(lambda: chain(links)) / links / 4
bound = 16 * nanoseconds_per_cycle
block_time = 1e9 * best(lambda: [one_block(many, odd, offsets, row) for _ in range(500)], 5) / 500 / many.size
print(f"{1 / nanoseconds_per_cycle:.1f} GHz; 16 cycles are {bound:.1f} ns")
print(f"the block alone takes {block_time:.1f} ns, {block_time / bound:.1f} times the bound")

# %% [markdown]
# What remains is not in the loop but around it: fetching ids, mixing them, beginning and ending rows. Beyond this bound
# there is only a better *algorithm*, which does fewer than 128 multiplications per shingle (notebook 6).
#
# ## All versions

# %%
# Figure: horizontal bars on a logarithmic scale: how many times faster than plain Python each version is, from 1 over
# tens for NumPy and a hundred for compiled loops to thousands for vectors in registers. A dashed line marks the bound
# of 16 cycles for one thread.
ratios = speeds["plain Python"] / pd.Series(speeds)
_, ax = plt.subplots(figsize=(7.2, 4.6))
family = ["C1" if name.startswith(("no", "in")) else "C0" for name in ratios.index]
bars = ax.barh(ratios.index, ratios, color=family)
ax.bar_label(bars, [f"{ratio:,.0f}×" for ratio in ratios], padding=4, bbox={"color": "white", "pad": 1})
ax.axvline(speeds["plain Python"] / bound, color="black", linestyle="--", label="16 cycles per shingle, one thread")
ax.set(xscale="log", xlim=(0.8, 8 * ratios.max()))
ax.set_xlabel("times as fast as plain Python (blue: mersenne31, orange: multiply-add)")
ax.invert_yaxis()
ax.set_title("Compile, simplify, stay in registers, share")
ax.legend(loc="upper right", fontsize="small", frameon=True, facecolor="white", edgecolor="white", framealpha=1)
plt.show()

# %% [markdown]
# **To see:** no single trick made this. Compiled loops remove Python, a cheaper family removes the modulus, registers
# remove memory traffic, and threads multiply the rest by the number of cores. All bars of one colour gave the same
# bits.

# %%
assert ratios["NumPy"] > 2
assert ratios["@njit"] > 5
assert ratios[f"in registers, {cores}"] > 50
assert speeds["in registers"] > 0.1 * bound

# %% [markdown]
# ## Why CSR, and not a list of arrays?
#
# Short documents show it: 22 ids instead of 225. The same compiled row function is called from a Python loop over a
# list of arrays, from a compiled loop over Numba's typed list, and from a compiled loop over CSR.


# %%
@njit
def by_typed_list(rows, a, b, out):
    """Sign the documents of a typed list."""
    for d in range(len(rows)):
        sign_row_32(rows[d], a, b, out[d])


short, _ = datasets.pairs_with_jaccard(500 if QUICK else 10_000, 0.5, union_size=30, seed=1)
rows = np.split(short.indices, short.indptr[1:-1])
signed = {name: np.empty((len(rows), 128), dtype=np.uint32) for name in ("list", "typed list", "CSR")}


def by_list():
    """Call the compiled function once for each document."""
    for ids, row in zip(rows, signed["list"], strict=True):
        sign_row_32(ids, odd, offsets, row)


typed = numba.typed.List(rows)
runs = {
    "list of arrays, Python loop": by_list,
    "making the typed list": lambda: numba.typed.List(rows),
    "typed list, compiled loop": lambda: by_typed_list(typed, odd, offsets, signed["typed list"]),
    "CSR, compiled loop": lambda: by_loops_32(short.indptr, short.indices, odd, offsets, signed["CSR"]),
}
for run in runs.values():
    run()
assert all((values == signed["CSR"]).all() for values in signed.values())
layout = pd.Series({name: 1e6 * best(run) / len(rows) for name, run in runs.items()}, name="µs per document").to_frame()
layout.round(2)

# %%
as_set = set(rows[0].tolist())
per_shingle = {
    "Python set": (sys.getsizeof(as_set) + sum(map(sys.getsizeof, as_set))) / len(as_set),
    "one array for each document": (sys.getsizeof(rows[0].copy()) + 8) / rows[0].size,
    "CSR": (short.indices.nbytes + short.indptr.nbytes) / short.indices.size,
}
print("bytes per shingle:", {name: round(size, 1) for name, size in per_shingle.items()})
assert per_shingle["CSR"] < 5 < per_shingle["one array for each document"] < per_shingle["Python set"]

# %% [markdown]
# The compiled loop is as quick over a typed list as over CSR, but *making* that list costs more than all the
# signatures, and an array for each document has a header larger than its ids. Two flat arrays need 4 bytes for each
# shingle and 8 for each document, can be saved, mapped, sliced and handed to threads as they are.
#
# ## The whole way, and threads
#
# Signatures are no longer the bottleneck. `experiments.scaling` times the four steps from text to verified pairs.

# %%
sizes = [100, 200, 400] if QUICK else [2_000, 4_000, 8_000, 16_000, 32_000]
times = experiments.scaling(num_docs=sizes, num_hashes=128, repeats=1 if QUICK else 5)
parts = times[times["varied"] != "hashes"]
parts.pivot_table(index=["varied", "documents", "threads"], columns="step", values="seconds").round(4)

# %%
# Figure: seconds of each step against the number of documents, both logarithmic. Shingling takes the most; the total
# runs along the dashed line of proportional growth.
ax = mnb.plotting.plot_scaling(times, varied="documents")
ax.set_title("Turning text into shingles costs more than signing them")
plt.show()

# %% [markdown]
# **To see:** over this range the time grows about in proportion to the documents. That cannot last: candidates grow
# with the number of *pairs*, and notebook 9 shows when they take over.

# %%
# Figure: seconds of each step against the number of threads, both logarithmic, beside a dashed line for perfect
# division of the work.
ax = mnb.plotting.plot_scaling(times, varied="threads")
ax.set_title("Threads divide the kernels, not the Python around them")
plt.show()

# %% [markdown]
# **To see:** signing, which is one kernel, comes nearest to the dashed line. Normalising text is Python's own work and
# stays on one thread, so the total gains less (Amdahl's law).

# %%
whole = times[times["varied"] == "documents"].pivot_table(index="documents", columns="step", values="seconds")
if not QUICK:
    assert whole["shingle"].iloc[-1] > whole["sign"].iloc[-1]
whole = whole.sum(axis=1)
assert whole.iloc[-1] < 20 * whole.iloc[0] * sizes[-1] / sizes[0]

# %% [markdown]
# ## A trap: constants without a type
#
# In Numba a 64-bit unsigned number and a plain integer constant make a *signed* one. Above $2^{63}$ that is negative,
# and the remainder is wrong, without a warning. Hence the rule: type every constant.


# %%
@njit
def careless(x):
    """Take the remainder by a plain constant."""
    return x % 2147483647


@njit
def careful(x):
    """Take the remainder by a constant of the same type."""
    return x % np.uint64(2147483647)


large = np.uint64(2**63 + 5)
print("careless", careless(large), " careful", careful(large), " Python", int(large) % 2147483647)
assert careful(large) == int(large) % 2147483647 == 7
if not QUICK:
    assert careless(large) != 7

# %% [markdown]
# ## What to take along
#
# * A slow twin that is certainly right comes first; every fast version is compared with it, bit for bit.
# * Compile the natural loop before anything clever. Then ask what each operation costs, then where the data lives.
# * Parallelise over what is independent and writes its own rows: the result cannot depend on threads.
# * Count the operations of the inner loop. If the time is near that bound, stop: only another algorithm helps.
# * A speed without its accuracy is no speed: notebook 6 puts both on one picture.
#
# ## Exercises
#
# **1.** Exchange the two loops of `sign_row_32`: hashes outside, ids inside. Same values? Why might it be slower or
# faster?
#
# <details><summary>Solution</summary>
#
# The values are the same. Now each minimum sits in a register and the ids are read again for every hash; they must be
# mixed before, or 128 times. The compiler can still use vectors, along the ids.
#
# ```python
# @njit
# def hashes_outside(ids, a, b, row):
#     for j in range(row.size):
#         least = np.uint32(2**32 - 1)
#         for x in ids:
#             least = min(least, np.uint32(a[j] * mix(x) + b[j]))
#         row[j] = least
#
# swapped = np.empty(128, dtype=np.uint32)
# hashes_outside(indices[: indptr[1]], odd, offsets, swapped)
# assert (swapped == words[0]).all()
# ```
#
# </details>
#
# **2.** Keep the maximum beside the minimum (Ji et al., ICDM 2013). What does it cost per shingle?
#
# <details><summary>Solution</summary>
#
# One more micro-operation for each vector: 64 hashes with both ends need $4 \times (2 + 1 + 1 + 1) = 20$ instead of 32
# for 128 minima.
#
# ```python
# @njit
# def both_ends(ids, a, b, low, high):
#     low[:] = np.uint32(2**32 - 1)
#     high[:] = np.uint32(0)
#     for x in ids:
#         mixed = mix(x)
#         for j in range(low.size):
#             value = np.uint32(a[j] * mixed + b[j])
#             low[j] = min(low[j], value)
#             high[j] = max(high[j], value)
#
# low, high = np.empty((2, 128), dtype=np.uint32)
# both_ends(indices[: indptr[1]], odd, offsets, low, high)
# assert (low == words[0]).all()
# assert (high > low).all()
# ```
#
# </details>
#
# **3.** Inside `prange`, let all threads lower one common row `total[j] = min(total[j], value)`, the signature of the
# union of all documents. Why is that wrong, and what is right?
#
# <details><summary>Solution</summary>
#
# Two threads may read the same old value, and the later one overwrites the smaller. Let each document fill its own row,
# then take the least of the rows: the signature of a union is the elementwise minimum.
#
# ```python
# union = mnb.ShingleMatrix.from_sets([set(indices.tolist())])
# together = np.asarray(mnb.compute_signatures(union, default))[0]
# assert (together == words.min(axis=0)).all()
# ```
#
# </details>
#
# **4.** At the speed printed above, how long do the signatures of a billion shingles take? And reading that many from
# text?
#
# <details><summary>Solution</summary>
#
# A billion nanoseconds are one second, so the figure per shingle in ns is the answer in seconds. Shingling takes
# longer: see the first of the two scaling pictures.
#
# ```python
# print(f"{speeds[f'in registers, {cores}']:.0f} s")
# ```
#
# </details>
