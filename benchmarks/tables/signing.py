"""Tables of the steps from texts to signatures: their speed, and the error of what they make."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd

import minhash_nb as mnb
from benchmarks import corpora
from benchmarks.accuracy import Error, estimate_errors
from benchmarks.adapters import DEFAULT_SCHEME, REFERENCE, SCHEMES, Adapter, installed, on_one_thread
from benchmarks.measure import Effort
from benchmarks.tables.base import Goal, Table, at_least, at_most, number, time_adapters

LENGTHS = (20, 50, 200, 500, 5_000, 50_000)
STRETCH_LENGTHS = LENGTHS[:-1]
UNIONS = (10, 30, 60, 128, 300, 1000, 5000)
IDS = 2_000_000  # in the matrices that signing is timed on
RENSA = "rensa flat matrix"
RHO = (
    "rensa's rho takes some tens of sampled ids from longer documents and leaves slots empty; those empty in both "
    "documents are left out of its estimate, as for one-permutation hashing without densification."
)
DEFAULT = next(name for name, scheme in SCHEMES.items() if scheme == DEFAULT_SCHEME)
ONE_THREAD = on_one_thread(next(one for one in installed("sign") if one.name == DEFAULT))
CLASSIC = ("MinHash multiply-add", "MinHash mersenne31")


def steps(effort: Effort) -> Table:
    """Time text to shingle matrix, and shingle matrix to 128 classic hashes, on the corpora."""
    rows, goals = [], []
    signing = [one for one in installed("sign") if one.name not in SCHEMES or one.name in CLASSIC]
    for whole in [corpora.chapter(), *corpora.spdx(), *corpora.civil_codes()]:
        corpus = whole.sample(effort.most)
        shingling = time_adapters(installed("shingle"), corpus, effort)
        signed = time_adapters(signing, mnb.shingle(corpus.texts), effort)
        for step, unit, timed in (("text to ids", "character", shingling), ("ids to 128 slots", "shingle", signed)):
            ours = next(iter(timed.values())).nanoseconds
            rows += [
                {
                    "corpus": corpus.name,
                    "step": step,
                    "tool": name,
                    **one.columns,
                    "ns": one.nanoseconds,
                    "for each": unit,
                    "times ours": one.nanoseconds / ours,
                }
                for name, one in timed.items()
            ]
        if whole.name != "chapter":  # whose texts are too short to tell the cost of a byte
            goals.append(at_most(f"text to CSR, {corpus.name}: ns per byte", 15, shingling["fast ids"].nanoseconds))
            goals += [
                at_most(f"{name}, {corpus.name}: ns per shingle", asked, signed[name].nanoseconds)
                for name, asked in zip(CLASSIC, (6, 18), strict=True)
            ]
    caption = (
        "Single steps on real text, all cores offered to everyone (reference.py and datasketch use one, rensa "
        "mostly): the shingle matrix (sorted distinct ids of every document) from texts that are normalised within "
        "the time, and 128 slots from that matrix. Where reference.py or datasketch would take minutes they run on "
        "every n-th document. datasketch gets the ids as Python ints, which need no hashing. Signatures from ids "
        "have the errors that the next tables show."
    )
    return Table("steps", caption, pd.DataFrame(rows), goals)


def equal_error(effort: Effort) -> Table:
    """Time every scheme and peer on one matrix for each length, and multiply by the error of its estimates."""
    adapters = _sketches()
    rows: list[dict[str, Any]] = []
    for length in LENGTHS:
        matrix = corpora.random_rows(length, int(min(IDS, effort.most)))
        timed = time_adapters([*adapters, ONE_THREAD], matrix, effort)
        errors = estimate_errors(adapters, length, round(length / 3), _affordable(effort, length))
        errors[ONE_THREAD.name] = errors[DEFAULT]  # the same signatures
        for name, one in timed.items():
            error = errors[name]
            rows.append(
                {
                    "shingles": str(length),
                    "tool": name,
                    "cores busy": one.timing.busy,
                    "ns per shingle": one.nanoseconds,
                    "median": one.nanoseconds * one.timing.median / one.timing.best,
                    **_error_columns(error),
                    "ns x error": one.nanoseconds * error.mean_square,
                }
            )
    frame = pd.DataFrame(rows)
    few = frame["pairs"] < frame["pairs"].max()
    caption = (
        "Speed at equal error, shingle matrix to 128 slots: one matrix of random ids for each length, all cores "
        f"offered to everyone; kept busy: {_busy(frame, DEFAULT)} by {DEFAULT}, {_busy(frame, RENSA)} by rensa. "
        "Cells: ns per shingle x error = product, where error is the variance of the estimate plus its squared bias "
        "over J(1-J)/128: the product is the time for the precision of 128 independent hash functions. "
        f"{frame['pairs'].max():,} pairs of J = 1/2 in each cell, standard error of the error "
        f"{frame.loc[~few, '± variance'].max():.3f} or less (slow tools on {frame['pairs'].min():,} pairs or more, "
        f"{frame['± variance'].max():.2f} or less). {RHO}"
    )
    return Table("equal-error", caption, frame, _equal_error_goals(frame), _short(frame, "shingles", _equal_error_cell))


def _sketches() -> list[Adapter]:
    return [adapter for adapter in installed("sign") if adapter.name != REFERENCE]


def _affordable(effort: Effort, length: int) -> Effort:
    """In a quick run, keep the ids of a cell to what a second will do."""
    return effort if effort.share == 1 else replace(effort, pairs=max(100, min(effort.pairs, 1_000_000 // length)))


def _busy(frame: pd.DataFrame, tool: str) -> str:
    busy = frame.loc[frame["tool"] == tool, "cores busy"]
    return f"{busy.min():.1f} to {busy.max():.1f}" if len(busy) else "none"


def _error_columns(error: Error) -> dict[str, float]:
    return {
        "variance": error.variance,
        "± variance": error.variance_error,
        "bias": error.bias,
        "± bias": error.bias_error,
        "pairs": error.pairs,
    }


def _equal_error_goals(frame: pd.DataFrame) -> list[Goal]:
    products = frame.pivot_table(index="tool", columns="shingles", values="ns x error")[list(map(str, LENGTHS))]
    speed = frame.pivot_table(index="tool", columns="shingles", values="ns per shingle")
    goals = [
        at_most("multiply-add, 5,000 shingles: ns per shingle", 6, speed.loc[CLASSIC[0], "5000"]),
        at_most("one-permutation, 5,000 shingles: ns per shingle", 1.3, speed.loc["OnePermutation optimal", "5000"]),
    ]
    if RENSA in products.index:
        bandable = [name for name, scheme in SCHEMES.items() if scheme.bandable]
        ratios = products.loc[RENSA] / products.loc[bandable]
        best = ratios.min(axis=1).idxmax()
        goals += [
            at_least(f"equal error, {length:,} shingles: {best} over rensa", 1, ratios.loc[best, str(length)])
            for length in LENGTHS
        ]
        means = (ratios[list(map(str, STRETCH_LENGTHS))].map(math.log).mean(axis=1)).map(math.exp)
        top = means.idxmax()
        goals.append(at_least(f"equal error, geometric mean to 5,000: {top} over rensa", 1.8, means[top]))
        alone = (products.loc[RENSA] / products.loc[ONE_THREAD.name])[list(map(str, STRETCH_LENGTHS))]
        what = f"equal error, geometric mean to 5,000: {ONE_THREAD.name}, over rensa"
        goals.append(at_least(what, 1, math.exp(alone.map(math.log).mean())))
    return goals


def from_text(effort: Effort) -> Table:
    """Time raw text of 2 kB documents to 128 slots."""
    corpus = corpora.two_kilobyte_documents(int(min(4e6, effort.most) / 2000))
    timed = time_adapters(installed("sign_texts"), corpus, effort)
    ours = timed["default scheme"].nanoseconds
    rows = [
        {
            "tool": name,
            "documents": len(one.data.texts),
            **one.columns,
            "ns per byte": one.nanoseconds,
            "times the default scheme": one.nanoseconds / ours,
        }
        for name, one in timed.items()
    ]
    goals = [at_most("text to signatures: ns per byte", 5, ours)] + [
        at_least(f"text to signatures: times {name}", asked, timed[name].nanoseconds / ours)
        for name, asked in (
            ("gaoya insert", 10),
            ("rensa, lists of str", 25),
            ("rensa, lists of bytes", 25),
            ("datasketch", 150),
        )
        if name in timed
    ]
    caption = (
        f"Raw text to signatures: {corpus.name}, character 5-grams, 128 slots. Our time includes normalising the text; "
        "the others get it normalised. gaoya inserts into its index (16 bands of 8), on all cores; token lists for "
        "rensa and sets of bytes for datasketch are cut in Python, within the time, on one core."
    )
    return Table("from-text", caption, pd.DataFrame(rows), goals)


def spread(effort: Effort) -> Table:
    """Measure the variance of the estimates by scheme and size of the union."""
    adapters = _sketches()
    rows = []
    for union in UNIONS:
        step = round(union / 4)
        errors = estimate_errors(adapters, union - step, step, _affordable(effort, union))
        for adapter in adapters:
            error = errors[adapter.name]
            rows.append(
                {
                    "union": str(union),
                    "tool": adapter.name,
                    "jaccard": error.jaccard,
                    **_error_columns(error),
                    "theory": _theory(adapter, error.jaccard, union),
                }
            )
    caption = (
        "Spread of the estimates: variance over J(1-J)/128, its standard error, bias, and the variance by theory "
        "where there is one, for random ids and J near 1/2, by the number of ids in the union of the pair. Cells: "
        f"variance ± standard error (theory). {RHO}"
    )
    frame = pd.DataFrame(rows)
    return Table("spread", caption, frame, short=_short(frame, "union", _spread_cell))


def _short(frame: pd.DataFrame, column: str, cell: Callable[[pd.Series], str]) -> pd.DataFrame:
    """Return one row a tool, one column for each size, and the bias farthest from 0."""
    short = frame.assign(cell=frame.apply(cell, axis=1)).pivot_table(
        index="tool", columns=column, values="cell", aggfunc="first", sort=False
    )
    bias = frame.groupby("tool", sort=False)["bias"].agg(lambda found: found.loc[found.abs().idxmax()])
    return short.assign(**{"largest bias": bias.map("{:+.4f}".format)}).rename_axis(columns=None).reset_index()


def _equal_error_cell(row: pd.Series) -> str:
    error = row["ns x error"] / row["ns per shingle"]
    return f"{number(row['ns per shingle'])} x {number(error)} = {number(row['ns x error'])}"


def _spread_cell(row: pd.Series) -> str:
    theory = "" if math.isnan(row["theory"]) else f" ({row['theory']:.2f})"
    return f"{row['variance']:.2f} ± {row['± variance']:.2f}{theory}"


def _theory(adapter: Adapter, jaccard: float, union: int) -> float:
    scheme = SCHEMES.get(adapter.name)
    if scheme is None:
        return math.nan
    try:
        variance = scheme.variance(jaccard, union)
    except ValueError:  # no theory
        return math.nan
    return float(variance) / (jaccard * (1 - jaccard) / scheme.num_hashes)
