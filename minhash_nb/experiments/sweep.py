"""Every banding of a grid, run on a corpus and held against the exact join."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from minhash_nb import theory
from minhash_nb.banding import Banding, candidate_pairs
from minhash_nb.experiments._common import as_list, as_schemes, banding_columns, random_pairs
from minhash_nb.joins import similarity_join
from minhash_nb.schemes import MinHash, Scheme
from minhash_nb.shingling import ShingleMatrix
from minhash_nb.signatures import SignatureMatrix, compute_signatures
from minhash_nb.similarity import exact_jaccard
from minhash_nb.validation import as_pairs, check_instance, check_integer, check_probability

if TYPE_CHECKING:
    import pandas as pd

SAMPLED_PAIRS = 200_000  # looked at where there are too many candidates to list
VERIFIED_PAIRS = 100_000  # verified to know how long one takes


def parameter_sweep(
    shingles: ShingleMatrix,
    threshold: float = 0.8,
    num_bands: Any = tuple(range(1, 31)),
    rows_per_band: Any = tuple(range(1, 21)),
    scheme: Scheme | None = None,
    *,
    truth: Any = None,
    max_pairs: int = 1_000_000,
    seed: int = 0,
    progress: bool = False,
) -> pd.DataFrame:
    """Run every banding of a grid on a corpus and hold it against the exact join.

    Parameters
    ----------
    shingles : ShingleMatrix
        The corpus.
    threshold : float in (0, 1]
        Jaccard similarity from which a pair is to be found.
    num_bands, rows_per_band : int or sequence of int
        The grid; its largest product is the size of the signatures.
    scheme : Scheme, optional
        How to sign, at least of that size; `MinHash` of that size by default.
    truth : DataFrame, optional
        What ``similarity_join(shingles, threshold=threshold)`` returns, if it is known already.
    max_pairs : int
        Where a banding has more candidates they are not listed: their number is estimated from 200,000 random
        pairs, and no time is measured.
    seed : int
        Seed of those random pairs.
    progress : bool
        Show a progress bar.

    Returns
    -------
    DataFrame
        One row for each banding, rows_per_band in the outer loop: num_bands, rows_per_band, num_hashes,
        threshold, recall (share of the true pairs that are candidates; NaN if there is none),
        recall_at_threshold (of the S-curve), precision (share of the candidates that are true; 1 if there is
        none), candidates, counted (False where they are estimated), seconds (of the search and of verifying
        its candidates, at the rate measured on this corpus; NaN where not counted), pareto (no other banding
        has the same recall or more with fewer candidates, or more recall with as many).

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Notes
    -----
    All bandings use one draw of the hash functions: neighbours on the grid are not independent.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> shingles = mnb.shingle(mnb.datasets.generate_corpus(200))
    >>> sweep = mnb.experiments.parameter_sweep(shingles, 0.7, num_bands=[8, 16], rows_per_band=[4, 8])
    >>> sweep[["num_bands", "rows_per_band", "num_hashes", "recall_at_threshold", "counted"]].round(3)
       num_bands  rows_per_band  num_hashes  recall_at_threshold  counted
    0          8              4          32                0.889     True
    1         16              4          64                0.988     True
    2          8              8          64                0.378     True
    3         16              8         128                0.613     True
    """
    from tqdm import tqdm

    check_instance("shingles", shingles, ShingleMatrix, "shingle(texts)")
    threshold = check_probability("threshold", threshold)
    bands = sorted({check_integer("num_bands", value) for value in as_list("num_bands", num_bands)})
    grid = [
        Banding(b, check_integer("rows_per_band", r)) for r in as_list("rows_per_band", rows_per_band) for b in bands
    ]
    if scheme is None:
        scheme = MinHash(max(banding.num_hashes for banding in grid))
    (scheme,) = as_schemes(scheme)
    if truth is None:
        truth = similarity_join(shingles, threshold=threshold, progress=progress)
    true_pairs = as_pairs(truth, len(shingles), "truth")
    signatures = compute_signatures(shingles, scheme, progress=progress)
    largest = max(grid, key=lambda banding: banding.num_hashes)
    nothing = compute_signatures(shingles.take(np.arange(0)), scheme)
    candidate_pairs(nothing, largest)  # raises if the scheme does not fit; compiles
    slots = signatures.slots
    some_pairs = random_pairs(len(shingles), SAMPLED_PAIRS, seed)

    found, candidates, seconds = (np.empty(len(grid)) for _ in range(3))
    most = np.empty((0, 2), dtype=np.int64)
    for position, banding in enumerate(tqdm(grid, desc="sweep", unit="banding", disable=not progress)):
        if banding.num_bands == bands[0]:  # the next number of rows
            true_first = _first_band(slots, true_pairs, bands[-1], banding.rows_per_band)
            random_first = None
        found[position] = (true_first < banding.num_bands).sum()
        if random_first is None:
            pairs, seconds[position] = _search(signatures, banding, max_pairs)
            candidates[position] = len(pairs)
            most = max(most, pairs, key=len)
            if np.isnan(seconds[position]):
                random_first = _first_band(slots, some_pairs, bands[-1], banding.rows_per_band)
        if random_first is not None:  # too many, and so with more bands
            share = (random_first < banding.num_bands).mean()
            candidates[position] = max(found[position], share * len(shingles) * (len(shingles) - 1) / 2)
            seconds[position] = np.nan
    frame = banding_columns(grid)
    per_band = frame["rows_per_band"].to_numpy()
    return frame.assign(
        num_hashes=frame["num_bands"] * per_band,
        threshold=threshold,
        recall=found / len(true_pairs) if len(true_pairs) else np.nan,
        recall_at_threshold=theory.s_curve(threshold, frame["num_bands"].to_numpy(), per_band),
        precision=np.divide(found, candidates, out=np.ones(len(grid)), where=candidates > 0),
        candidates=candidates,
        counted=~np.isnan(seconds),
        seconds=seconds + candidates * _seconds_per_pair(shingles, most),
        pareto=_pareto(found, candidates),
    )


def _first_band(slots: np.ndarray, pairs: np.ndarray, num_bands: int, rows_per_band: int) -> np.ndarray:
    """Return the first band in which each pair agrees; `num_bands` where there is none."""
    first = np.full(len(pairs), num_bands)
    open_ = np.arange(len(pairs))
    for band in range(num_bands):
        columns = slots[:, band * rows_per_band : (band + 1) * rows_per_band]
        agree = (columns[pairs[open_, 0]] == columns[pairs[open_, 1]]).all(axis=1)
        first[open_[agree]] = band
        open_ = open_[~agree]
    return first


def _search(signatures: SignatureMatrix, banding: Banding, max_pairs: int) -> tuple[np.ndarray, float]:
    """Return the candidates and the seconds it took to find them; none and NaN if there are too many."""
    start = perf_counter()
    try:
        pairs = candidate_pairs(signatures, banding, max_pairs=max_pairs)
    except ValueError:
        return np.empty((0, 2), dtype=np.int64), np.nan
    return pairs, perf_counter() - start


def _seconds_per_pair(shingles: ShingleMatrix, pairs: np.ndarray) -> float:
    """Measure how long it takes to verify a pair."""
    exact_jaccard(shingles, pairs[:1])  # compiled, if it was not
    some = pairs[np.linspace(0, len(pairs) - 1, min(len(pairs), VERIFIED_PAIRS)).astype(np.int64)]
    start = perf_counter()
    exact_jaccard(shingles, some)
    return (perf_counter() - start) / max(len(some), 1)


def _pareto(found: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Return which points no other one beats: more found with as few candidates, or as much with fewer."""
    best = np.zeros(found.size, dtype=bool)
    most = -1.0
    for position in np.lexsort((-found, candidates)):
        best[position] = found[position] > most
        most = max(most, found[position])
    return best
