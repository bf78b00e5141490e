"""MinHash as a set of parameters: its coefficients, its key, its refusals."""

import random
import re

import numpy as np
import pytest
import twins

import minhash_nb as mnb
from minhash_nb import reference
from minhash_nb.schemes import Scheme, scheme_from_key


def test_mersenne31_coefficients_are_the_chapter_s():
    for num_hashes, seed in ((128, 42), (1, 0), (100, 2**64 - 1)):
        scheme = mnb.MinHash(num_hashes, seed, family="mersenne31")
        assert [values.tolist() for values in scheme.coefficients] == [*reference.coefficients(num_hashes, seed)]


def test_multiply_add_coefficients_are_drawn_pair_by_pair():
    for num_hashes in (1, 3, 16, 100, 4096):
        a, b = mnb.MinHash(num_hashes, seed=7).coefficients
        draws = np.random.default_rng(7).integers(0, 2**32, 2 * num_hashes, dtype=np.uint32)
        assert (a % 2 == 1).all()
        np.testing.assert_array_equal(a, draws[::2] | 1)
        np.testing.assert_array_equal(b, draws[1::2])


def test_fewer_hashes_are_the_first_of_more():
    a, b = mnb.MinHash(4096, seed=3).coefficients
    for num_hashes in (1, 2, 15, 16, 17, 1000):
        fewer = mnb.MinHash(num_hashes, seed=3).coefficients
        np.testing.assert_array_equal(fewer, (a[:num_hashes], b[:num_hashes]))


def test_seeds_and_families_differ():
    schemes = [mnb.MinHash(64, seed, family) for seed in range(20) for family in ("multiply-add", "mersenne31")]
    assert len({scheme.coefficients[0].tobytes() for scheme in schemes}) == len(schemes)


def test_coefficients_are_read_only_and_random_state_is_left_alone():
    state, legacy = random.getstate(), np.random.get_state(legacy=True)[1].copy()  # noqa: NPY002
    a, b = mnb.MinHash(8, seed=99, family="mersenne31").coefficients
    mnb.MinHash(8, seed=99).coefficients  # noqa: B018
    assert random.getstate() == state
    np.testing.assert_array_equal(np.random.get_state(legacy=True)[1], legacy)  # noqa: NPY002
    for values in (a, b):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1


@pytest.mark.parametrize(
    ("parameters", "error", "says"),
    [
        ({"num_hashes": 0}, ValueError, "`num_hashes` must be between 1 and 1048576, got 0"),
        ({"num_hashes": 1.5}, TypeError, "`num_hashes` must be an integer between 1 and 1048576, got 1.5"),
        ({"seed": -1}, ValueError, "`seed` must be between 0 and 18446744073709551615, got -1"),
        ({"seed": 2**64}, ValueError, "`seed` must be between 0 and 18446744073709551615, got 18446744073709551616"),
        ({"seed": None}, TypeError, "`seed` must be an integer between 0 and 18446744073709551615, got None"),
        ({"family": "murmur"}, ValueError, "`family` must be one of 'multiply-add', 'mersenne31', got 'murmur'"),
    ],
)
def test_bad_parameters_are_named(parameters, error, says):
    with pytest.raises(error, match=re.escape(says)):
        mnb.MinHash(**parameters)


def test_numpy_integers_are_integers():
    scheme = mnb.MinHash(np.int32(16), seed=np.uint64(2**64 - 1))
    assert scheme == mnb.MinHash(16, seed=2**64 - 1)
    assert type(scheme.num_hashes) is type(scheme.seed) is int


def test_key_round_trip_and_refusals():
    scheme = mnb.MinHash(48, seed=5, family="mersenne31")
    assert scheme_from_key(scheme.key) == scheme
    assert isinstance(scheme, Scheme)
    with pytest.raises(ValueError, match="scheme 'Hyper' is unknown to this version, which has MinHash"):
        scheme_from_key({**scheme.key, "scheme": "Hyper"})
    with pytest.raises(ValueError, match="MinHash signatures of algorithm version 0 do not compare with version 1"):
        scheme_from_key({**scheme.key, "version": 0})


def test_variance():
    scheme = mnb.MinHash(64)
    assert scheme.variance(0.25) == pytest.approx(0.25 * 0.75 / 64, rel=1e-12)
    np.testing.assert_allclose(scheme.variance(np.array([0.0, 0.5, 1.0]), 10), [0.0, 0.25 / 64, 0.0], atol=1e-15)


def test_mixers_are_bijections_on_a_sample():
    # The twins' mixers agree with the kernels' through every signature test; here: nothing is lost.
    xs = [*range(4096), *range(2**32 - 4096, 2**32)]
    assert len({twins.mix32(x) for x in xs}) == len(xs)
    assert len({twins.fold32(x) for x in xs}) == len(xs)
    assert len({twins.mix64(x << 32) for x in xs}) == len(xs)
