"""How far off the estimates of a scheme are, how often its intervals hold, what it costs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from minhash_nb import theory
from minhash_nb.datasets import pairs_with_jaccard
from minhash_nb.experiments._common import (
    CONFIDENCE,
    as_list,
    as_schemes,
    cell_seed,
    moments,
    positive_interval,
    scheme_label,
    share_interval,
    truncated,
)
from minhash_nb.schemes import Scheme
from minhash_nb.signatures import compute_signatures
from minhash_nb.similarity import estimate_jaccard
from minhash_nb.validation import check_choice, check_integer

if TYPE_CHECKING:
    import pandas as pd

SIMILARITIES = tuple(np.linspace(0.05, 0.95, 19).round(2).tolist())


def estimator_error(
    schemes: Scheme | Iterable[Scheme],
    jaccard: Any = (0.2, 0.5, 0.8),
    union_size: Any = (50, 1000),
    trials: int = 200,
    seed: int = 0,
    *,
    bits: Any = 32,
    ids: str = "random",
    progress: bool = False,
) -> pd.DataFrame:
    """Measure bias and spread of the estimate on pairs of chosen Jaccard similarity.

    Every cell (similarity, size) has its own `trials` pairs of sets with independent random ids, which all
    schemes see.

    Parameters
    ----------
    schemes : Scheme or iterable of Scheme
        Schemes to measure.
    jaccard : float or sequence of float
        Wanted similarities, in [0, 1].
    union_size : int or sequence of int
        Sizes of the union of a pair.
    trials : int
        Pairs in each cell, at least 2.
    seed : int
        Seed of the ids. The hash functions are drawn from the seeds of the schemes.
    bits : int or sequence of int
        Bits kept of every slot: 32, or 1, 2, 4, 8 by `SignatureMatrix.truncate`.
    ids : {"random", "consecutive"}
        See `datasets.pairs_with_jaccard`.
    progress : bool
        Show a progress bar.

    Returns
    -------
    DataFrame
        One row for each cell, bits and scheme:

        - scheme (class and unusual parameters), num_hashes, bits
        - jaccard (exactly what the sets have), union_size, ids, trials
        - bias (mean of estimate - jaccard), bias_error (its standard error)
        - error (root mean square of estimate - jaccard), low, high (95 % interval of it, from the fourth
          moment), theory (the standard deviation that the scheme states; NaN for truncated densified slots)
        - variance_ratio (variance of the estimate over J (1 - J) / num_hashes), ratio_low, ratio_high (95 %),
          ratio_theory; NaN at similarities 0 and 1

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Notes
    -----
    Truncated slots add C (1 - J) / ((1 - C) num_hashes) to the variance, C = 2**-bits, by chance matches that
    are independent from slot to slot (for `MinHash` that gives Li and König's formula, WWW 2010).

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> errors = mnb.experiments.estimator_error(mnb.MinHash(128), jaccard=0.5, union_size=100)
    >>> errors[["scheme", "jaccard", "union_size", "trials"]]
        scheme  jaccard  union_size  trials
    0  MinHash      0.5         100     200
    """
    import pandas as pd
    from tqdm import tqdm

    schemes, widths = as_schemes(schemes), as_list("bits", bits)
    cells = list(product(as_list("union_size", union_size), as_list("jaccard", jaccard)))
    trials = check_integer("trials", trials, least=2)
    rows = []
    with tqdm(total=len(cells) * len(schemes), desc="estimates", unit="cell", disable=not progress) as bar:
        for cell, (size, wanted) in enumerate(cells):
            shingles, pairs = pairs_with_jaccard(trials, wanted, size, ids=ids, seed=cell_seed(seed, cell))
            for scheme in schemes:
                whole = compute_signatures(shingles, scheme)
                for width in widths:
                    row = {"scheme": scheme_label(scheme), "num_hashes": scheme.num_hashes, "bits": width}
                    row |= {"jaccard": pairs["jaccard"].iloc[0], "union_size": size, "ids": ids, "trials": trials}
                    estimate = estimate_jaccard(truncated(whole, width), pairs)
                    rows.append(row | _errors(estimate, row["jaccard"], size, scheme, width))
                bar.update()
    return pd.DataFrame(rows)


def interval_coverage(
    schemes: Scheme | Iterable[Scheme],
    jaccard: Any = SIMILARITIES,
    union_size: int = 200,
    trials: int = 2000,
    seed: int = 0,
    *,
    methods: Any = ("clopper-pearson", "wilson"),
    confidence: float = CONFIDENCE,
    progress: bool = False,
) -> pd.DataFrame:
    """Count how often an interval around the estimate contains the true similarity.

    Parameters
    ----------
    schemes : Scheme or iterable of Scheme
        Schemes to measure.
    jaccard : float or sequence of float
        Wanted similarities, in [0, 1].
    union_size : int
        Size of the union of a pair.
    trials : int
        Pairs at each similarity.
    seed : int
        Seed of the ids.
    methods : str or sequence of str
        "clopper-pearson", "wilson" or both; see `theory`.
    confidence : float
        Nominal coverage, in (0, 1).
    progress : bool
        Show a progress bar.

    Returns
    -------
    DataFrame
        One row for each similarity, scheme and method: scheme, num_hashes, method, confidence, jaccard
        (exact), union_size, trials, coverage (share of the intervals that contain it), low, high (95 %
        Wilson interval of that share), theory (exact coverage where matches are binomial, as for
        `MinHash`; schemes that spread less cover more), width (mean width of the intervals).

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> coverage = mnb.experiments.interval_coverage(mnb.MinHash(64), jaccard=[0.3, 0.7], trials=100)
    >>> coverage[["method", "jaccard", "theory"]].round(3)
                method  jaccard  theory
    0  clopper-pearson      0.3   0.972
    1           wilson      0.3   0.944
    2  clopper-pearson      0.7   0.972
    3           wilson      0.7   0.944
    """
    import pandas as pd
    from tqdm import tqdm

    schemes, levels = as_schemes(schemes), as_list("jaccard", jaccard)
    chosen = [check_choice("methods", method, ("clopper-pearson", "wilson")) for method in as_list("methods", methods)]
    trials = check_integer("trials", trials)
    rows = []
    for cell, wanted in enumerate(tqdm(levels, desc="coverage", unit="cell", disable=not progress)):
        shingles, pairs = pairs_with_jaccard(trials, wanted, union_size, seed=cell_seed(seed, cell))
        exact = float(pairs["jaccard"].iloc[0])
        for scheme in schemes:
            size = scheme.num_hashes
            matches = np.rint(estimate_jaccard(compute_signatures(shingles, scheme), pairs) * size).astype(np.int64)
            for method in chosen:
                interval = theory.wilson if method == "wilson" else theory.clopper_pearson
                low, high = interval(matches, size, confidence)
                covered = int(((low <= exact) & (exact <= high)).sum())
                row = {"scheme": scheme_label(scheme), "num_hashes": size, "method": method, "confidence": confidence}
                row |= {"jaccard": exact, "union_size": union_size, "trials": trials, "coverage": covered / trials}
                row["low"], row["high"] = share_interval(covered, trials)
                row["theory"] = theory.interval_coverage(method, size, exact, confidence)
                rows.append(row | {"width": float(np.mean(high - low))})
    return pd.DataFrame(rows)


def _errors(estimate: np.ndarray, jaccard: float, union_size: int, scheme: Scheme, bits: int) -> dict[str, float]:
    """Return the measured columns and the theory beside them."""
    trials = estimate.size
    bias, variance, variance_error = moments(estimate - jaccard)
    square = (estimate - jaccard) ** 2
    mean_square = float(square.mean())
    low, high = positive_interval(mean_square, float(square.std(ddof=1)) / trials**0.5)
    classic = theory.jaccard_variance(jaccard, scheme.num_hashes)
    stated = float(scheme.variance(jaccard, union_size))
    if bits < 32:  # a copied slot copies its chance match
        chance = 2.0**-bits
        copied = not scheme.at_most_binomial
        stated = np.nan if copied else stated + chance * (1.0 - jaccard) / ((1.0 - chance) * scheme.num_hashes)
    over = classic if classic > 0.0 else np.nan
    ratio_low, ratio_high = positive_interval(variance, variance_error)
    return {
        "bias": bias,
        "bias_error": (variance / trials) ** 0.5,
        "error": mean_square**0.5,
        "low": low**0.5,
        "high": high**0.5,
        "theory": stated**0.5,
        "variance_ratio": variance / over,
        "ratio_low": ratio_low / over,
        "ratio_high": ratio_high / over,
        "ratio_theory": stated / over,
    }
