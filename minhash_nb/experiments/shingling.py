"""What the choice of shingles does to the similarities."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from minhash_nb.experiments._common import as_list, random_pairs
from minhash_nb.shingling import Normalize, shingle
from minhash_nb.similarity import exact_jaccard
from minhash_nb.validation import as_pairs, as_texts, check_integer

if TYPE_CHECKING:
    import pandas as pd


def shingling_effect(
    texts: Iterable[str],
    k: Any = (3, 5, 9),
    unit: Any = "char",
    normalize: Normalize | Iterable[Normalize] = "default",
    *,
    pairs: Any = None,
    sample: int = 5000,
    seed: int = 0,
    progress: bool = False,
) -> pd.DataFrame:
    """Compute the Jaccard similarity of the same pairs under one choice of shingles after another.

    A good choice keeps the pairs that are meant to be similar far from random ones.

    Parameters
    ----------
    texts : sequence or iterable of str
        Documents, at least 2.
    k : int or sequence of int
        Units in a shingle.
    unit : str or sequence of str
        "char", "word", "byte".
    normalize : "default", None or callable, or a sequence of them
        See `shingle`.
    pairs : int array (n_pairs, 2) or DataFrame with columns i and j, optional
        Pairs that are known or meant to be similar.
    sample : int
        Random pairs of different documents to compare beside them; 0 for none.
    seed : int
        Seed of their draw.
    progress : bool
        Show a progress bar.

    Returns
    -------
    DataFrame
        One row for each choice of shingles and pair: unit, k, normalize ("default", "none", or the name of the
        callable), pairs ("given" or "random"), i, j, jaccard.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    >>> import minhash_nb as mnb
    >>> texts = ["red kites fly", "Red kites fly!"]
    >>> effect = mnb.experiments.shingling_effect(texts, k=[2, 4], pairs=[(0, 1)], sample=0)
    >>> effect[["unit", "k", "normalize", "pairs", "jaccard"]].round(3)
       unit  k normalize  pairs  jaccard
    0  char  2   default  given    0.923
    1  char  4   default  given    0.909
    """
    import pandas as pd
    from tqdm import tqdm

    documents = as_texts(texts)
    if len(documents) < 2:
        raise ValueError(f"`texts` must hold at least 2 documents to compare, got {len(documents)}")
    given = as_pairs([] if pairs is None else pairs, len(documents))
    drawn = random_pairs(len(documents), check_integer("sample", sample, least=0), seed)
    both = np.concatenate((given, drawn))
    if not len(both):
        raise ValueError("`sample` must be at least 1 where no `pairs` are given, got 0")
    origin = np.repeat(["given", "random"], [len(given), len(drawn)])
    choices = [(u, size, rule) for u, size, rule in product(as_list("unit", unit), as_list("k", k), _rules(normalize))]
    parts = []
    for u, size, rule in tqdm(choices, desc="shingling", unit="choice", disable=not progress):
        jaccard = exact_jaccard(shingle(documents, size, u, normalize=rule), both)
        part = {"unit": u, "k": size, "normalize": _name(rule), "pairs": origin, "i": both[:, 0], "j": both[:, 1]}
        parts.append(pd.DataFrame(part | {"jaccard": jaccard}))
    return pd.concat(parts, ignore_index=True)


def _rules(normalize: Any) -> list[Normalize]:
    return [normalize] if normalize is None or callable(normalize) else as_list("normalize", normalize)


def _name(rule: Normalize) -> str:
    return "none" if rule is None else rule if isinstance(rule, str) else getattr(rule, "__name__", repr(rule))
