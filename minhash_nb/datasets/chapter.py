"""The synthetic corpus of the handbook chapter, with sentences of our own."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from minhash_nb.validation import as_texts, check_integer, check_probability

BASE_TEXTS = (
    "the night ferry leaves the harbour when the tide turns at dusk",
    "bakers fold cold butter into dough to make a crisp pastry",
    "satellites measure the height of every glacier twice in one month",
    "a chess player studies old endgames before the final round begins",
    "honey bees dance to show their sisters where the clover blooms",
)
"""Sentences that `generate_corpus` starts from."""

WORDS = (
    "quiet",
    "amber",
    "northern",
    "hollow",
    "early",
    "distant",
    "narrow",
    "silver",
    "gentle",
    "bitter",
    "sudden",
    "wooden",
    "eleven",
)
"""Words that `generate_corpus` puts in the place of others."""


def generate_corpus(
    num_docs: int = 1000,
    dup_fraction: float = 0.2,
    seed: int = 0,
    base_texts: Iterable[str] | None = None,
    words: Iterable[str] | None = None,
) -> list[str]:
    """Return short texts, each a base sentence in which one word or several are replaced.

    The first ``int(num_docs * dup_fraction)`` texts have one word replaced, so they are near-duplicates of
    their base sentence. Each of the others goes through three to six replacements, which may hit one word
    twice. All draws come from one ``random.Random(seed)`` in the order of M. Brenndoerfer, *Language AI
    Handbook* (2026), ch. 143, section 7: from that chapter's sentences and words comes its corpus.

    Parameters
    ----------
    num_docs : int
        Number of texts; 0 gives an empty list.
    dup_fraction : float
        Share of texts with a single replacement, in [0, 1].
    seed : int
        Seed of the draws, at least 0.
    base_texts, words : iterable of str, optional
        Sentences to start from and words to put in; by default `BASE_TEXTS` and `WORDS`.

    Returns
    -------
    list of str
        Words joined by single spaces.

    Raises
    ------
    TypeError
        If a number or a text is of another kind, or `base_texts` or `words` is one bare str.
    ValueError
        If a number is out of range, or `base_texts` or `words` is empty or holds a blank text.

    Examples
    --------
    >>> generate_corpus(num_docs=2, dup_fraction=0.5, base_texts=["red red red red red"], words=["blue"])
    ['red red red blue red', 'blue red blue blue blue']
    """
    num_docs = check_integer("num_docs", num_docs, least=0)
    dup_fraction = check_probability("dup_fraction", dup_fraction, zero=True)
    seed = check_integer("seed", seed, least=0)
    sentences = _not_blank("base_texts", BASE_TEXTS if base_texts is None else base_texts)
    pool = _not_blank("words", WORDS if words is None else words)

    draw = random.Random(seed)
    num_light = int(num_docs * dup_fraction)
    corpus = []
    for document in range(num_docs):
        text = draw.choice(sentences).split()
        for _ in range(1 if document < num_light else draw.randint(3, 6)):
            position = draw.randint(0, len(text) - 1)
            text[position] = draw.choice(pool)
        corpus.append(" ".join(text))
    return corpus


def _not_blank(name: str, texts: Any) -> list[str]:
    texts = as_texts(texts, name)
    if not texts:
        raise ValueError(f"`{name}` must hold at least one text, got none")
    for position, text in enumerate(texts):
        if not text.strip():
            raise ValueError(f"`{name}[{position}]` must hold at least one word, got {text!r}")
    return texts
