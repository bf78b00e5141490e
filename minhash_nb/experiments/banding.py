"""Whether the S-curve holds, on planted pairs and on the candidates of a corpus; how large the buckets are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from minhash_nb import theory
from minhash_nb.banding import Banding, as_bandings, candidate_pairs
from minhash_nb.datasets import pairs_with_jaccard
from minhash_nb.experiments._common import (
    as_list,
    as_schemes,
    banding_columns,
    cell_seed,
    scheme_label,
    share_interval,
)
from minhash_nb.joins import similarity_histogram
from minhash_nb.schemes import MinHash, Scheme
from minhash_nb.shingling import ShingleMatrix
from minhash_nb.signatures import SignatureMatrix, compute_signatures
from minhash_nb.validation import check_instance, check_integer

if TYPE_CHECKING:
    import pandas as pd

FINE_BINS = np.concatenate((np.arange(1000) / 1000, [1.0 - 1e-9, 1.0]))
"""Similarities of a corpus, with equal documents in a bin of their own."""

SIMILARITIES = tuple(np.linspace(0.1, 0.95, 18).round(2).tolist())


def banding_recall(
    bandings: Banding | Iterable[Banding],
    jaccard: Any = SIMILARITIES,
    schemes: Scheme | Iterable[Scheme] | None = None,
    union_size: int = 200,
    trials: int = 1000,
    seed: int = 0,
    *,
    progress: bool = False,
) -> pd.DataFrame:
    """Count how many planted pairs of chosen Jaccard similarity become candidates.

    Parameters
    ----------
    bandings : Banding or iterable of Banding
        Bandings to measure.
    jaccard : float or sequence of float
        Wanted similarities, in [0, 1].
    schemes : Scheme or iterable of Scheme, optional
        How to sign; `MinHash` of the size that the bandings need by default.
    union_size : int
        Size of the union of a pair.
    trials : int
        Pairs at each similarity. Their ids are independent and random.
    seed : int
        Seed of the ids.
    progress : bool
        Show a progress bar.

    Returns
    -------
    DataFrame
        One row for each scheme, banding and similarity: scheme, num_bands, rows_per_band, jaccard (exact),
        union_size, trials, found, recall (found / trials), low, high (95 % Wilson interval), theory
        (1 - (1 - s**r)**b, for rows that are independent).

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range, or a scheme has too few hashes.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> recall = mnb.experiments.banding_recall(mnb.Banding(16, 8), jaccard=[0.5, 0.8], trials=100)
    >>> recall[["num_bands", "rows_per_band", "jaccard", "theory"]].round(3)
       num_bands  rows_per_band  jaccard  theory
    0         16              8      0.5   0.061
    1         16              8      0.8   0.947
    """
    import pandas as pd
    from tqdm import tqdm

    bandings, levels, trials = as_bandings(bandings), as_list("jaccard", jaccard), check_integer("trials", trials)
    chosen = as_schemes(MinHash(max(banding.num_hashes for banding in bandings)) if schemes is None else schemes)
    rows = []
    with tqdm(total=len(chosen) * len(levels), desc="recall", unit="cell", disable=not progress) as bar:
        for cell, wanted in enumerate(levels):
            shingles, pairs = pairs_with_jaccard(trials, wanted, union_size, seed=cell_seed(seed, cell))
            for scheme in chosen:
                signatures = compute_signatures(shingles, scheme)
                for banding in bandings:
                    candidates = candidate_pairs(signatures, banding)
                    planted = (candidates[:, 0] % 2 == 0) & (candidates[:, 1] == candidates[:, 0] + 1)
                    rows.append((scheme, banding, pairs["jaccard"].iloc[0], int(planted.sum())))
                bar.update()
    frame = pd.DataFrame(
        [(scheme_label(scheme), banding.num_bands, banding.rows_per_band, *rest) for scheme, banding, *rest in rows],
        columns=["scheme", "num_bands", "rows_per_band", "jaccard", "found"],
    )
    frame.insert(4, "union_size", union_size)
    frame.insert(5, "trials", trials)
    low, high = share_interval(frame["found"].to_numpy(), trials)
    curve = theory.s_curve(*(frame[name].to_numpy() for name in ("jaccard", "num_bands", "rows_per_band")))
    frame = frame.assign(recall=frame["found"] / trials, low=low, high=high, theory=curve)
    return frame.sort_values(["scheme", "num_bands", "rows_per_band", "jaccard"], kind="stable", ignore_index=True)


def candidates_predicted_vs_observed(
    shingles: ShingleMatrix,
    bandings: Banding | Iterable[Banding],
    scheme: Scheme | None = None,
    draws: int = 20,
    seed: int = 0,
    *,
    max_pairs: int = 100_000_000,
    progress: bool = False,
) -> pd.DataFrame:
    """Compare the candidates that the similarities of a corpus predict with those that come out.

    All pairs of a corpus share one draw of the hash functions, so one run says little: its candidates spread
    far more than a binomial does. The mean over `draws` seeds is judged by the spread between them.

    Parameters
    ----------
    shingles : ShingleMatrix
        The corpus. The prediction sums the S-curve over the exact similarities of all its pairs.
    bandings : Banding or iterable of Banding
        Bandings to compare.
    scheme : Scheme, optional
        How to sign; `MinHash` of the size that the bandings need by default. Its seed is replaced.
    draws : int
        Draws of the hash functions, at least 2.
    seed : int
        Seed of the draws.
    max_pairs : int
        See `candidate_pairs`.
    progress : bool
        Show a progress bar.

    Returns
    -------
    DataFrame
        One row for each banding: scheme, num_bands, rows_per_band, draws, predicted, observed (mean of the
        draws), spread (standard deviation between draws), low, high (95 % interval of the mean by Student's
        t), z ((observed - predicted) / (spread / sqrt(draws)); NaN without spread).

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Notes
    -----
    With few rows the candidates of one draw are heavy-tailed: a rare giant bucket carries the mean, so twenty
    draws can sit far below a correct prediction, and neither z nor the interval holds.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> shingles = mnb.shingle(mnb.datasets.generate_corpus(200))
    >>> table = mnb.experiments.candidates_predicted_vs_observed(shingles, mnb.Banding(16, 8), draws=5)
    >>> table[["num_bands", "rows_per_band", "predicted"]].round()
       num_bands  rows_per_band  predicted
    0         16              8       73.0
    """
    from scipy import special
    from tqdm import tqdm

    check_instance("shingles", shingles, ShingleMatrix, "shingle(texts)")
    bandings, draws = as_bandings(bandings), check_integer("draws", draws, least=2)
    if scheme is None:
        scheme = MinHash(max(banding.num_hashes for banding in bandings))
    (scheme,) = as_schemes(scheme)
    density = similarity_histogram(shingles, FINE_BINS, sample=max(len(shingles), 2)).density
    counts = np.empty((draws, len(bandings)))
    for draw in tqdm(range(draws), desc="draws", unit="draw", disable=not progress):
        signatures = compute_signatures(shingles, replace(scheme, seed=cell_seed(seed, draw)))  # type: ignore[type-var]
        counts[draw] = [len(candidate_pairs(signatures, banding, max_pairs=max_pairs)) for banding in bandings]
    observed, spread = counts.mean(axis=0), counts.std(axis=0, ddof=1)
    error = spread / draws**0.5
    reach = special.stdtrit(draws - 1, 0.975) * error
    frame = banding_columns(bandings)
    frame.insert(0, "scheme", scheme_label(scheme))
    bands, per_band = frame["num_bands"].to_numpy(), frame["rows_per_band"].to_numpy()
    frame = frame.assign(draws=draws, predicted=theory.expected_candidates(len(shingles), density, bands, per_band))
    z = np.divide(observed - frame["predicted"], error, out=np.full(len(bandings), np.nan), where=error > 0.0)
    return frame.assign(observed=observed, spread=spread, low=observed - reach, high=observed + reach, z=z)


def bucket_sizes(signatures: SignatureMatrix, bandings: Banding | Iterable[Banding]) -> pd.DataFrame:
    """Count the buckets of each size: where boilerplate and copies pile up, a few hold most of the pairs.

    Parameters
    ----------
    signatures : SignatureMatrix
        From `compute_signatures` or `sign_texts`.
    bandings : Banding or iterable of Banding
        Bandings to look at.

    Returns
    -------
    DataFrame
        One row for each banding and size that occurs: num_bands, rows_per_band, size (documents in a bucket),
        buckets (of that size, over all bands), pairs (in all of them; a pair that shares several buckets
        counts several times).

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind, or the signatures are too short.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> texts = ["one and the same text", "one and the same text", "one and the same text", "another one"]
    >>> mnb.experiments.bucket_sizes(mnb.sign_texts(texts, mnb.MinHash(8)), mnb.Banding(2, 4))
       num_bands  rows_per_band  size  buckets  pairs
    0          2              4     1        2      0
    1          2              4     3        2      6
    """
    import pandas as pd

    check_instance("signatures", signatures, SignatureMatrix, "compute_signatures or sign_texts")
    parts = []
    slots = signatures.slots[~signatures.is_empty]
    nothing = replace(signatures, values=signatures.values[:0], is_empty=signatures.is_empty[:0])  # noqa: PD011
    for banding in as_bandings(bandings):
        candidate_pairs(nothing, banding)  # raises if the signatures do not fit
        sizes = [
            np.unique(slots[:, start : start + banding.rows_per_band], axis=0, return_counts=True)[1]
            for start in range(0, banding.num_hashes, banding.rows_per_band)
        ]
        size, buckets = np.unique(np.concatenate(sizes), return_counts=True)
        part = {"num_bands": banding.num_bands, "rows_per_band": banding.rows_per_band, "size": size}
        parts.append(pd.DataFrame(part | {"buckets": buckets, "pairs": buckets * (size * (size - 1) // 2)}))
    return pd.concat(parts, ignore_index=True)
