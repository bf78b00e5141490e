"""What the package needs of a scheme."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Protocol, runtime_checkable

import numpy as np

from minhash_nb.validation import check_integer


@runtime_checkable
class Scheme(Protocol):
    """What `compute_signatures` needs of a scheme; a new one is one frozen dataclass and one kernel file."""

    @property
    def num_hashes(self) -> int:
        """Number of signature columns."""

    @property
    def seed(self) -> int:
        """Seed of the hash functions."""

    @property
    def key(self) -> dict[str, Any]:
        """Class, parameters and algorithm version as plain values; signatures with equal keys compare."""

    @property
    def mergeable(self) -> bool:
        """Whether the elementwise minimum of two signatures is the signature of the union."""

    @property
    def bandable(self) -> bool:
        """Whether two documents agree in a column with probability J, so that bands make sense."""

    @property
    def at_most_binomial(self) -> bool:
        """Whether the number of equal slots never spreads more than num_hashes independent ones would."""

    def fill(self, indptr: np.ndarray, indices: np.ndarray, out: np.ndarray) -> None:
        """Write the signature of every CSR row into the uint32 array `out` (n_docs, num_hashes)."""

    def variance(self, jaccard: Any, union_size: Any = None) -> Any:
        """Return the variance of the estimate of `jaccard`, by theory."""


def check_size(scheme: Any) -> None:
    """Check and normalise `num_hashes` and `seed` of a scheme dataclass."""
    object.__setattr__(scheme, "num_hashes", check_integer("num_hashes", scheme.num_hashes, most=2**20))
    object.__setattr__(scheme, "seed", check_integer("seed", scheme.seed, least=0, most=2**64 - 1))


def scheme_key(scheme: Any) -> dict[str, Any]:
    """Return the class, version and parameters of a scheme dataclass as plain values."""
    return {"scheme": type(scheme).__name__, "version": type(scheme).version, **asdict(scheme)}
