"""Questions about MinHash and LSH as tables: one call, one tidy DataFrame, seeded.

Each function documents the columns of its table; `plotting` has a picture for each. Intervals are 95 %.
"""

from minhash_nb.experiments.banding import banding_recall, bucket_sizes, candidates_predicted_vs_observed
from minhash_nb.experiments.comparison import scheme_comparison
from minhash_nb.experiments.errors import error_decomposition
from minhash_nb.experiments.estimates import estimator_error, interval_coverage
from minhash_nb.experiments.scaling import scaling
from minhash_nb.experiments.shingling import shingling_effect
from minhash_nb.experiments.sweep import parameter_sweep

__all__ = [
    "banding_recall",
    "bucket_sizes",
    "candidates_predicted_vs_observed",
    "error_decomposition",
    "estimator_error",
    "interval_coverage",
    "parameter_sweep",
    "scaling",
    "scheme_comparison",
    "shingling_effect",
]
