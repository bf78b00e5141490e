"""The signature of a union from the signatures of its parts; what cannot be merged, and what cannot be compared."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_sketches import all_schemes, random_set, sign

import minhash_nb as mnb

any_sets = st.lists(
    st.tuples(*[st.sets(st.integers(0, 2**64 - 1) | st.integers(0, 9), max_size=20)] * 2), min_size=1, max_size=4
)


def merge(first, second, scheme):
    both = [mnb.compute_signatures(mnb.ShingleMatrix.from_sets(sets), scheme) for sets in (first, second)]
    return mnb.merge_signatures(*both)


@settings(deadline=None)
@given(any_sets, st.integers(1, 40), st.integers(0, 2**64 - 1))
def test_merged_signatures_are_those_of_the_unions(pairs, num_hashes, seed):
    first, second = zip(*pairs, strict=True)
    for scheme in all_schemes(num_hashes, seed):
        if scheme.mergeable:
            merged = merge(first, second, scheme)
            unions = [a | b for a, b in pairs]
            np.testing.assert_array_equal(merged.values, sign(unions, scheme))
            assert merged.is_empty.tolist() == [not union for union in unions]
            assert merged.scheme == scheme


@pytest.mark.parametrize("scheme", [scheme for scheme in all_schemes(64) if scheme.mergeable], ids=repr)
def test_unions_of_short_and_long_documents(scheme, rng):
    """A round that one part needs and the union does not; documents on both sides of all block sizes."""
    for sizes in ((5, 5000), (5000, 5), (60, 60), (1024, 1), (700, 700), (1500, 1500), (40, 0)):
        first, second = (random_set(rng, size) for size in sizes)
        np.testing.assert_array_equal(merge([first], [second], scheme).values, sign([first | second], scheme))


def test_which_schemes_merge():
    kinds = {scheme for scheme in all_schemes(16) if not scheme.mergeable}
    assert kinds == {mnb.OnePermutation(16, densification=way) for way in ("rotation", "optimal", "push")}


@pytest.mark.parametrize("way", ["rotation", "optimal", "push"])
def test_minima_of_densified_signatures_are_not_those_of_the_union(way, rng):
    """Why they are refused."""
    scheme = mnb.OnePermutation(64, densification=way)
    first, second = ({*random_set(rng, 20)} for _ in range(2))
    assert (np.minimum(sign([first], scheme), sign([second], scheme)) != sign([first | second], scheme)).any()
    with pytest.raises(ValueError, match=re.escape(f"signatures of {scheme} do not merge: sign the united documents")):
        merge([first], [second], scheme)


def test_merging_texts_keeps_their_shingling():
    scheme = mnb.FastSimilaritySketch(32)
    a, b = mnb.sign_texts(["one text", ""], scheme, k=3), mnb.sign_texts(["more", ""], scheme, k=3)
    merged = mnb.merge_signatures(a, b)
    assert merged.key == a.key
    assert merged.is_empty.tolist() == [False, True]
    np.testing.assert_array_equal(mnb.merge_signatures(merged, b).values, merged.values)
    np.testing.assert_array_equal(mnb.merge_signatures(b, a).values, merged.values)
    with pytest.raises(ValueError, match="read-only"):
        merged.values[0] = 0


def test_no_documents():
    scheme = mnb.SuperMinHash(8)
    assert len(mnb.merge_signatures(mnb.sign_texts([], scheme), mnb.sign_texts([], scheme))) == 0


TEXTS = ["some text", "another"]
BASE = mnb.FastSimilaritySketch(32)


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (lambda: mnb.sign_texts(TEXTS, mnb.MinHash(32)), "compare only with the same scheme, got FastSimilaritySketch"),
        (lambda: mnb.sign_texts(TEXTS, mnb.SuperMinHash(32)), "the same scheme"),
        (lambda: mnb.sign_texts(TEXTS, mnb.FastSimilaritySketch(32, seed=43)), "the same scheme"),
        (lambda: mnb.sign_texts(TEXTS, mnb.FastSimilaritySketch(33)), "the same scheme"),
        (lambda: mnb.sign_texts(TEXTS, mnb.FastSimilaritySketch(32, rounds=5)), "the same scheme"),
        (lambda: mnb.sign_texts(TEXTS, BASE, k=4), "compare only with the same shingling, got"),
        (lambda: mnb.compute_signatures(mnb.ShingleMatrix.from_sets([{1}, {2}]), BASE), "the same shingling"),
        (lambda: mnb.sign_texts(TEXTS, BASE).truncate(8), "compare only with the same bits, got 32 and 8"),
        (lambda: mnb.sign_texts(TEXTS[:1], BASE), "`first` and `second` must have equal length, got 2 and 1"),
    ],
)
def test_what_does_not_compare_does_not_merge(other, says):
    base = mnb.sign_texts(TEXTS, BASE)
    with pytest.raises(ValueError, match=re.escape(says)):
        mnb.merge_signatures(base, other())


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
def test_truncated_signatures_do_not_merge(bits):
    small = mnb.sign_texts(TEXTS, BASE).truncate(bits)
    with pytest.raises(ValueError, match=f"signatures of {bits} bits a slot do not merge: merge first, then truncate"):
        mnb.merge_signatures(small, small)


def test_undensified_signatures_make_no_bands():
    scheme = mnb.OnePermutation(32, densification="none")
    with pytest.raises(ValueError, match="have empty slots, which would share bands by being empty: choose a densif"):
        mnb.candidate_pairs(mnb.sign_texts(TEXTS, scheme), mnb.Banding(4, 8))


def test_what_is_no_signature_matrix_is_refused():
    signatures = mnb.sign_texts(TEXTS, BASE)
    for first, second, name in ((signatures.values, signatures, "first"), (signatures, None, "second")):
        with pytest.raises(TypeError, match=f"`{name}` must be a SignatureMatrix, got .*: compute_signatures or sign"):
            mnb.merge_signatures(first, second)
