"""Tables of the main job: from texts to candidate pairs, to near-duplicates, and to all similar pairs."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

import minhash_nb as mnb
from benchmarks import corpora, peers
from benchmarks.accuracy import recall_and_precision
from benchmarks.adapters import JOIN_THRESHOLD, REFERENCE, THRESHOLD, installed
from benchmarks.measure import Effort
from benchmarks.tables.base import Goal, Table, Timed, at_least, time_adapters
from minhash_nb.joins import similarity_join

SPARSE_SECTIONS = 20_000
SPARSE_EVERY = 4  # of its blocks of rows; the whole product takes half a minute


def candidates(effort: Effort) -> Table:
    """Time texts to candidate pairs of 16 bands of 8 rows, and check them against the exact join."""
    rows: list[dict[str, Any]] = []
    goals: list[Goal] = []
    for whole in [corpora.chapter(), *corpora.spdx(), *corpora.civil_codes()]:
        corpus = whole.sample(effort.most)
        truth = _truth(corpus.texts)
        timed = time_adapters(installed("candidates"), corpus, effort)
        slow = timed[REFERENCE].nanoseconds
        for name, one in timed.items():
            rows.append(
                {
                    "corpus": corpus.name,
                    "tool": name,
                    "documents": len(one.data.texts),
                    **one.columns,
                    "ns per character": one.nanoseconds,
                    f"{REFERENCE} takes": slow / one.nanoseconds,
                    **_quality(one, truth),
                }
            )
        goals += [
            at_least(f"texts to candidates, {corpus.name}: {REFERENCE} over {name}", asked, ratio)
            for name, asked in (("default scheme", 500), ("MinHash multiply-add", 500), ("parity", 150))
            for ratio in [slow / timed[name].nanoseconds]
        ]
    caption = (
        "Texts to candidate pairs, character 5-grams, 16 bands of 8 rows, 128 slots, all cores offered to everyone "
        "(reference.py, datasketch and rensa use one). Our time includes normalising the texts; the other tools get "
        f"them normalised. Recall and precision of the candidates for the pairs of exact Jaccard >= {THRESHOLD} (a "
        "candidate is not meant to be precise: pairs are verified afterwards). Where reference.py would take "
        "minutes it runs on every n-th text, and its factor is by the time for a character."
    )
    return Table("main", caption, pd.DataFrame(rows), goals)


def near_duplicates(effort: Effort) -> Table:
    """Time texts to verified near-duplicates of the civil codes against gaoya's insert and query."""
    rows: list[dict[str, Any]] = []
    goals: list[Goal] = []
    for whole in corpora.civil_codes() or [corpora.chapter()]:
        corpus = whole.sample(effort.most)
        truth = _truth(corpus.texts)
        timed = time_adapters(installed("near_duplicates"), corpus, effort)
        ours = timed["find_near_duplicates"].nanoseconds
        for name, one in timed.items():
            rows.append(
                {
                    "corpus": corpus.name,
                    "tool": name,
                    "documents": len(one.data.texts),
                    **one.columns,
                    "ns per character": one.nanoseconds,
                    "times find_near_duplicates": one.nanoseconds / ours,
                    **_quality(one, truth),
                }
            )
            if one.adapter.package == "gaoya":
                goals.append(at_least(f"{name} over find_near_duplicates, {corpus.name}", 4, one.nanoseconds / ours))
    caption = (
        f"Texts to near-duplicates at {THRESHOLD}, all cores: find_near_duplicates verifies every pair exactly and "
        "clusters; gaoya (char 5-grams, 16 bands of 8, its parallel bulk calls, texts already normalised) answers a "
        "query for every text and filters by the estimate. Recall and precision against the exact join."
    )
    return Table("near-duplicates", caption, pd.DataFrame(rows), goals)


def join(effort: Effort) -> Table:
    """Time the exact join against SetSimilaritySearch and a sparse product."""
    rows: list[dict[str, Any]] = []
    goals: list[Goal] = []
    adapters = {adapter.name: adapter for adapter in installed("join")}
    ours = adapters["similarity_join"]
    searches = [adapters[name] for name in ("SetSimilaritySearch",) if name in adapters]
    for corpus in corpora.febrl() or [corpora.chapter()]:
        goals += _compare_joins(corpus, [ours, *searches], 50, effort, rows)
    for corpus in corpora.civil_codes():
        part = corpora.Corpus(f"{corpus.name}, first sections", corpus.texts[:SPARSE_SECTIONS]).sample(effort.most)
        every = SPARSE_EVERY if len(part.texts) > SPARSE_EVERY * peers.SPARSE_ROWS else 1
        sparse = replace(
            adapters["sparse A x A.T"], run=partial(peers.sparse_product, threshold=JOIN_THRESHOLD, every=every)
        )
        goals += _compare_joins(part, [ours, sparse], 2, effort, rows, factors={sparse.name: every})
    caption = (
        f"Every pair of exact Jaccard >= {JOIN_THRESHOLD}, from the shingle matrix (character 5-grams); our time "
        "includes all indexes. SetSimilaritySearch (one thread) gets lists of ints. The sparse product is scipy's, "
        f"upper triangle only, {peers.SPARSE_ROWS} rows at a time (one thread); where it says so, every "
        f"{SPARSE_EVERY}th block was timed and multiplied."
    )
    return Table("join", caption, pd.DataFrame(rows), goals)


def _compare_joins(
    corpus: corpora.Corpus,
    adapters: list[Any],
    asked: float,
    effort: Effort,
    rows: list[dict[str, Any]],
    factors: dict[str, int] | None = None,
) -> list[Goal]:
    """Add a row for each adapter; its seconds are multiplied where it did only every n-th block."""
    timed = time_adapters(adapters, mnb.shingle(corpus.texts), effort)
    first, *others = timed.values()
    goals = []
    for name, one in timed.items():
        factor = (factors or {}).get(name, 1)
        ratio = factor * one.timing.best / first.timing.best
        rows.append(
            {
                "corpus": corpus.name,
                "tool": name if factor == 1 else f"{name}, every {factor}th block x {factor}",
                "documents": len(one.data),
                "seconds, best": factor * one.timing.best,
                "median": factor * one.timing.median,
                "cores busy": one.timing.busy,
                "times similarity_join": ratio,
                "pairs": len(one.read()) if factor == 1 else math.nan,
            }
        )
        if one in others:
            goals.append(at_least(f"exact join, {corpus.name}: {name} over similarity_join", asked, ratio))
    return goals


def _truth(texts: list[str]) -> np.ndarray:
    """Return all pairs of exact Jaccard >= THRESHOLD."""
    joined = similarity_join(mnb.shingle(texts), threshold=THRESHOLD)
    return joined[["i", "j"]].to_numpy()


def _quality(one: Timed, truth: np.ndarray) -> dict[str, float]:
    if not one.whole:
        return {"pairs": math.nan, "recall": math.nan, "precision": math.nan}
    found = one.read()
    recall, precision = recall_and_precision(found, truth, len(one.data.texts))
    return {"pairs": len(found), "recall": recall, "precision": precision}
