"""The CSR matrix of documents by shingle ids: construction, refusals, conversions, and its sort kernel."""

import json
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import minhash_nb as mnb
from minhash_nb.kernels import shingling as kernels

id_sets = st.lists(st.sets(st.integers(0, 2**64 - 1) | st.integers(0, 9)), max_size=6)


# -- construction


@given(id_sets)
def test_from_sets_and_back(sets):
    shingles = mnb.ShingleMatrix.from_sets(sets)
    assert len(shingles) == len(sets)
    assert [set(shingles.row(document).tolist()) for document in range(len(sets))] == sets
    assert shingles.sizes.tolist() == [len(ids) for ids in sets]
    assert shingles.is_empty.tolist() == [not ids for ids in sets]
    wide = any(element >= 2**32 for ids in sets for element in ids)
    assert shingles.indices.dtype == (np.uint64 if wide else np.uint32)
    again = mnb.ShingleMatrix(shingles.indptr, shingles.indices)
    np.testing.assert_array_equal(again.indices, shingles.indices)


def test_from_sets_takes_repeats_and_numpy_integers():
    shingles = mnb.ShingleMatrix.from_sets([[3, 3, np.uint64(2**63)], (x for x in (9, 1)), np.array([5, 4])])
    assert shingles.indices.tolist() == [3, 2**63, 1, 9, 4, 5]
    assert shingles.indptr.tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize(
    ("sets", "error", "says"),
    [
        ([{1, "a"}], TypeError, "`sets` must hold sets of integers, got 'a' in one"),
        ([{1.0}], TypeError, "`sets` must hold sets of integers, got 1.0 in one"),
        ([{True}], TypeError, "`sets` must hold sets of integers, got True in one"),
        ([{-1}], ValueError, "`sets` must hold ids from 0 to 2**64 - 1, got -1"),
        ([{2**64}], ValueError, "`sets` must hold ids from 0 to 2**64 - 1, got 18446744073709551616"),
    ],
)
def test_from_sets_refuses(sets, error, says):
    with pytest.raises(error, match=re.escape(says)):
        mnb.ShingleMatrix.from_sets(sets)


@pytest.mark.parametrize(
    ("indptr", "indices", "error", "says"),
    [
        ([0, 2], [3, 1], ValueError, "`indices` must be strictly ascending within each row, but row 0 is not"),
        ([0, 1, 3], [9, 4, 4], ValueError, "but row 1 is not: ShingleMatrix.from_sets sorts and removes repeats"),
        ([0, 1, 1, 1, 4], [9, 1, 2, 2], ValueError, "but row 3 is not"),
        ([0, 2], [-1, 1], ValueError, "`indices` must not be negative, got -1"),
        ([0, 2], [0.5, 1], TypeError, "`indices` must be integers from 0 to 2**64 - 1, got float64"),
        ([0, 2], [True, False], TypeError, "`indices` must be integers from 0 to 2**64 - 1, got bool"),
        ([0, 2], [[1, 2]], ValueError, "`indices` must be one-dimensional, got shape (1, 2)"),
        ([0, 1], [1, 2], ValueError, "`indptr` must rise from 0 to the number of ids 2, got 0 to 1"),
        ([1, 2], [1, 2], ValueError, "`indptr` must rise from 0 to the number of ids 2, got 1 to 2"),
        ([0, 3, 1, 2], [1, 2], ValueError, "got 0 to 2, falling in between"),
        ([0, -1, 2], [1, 2], ValueError, "got 0 to 2, falling in between"),
        ([], [1], ValueError, "`indptr` must be integers of shape (n_docs + 1,), got float64 of shape (0,)"),
        ([0.0, 1.0], [1], ValueError, "`indptr` must be integers of shape (n_docs + 1,), got float64"),
        ([[0, 1]], [1], ValueError, "`indptr` must be integers of shape (n_docs + 1,), got int64 of shape (1, 2)"),
    ],
)
def test_bad_arrays_are_refused(indptr, indices, error, says):
    with pytest.raises(error, match=re.escape(says)):
        mnb.ShingleMatrix(indptr, indices)


def test_rows_may_start_lower_than_the_last_one_ended():
    shingles = mnb.ShingleMatrix([0, 2, 2, 4, 4], [7, 9, 1, 2])
    assert [shingles.row(document).tolist() for document in range(4)] == [[7, 9], [], [1, 2], []]


@pytest.mark.parametrize(
    ("dtype", "kept"),
    [("i1", "u4"), ("u1", "u4"), ("i8", "u4"), ("u4", "u4"), (">u4", "u4"), ("u8", "u8"), (">u8", "u4")],
)
def test_dtypes_of_ids(dtype, kept):
    shingles = mnb.ShingleMatrix(np.array([0, 2], dtype="i4"), np.array([5, 100], dtype=dtype))
    assert shingles.indices.dtype == np.dtype(kept)
    assert shingles.indices.tolist() == [5, 100]
    assert shingles.indptr.dtype == np.int64


def test_arrays_are_read_only_and_the_caller_s_stay_as_they_are():
    indptr, indices = np.array([0, 2, 3]), np.array([1, 5, 2], dtype=np.uint32)
    shingles = mnb.ShingleMatrix(indptr, indices)
    for array in (shingles.indptr, shingles.indices, shingles.is_short, shingles.row(0)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert indptr.flags.writeable
    assert indices.flags.writeable
    with pytest.raises(AttributeError):
        shingles.indptr = indptr


# -- conversions


@given(id_sets)
def test_to_scipy_and_back(sets):
    shingles = mnb.ShingleMatrix.from_sets(sets)
    matrix, ids = shingles.to_scipy()
    assert matrix.dtype == np.int32
    assert matrix.shape == (len(sets), max(len(set().union(*sets)), 1))
    assert sorted(ids.tolist()) == ids.tolist() == sorted(set().union(*sets))
    common = (matrix @ matrix.T).toarray()
    assert common.tolist() == [[len(first & second) for second in sets] for first in sets]
    back = mnb.ShingleMatrix.from_scipy(matrix)
    assert [set(ids[back.row(document)].tolist()) for document in range(len(sets))] == sets


def test_from_scipy_takes_the_nonzero_entries_of_any_format():
    dense = np.array([[0, 2, 0, 1], [0, 0, 0, 0], [1.5, 0, 0, -1]])
    expected = [[1, 3], [], [0, 3]]
    for kind in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia"):
        for make in (sparse.csr_array, sparse.csr_matrix):
            shingles = mnb.ShingleMatrix.from_scipy(make(dense).asformat(kind))
            assert [shingles.row(document).tolist() for document in range(3)] == expected


def test_from_scipy_sums_repeats_first_and_leaves_the_matrix_alone():
    data, columns, indptr = np.array([1, 4, -1, 0, 2]), np.array([3, 5, 3, 4, 1]), np.array([0, 5])
    matrix = sparse.csr_array((data, columns, indptr), shape=(1, 6))
    assert mnb.ShingleMatrix.from_scipy(matrix).indices.tolist() == [1, 5]  # 3 cancels out, 4 is a stored zero
    assert matrix.indices.tolist() == [3, 5, 3, 4, 1]


def test_take_keeps_rows_order_and_provenance():
    texts = ["first document", "", "abc", "fourth document, longer"]
    shingles = mnb.shingle(texts)
    for chosen in (np.array([3, 0, 0, 2]), np.array([1]), np.empty(0, dtype=np.int64), np.arange(4)):
        taken = shingles.take(chosen)
        expected = mnb.shingle([texts[document] for document in chosen])
        np.testing.assert_array_equal(taken.indptr, expected.indptr)
        np.testing.assert_array_equal(taken.indices, expected.indices)
        np.testing.assert_array_equal(taken.is_short, expected.is_short)
        assert taken.shingling == shingles.shingling
    wide = mnb.ShingleMatrix.from_sets([{2**40}, {1, 2}]).take(np.array([True, False]))
    assert wide.indices.tolist() == [2**40]


def test_repr_tells_sizes_and_origin():
    assert repr(mnb.ShingleMatrix.from_sets([])) == (
        "ShingleMatrix: 0 documents, 0 shingle ids (uint32), 0.0 per document; own ids"
    )
    assert "unit='word'" in repr(mnb.shingle(["a b c"], k=2, unit="word"))


# -- sorted distinct ids, in place


def distinct(given_rows):
    """Run the kernel on rows that lie side by side, each between sentinels, and return the results."""
    sentinel = np.uint32(123456789)
    flat, starts = [sentinel], []
    for row in given_rows:
        starts.append(len(flat))
        flat += [*row, sentinel]
    ids = np.array(flat, dtype=np.uint32)
    counts = np.array([len(row) for row in given_rows], dtype=np.int64)
    kernels.distinct(ids, np.array(starts, dtype=np.int64), counts)
    ends = np.array(starts, dtype=np.int64) + [len(row) for row in given_rows]
    assert ids[0] == sentinel
    assert (ids[ends] == sentinel).all()
    return [ids[start : start + count].tolist() for start, count in zip(starts, counts, strict=True)]


LAST = 2**32 - 1
extremes = st.integers(0, 5) | st.integers(LAST - 5, LAST) | st.integers(0, LAST)


@settings(max_examples=300)
@given(st.lists(st.lists(extremes, max_size=40), min_size=1, max_size=4))
def test_distinct_sorts_any_rows(given_rows):
    assert distinct(given_rows) == [sorted(set(row)) for row in given_rows]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 1024, 5000])
def test_distinct_sorts_crowded_rows(size, rng):
    last = list(range(LAST - size + 1, LAST + 1))  # all at home in the last places of the table, with 2**32 - 1
    first = list(range(size))
    spread = [(2**32 * i) // size for i in range(size)]
    mixed = rng.integers(0, 2**32, size).tolist() + [LAST] * 3
    given_rows = [last, last[::-1], first, first[::-1], spread, mixed, [LAST] * size, [0] * size, last + first]
    given_rows = [*given_rows, *(rng.permutation(row).tolist() for row in given_rows)]
    assert distinct(given_rows) == [sorted(set(row)) for row in given_rows]


def test_document_of_distinct_characters_only():
    for count in (255, 256, 257, 4096, 50_000):
        text = "".join(map(chr, range(0x3400, 0x3400 + count)))
        shingles = mnb.shingle([text, text[::-1], "b"], k=1, normalize=None)
        assert shingles.sizes[0] <= count
        assert shingles.sizes[0] >= count - count**2 // 2**32 - 5  # ids of 32 bits may meet
        np.testing.assert_array_equal(shingles.row(0), shingles.row(1))
        assert (np.diff(shingles.row(0).astype(np.int64)) > 0).all()


# -- one compilation for each width of ids or units, whatever arrays go in

ONE_OF_EACH_KIND = """
    import json, sys
    import numpy as np
    import minhash_nb as mnb
    from minhash_nb import kernels
    from minhash_nb.clustering import star_clusters
    from minhash_nb.similarity import first_equal

    folder = sys.argv[1]
    rows = [[1, 2, 3, 9], [1, 2, 3, 9], [5], []]
    indptr = np.array([0, 4, 8, 9, 9])
    flat = np.array([1, 2, 3, 9, 1, 2, 3, 9, 5])
    np.save(folder + "/ids.npy", flat.astype(np.uint32))
    np.save(folder + "/wide.npy", flat.astype(np.uint64))
    np.save(folder + "/indptr.npy", indptr)
    np.save(folder + "/pairs.npy", np.array([[0, 1], [1, 2]]))
    read_only = flat.astype(np.uint64)
    read_only.flags.writeable = False
    strided = np.repeat(flat.astype(np.uint32), 2)[::2]
    matrices = [
        mnb.ShingleMatrix(indptr.tolist(), flat.tolist()),
        mnb.ShingleMatrix(indptr.astype(np.int32), flat.astype(np.int32)),
        mnb.ShingleMatrix(indptr.astype(np.uint64), read_only),
        mnb.ShingleMatrix(indptr, strided),
        mnb.ShingleMatrix(np.load(folder + "/indptr.npy", mmap_mode="r"), np.load(folder + "/ids.npy", mmap_mode="r")),
        mnb.ShingleMatrix(indptr, np.load(folder + "/wide.npy", mmap_mode="c")),
        mnb.ShingleMatrix.from_sets(rows),
        mnb.ShingleMatrix.from_sets([*rows[:3], {2**40}]),
    ]
    for unit in ("char", "word", "byte"):
        for id_hash in ("fast", "md5"):
            for texts in (["plain text"], ["plain text", "Unicod\\u00e9 text", "\\u03a3"], ["", ""], []):
                matrices.append(mnb.shingle(texts, unit=unit, id_hash=id_hash))
                for family in ("multiply-add", "mersenne31"):
                    mnb.sign_texts(texts, mnb.MinHash(8, family=family), unit=unit, id_hash=id_hash)
    pairs = [[(0, 1)], np.array([[0, 1]], dtype=np.int32), np.load(folder + "/pairs.npy", mmap_mode="r"),
             np.array([[0, 1, 2], [1, 2, 3]]).T, []]
    for matrix in matrices:
        matrix = matrix.take(np.arange(len(matrix)))
        first_equal(matrix)
        for family in ("multiply-add", "mersenne31"):
            signatures = mnb.compute_signatures(matrix, mnb.MinHash(8, family=family), progress=True)
            signatures.save(folder + "/signatures.npz")
            for each in (signatures, mnb.SignatureMatrix.load(folder + "/signatures.npz"),
                         mnb.SignatureMatrix(np.asfortranarray(signatures.values.copy()), signatures.is_empty.tolist(),
                                             signatures.scheme)):
                for star in ("all", "star"):
                    mnb.candidate_pairs(each, mnb.Banding(2, 2), bucket_pairs=star)
                for some in pairs if len(matrix) > 3 else ([],):
                    mnb.estimate_jaccard(each, some)
        for some in pairs if len(matrix) > 3 else ([],):
            mnb.exact_jaccard(matrix, some)
            star_clusters(some, 4)
    mnb.find_near_duplicates(["one text", "one text!", "One Text"], threshold=0.5)

    import importlib, pkgutil
    counts = {}
    for module in pkgutil.iter_modules(kernels.__path__, "minhash_nb.kernels."):
        module = importlib.import_module(module.name)
        for name, value in vars(module).items():
            if hasattr(value, "signatures") and value.py_func.__module__ == module.__name__:
                counts[module.__name__.split(".")[-1] + "." + name] = len(value.signatures)
    print(json.dumps(counts))
"""


def test_one_compilation_for_each_width(tmp_path):
    out = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(ONE_OF_EACH_KIND), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert out.returncode == 0, out.stderr
    counts = json.loads(out.stdout)
    expected = {
        "banding.count_pairs": 1,
        "banding.fill_pairs": 1,
        "banding.link_buckets": 1,
        "clustering.keep_first": 1,
        "md5.md5_ids": 2,  # ASCII and other text
        "minhash.mersenne31": 2,  # 32-bit and 64-bit ids
        "minhash.multiply_add": 2,
        "shingling.distinct": 1,
        "shingling.hash_words": 2,  # ASCII and other text
        "shingling.normalise": 2,
        "shingling.pack": 2,  # 32-bit and 64-bit ids
        "shingling.shingle_ids": 3,  # ASCII, other text, hashes of words
        "similarity.count_common": 2,
        "similarity.count_equal_slots": 1,
        "similarity.digest_rows": 2,
        "similarity.first_equal_row": 2,
    }
    assert {name: counts[name] for name in expected} == expected
