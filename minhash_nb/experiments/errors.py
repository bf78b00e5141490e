"""Where the pairs went that a run missed, and where those came from that it should not have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from minhash_nb.banding import Banding, candidate_pairs
from minhash_nb.clustering import connected_components, star_clusters
from minhash_nb.joins import similarity_join
from minhash_nb.schemes import FastSimilaritySketch, Scheme
from minhash_nb.shingling import Normalize, ShingleMatrix, Shingling, shingle
from minhash_nb.signatures import SignatureMatrix, compute_signatures
from minhash_nb.similarity import estimate_jaccard, exact_jaccard
from minhash_nb.validation import as_texts, check_choice, check_integer, check_probability

if TYPE_CHECKING:
    import pandas as pd

CAUSES = ("id collision", "banding", "estimate", "verification", "clustering")


def error_decomposition(
    texts: Iterable[str],
    threshold: float = 0.8,
    *,
    k: int = 5,
    unit: str = "char",
    normalize: Normalize = "default",
    short_texts: str = "whole",
    id_bits: int = 32,
    scheme: Scheme | None = None,
    num_hashes: int = 256,
    recall: float = 0.95,
    banding: Banding | None = None,
    seed: int = 42,
    verify: str = "exact",
    gate: float = 0.0,
    linkage: str | None = "star",
    max_pairs: int = 100_000_000,
    progress: bool = False,
) -> pd.DataFrame:
    """Run the search for near-duplicates and trace every missed and every extra pair to the step that did it.

    Truth are the pairs whose Jaccard similarity, computed on the text of the shingles, reaches the threshold.
    The run takes the steps of `find_near_duplicates` (and by default gives its result); options make it do
    what other tools do: shorter ids, a verdict from the estimate, no verification, no clusters. After every
    step the run holds a set of pairs, the first one being the truth:

    1. ids: similarity on shingle ids of `id_bits` reaches the threshold;
    2. banding: of these, the candidates;
    3. estimate: of these, those whose estimate reaches `gate`; with ``verify="estimate"`` all candidates
       whose estimate reaches the threshold;
    4. verification: the same; with ``verify="none"`` all candidates that passed the gate;
    5. clustering: pairs of documents with one representative; without `linkage` the same as before.

    A pair in which truth and end differ goes to the last step that changed its state, so that every wrong pair
    has exactly one cause.

    Parameters
    ----------
    texts, threshold, k, unit, normalize, short_texts, scheme, num_hashes, recall, banding, seed
        As in `find_near_duplicates`.
    id_bits : int
        Bits kept of the 32 of a shingle id, from 1 to 32.
    verify : {"exact", "estimate", "none"}
        What decides about a candidate: its similarity on ids, its estimate, or nothing.
    gate : float
        Least estimate of a candidate that is looked at, in [0, 1]; 0 for all.
    linkage : {"star", "components", None}
        How pairs become clusters; None takes the verified pairs as the result.
    max_pairs : int
        Most pairs to hold: candidates, true pairs, or pairs within clusters.
    progress : bool
        Show progress bars.

    Returns
    -------
    DataFrame
        One row for each pair that is true or in the result, sorted by (i, j): i, j, jaccard (on text),
        jaccard_ids, estimate, outcome ("found", "missed" or "extra"), cause ("id collision", "banding",
        "estimate", "verification", "clustering"; empty for found pairs).

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range, or there are more than `max_pairs` pairs.

    Notes
    -----
    The truth costs a Python dict look-up for every shingle (about half a microsecond) and an exact join.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> texts = mnb.datasets.generate_corpus(300)
    >>> errors = mnb.experiments.error_decomposition(texts, 0.7, banding=mnb.Banding(16, 8), linkage=None)
    >>> errors.groupby(["outcome", "cause"]).size().to_dict()
    {('found', ''): 45, ('missed', 'banding'): 8}
    """
    import pandas as pd

    threshold = check_probability("threshold", threshold)
    check_choice("verify", verify, ("exact", "estimate", "none"))
    check_choice("linkage", linkage, ("star", "components", None))
    gate = check_probability("gate", gate, zero=True)
    id_bits = check_integer("id_bits", id_bits, most=32)
    documents = as_texts(texts)
    if banding is None:
        banding = Banding.for_recall(threshold, recall, scheme.num_hashes if scheme else num_hashes)
    if scheme is None:
        scheme = FastSimilaritySketch(num_hashes=banding.num_hashes, seed=seed)

    exact = _numbered(documents, Shingling(k=k, unit=unit, normalize=normalize, short_texts=short_texts))
    truth = similarity_join(exact, threshold=threshold, max_pairs=max_pairs, progress=progress)
    hashed = shingle(documents, k, unit, normalize=normalize, short_texts=short_texts, progress=progress)
    ids = _shortened(hashed, id_bits)
    signatures = compute_signatures(ids, scheme, progress=progress)
    candidates = candidate_pairs(signatures, banding, max_pairs=max_pairs)

    passed = candidates[_verdict(ids, signatures, candidates, threshold, verify, gate)]
    if linkage is None:
        result = passed
    else:
        cluster = star_clusters if linkage == "star" else connected_components
        result = _pairs_within(cluster(passed, len(documents)), max_pairs)

    n = max(len(documents), 1)
    keys = [pairs[:, 0] * n + pairs[:, 1] for pairs in (truth[["i", "j"]].to_numpy(), candidates, result)]
    key = np.union1d(keys[0], keys[2])
    pairs = np.stack((key // n, key % n), axis=1)
    is_true, is_candidate, in_result = (np.isin(key, some) for some in keys)
    jaccard_ids, estimate = exact_jaccard(ids, pairs), estimate_jaccard(signatures, pairs)
    states = np.empty((1 + len(CAUSES), key.size), dtype=bool)
    states[0] = is_true
    states[1] = jaccard_ids >= threshold
    states[2] = states[1] & is_candidate
    if verify == "estimate":
        states[3] = is_candidate & (estimate >= max(threshold, gate))
    else:
        states[3] = states[2] & (estimate >= gate)
    states[4] = is_candidate & (estimate >= gate) if verify == "none" else states[3]
    states[5] = in_result
    changes = states[1:] != states[:-1]
    last = len(CAUSES) - 1 - np.argmax(changes[::-1], axis=0)
    wrong = is_true != in_result
    return pd.DataFrame(
        {
            "i": pairs[:, 0],
            "j": pairs[:, 1],
            "jaccard": exact_jaccard(exact, pairs),
            "jaccard_ids": jaccard_ids,
            "estimate": estimate,
            "outcome": np.where(wrong, np.where(is_true, "missed", "extra"), "found"),
            "cause": np.where(wrong, np.array(CAUSES)[last], ""),
        }
    )


def _numbered(documents: list[str], shingling: Shingling) -> ShingleMatrix:
    """Return the shingles under ids that no two of them share: numbers in order of appearance."""
    numbers: dict[Any, int] = {}
    return ShingleMatrix.from_sets(
        {numbers.setdefault(shingle, len(numbers)) for shingle in shingling.texts(text)} for text in documents
    )


def _shortened(shingles: ShingleMatrix, bits: int) -> ShingleMatrix:
    """Keep the upper bits of 32-bit ids, as own ids."""
    ids = shingles.indices >> np.uint32(32 - bits)
    is_first = np.ones(ids.size + 1, dtype=bool)
    is_first[1:-1] = ids[1:] != ids[:-1]
    is_first[shingles.indptr] = True
    before = np.concatenate(([0], np.cumsum(is_first[:-1])))
    return ShingleMatrix(before[shingles.indptr], ids[is_first[:-1]])


def _verdict(
    ids: ShingleMatrix, signatures: SignatureMatrix, pairs: np.ndarray, threshold: float, verify: str, gate: float
) -> np.ndarray:
    """Return which candidates the run accepts."""
    accepted = estimate_jaccard(signatures, pairs) >= (max(threshold, gate) if verify == "estimate" else gate)
    return accepted & (exact_jaccard(ids, pairs) >= threshold) if verify == "exact" else accepted


def _pairs_within(labels: np.ndarray, max_pairs: int) -> np.ndarray:
    """Return all pairs of documents with one label."""
    members = np.argsort(labels, kind="stable")
    sizes = np.unique(labels, return_counts=True)[1]
    total = int((sizes * (sizes - 1) // 2).sum())
    if total > max_pairs:
        raise ValueError(f"`max_pairs` is {max_pairs:,}, but clusters hold {total:,} pairs: raise it, or verify pairs")
    parts = [np.empty((0, 2), dtype=np.int64)]
    for start, size in zip((np.cumsum(sizes) - sizes).tolist(), sizes.tolist(), strict=True):
        if size > 1:
            first, second = np.triu_indices(size, 1)
            parts.append(np.stack((members[start + first], members[start + second]), axis=1))
    return np.concatenate(parts)
