"""The memory forecast against the arrays a run allocates, and the package's imports."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import minhash_nb as mnb
from minhash_nb import theory


@pytest.fixture
def corpus():
    """Shingle matrix of 3,000 documents of 20 shingles, a third of them in groups of near copies."""
    rng = np.random.default_rng(2)
    ids = rng.integers(0, 2**32, (3000, 20), dtype=np.uint32)
    ids[:1000, :17] = ids[:100, :17].repeat(10, axis=0)
    return mnb.ShingleMatrix.from_sets(row.tolist() for row in ids)


def test_forecast_is_what_the_arrays_take(corpus):
    signatures = mnb.compute_signatures(corpus, mnb.MinHash(128))
    forecast = theory.memory_forecast(len(corpus), 128, 16, num_shingles=corpus.indices.size)
    assert forecast.signatures == signatures.values.nbytes
    assert forecast.shingles == corpus.indices.nbytes + corpus.indptr.nbytes


def test_forecast_bounds_the_search_for_candidates(corpus):
    """NumPy reports what it holds; the kernels' own tables it does not see."""
    signatures = mnb.compute_signatures(corpus, mnb.MinHash(128))
    pairs = mnb.candidate_pairs(signatures, mnb.Banding(32, 4))
    assert len(pairs) > 3000
    forecast = theory.memory_forecast(len(corpus), 128, 32, candidates=len(pairs))
    tracemalloc.start()
    mnb.candidate_pairs(signatures, mnb.Banding(32, 4))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    small = 64 * len(corpus) + 100_000  # counts and offsets per document, and Python's own objects
    assert forecast.links + forecast.pairs <= peak <= forecast.links + forecast.pairs + small


def test_forecast_of_parts():
    forecast = theory.memory_forecast(10**6, 128, 16, num_shingles=10**9, candidates=1e6, num_threads=2)
    assert forecast.signatures == 4 * 128 * 10**6
    assert forecast.links == 5 * 16 * 10**6
    assert forecast.pairs == 24 * 10**6
    assert forecast.shingles == 4 * 10**9 + 8 * (10**6 + 1)
    assert forecast.tables == 2 * (4 * 2**21 + 12 * 10**6)
    assert forecast.peak == forecast.shingles + forecast.signatures + forecast.links + forecast.tables
    many = theory.memory_forecast(10**6, 128, 16, candidates=1e9)
    assert many.peak == many.signatures + many.links + many.pairs
    assert theory.memory_forecast(0, 128, 16).peak == theory.memory_forecast(0, 128, 16).tables < 100


def test_forecast_refuses_bad_arguments():
    with pytest.raises(ValueError, match="`num_documents` must be at least 0, got -1"):
        theory.memory_forecast(-1, 128, 16)
    with pytest.raises(TypeError, match=r"`num_bands` must be an integer at least 1, got 1\.5"):
        theory.memory_forecast(10, 128, 1.5)
    with pytest.raises(ValueError, match="`candidates` must be finite and at least 0, got nan"):
        theory.memory_forecast(10, 128, 16, candidates=float("nan"))


def test_every_public_name_is_exported_and_documented():
    for name in theory.__all__:
        assert getattr(theory, name).__doc__
    assert sorted(theory.__all__) == theory.__all__


def test_import_is_light():
    """scipy.special loads with the first call that needs it."""
    code = """
import sys
from minhash_nb import theory
assert "scipy.special" not in sys.modules
theory.half_point(16, 8)
assert "scipy.special" not in sys.modules
theory.false_positive_area(0.8, 16, 8)
assert "scipy.special" in sys.modules
assert not {"pandas", "matplotlib", "scipy.stats"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
