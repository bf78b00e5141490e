"""Documents with equal shingle sets: compared once, multiplied out at the end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Copies:
    """Groups of documents with equal rows.

    Parameters
    ----------
    starts, members : int64 arrays
        The documents of group g are ``members[starts[g]:starts[g + 1]]``, ascending.
    """

    starts: np.ndarray
    members: np.ndarray

    @property
    def copies(self) -> np.ndarray:
        """Documents in each group."""
        return np.diff(self.starts)


def pairs_between(first: Copies, second: Copies, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the documents of each pair of groups (left of the first, right of the second): copies times copies."""
    products = first.copies[left] * second.copies[right]
    rank = np.arange(products.sum()) - np.repeat(np.cumsum(products) - products, products)
    width = np.repeat(second.copies[right], products)
    return (
        first.members[np.repeat(first.starts[left], products) + rank // width],
        second.members[np.repeat(second.starts[right], products) + rank % width],
    )


def pairs_within(groups: Copies) -> tuple[np.ndarray, np.ndarray]:
    """Return all pairs of documents of the same group."""
    place = np.arange(groups.members.size)
    later = np.repeat(groups.starts[1:], groups.copies) - place - 1
    left = np.repeat(place, later)
    right = left + 1 + np.arange(left.size) - np.repeat(np.cumsum(later) - later, later)
    return groups.members[left], groups.members[right]
