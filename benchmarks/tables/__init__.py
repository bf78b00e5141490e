"""The tables of the report, by the names that mark their places in the README."""

from collections.abc import Callable

from benchmarks.measure import Effort
from benchmarks.tables import pairs, processes, signing
from benchmarks.tables.base import Goal, Table

TABLES: dict[str, Callable[[Effort], Table]] = {
    "startup": processes.startup,
    "memory": processes.memory,
    "main": pairs.candidates,
    "near-duplicates": pairs.near_duplicates,
    "join": pairs.join,
    "steps": signing.steps,
    "from-text": signing.from_text,
    "equal-error": signing.equal_error,
    "spread": signing.spread,
}

__all__ = ["TABLES", "Goal", "Table"]
