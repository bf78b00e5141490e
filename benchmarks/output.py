"""Tables as Markdown, in the README's marked places, and as one tidy CSV file."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numba
import pandas as pd

from benchmarks.tables import Goal, Table
from benchmarks.tables.base import number

PACKAGES = ("minhash-nb", "numpy", "numba", "scipy", "datasketch", "rensa", "gaoya", "SetSimilaritySearch")


def environment_line() -> str:
    """Return what the figures depend on, as one sentence: versions, processor, threads."""
    facts = {
        "Python": platform.python_version(),
        **{package: found for package in PACKAGES if (found := _version(package))},
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "threads": f"{numba.get_num_threads()} ({numba.threading_layer()})",
    }
    return ", ".join(f"{name} {value}" for name, value in facts.items()) + "."


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        information = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    model = re.search(r"model name\s*: (.+)", information)
    name = model[1].strip() if model else platform.machine()
    widest = next((flag for flag in ("avx512f", "avx2") if re.search(rf"\b{flag}\b", information)), None)
    return f"{name} with {widest.upper().removesuffix('F')}" if widest else name


def markdown(frame: pd.DataFrame) -> str:
    """Write a table as Markdown: text to the left, numbers to the right."""
    is_text = [not pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
    lines = [list(map(str, frame.columns)), [":--" if text else "--:" for text in is_text]]
    lines += [
        [str(value) if text else number(value) for value, text in zip(row, is_text, strict=True)]
        for row in frame.itertuples(index=False)
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def section(table: Table) -> str:
    """Write a table with its caption."""
    return f"{table.caption}\n\n{markdown(table.display)}"


def goals_frame(goals: Iterable[Goal]) -> pd.DataFrame:
    """Tabulate goals: asked, reached, met."""
    rows = [
        {
            "goal": goal.what,
            "asked": f"{'>=' if goal.at_least else '<='} {number(goal.asked)}",
            "reached": goal.reached,
            "met": "yes" if goal.met else "no",
        }
        for goal in goals
    ]
    return pd.DataFrame(rows, columns=["goal", "asked", "reached", "met"])


def replace_sections(text: str, sections: dict[str, str]) -> str:
    """Put sections between their marks ``<!-- bench:NAME -->`` and ``<!-- /bench:NAME -->``; leave the rest."""
    for name, content in sections.items():
        marks = rf"(<!-- bench:{re.escape(name)} -->\n).*?(<!-- /bench:{re.escape(name)} -->)"
        text = re.sub(marks, lambda found, content=content: f"{found[1]}{content}\n{found[2]}", text, flags=re.DOTALL)
    return text


def tidy(tables: Iterable[Table]) -> pd.DataFrame:
    """Return one row a figure: table, what was measured, quantity, value."""
    parts = []
    for table in tables:
        numbers = table.frame.select_dtypes("number")
        texts = table.frame.drop(columns=numbers.columns)
        case = ["; ".join(f"{name}: {value}" for name, value in row.items()) for row in texts.to_dict("records")]
        long = numbers.assign(table=table.name, case=case).melt(["table", "case"], var_name="quantity")
        parts.append(long.dropna(subset="value"))
    return pd.concat(parts, ignore_index=True)
