"""Checks shared by the public functions: one message style (name, rule, value seen, what to do)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np


def check_probability(name: str, value: Any, *, zero: bool = False, one: bool = True) -> float:
    """Return `value` as a float in (0, 1], or raise.

    Parameters
    ----------
    name : str
        What the message calls the value.
    value : float
        The value to check.
    zero, one : bool
        Whether the ends 0 and 1 belong to the interval.

    Returns
    -------
    float

    Raises
    ------
    TypeError
        If `value` is not a number.
    ValueError
        If `value` lies outside the interval or is NaN.
    """
    interval = f"{'[' if zero else '('}0, 1{']' if one else ')'}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"`{name}` must be a number in {interval}, got {value!r}")
    number = float(value)
    inside = 0.0 < number < 1.0 or (zero and number == 0.0) or (one and number == 1.0)
    if math.isnan(number) or not inside:
        raise ValueError(f"`{name}` must be in {interval}, got {value}")
    return number


def check_integer(name: str, value: Any, *, least: int = 1, most: int | None = None) -> int:
    """Return `value` as an int between `least` and `most` inclusive, or raise TypeError or ValueError."""
    rule = f"at least {least}" if most is None else f"between {least} and {most}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"`{name}` must be an integer {rule}, got {value!r}")
    if value < least or (most is not None and value > most):
        raise ValueError(f"`{name}` must be {rule}, got {value}")
    return int(value)


def check_choice(name: str, value: Any, choices: Iterable[Any]) -> Any:
    """Return `value` if it is one of `choices`, or raise ValueError."""
    choices = tuple(choices)
    if value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"`{name}` must be one of {listed}, got {value!r}")
    return value


def check_instance(name: str, value: Any, kind: type, source: str) -> None:
    """Raise TypeError, which names `source` as the way to make one, unless `value` is a `kind`."""
    if not isinstance(value, kind):
        raise TypeError(f"`{name}` must be a {kind.__name__}, got {type(value).__name__}: {source} makes one")


def as_texts(texts: Any, name: str = "texts") -> list[str]:
    """Return any sequence or iterable of str (list, Series, Arrow array, generator) as a list of str.

    Positions are 0..n-1; a pandas index is ignored.

    Raises
    ------
    TypeError
        If `texts` is one bare string, a set (no order), a mapping or a data frame, is not iterable, or
        holds anything that is not a str (the first such position is named).
    """
    kind = type(texts).__name__
    for method in ("to_pylist", "tolist"):  # Arrow arrays; pandas Series and NumPy arrays
        if hasattr(texts, method):
            texts = getattr(texts, method)()
            break
    if isinstance(texts, (str, bytes)):
        raise TypeError(f"`{name}` must be a sequence of documents, got one {kind}: put it in a list")
    if isinstance(texts, (set, frozenset)):
        raise TypeError(f"`{name}` must have an order, got a {kind}: put it in a list, sorted")
    if isinstance(texts, Mapping) or hasattr(texts, "columns"):  # iterating gives the names
        raise TypeError(f"`{name}` must be a sequence of str, got a {kind}: take one column, or the values")
    try:
        iterator = iter(texts)
    except TypeError:
        raise TypeError(f"`{name}` must be a sequence of str, got {kind}") from None
    documents = list(iterator)
    if set(map(type, documents)) - {str}:
        for position, document in enumerate(documents):
            if not isinstance(document, str):
                hint = "fill or drop missing texts first" if _is_missing(document) else "convert it to str first"
                raise TypeError(f"`{name}[{position}]` must be a str, got {document!r:.60}: {hint}")
    return documents


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ == "NAType"


def as_pairs(pairs: Any, n_docs: int, name: str = "pairs") -> np.ndarray:
    """Return `pairs` as an (n_pairs, 2) read-only int64 C-order array of positions in ``range(n_docs)``, or raise.

    A DataFrame with columns ``i`` and ``j`` is accepted as it comes out of the package.
    """
    if hasattr(pairs, "columns") and {"i", "j"} <= set(pairs.columns):
        pairs = pairs[["i", "j"]].to_numpy()
    array = np.asarray(pairs)
    if array.size == 0:
        return frozen(np.empty((0, 2), dtype=np.int64))
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError(
            f"`{name}` must be an integer array of shape (n_pairs, 2), got {array.dtype} of shape {array.shape}"
        )
    low, high = int(array.min()), int(array.max())
    if low < 0 or high >= n_docs:
        raise ValueError(f"`{name}` must hold positions from 0 to {n_docs - 1}, got {low if low < 0 else high}")
    return frozen(np.ascontiguousarray(array, dtype=np.int64))


def frozen(array: np.ndarray) -> np.ndarray:
    """Return a read-only view: the caller's own array keeps its flags."""
    view = array.view()
    view.flags.writeable = False
    return view
