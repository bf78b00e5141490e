"""What a scheme costs, beside how far off it is."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from time import perf_counter
from typing import TYPE_CHECKING, Any

from minhash_nb.datasets import pairs_with_jaccard
from minhash_nb.experiments._common import as_list, as_schemes, cell_seed, truncated
from minhash_nb.experiments.estimates import estimator_error
from minhash_nb.schemes import FastSimilaritySketch, MinHash, OnePermutation, Scheme, SuperMinHash
from minhash_nb.shingling import ShingleMatrix
from minhash_nb.signatures import SignatureMatrix, compute_signatures

if TYPE_CHECKING:
    import pandas as pd

TIMINGS = 3  # the fastest of so many counts


def scheme_comparison(
    schemes: Scheme | Iterable[Scheme] | None = None,
    jaccard: Any = 0.5,
    union_size: Any = (50, 500),
    trials: int = 2000,
    seed: int = 0,
    *,
    bits: Any = 32,
    progress: bool = False,
) -> pd.DataFrame:
    """Compare schemes: bias and spread, bytes for a document, nanoseconds for a shingle.

    Parameters
    ----------
    schemes : Scheme or iterable of Scheme, optional
        Schemes to compare; by default the kinds that the package has, with 32, 128 and 512 hashes.
    jaccard, union_size, trials, seed, bits, progress
        As in `estimator_error`, on whose pairs spread and speed are measured.

    Returns
    -------
    DataFrame
        The columns of `estimator_error`, and bytes_per_document (of the signature as stored), nanoseconds
        (for each shingle: `compute_signatures`, and `truncate` where bits are dropped, on all threads; the
        fastest of three runs over all pairs of the cell).

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> table = mnb.experiments.scheme_comparison(mnb.MinHash(128), union_size=100, trials=50, bits=[32, 8])
    >>> table[["scheme", "bits", "bytes_per_document"]]
        scheme  bits  bytes_per_document
    0  MinHash    32               512.0
    1  MinHash     8               128.0
    """
    from tqdm import tqdm

    if schemes is None:
        schemes = [
            kind(num_hashes=size)
            for kind in (MinHash, FastSimilaritySketch, OnePermutation, SuperMinHash)
            for size in (32, 128, 512)
        ]
    schemes, widths = as_schemes(schemes), as_list("bits", bits)
    frame = estimator_error(schemes, jaccard, union_size, trials, seed, bits=widths, progress=progress)
    size, nanoseconds = [], []
    with tqdm(total=len(frame), desc="timing", unit="cell", disable=not progress) as bar:
        for cell, (union, wanted) in enumerate(product(as_list("union_size", union_size), as_list("jaccard", jaccard))):
            shingles, _ = pairs_with_jaccard(trials, wanted, union, seed=cell_seed(seed, cell))
            for scheme, width in product(schemes, widths):
                seconds, signatures = _fastest(shingles, scheme, width)
                size.append(signatures.values.nbytes / len(signatures))  # noqa: PD011
                nanoseconds.append(1e9 * seconds / shingles.indices.size)
                bar.update()
    return frame.assign(bytes_per_document=size, nanoseconds=nanoseconds)


def _fastest(shingles: ShingleMatrix, scheme: Scheme, bits: int) -> tuple[float, SignatureMatrix]:
    """Return the least time of some runs, and the signatures."""
    seconds = []
    for _ in range(TIMINGS):
        start = perf_counter()
        signatures = truncated(compute_signatures(shingles, scheme), bits)
        seconds.append(perf_counter() - start)
    return min(seconds), signatures
