"""Signatures against Python integers; their properties, whatever the way to them."""

import re
from itertools import product

import numpy as np
import pytest
import twins
from hypothesis import given
from hypothesis import strategies as st

import minhash_nb as mnb
from minhash_nb.shingling import ids as shingling_ids
from minhash_nb.signatures import check_comparable, compute

FAMILIES = ("multiply-add", "mersenne31")
SIZES = (1, 3, 16, 63, 64, 65, 128, 129, 189, 300, 4096)
EXTREMES = [0, 1, 2**31 - 2, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1]
WIDE = [2**32, 2**62, 2**63 - 1, 2**63, 2**63 + 5, 2**64 - 2**32, 2**64 - 2, 2**64 - 1]
any_sets = st.lists(st.sets(st.integers(0, 2**64 - 1) | st.integers(0, 9), max_size=20), min_size=1, max_size=5)


def sign(sets, scheme):
    return mnb.compute_signatures(mnb.ShingleMatrix.from_sets(sets), scheme).values


def expected(sets, scheme):
    a, b = (values.tolist() for values in scheme.coefficients)
    return [twins.signature(ids, a, b, scheme.family) for ids in sets]


# -- agreement with plain Python


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("num_hashes", SIZES)
def test_values_follow_the_definition(num_hashes, family, rng):
    scheme = mnb.MinHash(num_hashes, seed=num_hashes, family=family)
    narrow = [set(EXTREMES), {0}, {2**32 - 1}, set(), set(rng.integers(0, 2**32, 30).tolist())]
    wide = [*narrow, set(WIDE), {2**64 - 1}, set(rng.integers(0, 2**64, 30, dtype=np.uint64).tolist())]
    for sets in (narrow, wide):
        assert sign(sets, scheme).tolist() == expected(sets, scheme)


@pytest.mark.parametrize("family", FAMILIES)
def test_values_around_the_block_and_chunk_sizes(family, rng):
    scheme = mnb.MinHash(3, family=family)
    sizes = [1023, 1024, 1025, 2048, 2049, 5000, 0, 1]
    sets = [set(rng.choice(2**32, size, replace=False).tolist()) for size in sizes]
    assert sign(sets, scheme).tolist() == expected(sets, scheme)
    for documents in (1, 31, 32, 33, 64, 65, 97):
        sets = [{document, document + 1} for document in range(documents)]
        assert sign(sets, scheme).tolist() == expected(sets, scheme)


@given(any_sets, st.sampled_from(FAMILIES), st.integers(1, 80), st.integers(0, 2**64 - 1))
def test_values_follow_the_definition_on_any_sets(sets, family, num_hashes, seed):
    scheme = mnb.MinHash(num_hashes, seed, family)
    assert sign(sets, scheme).tolist() == expected(sets, scheme)


@pytest.mark.parametrize("family", FAMILIES)
def test_width_of_the_ids_does_not_matter(family, rng):
    ids = np.unique(np.concatenate((rng.integers(0, 2**32, 3000), EXTREMES))).astype(np.uint32)
    indptr = [0, 7, 7, 1500, ids.size]
    narrow, wide = mnb.ShingleMatrix(indptr, ids), mnb.ShingleMatrix(indptr, ids.astype(np.uint64))
    assert (narrow.indices.dtype, wide.indices.dtype) == (np.uint32, np.uint64)
    scheme = mnb.MinHash(100, family=family)
    np.testing.assert_array_equal(
        mnb.compute_signatures(narrow, scheme).values, mnb.compute_signatures(wide, scheme).values
    )


# -- properties


def test_fewer_hashes_are_the_first_columns(rng):
    sets = [set(rng.integers(0, 2**32, size).tolist()) for size in (5, 50, 500)]
    most = sign(sets, mnb.MinHash(4096))
    for num_hashes in SIZES:
        np.testing.assert_array_equal(sign(sets, mnb.MinHash(num_hashes)), most[:, :num_hashes])


@given(any_sets, any_sets, st.sampled_from(FAMILIES), st.integers(1, 40))
def test_union_is_the_elementwise_minimum(first, second, family, num_hashes):
    length = min(len(first), len(second))
    first, second = first[:length], second[:length]
    scheme = mnb.MinHash(num_hashes, family=family)
    union = sign([a | b for a, b in zip(first, second, strict=True)], scheme)
    np.testing.assert_array_equal(union, np.minimum(sign(first, scheme), sign(second, scheme)))


@given(any_sets, st.sampled_from(FAMILIES), st.randoms())
def test_permuting_documents_permutes_signatures(sets, family, random):
    order = list(range(len(sets)))
    random.shuffle(order)
    scheme = mnb.MinHash(20, family=family)
    np.testing.assert_array_equal(sign([sets[d] for d in order], scheme), sign(sets, scheme)[order])


def test_one_document_at_a_time_gives_the_same(rng):
    sets = [set(rng.integers(0, 2**32, size).tolist()) for size in (3, 30, 0, 2000)]
    for family in FAMILIES:
        scheme = mnb.MinHash(33, family=family)
        alone = np.concatenate([sign([ids], scheme) for ids in sets])
        np.testing.assert_array_equal(alone, sign(sets, scheme))


def test_empty_documents_are_marked_and_filled():
    signatures = mnb.compute_signatures(mnb.ShingleMatrix.from_sets([set(), {1}, set()]), mnb.MinHash(40))
    assert signatures.is_empty.tolist() == [True, False, True]
    assert (signatures.values[[0, 2]] == 2**32 - 1).all()
    assert (signatures.values[1] != 2**32 - 1).any()


def test_mersenne31_confuses_ids_that_differ_by_the_prime():
    same = [{5}, {5 + twins.PRIME}, {5 + 7 * twins.PRIME}]
    values = sign(same, mnb.MinHash(64, family="mersenne31"))
    assert (values == values[0]).all()
    assert (sign(same, mnb.MinHash(64))[1:] != sign(same, mnb.MinHash(64))[0]).all(axis=1).all()


# -- straight from texts


@pytest.mark.parametrize(
    ("unit", "id_hash", "normalize", "short_texts", "k"),
    [*product(("char", "word", "byte"), ("fast", "md5"), twins.NORMALIZERS, ("whole", "drop"), (1, 4))],
)
def test_sign_texts_equals_shingle_and_compute(monkeypatch, unit, id_hash, normalize, short_texts, k):
    options = {
        "k": k,
        "unit": unit,
        "id_hash": id_hash,
        "normalize": twins.NORMALIZERS[normalize],
        "short_texts": short_texts,
    }
    scheme = mnb.MinHash(20, family=FAMILIES[k % 2])
    two_steps = mnb.compute_signatures(mnb.shingle(twins.TEXTS, **options), scheme)
    for chunk in (1 << 22, 100):
        monkeypatch.setattr(shingling_ids, "CHUNK_CHARACTERS", chunk)
        one_step = mnb.sign_texts(twins.TEXTS, scheme, **options)
        np.testing.assert_array_equal(one_step.values, two_steps.values)
        np.testing.assert_array_equal(one_step.is_empty, two_steps.is_empty)
        check_comparable(one_step, two_steps)


@pytest.mark.parametrize("step", [1, 7, 64, 10_000, 1 << 24])
def test_progress_changes_nothing(monkeypatch, capfd, step):
    monkeypatch.setattr(compute, "PROGRESS_IDS", step)
    scheme = mnb.MinHash(16)
    for texts in (twins.TEXTS, ["", " ", ""], ["", "a text", ""], []):
        shingles = mnb.shingle(texts)
        quiet = mnb.compute_signatures(shingles, scheme)
        np.testing.assert_array_equal(mnb.compute_signatures(shingles, scheme, progress=True).values, quiet.values)
        np.testing.assert_array_equal(mnb.sign_texts(texts, scheme, progress=True).values, quiet.values)
    assert f"{len(twins.TEXTS)}/{len(twins.TEXTS)}" in capfd.readouterr().err


def test_progress_leaves_no_row_unwritten(monkeypatch):
    monkeypatch.setattr(np, "empty", lambda shape, dtype: np.full(shape, 12345, dtype=dtype))
    signatures = mnb.compute_signatures(mnb.ShingleMatrix.from_sets([(), ()]), mnb.MinHash(16), progress=True)
    assert (signatures.values == 2**32 - 1).all()


def test_no_documents():
    for signatures in (mnb.sign_texts([], mnb.MinHash(16)), mnb.compute_signatures(mnb.shingle([]), mnb.MinHash(16))):
        assert signatures.values.shape == (0, 16)
        assert len(signatures) == 0


# -- the matrix


def test_matrix_is_read_only_and_an_array():
    signatures = mnb.sign_texts(["a text", "another"], mnb.MinHash(16))
    assert signatures.values.dtype == np.uint32
    assert signatures.values.flags.c_contiguous
    np.testing.assert_array_equal(np.asarray(signatures), signatures.values)
    assert np.asarray(signatures, dtype=np.int64).dtype == np.int64
    copy = np.array(signatures)
    copy[0] = 0
    for array in (signatures.values, signatures.is_empty):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert repr(signatures) == (
        "SignatureMatrix: 2 documents x 16 hashes (uint32, 128 bytes), 0 empty; "
        "MinHash(num_hashes=16, seed=42, family='multiply-add')"
    )


@pytest.mark.parametrize(
    ("values", "is_empty", "says"),
    [
        (np.zeros((2, 3), np.uint32), [0, 0], "`values` must be uint32 of shape (n_docs, 4) for MinHash"),
        (np.zeros(4, np.uint32), [0], "got uint32 of shape (4,)"),
        (np.zeros((2, 4)), [0, 0], "got float64 of shape (2, 4)"),
        (np.full((2, 4), -1), [0, 0], "got int64 of shape (2, 4)"),
        (np.zeros((2, 4), np.uint32), [0], "`is_empty` must have shape (2,), got (1,)"),
    ],
)
def test_bad_matrix_is_refused(values, is_empty, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        mnb.SignatureMatrix(values, is_empty, mnb.MinHash(4))


def test_only_like_compares_with_like():
    texts, scheme = ["some text"], mnb.MinHash(16)
    base = mnb.sign_texts(texts, scheme)
    check_comparable(base, mnb.sign_texts(["other"], mnb.MinHash(16)))
    for other in (mnb.MinHash(17), mnb.MinHash(16, seed=1), mnb.MinHash(16, family="mersenne31")):
        with pytest.raises(ValueError, match=r"signatures compare only with the same scheme, got .* and .*: compute"):
            check_comparable(base, mnb.sign_texts(texts, other))
    own = mnb.compute_signatures(mnb.ShingleMatrix.from_sets([{1}]), scheme)
    others = [
        {"k": 4},
        {"unit": "byte"},
        {"normalize": None},
        {"normalize": str.upper},
        {"short_texts": "drop"},
        {"id_hash": "md5"},
    ]
    for other in (own, *(mnb.sign_texts(texts, scheme, **options) for options in others)):
        with pytest.raises(
            ValueError, match=r"signatures compare only with the same shingling, got .* and .*: compute"
        ):
            check_comparable(base, other)


@pytest.mark.parametrize("call", [mnb.compute_signatures, lambda first, scheme: mnb.sign_texts(["a"], scheme)])
@pytest.mark.parametrize("scheme", [mnb.MinHash, "minhash", None, 128])
def test_what_is_no_scheme_is_refused(call, scheme):
    with pytest.raises(TypeError, match=r"`scheme` must be a scheme such as MinHash\(num_hashes=128, seed=42\), got"):
        call(mnb.shingle(["a"]), scheme)


def test_what_is_no_shingle_matrix_is_refused():
    with pytest.raises(TypeError, match=r"`shingles` must be a ShingleMatrix, got list: shingle\(texts\) makes one"):
        mnb.compute_signatures(["a text"], mnb.MinHash(16))
