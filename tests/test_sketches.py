"""Sketches against their definitions in plain Python integers, and what every scheme has to keep."""

import json
import os
import subprocess
import sys
from dataclasses import FrozenInstanceError, is_dataclass, replace

import numpy as np
import pytest
import sketch_twins as twins
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import mix64

import minhash_nb as mnb
from minhash_nb.kernels import fast_similarity, minhash, one_permutation, super_minhash
from minhash_nb.schemes import SCHEMES, Scheme, scheme_from_key
from minhash_nb.validation import frozen

SIZES = (1, 3, 16, 100, 128, 130)
WAYS = ("none", "rotation", "optimal", "push")
NARROW = [0, 1, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1]
WIDE = [2**32, 2**63 - 1, 2**63, 2**63 + 5, 2**64 - 2, 2**64 - 1]
any_sets = st.lists(st.sets(st.integers(0, 2**64 - 1) | st.integers(0, 9), max_size=20), min_size=1, max_size=4)
any_seed = st.integers(0, 2**64 - 1)


def sketches(num_hashes, seed=42):
    """Return every sketch of this size."""
    rounds = sorted({1, min(2, num_hashes), min(4, num_hashes), num_hashes})
    return [
        *(mnb.FastSimilaritySketch(num_hashes, seed, rounds=number) for number in rounds),
        *(mnb.OnePermutation(num_hashes, seed, densification=way) for way in WAYS),
        mnb.SuperMinHash(num_hashes, seed),
    ]


def all_schemes(num_hashes, seed=42):
    classic = [mnb.MinHash(num_hashes, seed, family=family) for family in ("multiply-add", "mersenne31")]
    return [*classic, *sketches(num_hashes, seed)]


def sign(sets, scheme):
    return mnb.compute_signatures(mnb.ShingleMatrix.from_sets(sets), scheme).values


def fill(scheme, indptr, ids):
    """Call the kernel as the package does: with read-only arrays, so that nothing is compiled once more."""
    out = np.full((len(indptr) - 1, scheme.num_hashes), 7, dtype=np.uint32)
    scheme.fill(frozen(np.array(indptr)), frozen(ids), out)
    return out


def random_set(rng, size, top=2**64):
    return set(rng.integers(0, top, size, dtype=np.uint64).tolist())


def assert_as_defined(sets, scheme):
    assert sign(sets, scheme).tolist() == [twins.sign(ids, scheme) for ids in sets]


# -- agreement with plain Python


@pytest.mark.parametrize("scheme", [scheme for size in SIZES for scheme in sketches(size, seed=size)], ids=repr)
def test_values_follow_the_definition(scheme, rng):
    narrow = [set(), set(NARROW), {0}, {2**32 - 1}, set(), *(random_set(rng, n, 2**32) for n in (2, 30, 200))]
    wide = [*narrow, set(WIDE), {2**64 - 1}, *(random_set(rng, n) for n in (3, 60, 1023, 1024, 1025, 2100))]
    assert mnb.ShingleMatrix.from_sets(narrow).indices.dtype == np.uint32
    for sets in (narrow, wide):
        assert_as_defined(sets, scheme)


@pytest.mark.parametrize(
    "scheme",
    [*(mnb.FastSimilaritySketch(4096, 1, rounds) for rounds in (1, 2, 4, 4096)), *sketches(4096, 1)[-5:]],
    ids=repr,
)
def test_values_of_many_slots_follow_the_definition(scheme, rng):
    sets = [random_set(rng, 60), set()]
    if scheme != mnb.FastSimilaritySketch(4096, 1, 4096):  # its twin takes seconds for every document
        sets += [random_set(rng, 1500, 2**32), {7}] if "optimal" not in repr(scheme) else [random_set(rng, 1500, 2**32)]
    assert_as_defined(sets, scheme)


@settings(deadline=None)
@given(any_sets, st.integers(1, 40), any_seed, st.data())
def test_values_follow_the_definition_on_any_sets(sets, num_hashes, seed, data):
    assert_as_defined(sets, data.draw(st.sampled_from(sketches(num_hashes, seed))))


# Fast Similarity Sketching sends only small values of documents with more than 20 ids a slot.
@pytest.mark.parametrize("num_hashes", [1, 3, 16, 100, 128])
@pytest.mark.parametrize("size", [19, 20, 21, 25, 60])
def test_long_documents_of_fast_similarity(num_hashes, size, rng):
    for ids in (random_set(rng, size * num_hashes), random_set(rng, size * num_hashes + 1)):
        for rounds in {1, min(4, num_hashes), num_hashes}:
            assert_as_defined([ids, {5}, ids], mnb.FastSimilaritySketch(num_hashes, 3, rounds))


def test_long_document_of_4096_slots(rng):
    ids = random_set(rng, 21 * 4096, 2**32)
    for scheme in (mnb.FastSimilaritySketch(4096, 3), mnb.OnePermutation(4096, 3)):
        assert_as_defined([ids], scheme)


def first_throw(x, num_hashes, seed):
    """Return the slot of an id in the first round, and its value there as a share of the greatest."""
    y = mix64(x ^ twins.one_draw(seed))
    return (y >> 32) * num_hashes >> 32, (y & 0xFFFFFFFF) / 2**32


@pytest.mark.parametrize("num_hashes", [1, 3, 16, 128])
@pytest.mark.parametrize("rounds", [1, 4])
def test_long_document_with_a_slot_that_gets_no_small_value(num_hashes, rounds, rng):
    """Sending small values only misses one slot, which has greater ones, and another, which has none at all."""
    thrown = {x: first_throw(x, num_hashes, seed=5) for x in random_set(rng, 60 * num_hashes)}
    ids = {
        x
        for x, (slot, share) in thrown.items()
        if (slot != 0 or share > 0.5) and (num_hashes == 1 or slot != num_hashes - 1)
    }
    assert len(ids) > 20 * num_hashes  # so that the share that is sent, 10 ids a slot, is below a half
    assert any(slot == 0 for slot, _ in map(thrown.get, ids))
    assert_as_defined([ids, {1, 2}, ids], mnb.FastSimilaritySketch(num_hashes, 5, min(rounds, num_hashes)))


def unmix64(y):
    """Return the x of which mix64 makes y."""
    for factor in (0xC4CEB9FE1A85EC53, 0xFF51AFD7ED558CCD):
        y = ((y ^ (y >> 33)) * pow(factor, -1, 2**64)) % 2**64
    return y ^ (y >> 33)


EXTREME_HALVES = [0, 1, 2**31, 2**32 - 2, 2**32 - 1]


@pytest.mark.parametrize("scheme", [scheme for size in (1, 3, 16, 128) for scheme in sketches(size)], ids=repr)
def test_extreme_mixed_values(scheme):
    """Both halves of the mixed id at their ends: first and last slots, least and greatest values."""
    mixer = twins.one_draw(scheme.seed)
    ids = [unmix64(upper << 32 | lower) ^ mixer for upper in EXTREME_HALVES for lower in EXTREME_HALVES]
    assert mix64(ids[-1] ^ mixer) == 2**64 - 1
    assert_as_defined([*({x} for x in ids), set(ids), set(ids[-2:])], scheme)


def test_mark_of_an_empty_slot_is_no_value():
    """The id that would get 2**32 - 1 gets one less, so that its slot counts."""
    scheme = mnb.OnePermutation(16, densification="none")
    last = unmix64(5 << 60 | 2**32 - 1) ^ twins.one_draw(scheme.seed)
    signatures = mnb.compute_signatures(mnb.ShingleMatrix.from_sets([{last}, {last}, {last - 1}]), scheme)
    assert sorted(signatures.values[0].tolist()) == [2**32 - 2] + [2**32 - 1] * 15
    assert mnb.estimate_jaccard(signatures, [(0, 1), (0, 2)]).tolist() == [1.0, 0.0]


def test_values_do_not_depend_on_neighbours_in_a_chunk(rng):
    """32 documents share scratch arrays: short after long, long after short, empty in between."""
    sets = [random_set(rng, size) for size in [5000, 3, 0, 1, 2000, 1, 700, 0, 4, 90] * 7]
    for scheme in all_schemes(16):
        together = sign(sets, scheme)
        alone = np.concatenate([sign([ids], scheme) for ids in sets])
        np.testing.assert_array_equal(together, alone)
        np.testing.assert_array_equal(sign(sets[::-1], scheme), together[::-1])


# -- the same values whatever the way to them


@pytest.mark.parametrize("scheme", all_schemes(100), ids=repr)
def test_width_storage_and_threads_do_not_matter(scheme, rng, tmp_path):
    ids = np.unique(np.concatenate((rng.integers(0, 2**32, 6000), NARROW))).astype(np.uint32)
    indptr = np.array([0, 7, 7, 8, 1500, 4000, ids.size])
    expected = mnb.compute_signatures(mnb.ShingleMatrix(indptr, ids), scheme).values
    read_only = ids.copy()
    read_only.flags.writeable = False
    np.save(tmp_path / "ids.npy", ids)
    for indices in (
        ids.astype(np.uint64),
        ids.astype(np.int64),
        ids.tolist(),
        read_only,
        np.repeat(ids, 2)[::2],
        np.load(tmp_path / "ids.npy", mmap_mode="r"),
    ):
        matrix = mnb.ShingleMatrix(indptr.astype(np.int32), indices)
        np.testing.assert_array_equal(mnb.compute_signatures(matrix, scheme).values, expected)
    for threads in (1, 2):
        with mnb.num_threads(threads):
            np.testing.assert_array_equal(mnb.compute_signatures(matrix, scheme).values, expected)
    np.testing.assert_array_equal(ids, read_only)


def test_one_compiled_kernel_for_each_width_of_ids(rng, tmp_path):
    np.save(tmp_path / "ids.npy", np.arange(5, dtype=np.uint32))
    for ids in ([1, 2], np.arange(3, dtype=np.int32), np.load(tmp_path / "ids.npy", mmap_mode="r"), np.uint64([1, 2])):
        for scheme in all_schemes(16):
            mnb.compute_signatures(mnb.ShingleMatrix([0, len(ids)], ids), scheme)
    mnb.sign_texts(["a text"], mnb.SuperMinHash(8))
    for kernel in (
        minhash.multiply_add,
        minhash.mersenne31,
        fast_similarity.fast_similarity,
        one_permutation.one_permutation,
        super_minhash.super_minhash,
    ):
        widths = [signature[1].dtype.name for signature in kernel.signatures]
        assert sorted(widths) == ["uint32", "uint64"]


@pytest.mark.parametrize("scheme", all_schemes(64), ids=repr)
def test_order_and_repeats_of_ids_do_not_matter(scheme, rng):
    """Signing straight from texts relies on it."""
    distinct = rng.integers(0, 2**32, 1500, dtype=np.uint32)
    expected = sign([set(distinct.tolist())], scheme)
    for ids in (rng.permutation(distinct), rng.permutation(np.repeat(distinct, 3)), np.sort(distinct)[::-1].copy()):
        np.testing.assert_array_equal(fill(scheme, [0, ids.size], ids), expected)


@pytest.mark.parametrize("scheme", all_schemes(48), ids=repr)
def test_straight_from_texts(scheme):
    texts = ["a text", "", "another text", "a rather longer text " * 40, "x", " "]
    signatures = mnb.sign_texts(texts, scheme, k=3)
    two_steps = mnb.compute_signatures(mnb.shingle(texts, k=3), scheme)
    np.testing.assert_array_equal(signatures.values, two_steps.values)
    np.testing.assert_array_equal(signatures.is_empty, two_steps.is_empty)
    assert (signatures.values[[1, 5]] == twins.EMPTY).all()


INTERPRETED = """
import sys
import numba
import numpy as np
from test_sketches import small_results

assert numba.config.DISABLE_JIT
np.savez(sys.argv[1], *small_results())
"""


def small_results():
    """Return signatures of small documents by every scheme, truncated ones too, and estimates."""
    rng = np.random.default_rng(3)
    sets = [set(), {1}, set(NARROW + WIDE), random_set(rng, 50), random_set(rng, 90)]
    sets.append(sets[3] | {7})
    results = []
    for scheme in (scheme for size in (1, 4, 17) for scheme in all_schemes(size)):
        signatures = mnb.compute_signatures(mnb.ShingleMatrix.from_sets(sets), scheme)
        results += [signatures.values, mnb.estimate_jaccard(signatures, [(3, 5), (0, 1), (1, 2)])]
        for bits in (1, 8) if scheme.bandable else ():
            small = signatures.truncate(bits)
            results += [small.values, small.slots, mnb.estimate_jaccard(small, [(3, 5), (0, 1), (1, 2)])]
    return results


def test_interpreted_kernels_give_the_same(tmp_path):
    """Without compilation every array bound is checked, and every intended wrap-around goes unannounced."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.path.dirname(__file__)}
    subprocess.run(
        [sys.executable, "-W", "error", "-c", INTERPRETED, tmp_path / "results.npz"], env=environment, check=True
    )
    compiled = small_results()
    with np.load(tmp_path / "results.npz") as interpreted:
        assert len(interpreted.files) == len(compiled) > 100
        for found, expected in zip(interpreted.values(), compiled, strict=True):
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)


# -- the contract of a scheme


@pytest.mark.parametrize("scheme", all_schemes(16), ids=repr)
def test_scheme_is_its_parameters(scheme):
    assert isinstance(scheme, Scheme)
    assert type(scheme) in SCHEMES
    assert is_dataclass(scheme)
    with pytest.raises(FrozenInstanceError):
        scheme.num_hashes = 5
    again = scheme_from_key(json.loads(json.dumps(scheme.key)))
    assert again == scheme
    assert hash(again) == hash(scheme)
    assert {"scheme", "version", "num_hashes", "seed"} <= set(scheme.key)
    assert isinstance(scheme.mergeable, bool)
    assert isinstance(scheme.bandable, bool)
    assert isinstance(scheme.at_most_binomial, bool)
    out = fill(scheme, [0, 2, 2], np.uint32([3, 4]))
    assert (out[1] == twins.EMPTY).all()
    np.testing.assert_array_equal(out, sign([{3, 4}, set()], again))
    with pytest.raises(ValueError, match="of algorithm version 0 do not compare with version 1"):
        scheme_from_key(scheme.key | {"version": 0})


def test_every_scheme_is_in_the_tests():
    assert {type(scheme) for scheme in all_schemes(16)} == set(SCHEMES)


@pytest.mark.parametrize("scheme", all_schemes(64), ids=repr)
def test_seed_and_parameters_change_the_signature(scheme):
    ids = {1, 2, 3}
    others = [other for other in all_schemes(64) if other != scheme]
    for other in (*others, replace(scheme, seed=43), replace(scheme, seed=2**64 - 1)):
        assert (sign([ids], other) != sign([ids], scheme)).any()
        assert other.key != scheme.key


@pytest.mark.parametrize("scheme", all_schemes(64), ids=repr)
def test_variance_of_a_scheme(scheme):
    jaccard = np.array([0.0, 0.3, 1.0])
    for union in (None, 50, np.array([20, 50, 1000])):
        found = scheme.variance(jaccard, union)
        assert found[[0, 2]].tolist() == [0.0, 0.0]
        assert 0 < found[1] < 3.0 * 0.3 * 0.7 / 64
    assert scheme.variance(0.5) == pytest.approx(0.25 / 64, rel=1e-12)
    assert scheme.variance(0.5, 10**6) == pytest.approx(0.25 / 64, rel=1e-3)


@pytest.mark.parametrize("kind", SCHEMES)
@pytest.mark.parametrize(
    ("parameters", "error", "says"),
    [
        ({"num_hashes": 0}, ValueError, "`num_hashes` must be between 1 and 1048576, got 0"),
        ({"num_hashes": 2**20 + 1}, ValueError, "`num_hashes` must be between 1 and 1048576, got 1048577"),
        ({"num_hashes": 1.0}, TypeError, "`num_hashes` must be an integer between 1 and 1048576, got 1.0"),
        ({"num_hashes": True}, TypeError, "`num_hashes` must be an integer between 1 and 1048576, got True"),
        ({"seed": -1}, ValueError, "`seed` must be between 0 and 18446744073709551615, got -1"),
        ({"seed": None}, TypeError, "`seed` must be an integer between 0 and 18446744073709551615, got None"),
    ],
)
def test_bad_parameters_are_named(kind, parameters, error, says):
    with pytest.raises(error) as caught:
        kind(**parameters)
    assert str(caught.value) == says


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: mnb.FastSimilaritySketch(16, rounds=0), "`rounds` must be at least 1, got 0"),
        (
            lambda: mnb.OnePermutation(16, densification="pull"),
            "`densification` must be one of 'none', 'rotation', 'optimal', 'push', got 'pull'",
        ),
    ],
)
def test_bad_options_are_named(call, says):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        call()
    assert str(caught.value) == says


def test_more_rounds_than_slots_are_as_many_as_slots():
    assert (
        mnb.FastSimilaritySketch(3, rounds=100) == mnb.FastSimilaritySketch(3, rounds=3) == mnb.FastSimilaritySketch(3)
    )


# -- what is known in closed form


@settings(deadline=None)
@given(st.sets(st.integers(0, 2**64 - 1), min_size=1, max_size=30), st.integers(1, 40), any_seed)
def test_densification_fills_and_changes_nothing_else(ids, num_hashes, seed):
    none, rotation, optimal, push = (sign([ids], mnb.OnePermutation(num_hashes, seed, way))[0] for way in WAYS)
    filled = none != twins.EMPTY
    for dense in (rotation, optimal, push):
        np.testing.assert_array_equal(dense[filled], none[filled])
    for dense in (optimal, push):
        assert set(dense.tolist()) == set(none[filled].tolist())


@settings(deadline=None)
@given(st.integers(0, 2**64 - 1), st.integers(1, 40), any_seed)
def test_one_shingle(x, num_hashes, seed):
    """One id fills every slot of a sketch; twice the same document is twice the same signature."""
    for scheme in all_schemes(num_hashes, seed):
        signatures = mnb.compute_signatures(mnb.ShingleMatrix.from_sets([{x}, {x}]), scheme)
        assert mnb.estimate_jaccard(signatures, [(0, 1)]).tolist() == [1.0]
    assert (sign([{x}], mnb.OnePermutation(num_hashes, seed, "none")) != twins.EMPTY).sum() == 1
    steps = sign([{x}], mnb.SuperMinHash(num_hashes, seed))[0].astype(np.int64) >> (32 - (num_hashes - 1).bit_length())
    assert sorted(steps.tolist()) == list(range(num_hashes))  # a permutation


def test_chance_agreement_of_fast_similarity_sketches(rng):
    """Disjoint documents of m ids a slot agree by chance with probability m / 2 of 2**(32 - bits), as documented."""
    num_hashes, size, documents = 4096, 400_000, 16
    scheme = mnb.FastSimilaritySketch(num_hashes, rounds=num_hashes)  # 13 bits for the round, 19 for the value
    ids = np.sort(rng.integers(0, 2**64, (documents, size), dtype=np.uint64), axis=1)
    shingles = mnb.ShingleMatrix(np.arange(documents + 1) * size, ids.ravel())
    values = mnb.compute_signatures(shingles, scheme).values
    pairs = np.triu_indices(documents, 1)
    agreeing = (values[pairs[0]] == values[pairs[1]]).sum()
    expected = num_hashes * len(pairs[0]) * (size / num_hashes) / 2 / 2**19
    assert abs(agreeing - expected) < 4 * np.sqrt(expected)
