"""Schemes: what one signature column means. A scheme is its parameters; it draws its hash functions itself."""

from __future__ import annotations

from typing import Any

from minhash_nb.schemes.base import Scheme
from minhash_nb.schemes.fast_similarity import FastSimilaritySketch
from minhash_nb.schemes.minhash import MinHash
from minhash_nb.schemes.one_permutation import OnePermutation
from minhash_nb.schemes.super_minhash import SuperMinHash

__all__ = ["SCHEMES", "FastSimilaritySketch", "MinHash", "OnePermutation", "Scheme", "SuperMinHash", "scheme_from_key"]

SCHEMES: tuple[type, ...] = (MinHash, FastSimilaritySketch, OnePermutation, SuperMinHash)


def scheme_from_key(key: dict[str, Any]) -> Scheme:
    """Build the scheme that has this key.

    Raises
    ------
    ValueError
        If there is no such scheme, or this version of the package computes other values for it.
    """
    parameters = dict(key)
    name, version = parameters.pop("scheme", None), parameters.pop("version", None)
    kinds = {kind.__name__: kind for kind in SCHEMES}
    if name not in kinds:
        raise ValueError(f"scheme {name!r} is unknown to this version, which has {', '.join(kinds)}")
    kind: Any = kinds[name]
    if version != kind.version:
        raise ValueError(f"{name} signatures of algorithm version {version} do not compare with version {kind.version}")
    scheme: Scheme = kind(**parameters)
    return scheme
