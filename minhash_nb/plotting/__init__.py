"""Pictures of the questions people ask: a DataFrame (or a Banding) in, a matplotlib Axes out.

Every function takes ``ax=`` (a new pyplot figure without it), draws what theory says dashed and what was measured as
points with intervals, returns the Axes, shows nothing and changes no global setting. Colours are those of Okabe and
Ito; series differ in marker and dash as well, so that grey prints and colour-blind readers lose nothing. A frame may
be filtered or concatenated first; if it is empty, has a single row or NaN in a column that is drawn, a ValueError
says so.
"""

from minhash_nb.plotting.curves import plot_s_curve

__all__ = ["plot_s_curve"]
