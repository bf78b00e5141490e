"""Data to work on without a download.

Texts: the chapter's synthetic corpus, what every installation has, copies edited at a known rate, a corpus with
planted duplicates. Sets: pairs of exactly chosen Jaccard similarity.
"""

from minhash_nb.datasets.chapter import BASE_TEXTS, WORDS, generate_corpus
from minhash_nb.datasets.edited import edited_copies, planted_corpus
from minhash_nb.datasets.installed import DOCUMENTED_PACKAGES, installed_docs
from minhash_nb.datasets.pairs import pairs_with_jaccard

__all__ = [
    "BASE_TEXTS",
    "DOCUMENTED_PACKAGES",
    "WORDS",
    "edited_copies",
    "generate_corpus",
    "installed_docs",
    "pairs_with_jaccard",
    "planted_corpus",
]
