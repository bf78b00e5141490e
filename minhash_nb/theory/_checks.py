"""Checks of array arguments, in the style of `minhash_nb.validation`, and the float a scalar call returns."""

from __future__ import annotations

from typing import Any

import numpy as np


def _numbers(name: str, values: Any, kinds: str, rule: str) -> np.ndarray:
    array = np.asarray(values)
    if array.dtype.kind not in kinds:
        raise TypeError(f"`{name}` must be {rule}, got {values!r:.60}")
    return array


def _refuse(name: str, rule: str, array: np.ndarray, fine: np.ndarray) -> None:
    if not fine.all():
        where = np.unravel_index(int(np.argmin(fine)), array.shape)
        position = f" at position {', '.join(map(str, where))}" if array.ndim else ""
        raise ValueError(f"`{name}` must be {rule}, got {array[where]}{position}")


def probabilities(name: str, values: Any, *, zero: bool = True, one: bool = True) -> np.ndarray:
    """Return `values` as a float64 array (0-d for a scalar) in [0, 1] (ends by choice), or raise."""
    interval = f"in {'[' if zero else '('}0, 1{']' if one else ')'}"
    array = _numbers(name, values, "iuf", f"a number {interval}, or an array of such").astype(np.float64)
    fine = ((array > 0.0) & (array < 1.0)) | (zero & (array == 0.0)) | (one & (array == 1.0))
    _refuse(name, interval, array, fine)
    return array


def counts(name: str, values: Any, *, least: int = 1, whole: bool = True) -> np.ndarray:
    """Return `values` as an array of integers (or, not `whole`, finite reals) >= `least`, or raise."""
    rule = f"at least {least}"
    kinds, what = ("iu", "an integer") if whole else ("iuf", "a number")
    array = _numbers(name, values, kinds, f"{what} {rule}, or an array of such")
    _refuse(name, f"{rule}" if whole else f"finite and {rule}", array, np.isfinite(array) & (array >= least))
    return array.astype(np.int64 if whole else np.float64)


def value(array: Any) -> Any:
    """Return a Python scalar for a 0-d result, the array itself otherwise."""
    array = np.asarray(array)
    return array.item() if array.ndim == 0 else array
