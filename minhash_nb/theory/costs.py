"""What a run will hold in memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from minhash_nb.theory._checks import counts
from minhash_nb.validation import check_integer


@dataclass(frozen=True)
class MemoryForecast:
    """Bytes a run will hold, part by part; `peak` is what they come to at the worst moment.

    Attributes
    ----------
    shingles, signatures : int
        The CSR matrix of the ids and the signature matrix.
    links : int
        For each document and band, the next document of its bucket and whether it is the first.
    tables : int
        Hash tables, one for each thread, while buckets are made; gone before there are pairs.
    pairs : int
        Candidate pairs: 16 bytes each, and 8 more while they are sorted.
    """

    shingles: int
    signatures: int
    links: int
    tables: int
    pairs: int

    @property
    def peak(self) -> int:
        """All parts but the smaller of `tables` and `pairs`, which are never held together."""
        return self.shingles + self.signatures + self.links + max(self.tables, self.pairs)


def memory_forecast(
    num_documents: int,
    num_hashes: int,
    num_bands: int,
    *,
    num_shingles: int = 0,
    candidates: float = 0.0,
    num_threads: int = 1,
) -> MemoryForecast:
    """Memory of a run from shingles to candidate pairs.

    Parameters
    ----------
    num_documents, num_hashes, num_bands : int
        Documents, signature columns, bands.
    num_shingles : int, default 0
        Shingles of all documents together, each document's distinct ones; 0 if they are not kept.
    candidates : float, default 0
        Candidate pairs, as from `expected_candidates`.
    num_threads : int, default 1
        Bands grouped at the same time.

    Returns
    -------
    MemoryForecast
        Bytes. The texts, the interpreter and its libraries come on top.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    >>> forecast = memory_forecast(1_000_000, 128, 16, candidates=1e6, num_threads=2)
    >>> forecast
    MemoryForecast(shingles=0, signatures=512000000, links=80000000, tables=40777216, pairs=24000000)
    >>> f"{forecast.peak / 1e6:.0f} MB"
    '633 MB'
    """
    num_documents = check_integer("num_documents", num_documents, least=0)
    num_hashes = check_integer("num_hashes", num_hashes)
    num_bands = check_integer("num_bands", num_bands)
    num_shingles = check_integer("num_shingles", num_shingles, least=0)
    slots = 1 << max(2 * num_documents - 1, 1).bit_length()  # a power of two, at least twice the documents
    return MemoryForecast(
        shingles=4 * num_shingles + 8 * (num_documents + 1) if num_shingles else 0,
        signatures=4 * num_hashes * num_documents,
        links=(4 + 1) * num_bands * num_documents,
        tables=check_integer("num_threads", num_threads) * (4 * slots + (8 + 4) * num_documents),
        pairs=round((16 + 8) * float(np.asarray(counts("candidates", candidates, least=0, whole=False)))),
    )
