"""Time several calls fairly: warmed up, in turns, best and median of several."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

SETTLE = 0.02  # seconds of rest before each sample: threads of the call before may still spin
LEAST_SAMPLE = 0.02  # seconds; quicker calls are repeated within a sample


@dataclass(frozen=True)
class Effort:
    """How much to measure.

    Parameters
    ----------
    seconds, rounds : float, int
        Samples of each call: until they add up to `seconds`, one at least and `rounds` at most.
    pairs, batches : int
        Pairs in each cell of a spread, in so many batches of their own ids and seed.
    most : float
        Characters of a corpus, or ids of a matrix, at most.
    share : float
        Part of their own limits that slow tools get, and of the large runs whose memory is measured.
    """

    seconds: float
    rounds: int
    pairs: int
    batches: int
    most: float
    share: float


FULL = Effort(seconds=1.0, rounds=9, pairs=20_000, batches=50, most=float("inf"), share=1.0)
QUICK = Effort(seconds=0.1, rounds=3, pairs=1_000, batches=10, most=3e5, share=0.05)


@dataclass
class Timing:
    """Seconds of one call, sample by sample, and how many cores it kept busy."""

    seconds: list[float] = field(default_factory=list)
    cores: list[float] = field(default_factory=list)
    result: Any = None

    @property
    def best(self) -> float:
        """Least seconds."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        """Median seconds."""
        return statistics.median(self.seconds)

    @property
    def busy(self) -> float:
        """Cores kept busy in the quickest sample: processor time over time."""
        return self.cores[self.seconds.index(self.best)]


def interleave(calls: dict[str, Callable[[], Any]], effort: Effort) -> dict[str, Timing]:
    """Time the calls in turns (A B C, A B C, ...) until each has had its seconds or its rounds.

    Each has two rounds at least, because the first may still compile a kernel for another kind of text. `result`
    is what the last call of each returned.
    """
    gc.collect()
    gc.freeze()  # what is there stays: each sample's collection has only its own garbage to look at
    timings = {name: Timing() for name in calls}
    repeats = dict.fromkeys(calls, 1)
    for round_ in range(effort.rounds):
        for name, call in calls.items():
            timing = timings[name]
            if round_ > 1 and sum(timing.seconds) * repeats[name] >= effort.seconds:
                continue
            _sample(call, repeats[name], timing)
            if round_ == 0 and timing.best < LEAST_SAMPLE:
                repeats[name] = int(LEAST_SAMPLE / timing.best) + 1
    gc.unfreeze()
    return timings


def _sample(call: Callable[[], Any], repeats: int, timing: Timing) -> None:
    timing.result = None  # frees the result before, so that memory is not what is measured
    gc.collect()
    time.sleep(SETTLE)
    gc.disable()
    try:
        cpu, start = time.process_time(), time.perf_counter()
        for _ in range(repeats):
            result = call()
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    finally:
        gc.enable()
    timing.result = result
    timing.seconds.append(seconds / repeats)
    timing.cores.append(cpu / seconds)
