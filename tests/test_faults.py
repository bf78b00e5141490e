"""Faults that users of tools of this kind have reported, each as a whole kind.

Those with a file of their own: damaged files in test_signature_files.py, output that differs between runs
in test_determinism.py, giant buckets in test_memory.py, lost clusters in test_pipeline.py.
"""

import re
import unicodedata

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import twins

import minhash_nb as mnb

ENTRIES = {
    "shingle": mnb.shingle,
    "sign_texts": lambda texts: mnb.sign_texts(texts, mnb.MinHash(16)),
    "find_near_duplicates": mnb.find_near_duplicates,
}


@pytest.fixture(params=ENTRIES)
def entry(request):
    return ENTRIES[request.param]


# -- short, empty, blank documents


@pytest.mark.parametrize("short_texts", ["whole", "drop"])
@pytest.mark.parametrize("unit", ["char", "word", "byte"])
def test_short_and_blank_documents_are_neither_lost_nor_merged(unit, short_texts):
    blank = ["", " ", "\n", "\t\r\n", "\x1c\x1d", "\x85", "\u2028\u2029", "\u3000", "\xa0"]
    short = ["a", "b", "ab", ".", "\u200b", "\ufeff", "\x00", "😀", "a"]
    texts = [*blank, *short]
    result = mnb.find_near_duplicates(texts, 0.5, k=5, unit=unit, short_texts=short_texts)
    assert result.report["documents"] == len(texts)
    if short_texts == "whole":
        # Of the short ones only the second "a" has a twin; no blank one has.
        assert np.flatnonzero(~result.keep).tolist() == [len(texts) - 1]
        assert result.report["empty"] == len(blank)
    else:
        assert result.keep.all()
        assert result.report["empty"] == len(texts)
    assert len(result.removed) + result.keep.sum() == len(texts)


# -- what is passed as texts


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        ("one string", "`texts` must be a sequence of documents, got one str: put it in a list"),
        (b"bytes", "`texts` must be a sequence of documents, got one bytes: put it in a list"),
        (np.str_("one string"), "`texts` must be a sequence of documents, got one str_: put it in a list"),
        (np.array("one string"), "`texts` must be a sequence of documents, got one ndarray: put it in a list"),
        (None, "`texts` must be a sequence of str, got NoneType"),
        (7, "`texts` must be a sequence of str, got int"),
        ({"a", "b"}, "`texts` must have an order, got a set: put it in a list, sorted"),
        (frozenset("ab"), "`texts` must have an order, got a frozenset: put it in a list, sorted"),
        ({"id": "text"}, "`texts` must be a sequence of str, got a dict: take one column, or the values"),
        (pd.DataFrame({"text": ["a"]}), "`texts` must be a sequence of str, got a DataFrame: take one column"),
        (["a", None], "`texts[1]` must be a str, got None: fill or drop missing texts first"),
        (["a", float("nan")], "`texts[1]` must be a str, got nan: fill or drop missing texts first"),
        (pd.Series(["a", None]), "`texts[1]` must be a str, got nan: fill or drop missing texts first"),
        (pd.Series(["a", pd.NA], dtype="string"), "`texts[1]` must be a str, got <NA>: fill or drop missing"),
        (pa.array(["a", None]), "`texts[1]` must be a str, got None: fill or drop missing texts first"),
        (["a", b"b"], "`texts[1]` must be a str, got b'b': convert it to str first"),
        ([["a"], "b"], "`texts[0]` must be a str, got ['a']: convert it to str first"),
        (np.array([["a", "b"]]), "`texts[0]` must be a str, got ['a', 'b']: convert it to str first"),
        (range(3), "`texts[0]` must be a str, got 0: convert it to str first"),
        (["x" * 10, 10**80], "`texts[1]` must be a str, got 1000000"),
    ],
)
def test_what_is_no_sequence_of_texts_is_refused(entry, texts, says):
    with pytest.raises(TypeError, match="^" + re.escape(says)) as caught:
        entry(texts)
    assert len(str(caught.value)) < 200


def test_a_generator_that_fails_fails_with_its_own_error(entry):
    def texts():
        yield "a text"
        raise TypeError("the source broke")

    with pytest.raises(TypeError, match="the source broke"):
        entry(texts())


# -- Unicode


def test_composed_and_decomposed_accents_differ_unless_normalised():
    composed = "caf\xe9 cr\xe8me br\xfbl\xe9e \xe0 la cr\xe8me"
    decomposed = unicodedata.normalize("NFD", composed)
    full_width = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in "near duplicates")
    texts = [composed, decomposed, "near duplicates", full_width]
    assert mnb.find_near_duplicates(texts, 0.9).keep.all()

    def nfkc(text):
        return unicodedata.normalize("NFKC", text)

    result = mnb.find_near_duplicates(texts, 0.9, normalize=nfkc)
    assert result.labels.tolist() == [0, 0, 2, 2]


@pytest.mark.parametrize("unit", ["char", "word", "byte"])
@pytest.mark.parametrize("id_hash", ["fast", "md5"])
def test_no_text_crashes_or_gets_lost(unit, id_hash):
    texts = [*twins.TEXTS, "\r\n".join(twins.TEXTS), "".join(twins.TEXTS), *map(chr, (0, 0xD800, 0xDFFF, 0x10FFFF))]
    shingles = mnb.shingle(texts, unit=unit, id_hash=id_hash)
    assert len(shingles) == len(texts)
    for document, text in enumerate(texts):
        assert shingles.is_empty[document] == (not text.strip())
    signatures = mnb.compute_signatures(shingles, mnb.MinHash(16))
    assert (signatures.is_empty == shingles.is_empty).all()


def test_chinese_has_no_spaces_and_needs_characters():
    texts = ["今天天气很好我们去公园散步吧", "今天天气很好我们去公园散步了", "完全不同的一句话没有相似之处"]
    assert mnb.find_near_duplicates(texts, 0.5, k=3).labels.tolist() == [0, 0, 2]
    assert mnb.find_near_duplicates(texts, 0.5, k=3, unit="word").keep.all()  # each one word: a short text


def test_line_ends_and_case_do_not_matter_but_nul_and_marks_do():
    texts = ["One text\nin lines\n", "one text\r\nin lines", "\ufeffone text in lines", "one text\x00in lines"]
    result = mnb.find_near_duplicates(texts, 1.0)
    assert result.labels.tolist() == [0, 0, 2, 3]


# -- arrays of the caller


def test_arrays_of_the_caller_stay_as_they_are(tmp_path, rng):
    indices = np.sort(rng.choice(2**32, 300, replace=False)).astype(np.uint32)
    indptr = np.array([0, 100, 100, 300], dtype=np.int32)
    pairs = np.array([[0, 2], [1, 2]])
    np.save(tmp_path / "ids.npy", indices)
    mapped = np.load(tmp_path / "ids.npy", mmap_mode="r")
    frozen = indices.copy()
    frozen.flags.writeable = False
    results = []
    for ids in (indices, mapped, frozen, np.repeat(indices, 2)[::2], indices.astype(np.int64), indices.tolist()):
        before = np.array(ids)
        shingles = mnb.ShingleMatrix(indptr, ids)
        signatures = mnb.compute_signatures(shingles, mnb.MinHash(32))
        mnb.candidate_pairs(signatures, mnb.Banding(16, 2))
        found = (
            np.asarray(signatures).tobytes(),
            mnb.estimate_jaccard(signatures, pairs).tobytes(),
            mnb.exact_jaccard(shingles, pairs).tobytes(),
            mnb.connected_components(pairs, 3).tobytes(),
        )
        results.append(found)
        np.testing.assert_array_equal(np.array(ids), before)
    assert len(set(results)) == 1
    assert indptr.tolist() == [0, 100, 100, 300]
    assert pairs.tolist() == [[0, 2], [1, 2]]
    assert indices.flags.writeable
    assert pairs.flags.writeable


def test_lists_of_the_caller_stay_as_they_are():
    texts = ["One  Text", "", "Σ"]
    mnb.find_near_duplicates(texts)
    assert texts == ["One  Text", "", "Σ"]


# -- the verdict


def test_the_verdict_is_exact_and_not_the_estimate(rng):
    """Pairs just at the threshold are all reported, whatever their estimates, and none just below it."""
    at, below = (190, 10), (189, 11)  # shared and own elements: .905 = 190 / 210 and .896 = 189 / 211
    texts, expected = [], []
    words = (f"w{number}" for number in range(10**9))
    for pair in range(60):
        shared, own = at if pair % 2 == 0 else below
        common = [next(words) for _ in range(shared)]
        texts += [" ".join([*common, *(next(words) for _ in range(own))]) for _ in range(2)]
        if pair % 2 == 0:
            expected.append((2 * pair, 2 * pair + 1))
    sure = {"banding": mnb.Banding(128, 1), "scheme": mnb.MinHash(128)}
    result = mnb.find_near_duplicates(texts, 190 / 210, k=1, unit="word", **sure)
    assert [*zip(result.pairs["i"], result.pairs["j"], strict=True)] == expected
    assert (result.pairs["jaccard"] == 190 / 210).all()
    assert (result.pairs["estimate"] < 190 / 210).any()
    assert (result.pairs["estimate"] > 190 / 210).any()


def test_containment_is_not_similarity():
    long = " ".join(f"clause{number}" for number in range(50))
    excerpt = " ".join(f"clause{number}" for number in range(10))
    assert mnb.find_near_duplicates([long, excerpt], 0.5, k=1, unit="word").keep.all()
    comparison = mnb.compare(excerpt, long, k=1, unit="word")
    assert (comparison.containment_first, comparison.jaccard) == (1.0, 0.2)


def test_sketches_of_unlike_kind_do_not_compare_after_reload_either(tmp_path):
    from minhash_nb.signatures import check_comparable

    first = mnb.sign_texts(["a text"], mnb.MinHash(16, seed=1))
    first.save(tmp_path / "first.npz")
    loaded = mnb.SignatureMatrix.load(tmp_path / "first.npz")
    check_comparable(first, loaded)
    with pytest.raises(ValueError, match="signatures compare only with the same scheme"):
        check_comparable(loaded, mnb.sign_texts(["a text"], mnb.MinHash(16, seed=2)))
    with pytest.raises(ValueError, match="signatures compare only with the same shingling"):
        check_comparable(loaded, mnb.sign_texts(["a text"], mnb.MinHash(16, seed=1), k=4))
