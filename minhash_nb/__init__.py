"""MinHash and LSH with Numba: signatures, banding, verified near-duplicates, and the statistics to trust them."""

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import Any as _Any

from minhash_nb import datasets, reference, theory
from minhash_nb.banding import Banding, candidate_pairs
from minhash_nb.clustering import connected_components
from minhash_nb.joins import SimilarityHistogram, similarity_histogram, similarity_join
from minhash_nb.pipeline import NearDuplicates, find_near_duplicates
from minhash_nb.schemes import FastSimilaritySketch, MinHash, OnePermutation, SuperMinHash
from minhash_nb.shingling import ShingleMatrix, Shingling, shingle
from minhash_nb.signatures import SignatureMatrix, compute_signatures, merge_signatures, sign_texts
from minhash_nb.similarity import Comparison, compare, estimate_jaccard, exact_jaccard
from minhash_nb.threads import num_threads, show_config
from minhash_nb.tuning import TuningResult, tune

__version__ = _version("minhash-nb")

__all__ = [
    "Banding",
    "Comparison",
    "FastSimilaritySketch",
    "MinHash",
    "NearDuplicates",
    "OnePermutation",
    "ShingleMatrix",
    "Shingling",
    "SignatureMatrix",
    "SimilarityHistogram",
    "SuperMinHash",
    "TuningResult",
    "candidate_pairs",
    "compare",
    "compute_signatures",
    "connected_components",
    "datasets",
    "estimate_jaccard",
    "exact_jaccard",
    "experiments",
    "find_near_duplicates",
    "merge_signatures",
    "num_threads",
    "plotting",
    "reference",
    "shingle",
    "show_config",
    "sign_texts",
    "similarity_histogram",
    "similarity_join",
    "theory",
    "tune",
]

_ON_FIRST_USE = ("experiments", "plotting")  # they load pandas or matplotlib


def __getattr__(name: str) -> _Any:
    if name in _ON_FIRST_USE:
        return _import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
