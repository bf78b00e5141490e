"""Texts with copies edited at a known rate: what similarity to expect is known too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from minhash_nb import theory
from minhash_nb.shingling import Shingling
from minhash_nb.validation import as_texts, check_integer, check_probability

if TYPE_CHECKING:
    import pandas as pd

SYLLABLES = tuple(consonant + vowel for consonant in "bdfghjklmnprstvwzxqc" for vowel in "aeiou")


def edited_copies(texts: Iterable[str], edit_rate: Any, *, k: int = 3, seed: int = 0) -> pd.DataFrame:
    """Copy every text with a share of its words replaced.

    Each word is replaced with probability `edit_rate`, independently, by a word that occurs in none of the
    texts. So the similarity of text and copy follows from the rate.

    Parameters
    ----------
    texts : sequence or iterable of str
        Texts to copy.
    edit_rate : float or sequence of float
        Chance of a word to be replaced, in [0, 1]; every text gets one copy for each rate.
    k : int
        Words in a shingle, for the prediction.
    seed : int
        Seed of the edits, at least 0.

    Returns
    -------
    DataFrame
        One row for each copy, texts in order, rates within: source (position of the text), edit_rate, edits
        (words replaced), expected_jaccard (of the k-word shingles of text and copy, see
        `theory.expected_jaccard_under_edits`; a text that repeats itself comes out higher; 0 for a text without
        words), text (words joined by single spaces).

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    >>> from minhash_nb.datasets import edited_copies
    >>> copies = edited_copies(["the tide comes in twice a day and goes out"], [0.0, 0.2])
    >>> copies["text"].to_list()
    ['the tide comes in twice a day and goes out',
     'the fetiguzobi comes sujizomifi twice nemehudeti day and goes out']
    """
    import pandas as pd

    documents = as_texts(texts)
    rates = [check_probability("edit_rate", rate, zero=True) for rate in np.atleast_1d(edit_rate).tolist()]
    k = check_integer("k", k)
    generator = np.random.default_rng(check_integer("seed", seed, least=0))
    known = {word for text in documents for word in text.lower().split()}
    rows = [
        (source, rate, *_edit(text, rate, k, generator, known))
        for source, text in enumerate(documents)
        for rate in rates
    ]
    return pd.DataFrame(rows, columns=["source", "edit_rate", "edits", "expected_jaccard", "text"])


def planted_corpus(
    num_docs: int = 1000,
    dup_fraction: float = 0.2,
    *,
    edit_rate: Any = (0.0, 0.01, 0.02, 0.05, 0.1),
    words_per_doc: int = 100,
    vocabulary: int = 5000,
    k: int = 3,
    seed: int = 0,
) -> pd.DataFrame:
    """Return a corpus of unrelated texts in which edited copies are planted, with the truth about them.

    The texts of the background have Poisson(`words_per_doc`) words, drawn independently from a made-up
    vocabulary by Zipf's law. The copies are made as by `edited_copies`, each of a background text drawn with
    replacement, so that some texts have several; all documents are shuffled.

    Parameters
    ----------
    num_docs : int
        Documents in all, at least 1.
    dup_fraction : float
        Share of copies, in [0, 1); their number is ``int(num_docs * dup_fraction)``.
    edit_rate : float or sequence of float
        Chances of a word to be replaced, in [0, 1], taken in turn by the copies.
    words_per_doc : int
        Mean length of a text, in words; every text has at least one.
    vocabulary : int
        Number of different words, at most 1,000,000.
    k : int
        Words in a shingle, for the prediction.
    seed : int
        Seed of all draws, at least 0.

    Returns
    -------
    DataFrame
        One row for each document: text, source (position of the text it was copied from; its own for the
        background), edit_rate, edits, expected_jaccard (to its source; 0, 0 and 1 for the background).
        Documents with the same source are near-duplicates by construction; all others are unrelated.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or outside its range.

    Examples
    --------
    >>> from minhash_nb.datasets import planted_corpus
    >>> corpus = planted_corpus(5, 0.4, edit_rate=[0.0, 0.1], words_per_doc=50)
    >>> corpus[["source", "edit_rate", "edits"]]
       source  edit_rate  edits
    0       4        0.1      6
    1       1        0.0      0
    2       2        0.0      0
    3       2        0.0      0
    4       4        0.0      0
    """
    import pandas as pd

    num_docs = check_integer("num_docs", num_docs)
    dup_fraction = check_probability("dup_fraction", dup_fraction, zero=True, one=False)
    rates = [check_probability("edit_rate", rate, zero=True) for rate in np.atleast_1d(edit_rate).tolist()]
    words_per_doc = check_integer("words_per_doc", words_per_doc)
    vocabulary = check_integer("vocabulary", vocabulary, most=len(SYLLABLES) ** 3)
    k = check_integer("k", k)
    generator = np.random.default_rng(check_integer("seed", seed, least=0))

    num_copies = int(num_docs * dup_fraction)
    num_background = num_docs - num_copies
    words = np.array([_word(number, 3) for number in generator.permutation(len(SYLLABLES) ** 3)[:vocabulary].tolist()])
    lengths = np.maximum(generator.poisson(words_per_doc, num_background), 1)
    frequency = np.cumsum(1.0 / np.arange(1.0, vocabulary + 1.0))
    ranks = np.searchsorted(frequency, generator.random(lengths.sum()) * frequency[-1], side="right")
    pieces = np.split(words[ranks], np.cumsum(lengths)[:-1])
    texts = [" ".join(piece) for piece in pieces]

    sources = np.concatenate((np.arange(num_background), generator.integers(num_background, size=num_copies)))
    rows: list[tuple[Any, ...]] = [(text, 0.0, 0, 1.0) for text in texts]
    for copy, source in enumerate(sources[num_background:].tolist()):
        rate = rates[copy % len(rates)]
        edits, expected, text = _edit(texts[source], rate, k, generator, set())
        rows.append((text, rate, edits, expected))
    order = generator.permutation(num_docs)
    position = np.argsort(order)
    frame = pd.DataFrame(rows, columns=["text", "edit_rate", "edits", "expected_jaccard"]).iloc[order]
    frame.insert(1, "source", position[sources[order]])
    return frame.reset_index(drop=True)


def _edit(text: str, rate: float, k: int, generator: np.random.Generator, known: set[str]) -> tuple[int, float, str]:
    """Return the number of edits, the similarity to expect, and the edited text."""
    words = text.split()
    places = np.flatnonzero(generator.random(len(words)) < rate)
    for place in places.tolist():
        words[place] = _new_word(generator, known)
    return places.size, _expected(text, rate, k), " ".join(words)


def _expected(text: str, rate: float, k: int) -> float:
    shingles = set(Shingling(k=k, unit="word").texts(text))
    if len(shingles) < 2:  # one shingle, of k words or of all there are, survives or does not
        return (1.0 - rate) ** min(k, len(text.split())) if shingles else 0.0
    return theory.expected_jaccard_under_edits(len(shingles), rate, k)


def _new_word(generator: np.random.Generator, known: set[str]) -> str:
    """Draw a word of five syllables (one of 10**10) that is not known."""
    while True:
        word = _word(int(generator.integers(len(SYLLABLES) ** 5)), 5)
        if word not in known:
            return word


def _word(number: int, syllables: int) -> str:
    """Spell a number in so many syllables."""
    base = len(SYLLABLES)
    return "".join(SYLLABLES[number // base**place % base] for place in range(syllables))
