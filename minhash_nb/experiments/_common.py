"""What the experiments share: schemes and their names, seeds of cells, intervals of what was counted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from minhash_nb.banding import Banding
from minhash_nb.schemes import Scheme
from minhash_nb.signatures import SignatureMatrix, check_scheme
from minhash_nb.theory import wilson

if TYPE_CHECKING:
    import pandas as pd

CONFIDENCE = 0.95
"""Of every interval in a table."""

Z = 1.959963984540054
"""Its quantile of the normal distribution."""


def as_schemes(schemes: Any) -> list[Scheme]:
    """Return one scheme or several as a list, or raise."""
    chosen = [schemes] if isinstance(schemes, Scheme) or not isinstance(schemes, Iterable) else list(schemes)
    if not chosen:
        raise ValueError("`schemes` must hold at least one scheme such as MinHash(num_hashes=128, seed=42), got none")
    for scheme in chosen:
        check_scheme(scheme)
    return chosen


def scheme_label(scheme: Scheme) -> str:
    """Return the class and the parameters that differ from their defaults, size and seed left out."""
    unusual = [
        f"{field.name}={getattr(scheme, field.name)!r}"
        for field in fields(scheme)  # type: ignore[arg-type]
        if field.name not in ("num_hashes", "seed") and getattr(scheme, field.name) != field.default
    ]
    return type(scheme).__name__ + (f"({', '.join(unusual)})" if unusual else "")


def as_list(name: str, values: Any) -> list[Any]:
    """Return one value or several as a list that is not empty."""
    chosen = [values] if isinstance(values, str) or not isinstance(values, Iterable) else list(values)
    if not chosen:
        raise ValueError(f"`{name}` must hold at least one value, got none")
    return chosen


def truncated(signatures: SignatureMatrix, bits: int) -> SignatureMatrix:
    """Keep so many bits of every slot; 32 are all."""
    return signatures if bits == 32 else signatures.truncate(bits)


def cell_seed(seed: int, *cell: int) -> int:
    """Return the seed of one cell of an experiment: independent of those of the others."""
    return int(np.random.SeedSequence((seed, *cell)).generate_state(1, np.uint64)[0])


def share_interval(found: Any, trials: Any) -> tuple[Any, Any]:
    """Return the 95 % Wilson interval of a share that was counted."""
    return wilson(found, trials, CONFIDENCE)


def positive_interval(mean: float, error: float) -> tuple[float, float]:
    """Return a 95 % interval of a positive mean from its standard error, on the log scale."""
    spread = np.exp(Z * error / mean) if mean > 0.0 else 1.0
    return mean / float(spread), mean * float(spread)


def moments(values: np.ndarray) -> tuple[float, float, float]:
    """Return mean, variance, and the standard error of the variance from the fourth moment."""
    centred = values - values.mean()
    variance = float(centred @ centred) / (values.size - 1)
    fourth = float(np.mean(centred**4))
    return float(values.mean()), variance, float(np.sqrt(max(fourth - variance**2, 0.0) / values.size))


def banding_columns(bandings: list[Banding]) -> pd.DataFrame:
    """Return num_bands and rows_per_band of each banding."""
    import pandas as pd

    shapes = [(banding.num_bands, banding.rows_per_band) for banding in bandings]
    return pd.DataFrame(shapes, columns=["num_bands", "rows_per_band"])


def random_pairs(n_docs: int, size: int, seed: int) -> np.ndarray:
    """Draw pairs of different documents uniformly, with replacement: int64 (size, 2); none of fewer than two."""
    if n_docs < 2:
        return np.empty((0, 2), dtype=np.int64)
    generator = np.random.default_rng(seed)
    first = generator.integers(n_docs, size=size)
    return np.stack((first, (first + generator.integers(1, n_docs, size=size)) % n_docs), axis=1)
