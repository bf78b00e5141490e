"""b-bit signatures: packing, the corrected estimate, its spread, bands of few bits, and what they refuse."""

import re

import numpy as np
import planted
import pytest
import sketch_twins as twins
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from test_sketches import all_schemes

import minhash_nb as mnb
from minhash_nb import theory

BITS = (1, 2, 4, 8)
SIZES = (1, 3, 16, 63, 64, 65, 100, 128, 130, 4096)


def matrix(values):
    """Return signatures with these slots."""
    values = np.array(values, dtype=np.uint32)
    return mnb.SignatureMatrix(values, np.zeros(len(values), dtype=bool), mnb.MinHash(values.shape[1]))


def naive(slots, pairs, bits):
    """Return the corrected estimates from slots in plain Python."""
    chance, estimates = 2.0**-bits, []
    for i, j in pairs:
        equal = sum(x == y for x, y in zip(slots[i], slots[j], strict=True)) / len(slots[i])
        estimates.append((equal - chance) / (1 - chance))
    return estimates


# -- agreement with plain Python


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("num_hashes", SIZES)
def test_packing_follows_the_definition(num_hashes, bits, rng):
    values = rng.integers(0, 2**32, (4, num_hashes), dtype=np.uint32)
    values[0, :], values[1, -1] = 0, 2**32 - 1
    values[3] = np.where(rng.random(num_hashes) < 0.5, values[2], values[3])
    small = matrix(values).truncate(bits)
    low = [twins.truncate(row, bits) for row in values.tolist()]
    assert small.values.dtype == np.uint64
    assert small.values.tolist() == [twins.pack(row, bits) for row in low]
    assert small.slots.dtype == np.uint32
    assert small.slots.tolist() == np.asarray(small).tolist() == low
    assert small.values.nbytes == 4 * 8 * -(-num_hashes * bits // 64)
    pairs = [(i, j) for i in range(4) for j in range(4)]
    assert mnb.estimate_jaccard(small, pairs) == pytest.approx(naive(low, pairs, bits), rel=1e-12, abs=1e-15)


@settings(deadline=None, max_examples=50)
@given(st.data(), st.integers(1, 80), st.sampled_from(BITS))
def test_estimate_of_any_slots(data, num_hashes, bits):
    rows = st.lists(st.integers(0, 3) | st.integers(0, 2**32 - 1), min_size=num_hashes, max_size=num_hashes)
    values = data.draw(st.lists(rows, min_size=2, max_size=2))
    low = [twins.truncate(row, bits) for row in values]
    small = matrix(values).truncate(bits)
    assert small.slots.tolist() == low
    assert mnb.estimate_jaccard(small, [(0, 1)]) == pytest.approx(naive(low, [(0, 1)], bits), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("bits", BITS)
def test_bands_of_few_bits_are_those_of_the_slots(bits, rng):
    sets = [set(rng.integers(0, 40, 12).tolist()) for _ in range(60)] + [set(), set()]
    small = mnb.compute_signatures(mnb.ShingleMatrix.from_sets(sets), mnb.FastSimilaritySketch(64)).truncate(bits)
    slots = small.slots.reshape(62, 8, 8)
    expected = [[i, j] for i in range(60) for j in range(i + 1, 60) if (slots[i] == slots[j]).all(axis=1).any()]
    assert 0 < len(expected) < 60 * 59 / 2
    assert mnb.candidate_pairs(small, mnb.Banding(8, 8)).tolist() == expected
    two_bands = [pair for pair in expected if (slots[pair[0], :2] == slots[pair[1], :2]).all(axis=1).any()]
    assert mnb.candidate_pairs(small, mnb.Banding(2, 8)).tolist() == two_bands


# -- statistics

SEEDS = 60
CELLS = planted.cells((10, 30, 128, 500), (0.3, 0.5, 0.8))
SCHEMES = {
    "multiply-add": lambda seed: mnb.MinHash(128, seed),
    "mersenne31": lambda seed: mnb.MinHash(128, seed, family="mersenne31"),
    "fast similarity": lambda seed: mnb.FastSimilaritySketch(128, seed),
    "superminhash": lambda seed: mnb.SuperMinHash(128, seed),
    "rotation": lambda seed: mnb.OnePermutation(128, seed, "rotation"),
    "optimal": lambda seed: mnb.OnePermutation(128, seed, "optimal"),
    "push": lambda seed: mnb.OnePermutation(128, seed, "push"),
}


COPIES = {"optimal", "push"}  # one value in several slots: by chance these agree together
LIMIT = planted.bound(2 * len(SCHEMES) * len(BITS) * (len(CELLS) + 1), SEEDS)


def variance_of(scheme, bits, jaccard, union):
    """Every slot that does not match by itself may match by chance: C (1 - J) / ((1 - C) k) more variance."""
    chance = 2.0**-bits
    return scheme.variance(jaccard, union) + chance / (1 - chance) * (1 - jaccard) / scheme.num_hashes


@pytest.mark.parametrize("bits", BITS)
def test_variance_of_truncated_classic_signatures_is_theory_s(bits):
    jaccard = np.linspace(0, 1, 11)
    found = variance_of(mnb.MinHash(128), bits, jaccard, 50)
    assert found == pytest.approx(theory.bbit_variance(jaccard, 128, bits), rel=1e-12)


@pytest.mark.parametrize("name", SCHEMES)
def test_unbiased_with_the_variance_of_theory(name):
    num_pairs, jaccard = 60, planted.similarity(CELLS)
    union, _ = np.array(CELLS).T
    bias, ratio = np.empty((2, SEEDS, len(BITS), len(CELLS)))
    for seed in range(SEEDS):
        shingles, pairs, cell = planted.plant(CELLS, num_pairs, default_rng([4, seed]))
        signatures = mnb.compute_signatures(shingles, SCHEMES[name](seed))
        for at, bits in enumerate(BITS):
            variance = variance_of(signatures.scheme, bits, jaccard, union)
            error = mnb.estimate_jaccard(signatures.truncate(bits), pairs) - jaccard[cell]
            bias[seed, at] = planted.by_cell(error, cell) / np.sqrt(variance / num_pairs)
            ratio[seed, at] = planted.by_cell(error**2, cell) / variance
    bias, ratio = (np.dstack((values, values.mean(axis=2))) for values in (bias, ratio))
    assert np.abs(planted.scores(bias, 0.0)).max() < LIMIT
    if name in COPIES:
        assert ratio.mean(axis=0)[0, 0] > 3  # one bit, 10 ids in the union
        assert planted.scores(ratio, 1.0)[:3, 0].min() > LIMIT
        assert planted.scores(ratio, 1.0).min() > -LIMIT
    else:
        assert np.abs(planted.scores(ratio, 1.0)).max() < LIMIT


# Disjoint documents, too: with few bits these become candidates as well.
CURVE_CELLS = [(60, 0), *planted.cells((60,), (0.3, 0.5, 0.7, 0.8, 0.9))]
CURVES = [(1, mnb.Banding(8, 16)), (1, mnb.Banding(16, 8)), (2, mnb.Banding(25, 5)), (4, mnb.Banding(32, 4))]


@pytest.mark.parametrize(("bits", "banding"), CURVES, ids=str)
def test_false_matches_of_bands_are_as_stated(bits, banding):
    num_pairs = 60
    shares = np.empty((SEEDS, len(CURVE_CELLS)))
    for seed in range(SEEDS):
        shingles, pairs, cell = planted.plant(CURVE_CELLS, num_pairs, default_rng([6, seed]))
        small = mnb.compute_signatures(shingles, mnb.MinHash(128, seed)).truncate(bits)
        candidates = mnb.candidate_pairs(small, banding) @ [len(small), 1]
        shares[seed] = planted.by_cell(np.isin(pairs @ [len(small), 1], candidates), cell)
    similarity = planted.similarity(CURVE_CELLS)
    expected = theory.bbit_s_curve(similarity, banding.num_bands, banding.rows_per_band, bits)
    binomial = np.sqrt(expected * (1 - expected) / (SEEDS * num_pairs))
    # A share of nearly 0 or 1 is no normal variable: one candidate more or less is no evidence.
    error = np.maximum(np.maximum(shares.std(axis=0, ddof=1) / np.sqrt(SEEDS), binomial), 1 / (SEEDS * num_pairs))
    limit = planted.bound(len(CURVES) * len(CURVE_CELLS), SEEDS)
    assert np.abs((shares.mean(axis=0) - expected) / error).max() < limit
    if bits < 4:  # and this is not the curve of whole slots
        assert np.abs((shares.mean(axis=0) - banding.detection_probability(similarity)) / error).max() > limit


def test_eight_bits_have_no_false_candidates():
    """8 rows of 8 bits: unrelated documents share a band once in 2**64."""
    shingles = planted.plant([(60, 0)], 1000, default_rng(8))[0]
    small = mnb.compute_signatures(shingles, mnb.FastSimilaritySketch(128)).truncate(8)
    assert len(mnb.candidate_pairs(small, mnb.Banding(16, 8))) == 0


# -- contract


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("scheme", [scheme for scheme in all_schemes(100) if scheme.bandable], ids=repr)
def test_truncated_signatures_are_signatures(scheme, bits, tmp_path):
    small = mnb.sign_texts(["a text", "a text", "", "another", ""], scheme).truncate(bits)
    assert (small.bits, small.scheme, len(small)) == (bits, scheme, 5)
    assert small.is_empty.tolist() == [False, False, True, False, True]
    assert mnb.estimate_jaccard(small, [(0, 1), (0, 2), (2, 2), (2, 4)]).tolist() == [1.0, 0.0, 0.0, 0.0]
    pairs = mnb.candidate_pairs(small, mnb.Banding(5, 20)).tolist()
    assert [0, 1] in pairs
    assert not {2, 4} & {document for pair in pairs for document in pair}
    assert re.search(rf"5 documents x 100 hashes \({bits} bits? each, [\d,]+ bytes\), 2 empty", repr(small))
    small.save(tmp_path / "small.npz")
    loaded = mnb.SignatureMatrix.load(tmp_path / "small.npz")
    assert loaded.key == small.key
    np.testing.assert_array_equal(loaded.values, small.values)
    np.testing.assert_array_equal(loaded.is_empty, small.is_empty)
    for array in (small.values, small.slots, loaded.values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_no_documents():
    small = mnb.sign_texts([], mnb.MinHash(70)).truncate(1)
    assert (small.values.shape, small.slots.shape) == ((0, 2), (0, 70))
    assert mnb.candidate_pairs(small, mnb.Banding(7, 10)).shape == (0, 2)


@pytest.mark.parametrize("bits", [0, 3, 16, 32, 64, -1, "8", None])
def test_other_numbers_of_bits_are_refused(bits):
    with pytest.raises(ValueError, match=re.escape(f"`bits` must be one of 1, 2, 4, 8, got {bits!r}")):
        matrix([[1, 2]]).truncate(bits)


def test_truncating_twice_is_refused():
    small = matrix([[1, 2]]).truncate(8)
    for bits in BITS:
        with pytest.raises(ValueError, match="must have 32-bit slots, got 8 bits: truncate the full ones"):
            small.truncate(bits)


def test_empty_slots_cannot_be_truncated():
    signatures = mnb.sign_texts(["a"], mnb.OnePermutation(16, densification="none"))
    with pytest.raises(ValueError, match=r"OnePermutation.* marks empty slots, .*: choose a densification"):
        signatures.truncate(8)


def test_too_few_slots_for_the_bands():
    with pytest.raises(ValueError, match=r"signatures have 100 hashes but Banding\(16, 8\) needs 128"):
        mnb.candidate_pairs(mnb.sign_texts(["a"], mnb.MinHash(100)).truncate(1), mnb.Banding(16, 8))


@pytest.mark.parametrize(
    ("values", "bits", "says"),
    [
        (np.zeros((2, 2), np.uint64), 1, "`values` must be uint64 of shape (n_docs, 3)"),
        (np.zeros((2, 130), np.uint32), 1, "got uint32 of shape (2, 130)"),
        (np.zeros((2, 3), np.int64), 1, "got int64 of shape (2, 3)"),
        (np.zeros((2, 3), np.uint64), 5, "`bits` must be one of 1, 2, 4, 8, 32, got 5"),
    ],
)
def test_bad_packed_matrix_is_refused(values, bits, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        mnb.SignatureMatrix(values, np.zeros(2, dtype=bool), mnb.MinHash(130), bits=bits)
