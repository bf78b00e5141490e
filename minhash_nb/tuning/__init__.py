"""Bands and rows chosen with numbers: on the corpus's own similarities, at a stated recall and cost."""

from minhash_nb.tuning.choice import TuningResult, flat_curve, tune
from minhash_nb.tuning.presets import PRESETS, Preset, compare_presets

__all__ = ["PRESETS", "Preset", "TuningResult", "compare_presets", "flat_curve", "tune"]
