"""The comparison table: which tools do each step, how their input is prepared, and how their result is read."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

import minhash_nb as mnb
from benchmarks import peers
from benchmarks.corpora import Corpus
from benchmarks.peers import BANDING, NUM_HASHES
from minhash_nb.joins import similarity_join

OURS = "minhash-nb"
REFERENCE = "reference.py"


def same(value: Any) -> Any:
    """Return the value: the tool takes (or returns) the common form."""
    return value


@dataclass(frozen=True)
class Adapter:
    """How one tool does one step.

    Parameters
    ----------
    name : str
        What tables call it.
    run : callable
        The step: all that is timed. It takes what `prepare` returned (and a seed, where signatures come
        from ids).
    prepare : callable
        The common input in the form that the tool takes.
    read : callable
        What `run` returned in the common form.
    package : str
        Distribution whose version counts.
    module : str
        Module to import; the adapter is left out where it is missing.
    most : float
        Characters (or ids) beyond which it is timed on a sample, for it would take minutes.
    """

    name: str
    run: Callable[..., Any]
    prepare: Callable[[Any], Any] = same
    read: Callable[[Any], Any] = same
    package: str = OURS
    module: str = "minhash_nb"
    most: float = float("inf")

    @property
    def installed(self) -> bool:
        """Whether the tool is there."""
        return find_spec(self.module) is not None


def texts(corpus: Corpus) -> list[str]:
    """Return the texts as they are: for tools that normalise, within their time."""
    return corpus.texts


def normalised(corpus: Corpus) -> list[str]:
    """Return the texts normalised, for tools that do not: outside of their time."""
    return [mnb.reference.normalize(text) for text in corpus.texts]


def _datasketch(name: str, run: Callable[..., Any], **options: Any) -> Adapter:
    return Adapter(name, run, package="datasketch", module="datasketch", **options)


def _rensa(name: str, run: Callable[..., Any], **options: Any) -> Adapter:
    return Adapter(name, run, package="rensa", module="rensa", **options)


def _gaoya(name: str, run: Callable[..., Any], **options: Any) -> Adapter:
    return Adapter(name, run, prepare=normalised, package="gaoya", module="gaoya", **options)


DEFAULT_SCHEME = mnb.FastSimilaritySketch(NUM_HASHES)
FAST = mnb.MinHash(NUM_HASHES)
PARITY = mnb.MinHash(NUM_HASHES, family="mersenne31")

SCHEMES: dict[str, mnb.schemes.Scheme] = {
    "MinHash multiply-add": FAST,
    "MinHash mersenne31": PARITY,
    **{f"FastSimilaritySketch rounds={n}": mnb.FastSimilaritySketch(NUM_HASHES, rounds=n) for n in (1, 2, 4, 8)},
    **{
        f"OnePermutation {way}": mnb.OnePermutation(NUM_HASHES, densification=way)
        for way in ("none", "rotation", "optimal", "push")
    },
    "SuperMinHash": mnb.SuperMinHash(NUM_HASHES),
}
"""Our schemes, by the names that tables give them."""


def _sign(scheme: Any, shingles: mnb.ShingleMatrix, seed: int = 42) -> mnb.SignatureMatrix:
    return mnb.compute_signatures(shingles, replace(scheme, seed=seed))


def _candidates(texts: list[str], **options: Any) -> np.ndarray:
    return mnb.candidate_pairs(mnb.sign_texts(texts, **options), BANDING)


def _reference_candidates(texts: list[str]) -> list[tuple[int, int]]:
    signatures = mnb.reference.signatures(map(mnb.reference.shingle_ids, texts), NUM_HASHES)
    return mnb.reference.candidate_pairs(signatures, BANDING.num_bands, BANDING.rows_per_band)


def _near_duplicates(texts: list[str], **options: Any) -> mnb.NearDuplicates:
    return mnb.find_near_duplicates(texts, THRESHOLD, **options)


def _join(shingles: mnb.ShingleMatrix, threshold: float) -> Any:
    return similarity_join(shingles, threshold=threshold)


def _frame_pairs(frame: Any) -> np.ndarray:
    return frame[["i", "j"]].to_numpy()


def _expanded_pairs(result: mnb.NearDuplicates) -> np.ndarray:
    return _frame_pairs(result.expanded_pairs())


def _by_matrix(
    to_matrix: Callable[[Any], np.ndarray], estimate: Callable[..., np.ndarray] = peers.equal_slots
) -> Callable[[Any], Callable[[np.ndarray], np.ndarray]]:
    return lambda signatures: partial(estimate, to_matrix(signatures))


THRESHOLD = 0.8
JOIN_THRESHOLD = 0.7
CHAPTER_OPTIONS = {"id_hash": "md5", "short_texts": "drop"}
SLOW = 1e5  # characters: a few seconds of the reference

SHINGLE = (
    Adapter("fast ids", mnb.shingle, prepare=texts),
    Adapter("MD5 ids", partial(mnb.shingle, **CHAPTER_OPTIONS), prepare=texts),
    Adapter(REFERENCE, lambda texts: list(map(mnb.reference.shingle_ids, texts)), prepare=texts, most=SLOW),
)
"""Corpus to its shingle ids."""

SIGN = (
    *(
        Adapter(name, partial(_sign, scheme), read=lambda signatures: partial(mnb.estimate_jaccard, signatures))
        for name, scheme in SCHEMES.items()
    ),
    _rensa("rensa flat matrix", peers.rensa_flat, prepare=peers.rensa_csr, read=_by_matrix(peers.rensa_matrix)),
    _rensa(
        "rensa rho",
        peers.rensa_rho,
        prepare=peers.rensa_csr,
        read=_by_matrix(peers.rensa_matrix, peers.occupied_slots),
    ),
    _datasketch(
        "datasketch",
        partial(peers.datasketch_signatures, hashfunc=int),  # the ids are hashes already
        prepare=peers.rows_as_lists,
        read=_by_matrix(peers.datasketch_matrix),
        most=1e6,
    ),
    Adapter(
        REFERENCE,
        lambda sets, seed=42: mnb.reference.signatures(sets, NUM_HASHES, seed),
        prepare=peers.rows_as_lists,
        read=_by_matrix(np.array),
        most=SLOW / 4,
    ),
)
"""Shingle matrix (and a seed) to 128 slots; read as a function from pairs to estimates."""

SIGN_TEXTS = (
    Adapter("default scheme", partial(mnb.sign_texts, scheme=DEFAULT_SCHEME), prepare=texts),
    Adapter("MinHash multiply-add", partial(mnb.sign_texts, scheme=FAST), prepare=texts),
    _gaoya("gaoya insert", peers.gaoya_insert),
    _rensa("rensa, lists of str", peers.rensa_sign_texts, prepare=normalised),
    _rensa("rensa, lists of bytes", peers.rensa_sign_bytes, prepare=normalised),
    _datasketch("datasketch", peers.datasketch_sign_texts, prepare=normalised, most=2e6),
    _datasketch(
        "datasketch, hashfunc=zlib.crc32",
        partial(peers.datasketch_sign_texts, hashfunc=zlib.crc32),
        prepare=normalised,
        most=2e6,
    ),
)
"""Corpus to signatures of 128 slots."""

CANDIDATES = (
    Adapter("default scheme", partial(_candidates, scheme=DEFAULT_SCHEME), prepare=texts),
    Adapter("MinHash multiply-add", partial(_candidates, scheme=FAST), prepare=texts),
    Adapter("parity", partial(_candidates, scheme=PARITY, **CHAPTER_OPTIONS), prepare=texts),
    Adapter(
        REFERENCE,
        _reference_candidates,
        prepare=texts,
        read=lambda pairs: np.array(pairs, dtype=np.int64).reshape(-1, 2),
        most=SLOW,
    ),
    _gaoya("gaoya", peers.gaoya_neighbours, read=peers.as_pairs),
    _rensa("rensa", peers.rensa_candidates, prepare=normalised, read=peers.as_pairs),
    _datasketch("datasketch", peers.datasketch_candidates, prepare=normalised, read=peers.as_pairs),
)
"""Corpus to candidate pairs of 16 bands of 8 rows."""

NEAR_DUPLICATES = (
    Adapter("find_near_duplicates", _near_duplicates, prepare=texts, read=_expanded_pairs),
    Adapter(
        "find_near_duplicates, 16 x 8",
        partial(_near_duplicates, banding=BANDING),
        prepare=texts,
        read=_expanded_pairs,
    ),
    _gaoya("gaoya insert + query", partial(peers.gaoya_neighbours, threshold=THRESHOLD), read=peers.as_pairs),
)
"""Corpus to the pairs that the tool takes for similar at `THRESHOLD`."""

JOIN = (
    Adapter("similarity_join", partial(_join, threshold=JOIN_THRESHOLD), read=_frame_pairs),
    Adapter(
        "SetSimilaritySearch",
        partial(peers.set_similarity_search, threshold=JOIN_THRESHOLD),
        prepare=peers.rows_as_lists,
        read=peers.joined_pairs,
        package="SetSimilaritySearch",
        module="SetSimilaritySearch",
    ),
    Adapter(
        "sparse A x A.T",
        partial(peers.sparse_product, threshold=JOIN_THRESHOLD),
        prepare=peers.sparse_matrix,
        package="scipy",
        module="scipy",
    ),
)
"""Shingle matrix to every pair of exact Jaccard similarity `JOIN_THRESHOLD` and more."""

STEPS: dict[str, tuple[Adapter, ...]] = {
    "shingle": SHINGLE,
    "sign": SIGN,
    "sign_texts": SIGN_TEXTS,
    "candidates": CANDIDATES,
    "near_duplicates": NEAR_DUPLICATES,
    "join": JOIN,
}


def installed(step: str) -> list[Adapter]:
    """Return the adapters of a step whose tools are there."""
    return [adapter for adapter in STEPS[step] if adapter.installed]


def on_one_thread(adapter: Adapter) -> Adapter:
    """Return one of our adapters held to a single thread."""

    def run(*arguments: Any) -> Any:
        with mnb.num_threads(1):
            return adapter.run(*arguments)

    return replace(adapter, name=f"{adapter.name}, one thread", run=run)
