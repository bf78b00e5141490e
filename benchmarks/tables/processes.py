"""Tables of whole processes: how long they take to start, and how much memory they need at most."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks import corpora
from benchmarks.corpora import ROOT
from benchmarks.measure import Effort
from benchmarks.tables.base import Table, at_most

IMPORT = """
import time
start = time.perf_counter()
import minhash_nb
print(time.perf_counter() - start)
"""

COMMAND = "from minhash_nb.cli import main; main()"

# VmHWM where there is /proc: ru_maxrss also counts what the parent held when it forked.
PEAK = """
import json, resource, sys, time
import minhash_nb as mnb
from benchmarks import corpora
from minhash_nb.joins import similarity_join

def peak():
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most / (2**20 if sys.platform == "darwin" else 2**10)

import pandas, tqdm
mnb.find_near_duplicates(["what is compiled and loaded once", "is not counted"])
similarity_join(mnb.shingle(["what is compiled and loaded once", "is not counted"]))
texts = {texts}
before, start = peak(), time.perf_counter()
result = {call}
print(json.dumps([len(texts), sum(map(len, texts)), time.perf_counter() - start, before, peak(), {found}]))
"""


def startup(effort: Effort) -> Table:
    """Time the command line on a small file, cold and warm, and the import."""
    repeats = max(1, round(5 * effort.share))
    with tempfile.TemporaryDirectory() as folder:
        cache, source = Path(folder, "cache"), Path(folder, "small.txt")
        source.write_text("\n".join(corpora.chapter().texts), encoding="utf-8")
        arguments = [COMMAND, "dedup", str(source), "--output", str(Path(folder, "kept.txt"))]
        cold = _process(arguments, cache)[0]
        warm = [_process(arguments, cache)[0] for _ in range(repeats)]
        imports = [float(_process([IMPORT], cache)[1]) for _ in range(repeats)]
    rows = [
        {"what": what, "seconds, best": min(seconds), "median": statistics.median(seconds), "runs": len(seconds)}
        for what, seconds in (
            ("command line on 1,000 documents, first run (kernels compiled)", [cold]),
            ("command line on 1,000 documents, later runs", warm),
            ("import minhash_nb", imports),
        )
    ]
    goals = [
        at_most("cold first run: seconds", 15, cold),
        at_most("warm run: seconds", 2.5, statistics.median(warm)),
        at_most("import minhash_nb: seconds", 0.8, statistics.median(imports)),
    ]
    caption = (
        "Start-up, in processes of their own: `minhash-nb dedup` on a text file from the start of Python to its end, "
        "with an empty kernel cache and with a filled one, and the import inside a started Python."
    )
    return Table("startup", caption, pd.DataFrame(rows), goals)


def memory(effort: Effort) -> Table:
    """Measure time and peak memory of large runs."""
    copies = int(20_000 * effort.share)
    find = "mnb.find_near_duplicates(texts, 0.8)"
    runs = [
        (
            f"find_near_duplicates, 0.8: {copies:,} identical and {copies:,} distinct documents",
            f"['one page of boilerplate ' * 20] * {copies} + [' '.join(f'{{i * j}}' for j in range(1, 60)) "
            f"for i in range({copies})]",
            find,
            "len(result.pairs)",
        )
    ]
    for corpus in corpora.civil_codes():
        texts = f"corpora.civil_codes()[0].texts[: {int(len(corpus.texts) * effort.share)}]"
        runs += [
            (f"find_near_duplicates, 0.8: {corpus.name}", texts, find, "len(result.pairs)"),
            (
                f"similarity_join, 0.5, with shingling: {corpus.name}",
                texts,
                "similarity_join(mnb.shingle(texts), threshold=0.5)",
                "len(result)",
            ),
        ]
    rows: list[dict[str, Any]] = []
    for what, texts, call, found in runs:
        output = _process([PEAK.format(texts=texts, call=call, found=found)])[1]
        documents, characters, seconds, before, peak, pairs = json.loads(output)
        rows.append(
            {
                "what": what,
                "documents": documents,
                "MB of text": characters / 1e6,
                "seconds": seconds,
                "peak MB": peak,
                "of it before the call": before,
                "pairs": pairs,
            }
        )
    caption = (
        "Peak resident memory of one process, all cores, warm kernel cache; before the call it holds Python, the "
        "libraries with their compiled kernels, and the texts."
    )
    return Table("memory", caption, pd.DataFrame(rows))


def _process(code_and_arguments: list[str], cache: Path | None = None) -> tuple[float, str]:
    """Run Python code in a process of its own; return its seconds and what it printed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", *code_and_arguments], env=environment, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(f"a measured process ended with code {done.returncode}:\n{done.stderr}")
    return seconds, done.stdout
