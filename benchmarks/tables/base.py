"""What a table is, and how the adapters of a step are timed for one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

import minhash_nb as mnb
from benchmarks.adapters import Adapter
from benchmarks.corpora import Corpus
from benchmarks.measure import Effort, Timing, interleave

WARM_UP = 2e4  # characters or ids of the untimed first run, in which kernels are compiled and pools started


@dataclass(frozen=True)
class Goal:
    """A figure that was asked for, and the one reached."""

    what: str
    asked: float
    reached: float
    at_least: bool

    @property
    def met(self) -> bool:
        """Whether the figure is as good as asked."""
        return self.reached >= self.asked if self.at_least else self.reached <= self.asked


def at_least(what: str, asked: float, reached: float) -> Goal:
    """Return a goal that a ratio must reach."""
    return Goal(what, asked, reached, at_least=True)


def at_most(what: str, asked: float, reached: float) -> Goal:
    """Return a goal that a cost must not pass."""
    return Goal(what, asked, reached, at_least=False)


@dataclass(frozen=True)
class Table:
    """Figures of one kind.

    Text columns of `frame` say what was measured, number columns what came out; `short` is what people see where
    that would be too long.
    """

    name: str
    caption: str
    frame: pd.DataFrame
    goals: list[Goal] = field(default_factory=list)
    short: pd.DataFrame | None = None

    @property
    def display(self) -> pd.DataFrame:
        """The table for people."""
        return self.frame if self.short is None else self.short


@dataclass(frozen=True)
class Timed:
    """One adapter's timing, and the data it ran on (a sample, if it is slow)."""

    adapter: Adapter
    data: Any
    timing: Timing
    whole: bool

    @property
    def nanoseconds(self) -> float:
        """Least nanoseconds for each character or id."""
        return self.timing.best / size(self.data) * 1e9

    @property
    def columns(self) -> dict[str, Any]:
        """What every table says about a timing."""
        return {"seconds, best": self.timing.best, "median": self.timing.median, "cores busy": self.timing.busy}

    def read(self) -> Any:
        """Return the result of the last run in the common form."""
        return self.adapter.read(self.timing.result)


def size(data: Corpus | mnb.ShingleMatrix) -> int:
    """Return the number of characters or of shingle ids."""
    return data.size if isinstance(data, Corpus) else data.indices.size


def sample(data: Any, most: float) -> Any:
    """Return every n-th document, so that about `most` characters or ids remain."""
    if size(data) <= most:
        return data
    if isinstance(data, Corpus):
        return data.sample(most)
    step = int(np.ceil(size(data) / most))
    return data.take(np.arange(0, len(data), min(step, len(data) // 2)))  # two documents at least


def time_adapters(adapters: Iterable[Adapter], data: Any, effort: Effort) -> dict[str, Timed]:
    """Time adapters in turns on the same data, each after an untimed run on a little of it."""
    parts, calls = {}, {}
    adapters = list(adapters)
    for adapter in adapters:
        parts[adapter.name] = part = sample(data, adapter.most * effort.share)
        adapter.run(adapter.prepare(sample(part, WARM_UP)))
        calls[adapter.name] = partial(adapter.run, adapter.prepare(part))
    timings = interleave(calls, effort)
    return {
        adapter.name: Timed(adapter, parts[adapter.name], timings[adapter.name], parts[adapter.name] is data)
        for adapter in adapters
    }


def number(value: float) -> str:
    """Write a number with three digits that count; nothing for NaN."""
    if not math.isfinite(value):
        return "" if math.isnan(value) else str(value)
    if abs(value) >= 99.95 or value == int(value):
        return f"{value:,.0f}"
    digits = 2 - math.floor(math.log10(abs(value)))
    return f"{value:.{min(max(digits, 0), 4)}f}"
