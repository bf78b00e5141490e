"""SuperMinHash."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from minhash_nb import theory
from minhash_nb.kernels import super_minhash as kernels
from minhash_nb.schemes.base import check_size, scheme_key


@dataclass(frozen=True)
class SuperMinHash:
    """Every shingle walks through a random permutation of the slots with rising values, as far as it can win.

    Parameters
    ----------
    num_hashes : int, default 128
        Number of slots (signature columns).
    seed : int, default 42
        Seed of the hash function, drawn by ``numpy.random.default_rng``; from 0 to 2**64 - 1.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    A slot keeps the step that filled it in its upper bits (as many as num_hashes - 1 has) and a random
    fraction below; the elementwise minimum of two signatures is the signature of the union. Unbiased, with
    half the variance of `MinHash` where documents have fewer shingles than there are slots. Expected work
    O(shingles + num_hashes * log(num_hashes)**2), in steps that depend on each other: slower than
    `FastSimilaritySketch`, which has the same variance.
    Source: Ertl, "SuperMinHash - A New Minwise Hashing Algorithm for Jaccard Similarity Estimation"
    (arXiv:1706.05698, 2017), algorithm 3.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> round(mnb.SuperMinHash(128).variance(0.5, union_size=30) / mnb.MinHash(128).variance(0.5), 2)
    0.5
    """

    num_hashes: int = 128
    seed: int = 42

    version: ClassVar[int] = 1
    mergeable: ClassVar[bool] = True
    bandable: ClassVar[bool] = True
    at_most_binomial: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_size(self)

    @property
    def key(self) -> dict[str, Any]:
        """Class, parameters and algorithm version as plain values; signatures with equal keys compare."""
        return scheme_key(self)

    def fill(self, indptr: np.ndarray, indices: np.ndarray, out: np.ndarray) -> None:
        """Write the signature of every CSR row into the uint32 array `out` (n_docs, num_hashes)."""
        seed = np.random.default_rng(self.seed).integers(0, 2**64, dtype=np.uint64)
        kernels.super_minhash(indptr, indices, seed, (self.num_hashes - 1).bit_length(), out)

    def variance(self, jaccard: Any, union_size: Any = None) -> Any:
        """Return the variance of the estimate for unions of `union_size` shingles; for huge ones by default."""
        if union_size is None:
            return theory.jaccard_variance(jaccard, self.num_hashes)
        return theory.superminhash_variance(jaccard, self.num_hashes, union_size)
