"""Ground truth: every pair above a threshold, how similar all pairs are, and which pairs a run has missed."""

from minhash_nb.joins.audit import Audit, audit_recall
from minhash_nb.joins.histogram import SimilarityHistogram, similarity_histogram
from minhash_nb.joins.join import similarity_join

__all__ = ["Audit", "SimilarityHistogram", "audit_recall", "similarity_histogram", "similarity_join"]
