"""Pictures of the questions people ask: a DataFrame (or a Banding) in, a matplotlib Axes out.

Every function takes ``ax=`` (a new pyplot figure without it), draws what theory says dashed and what was measured as
points with intervals, returns the Axes, shows nothing and changes no global setting. Colours are those of Okabe and
Ito; series differ in marker and dash as well, so that grey prints and colour-blind readers lose nothing. A frame may
be filtered or concatenated first; if it is empty, has a single row or NaN in a column that is drawn, a ValueError
says so.
"""

from minhash_nb.plotting.corpus import (
    plot_bucket_sizes,
    plot_cluster_sizes,
    plot_shingling_effect,
    plot_similarity_histogram,
)
from minhash_nb.plotting.costs import plot_candidates, plot_scaling, plot_scheme_comparison
from minhash_nb.plotting.curves import plot_banding_recall, plot_s_curve
from minhash_nb.plotting.errors import plot_cluster, plot_error_decomposition
from minhash_nb.plotting.estimates import plot_estimates, plot_estimator_error, plot_interval_coverage
from minhash_nb.plotting.grid import plot_parameter_sweep

__all__ = [
    "plot_banding_recall",
    "plot_bucket_sizes",
    "plot_candidates",
    "plot_cluster",
    "plot_cluster_sizes",
    "plot_error_decomposition",
    "plot_estimates",
    "plot_estimator_error",
    "plot_interval_coverage",
    "plot_parameter_sweep",
    "plot_s_curve",
    "plot_scaling",
    "plot_scheme_comparison",
    "plot_shingling_effect",
    "plot_similarity_histogram",
]
