"""Classic MinHash."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from minhash_nb import theory
from minhash_nb.kernels import lanes
from minhash_nb.kernels import minhash as kernels
from minhash_nb.schemes.base import check_size, scheme_key
from minhash_nb.validation import check_choice, frozen


@dataclass(frozen=True)
class MinHash:
    """Classic MinHash: column j is the minimum of the j-th hash function over the shingle ids.

    Parameters
    ----------
    num_hashes : int, default 128
        Number of hash functions.
    seed : int, default 42
        Seed of their coefficients, from 0 to 2**64 - 1.
    family : {"multiply-add", "mersenne31"}
        "multiply-add": the ids are mixed once by a strong bijection to 32 bits, then hash j is
        (a_j x + b_j) mod 2**32, a_j odd, drawn by ``numpy.random.default_rng(seed)``. Fast, and safe
        for ids of any kind.
        "mersenne31": the handbook chapter's (a_j x + b_j) mod 2**31 - 1, drawn by
        ``random.Random(seed)``, bit for bit. The ids are not mixed, so on consecutive ids the estimate
        is biased (-0.05 at Jaccard 1/3, whatever `num_hashes`), and ids that differ by a multiple of
        2**31 - 1 are one to it.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    `num_hashes` evaluations for each shingle. The estimate is unbiased with variance
    J (1 - J) / num_hashes. Source: Broder, Charikar, Frieze, Mitzenmacher, "Min-wise independent
    permutations" (STOC 1998; JCSS 2000), section 1.2.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> scheme = mnb.MinHash(num_hashes=64, seed=1)
    >>> mnb.compute_signatures(mnb.shingle(["some text", "other text"]), scheme)
    SignatureMatrix: 2 documents x 64 hashes (uint32, 512 bytes), 0 empty;
    MinHash(num_hashes=64, seed=1, family='multiply-add')
    """

    num_hashes: int = 128
    seed: int = 42
    family: str = "multiply-add"

    version: ClassVar[int] = 1
    """Raised when the same parameters begin to give other values."""
    mergeable: ClassVar[bool] = True
    bandable: ClassVar[bool] = True
    at_most_binomial: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_size(self)
        check_choice("family", self.family, ("multiply-add", "mersenne31"))

    @property
    def key(self) -> dict[str, Any]:
        """Class, parameters and algorithm version as plain values; signatures with equal keys compare."""
        return scheme_key(self)

    @property
    def coefficients(self) -> tuple[np.ndarray, np.ndarray]:
        """The factors a and the offsets b, uint32 (num_hashes,) each."""
        a, b = _coefficients(self)
        return frozen(a[: self.num_hashes]), frozen(b[: self.num_hashes])

    def fill(self, indptr: np.ndarray, indices: np.ndarray, out: np.ndarray) -> None:
        """Write the signature of every CSR row into the uint32 array `out` (n_docs, num_hashes)."""
        fill = kernels.multiply_add if self.family == "multiply-add" else kernels.mersenne31
        fill(indptr, indices, *_coefficients(self), out)

    def variance(self, jaccard: Any, union_size: Any = None) -> Any:
        """Return J (1 - J) / num_hashes, whatever the size of the union."""
        return theory.jaccard_variance(jaccard, self.num_hashes)


@lru_cache(maxsize=16)
def _coefficients(scheme: MinHash) -> tuple[np.ndarray, np.ndarray]:
    if scheme.family == "multiply-add":
        return multiply_add_coefficients(np.random.default_rng(scheme.seed), scheme.num_hashes)
    prime = int(kernels.PRIME)
    generator = random.Random(scheme.seed)
    a = [generator.randint(1, prime - 1) for _ in range(scheme.num_hashes)]
    b = [generator.randint(0, prime - 1) for _ in range(scheme.num_hashes)]
    return _padded(np.array(a, dtype=np.uint32)), _padded(np.array(b, dtype=np.uint32))


def multiply_add_coefficients(generator: np.random.Generator, num_hashes: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw odd factors and any offsets, uint32, padded with zeros to whole vectors of lanes."""
    # Pair by pair, so that the first columns are the same however many follow.
    draws = generator.integers(0, 2**32, (num_hashes, 2), dtype=np.uint32)
    return _padded(draws[:, 0] | np.uint32(1)), _padded(draws[:, 1])


def _padded(values: np.ndarray) -> np.ndarray:
    return np.pad(values, (0, -values.size % lanes.LANES))
