"""What the benchmarks run on: the chapter's synthetic corpus, real texts where present, ids of chosen similarity."""

from __future__ import annotations

import gzip
import json
import math
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import minhash_nb as mnb

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MINHASH_NB_DATA") or ROOT.parent / "shared" / "data")


@dataclass(frozen=True, eq=False)
class Corpus:
    """Texts with a name."""

    name: str
    texts: list[str]

    @property
    def size(self) -> int:
        """Number of characters."""
        return sum(map(len, self.texts))

    def sample(self, most: float) -> Corpus:
        """Return every n-th text, so that about `most` characters remain."""
        return Corpus(self.name, self.texts[:: max(1, math.ceil(self.size / most))])


def chapter(num_docs: int = 1000) -> Corpus:
    """Return the synthetic corpus of the handbook chapter, from sentences of our own."""
    return Corpus("chapter", mnb.datasets.generate_corpus(num_docs))


def real(name: str, title: str) -> list[Corpus]:
    """Return the real corpus of this name in a list, or an empty list where it is not installed."""
    path = DATA / f"{name}.jsonl.gz"
    return [Corpus(title, _read(path))] if path.exists() else []


def spdx() -> list[Corpus]:
    """Return the SPDX licence texts, if they are there."""
    return real("spdx_licenses", "SPDX licences")


def civil_codes() -> list[Corpus]:
    """Return the sections of the civil procedure codes, if they are there."""
    return real("civil_codes", "civil codes")


def febrl() -> list[Corpus]:
    """Return the person records of Febrl 2, if they are there."""
    return real("febrl2", "Febrl 2")


@cache
def _read(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def two_kilobyte_documents(count: int) -> Corpus:
    """Return ASCII documents of 2,000 characters, cut from real text: the civil codes, else installed docstrings."""
    if civil := civil_codes():
        name, texts = civil[0].name, civil[0].texts
    else:
        name, texts = "installed docstrings", mnb.datasets.installed_docs()["text"].to_list()
    stream = mnb.reference.normalize(" ".join(text for text in texts if text.isascii()))
    documents = [stream[start : start + 2000] for start in range(0, len(stream) - 1999, 2000)]
    return Corpus(f"2 kB documents ({name})", documents[:count])


def random_rows(num_ids: int, total: int, seed: int = 0) -> mnb.ShingleMatrix:
    """Return documents of `num_ids` random ids each, about `total` ids in all."""
    count = max(2, total // num_ids)
    return overlapping_rows(num_ids, num_ids, count - 1, np.random.default_rng(seed))


def overlapping_rows(num_ids: int, step: int, num_pairs: int, rng: np.random.Generator) -> mnb.ShingleMatrix:
    """Return documents of `num_ids` random ids, each sharing ``num_ids - step`` of them with the next one.

    They are windows over one stream of distinct 32-bit ids, so that ``num_pairs + 1`` documents make
    `num_pairs` neighbouring pairs of Jaccard similarity ``(num_ids - step) / (num_ids + step)``.
    """
    length = num_ids + step * num_pairs
    drawn = np.sort(rng.integers(0, 2**32, length + length // 50 + 64, dtype=np.uint32))
    distinct = drawn[np.append(True, drawn[1:] != drawn[:-1])]  # np.unique takes a hundred times as long
    if distinct.size < length:
        raise ValueError(f"{length:,} distinct 32-bit ids are too many to draw with two in a hundred to spare")
    stream = rng.permutation(distinct)[:length]
    rows = np.sort(np.lib.stride_tricks.sliding_window_view(stream, num_ids)[::step], axis=1)
    return mnb.ShingleMatrix(np.arange(num_pairs + 2) * num_ids, rows.ravel())
