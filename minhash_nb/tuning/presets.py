"""Bandings of well-known pipelines, and what they would do to a corpus."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from minhash_nb.banding import Banding
from minhash_nb.shingling import ShingleMatrix
from minhash_nb.tuning.choice import flat_curve
from minhash_nb.tuning.forecast import forecast, profile
from minhash_nb.validation import check_probability

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Preset:
    """Parameters of a published pipeline: an entry of `PRESETS`.

    Parameters
    ----------
    banding : Banding
        Bands and rows.
    threshold : float or None
        The similarity it is meant for; None where the source gives none.
    shingles : str
        What its shingles are.
    source : str
        Where the parameters are from.
    note : str
        What to know about them.
    """

    banding: Banding
    threshold: float | None
    shingles: str
    source: str
    note: str


_DATASKETCH = "bands and rows follow from datasketch's search for the least area at this threshold with {} hashes"

PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "chapter": Preset(
            Banding(16, 8),
            0.707,
            "5 characters",
            "Brenndoerfer, Language AI Handbook, chapter 143 (2026)",
            "the threshold is (1/b)**(1/r); half of the pairs at .674 are found",
        ),
        "fineweb": Preset(
            Banding(14, 8),
            0.75,
            "5 words",
            "Penedo et al., The FineWeb Datasets (2024)",
            "each crawl for itself, clusters of unverified candidates",
        ),
        "refinedweb": Preset(
            Banding(450, 20),
            0.8,
            "5 words",
            "Penedo et al., The RefinedWeb Dataset (2023), after Lee et al., Deduplicating Training Data (2022)",
            "the prose has 20 buckets of 450; only 450 bands of 20 rows give its 76 % at .75 and 99.4 % at .8",
        ),
        "slimpajama": Preset(Banding(9, 13), 0.8, "13-grams", "Cerebras, SlimPajama (2023)", _DATASKETCH.format(128)),
        "dclm": Preset(
            Banding(93, 15),
            None,
            "n-grams",
            "Li et al., DataComp-LM (2024)",
            "1,395 hashes for a curve close to that of 450 x 20",
        ),
        "nemo": Preset(
            Banding(20, 13),
            0.8,
            "5 characters",
            "NVIDIA NeMo Curator 24.07, defaults of FuzzyDuplicatesConfig",
            "a later check of false positives is an option",
        ),
        "stack": Preset(
            Banding(25, 10),
            0.7,
            "5 words",
            "Kocetkov et al., The Stack (2022); Mou, Large-scale Near-deduplication Behind BigCode (2023)",
            _DATASKETCH.format(256),
        ),
    }
)


def compare_presets(
    shingles: ShingleMatrix, threshold: float = 0.8, *, sample: int | None = None, seed: int = 0
) -> pd.DataFrame:
    """Forecast what the bandings of well-known pipelines would do to a corpus.

    Shingle it as they do (see ``PRESETS[name].shingles``), or the figures are about your shingles.

    Parameters
    ----------
    shingles, threshold, sample, seed
        As in `tune`.

    Returns
    -------
    DataFrame
        One row for each of `PRESETS`, by name (the index), and the columns of the table of `tune` except pareto.

    Raises
    ------
    TypeError, ValueError
        As `tune` does.

    Warns
    -----
    UserWarning
        If a preset finds a pair with a probability near 0, or near 1, at every similarity that occurs.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> from minhash_nb.tuning import compare_presets
    >>> table = compare_presets(mnb.shingle(mnb.datasets.generate_corpus(num_docs=300)), threshold=0.8)
    >>> table.loc[["fineweb", "slimpajama"], "recall_at_threshold"].round(2).tolist()
    [0.92, 0.4]
    """
    import pandas as pd

    corpus = profile(shingles, check_probability("threshold", threshold), sample, seed)
    bandings = [preset.banding for preset in PRESETS.values()]
    for name, banding in zip(PRESETS, bandings, strict=True):
        if sentence := flat_curve(banding, corpus.histogram):
            warnings.warn(f"preset {name!r}: {sentence}", stacklevel=2)
    table = forecast(
        corpus,
        np.array([banding.num_bands for banding in bandings]),
        np.array([banding.rows_per_band for banding in bandings]),
    )
    return table.set_index(pd.Index(list(PRESETS), name="preset"))
