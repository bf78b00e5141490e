"""How the time grows with documents and hashes, and shrinks with threads."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import numba

from minhash_nb.banding import Banding, candidate_pairs
from minhash_nb.datasets import planted_corpus
from minhash_nb.experiments._common import as_list
from minhash_nb.schemes import MinHash
from minhash_nb.shingling import shingle
from minhash_nb.signatures import compute_signatures
from minhash_nb.similarity import exact_jaccard
from minhash_nb.threads import num_threads
from minhash_nb.validation import check_integer

if TYPE_CHECKING:
    import pandas as pd


def scaling(
    num_docs: Any = (500, 1000, 2000, 4000, 8000),
    num_hashes: Any = (32, 64, 128, 256, 512),
    threads: Any = None,
    *,
    rows_per_band: int = 8,
    words_per_doc: int = 100,
    repeats: int = 3,
    seed: int = 0,
    progress: bool = False,
) -> pd.DataFrame:
    """Time the steps from texts to verified pairs, with one quantity varied at a time.

    The corpus is `planted_corpus`, shingled into 5 characters and signed by `MinHash`. While one quantity
    varies, the others stay at the largest of `num_docs`, the middle one of `num_hashes`, and all threads.

    Parameters
    ----------
    num_docs, num_hashes, threads : int or sequence of int
        What to vary; threads from 1 to all of them by default.
    rows_per_band : int
        Of the banding, which uses as many bands as the hashes allow; at most the least of `num_hashes`.
    words_per_doc : int
        Mean length of a document.
    repeats : int
        Runs of each setting; the fastest of each step counts.
    seed : int
        Seed of the corpus.
    progress : bool
        Show a progress bar.

    Returns
    -------
    DataFrame
        One row for each setting and step: varied ("documents", "hashes" or "threads"), documents, num_hashes,
        threads, step ("shingle", "sign", "band", "verify"), seconds.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Notes
    -----
    The kernels are compiled before the clock starts. The smaller corpora are the first documents of the largest,
    so similar pairs, and the time to verify them, grow with the square of their number.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> times = mnb.experiments.scaling(num_docs=[100, 200], num_hashes=64, threads=1, repeats=1)
    >>> times.groupby("varied")["documents"].unique().to_dict()
    {'documents': array([100, 200]), 'hashes': array([200]), 'threads': array([200])}
    """
    import pandas as pd
    from tqdm import tqdm

    documents = sorted({check_integer("num_docs", value) for value in as_list("num_docs", num_docs)})
    hashes = sorted({check_integer("num_hashes", value) for value in as_list("num_hashes", num_hashes)})
    most = numba.get_num_threads()
    workers = [
        check_integer("threads", n) for n in as_list("threads", range(1, most + 1) if threads is None else threads)
    ]
    rows_per_band = check_integer("rows_per_band", rows_per_band, most=hashes[0])
    repeats = check_integer("repeats", repeats)
    base = (documents[-1], hashes[len(hashes) // 2], most)
    settings = [("documents", value, *base[1:]) for value in documents]
    settings += [("hashes", base[0], value, base[2]) for value in hashes]
    settings += [("threads", *base[:2], value) for value in workers]

    texts = planted_corpus(documents[-1], words_per_doc=words_per_doc, seed=seed)["text"].to_list()
    _steps(texts[:10], hashes[0], rows_per_band, most)
    rows = []
    for varied, size, width, workers_ in tqdm(settings, desc="scaling", unit="setting", disable=not progress):
        runs = [_steps(texts[:size], width, rows_per_band, workers_) for _ in range(repeats)]
        setting = {"varied": varied, "documents": size, "num_hashes": width, "threads": workers_}
        rows += [setting | {"step": step, "seconds": min(run[step] for run in runs)} for step in runs[0]]
    return pd.DataFrame(rows)


def _steps(texts: list[str], num_hashes: int, rows_per_band: int, threads: int) -> dict[str, float]:
    """Run the steps and return the seconds that each one took."""
    with num_threads(threads):
        times = [perf_counter()]
        shingles = shingle(texts)
        times.append(perf_counter())
        signatures = compute_signatures(shingles, MinHash(num_hashes))
        times.append(perf_counter())
        candidates = candidate_pairs(signatures, Banding(num_hashes // rows_per_band, rows_per_band))
        times.append(perf_counter())
        exact_jaccard(shingles, candidates)
        times.append(perf_counter())
    return {step: times[n + 1] - times[n] for n, step in enumerate(("shingle", "sign", "band", "verify"))}
