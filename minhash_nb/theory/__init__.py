"""Formulas behind MinHash and LSH: what a banding finds, what an estimate is worth, what a run costs.

NumPy and SciPy only. Functions take scalars, or arrays that broadcast, check them, and return Python numbers for
scalars.
"""

from minhash_nb.theory.areas import expected_candidates, false_negative_area, false_positive_area, recall_above
from minhash_nb.theory.bbit import bbit_estimate, bbit_match_probability, bbit_s_curve, bbit_variance
from minhash_nb.theory.costs import MemoryForecast, memory_forecast
from minhash_nb.theory.curve import half_point, inverse_s_curve, nominal_threshold, s_curve, steepest_point
from minhash_nb.theory.intervals import clopper_pearson, hashes_for_error, interval_coverage, power, wilson
from minhash_nb.theory.sets import (
    collision_bias,
    containment_from_jaccard,
    expected_jaccard_under_edits,
    expected_lost_shingles,
    jaccard_from_containment,
)
from minhash_nb.theory.variances import (
    fast_similarity_sketch_variance,
    jaccard_variance,
    minmax_variance,
    one_permutation_variance,
    superminhash_alpha,
    superminhash_variance,
)

__all__ = [
    "MemoryForecast",
    "bbit_estimate",
    "bbit_match_probability",
    "bbit_s_curve",
    "bbit_variance",
    "clopper_pearson",
    "collision_bias",
    "containment_from_jaccard",
    "expected_candidates",
    "expected_jaccard_under_edits",
    "expected_lost_shingles",
    "false_negative_area",
    "false_positive_area",
    "fast_similarity_sketch_variance",
    "half_point",
    "hashes_for_error",
    "interval_coverage",
    "inverse_s_curve",
    "jaccard_from_containment",
    "jaccard_variance",
    "memory_forecast",
    "minmax_variance",
    "nominal_threshold",
    "one_permutation_variance",
    "power",
    "recall_above",
    "s_curve",
    "steepest_point",
    "superminhash_alpha",
    "superminhash_variance",
    "wilson",
]
