"""Schemes: what one signature column means. A scheme is its parameters; it draws its hash functions itself."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from minhash_nb import theory
from minhash_nb.kernels import lanes, minhash
from minhash_nb.validation import check_choice, check_integer, frozen


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

    def fill(self, indptr: np.ndarray, indices: np.ndarray, out: np.ndarray) -> None:
        """Write the signature of every CSR row into the uint32 array `out` (n_docs, num_hashes)."""

    def variance(self, jaccard: Any, union_size: Any = None) -> Any:
        """Return the variance of the estimate of `jaccard`, by theory."""


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

    def __post_init__(self) -> None:
        object.__setattr__(self, "num_hashes", check_integer("num_hashes", self.num_hashes))
        object.__setattr__(self, "seed", check_integer("seed", self.seed, least=0, most=2**64 - 1))
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
        fill = minhash.multiply_add if self.family == "multiply-add" else minhash.mersenne31
        fill(indptr, indices, *_coefficients(self), out)

    def variance(self, jaccard: Any, union_size: Any = None) -> Any:
        """Return J (1 - J) / num_hashes, whatever the size of the union."""
        return theory.jaccard_variance(jaccard, self.num_hashes)


@lru_cache(maxsize=16)
def _coefficients(scheme: MinHash) -> tuple[np.ndarray, np.ndarray]:
    """Draw the coefficients, padded with zeros to whole vectors of lanes."""
    size = -(-scheme.num_hashes // lanes.LANES) * lanes.LANES
    a, b = np.zeros(size, dtype=np.uint32), np.zeros(size, dtype=np.uint32)
    if scheme.family == "multiply-add":
        # Pair by pair, so that the first columns are the same however many follow.
        draws = np.random.default_rng(scheme.seed).integers(0, 2**32, (scheme.num_hashes, 2), dtype=np.uint32)
        a[: scheme.num_hashes], b[: scheme.num_hashes] = draws[:, 0] | np.uint32(1), draws[:, 1]
    else:
        prime = int(minhash.PRIME)
        generator = random.Random(scheme.seed)
        a[: scheme.num_hashes] = [generator.randint(1, prime - 1) for _ in range(scheme.num_hashes)]
        b[: scheme.num_hashes] = [generator.randint(0, prime - 1) for _ in range(scheme.num_hashes)]
    return a, b


def scheme_key(scheme: Any) -> dict[str, Any]:
    """Return the class, version and parameters of a scheme dataclass as plain values."""
    return {"scheme": type(scheme).__name__, "version": type(scheme).version, **asdict(scheme)}


SCHEMES: tuple[type, ...] = (MinHash,)


def scheme_from_key(key: dict[str, Any], schemes: Iterable[type] = SCHEMES) -> Scheme:
    """Build the scheme that has this key.

    Raises
    ------
    ValueError
        If there is no such scheme, or this version of the package computes other values for it.
    """
    parameters = dict(key)
    name, version = parameters.pop("scheme", None), parameters.pop("version", None)
    kinds = {kind.__name__: kind for kind in schemes}
    if name not in kinds:
        raise ValueError(f"scheme {name!r} is unknown to this version, which has {', '.join(kinds)}")
    kind: Any = kinds[name]
    if version != kind.version:
        raise ValueError(
            f"{name} signatures of algorithm version {version} do not compare with version {kind.version}: "
            "compute them again"
        )
    return kind(**parameters)
