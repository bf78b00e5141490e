"""Shingling against its definition in plain Python, for every unit, policy and kind of text."""

import re
import sys

import numpy as np
import pytest
import twins
from hypothesis import example, given, settings
from hypothesis import strategies as st

import minhash_nb as mnb
from minhash_nb import reference
from minhash_nb.shingling import Shingling, ids
from minhash_nb.shingling.options import UnavailableNormalizer, normalise_text

UNITS = ("char", "word", "byte")
unicode_texts = st.text(
    st.one_of(st.characters(exclude_categories=()), st.sampled_from(twins.NASTY), st.sampled_from("ab c")),
    max_size=30,
)


def rows(shingles):
    return [shingles.row(document).tolist() for document in range(len(shingles))]


def assert_same(first, second):
    for name in ("indptr", "indices", "is_short"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


# -- ids are what the definition says


@pytest.mark.parametrize("k", range(1, 10))
@pytest.mark.parametrize("normalize", twins.NORMALIZERS)
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("id_hash", ["fast", "md5"])
def test_ids_follow_the_definition(id_hash, unit, normalize, k):
    for short_texts in ("whole", "drop"):
        options = {
            "k": k,
            "unit": unit,
            "normalize": twins.NORMALIZERS[normalize],
            "short_texts": short_texts,
            "id_hash": id_hash,
        }
        shingles = mnb.shingle(list(twins.TEXTS), **options)
        assert rows(shingles) == [twins.shingle_ids(text, **options) for text in twins.TEXTS]
        assert shingles.indices.dtype == np.uint32
        assert shingles.shingling == Shingling(**options)


LONG = (
    "".join(chr(97 + 7 * i % 26) for i in range(600)),
    "".join(chr(0x1F300 + 11 * i % 700) for i in range(600)),  # four bytes a character
    " ".join(f"w{i % 37}é" for i in range(150)),
)


@pytest.mark.parametrize("k", [10, 13, 14, 15, 16, 17, 27, 31, 33, 54, 55, 56, 57, 64, 120, 550, 599, 600, 601, 5000])
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("id_hash", ["fast", "md5"])
def test_ids_of_long_shingles_follow_the_definition(id_hash, unit, k):
    """Hashes put together from shorter ones, and MD5 with more than one block, at every size of either."""
    texts = [*LONG, LONG[0][:k], LONG[1][: k - 1], LONG[0][: k // 3], "é"]
    shingles = mnb.shingle(texts, k=k, unit=unit, id_hash=id_hash)
    assert rows(shingles) == [twins.shingle_ids(text, k=k, unit=unit, id_hash=id_hash) for text in texts]


@settings(max_examples=150)
@given(
    st.lists(unicode_texts, max_size=5),
    st.integers(1, 9),
    st.sampled_from(UNITS),
    st.sampled_from(sorted(twins.NORMALIZERS)),
    st.sampled_from(["whole", "drop"]),
    st.sampled_from(["fast", "md5"]),
)
@example(["Σ", "aΣ", "aΣ b", "İ", "A\u0130", "\x1ca\x85b\u2028"], 1, "char", "default", "whole", "fast")
def test_ids_follow_the_definition_on_any_text(texts, k, unit, normalize, short_texts, id_hash):
    options = {
        "k": k,
        "unit": unit,
        "normalize": twins.NORMALIZERS[normalize],
        "short_texts": short_texts,
        "id_hash": id_hash,
    }
    shingles = mnb.shingle(texts, **options)
    assert rows(shingles) == [twins.shingle_ids(text, **options) for text in texts]


@settings(max_examples=150)
@given(unicode_texts, st.integers(1, 9), st.sampled_from(UNITS), st.sampled_from(["whole", "drop"]))
def test_shingles_as_text_follow_the_definition(text, k, unit, short_texts):
    found = Shingling(k=k, unit=unit, short_texts=short_texts).texts(text)
    expected = twins.windows(text, k, unit, "default", short_texts)
    assert found == ([" ".join(words) for words in expected] if unit == "word" else expected)
    assert all(isinstance(shingle, bytes if unit == "byte" else str) for shingle in found)


def test_md5_ids_are_the_chapter_s():
    shingles = mnb.shingle(twins.TEXTS, k=5, id_hash="md5", short_texts="drop")
    assert rows(shingles) == [sorted(reference.shingle_ids(text)) for text in twins.TEXTS]


def test_bytes_and_characters_of_ascii_text_have_equal_ids():
    texts = [text for text in twins.TEXTS if text.isascii()]
    assert_same(mnb.shingle(texts, unit="byte"), mnb.shingle(texts, unit="char"))


# -- normalisation


@pytest.mark.parametrize(
    ("context", "stop"), [("{}", None), ("x{}y", None), ("x{}", None), ("é {} y", 0x300), ("é{}", 0x300)]
)
def test_every_code_point_is_normalised_as_python_does(context, stop):
    texts = [context.format(chr(point)) for point in range(stop or sys.maxunicode + 1)]
    expected = [re.sub(r"\s+", " ", text.lower().strip()) for text in texts]
    for document in range(0, len(texts), 997):  # `normalise_text` is the same rule in other words
        assert normalise_text(texts[document], "default") == expected[document]
    assert_same(mnb.shingle(texts, k=2), mnb.shingle(expected, k=2, normalize=None))


@given(unicode_texts)
def test_plain_python_normalisation(text):
    assert normalise_text(text, "default") == twins.normalise(text)
    assert normalise_text(text, None) is text
    assert normalise_text(text, str.upper) == text.upper()


def test_callable_normaliser_must_return_str():
    with pytest.raises(TypeError, match=r"`normalize\(texts\)\[1\]` must be a str, got None"):
        mnb.shingle(["a", "b"], normalize=lambda text: text if text == "a" else None)


def test_error_in_a_normaliser_is_not_hidden():
    def broken(text):
        raise TypeError("no such thing as this")

    with pytest.raises(TypeError, match="no such thing as this"):
        mnb.shingle(["a"], normalize=broken)


# -- paths through the code that must not matter


class NeverAscii(str):
    """Stands for str in the module that sorts texts into ASCII and others."""

    isascii = staticmethod(lambda text: False)


@pytest.mark.parametrize("id_hash", ["fast", "md5"])
@pytest.mark.parametrize("normalize", twins.NORMALIZERS)
@pytest.mark.parametrize("unit", UNITS)
def test_ascii_path_equals_unicode_path(monkeypatch, unit, normalize, id_hash):
    texts = [text for text in twins.TEXTS if text.isascii()]
    options = {"k": 3, "unit": unit, "normalize": twins.NORMALIZERS[normalize], "id_hash": id_hash}
    alone = mnb.shingle(texts, **options)
    beside = mnb.shingle([*texts, "é", "Σ"], **options)
    assert rows(alone) == rows(beside)[: len(texts)]
    monkeypatch.setattr(ids, "str", NeverAscii, raising=False)
    assert_same(mnb.shingle(texts, **options), alone)


@pytest.mark.parametrize("id_hash", ["fast", "md5"])
@pytest.mark.parametrize("unit", UNITS)
def test_chunk_size_does_not_matter(monkeypatch, unit, id_hash):
    texts = [*twins.TEXTS, *twins.TEXTS[::-1]]
    whole = mnb.shingle(texts, k=4, unit=unit, id_hash=id_hash)
    for size in (1, 7, 64, 1000, 5000):
        monkeypatch.setattr(ids, "CHUNK_CHARACTERS", size)
        assert_same(mnb.shingle(texts, k=4, unit=unit, id_hash=id_hash), whole)


def test_texts_as_they_come():
    import pandas as pd
    import pyarrow as pa

    texts = ["one text", "Ünother text", ""]
    expected = mnb.shingle(texts)
    for given_ in (
        tuple(texts),
        iter(texts),
        (text for text in texts),
        dict(enumerate(texts)).values(),
        dict.fromkeys(texts).keys(),
        np.array(texts),
        np.array(texts, dtype=object),
        [np.str_(text) for text in texts],
        pd.Series(texts, index=[7, 7, -1]),
        pd.Series(texts, dtype=object, index=list("xyz")),
        pd.Index(texts),
        pd.Categorical(texts),
        pa.array(texts),
        pa.array(texts, type=pa.large_string()),
        pa.array(texts, type=pa.string_view()),
        pa.array(texts).dictionary_encode(),
        pa.chunked_array([texts[:1], texts[1:]]),
    ):
        assert_same(mnb.shingle(given_), expected)


def test_no_texts():
    shingles = mnb.shingle([])
    assert len(shingles) == 0
    assert shingles.indptr.tolist() == [0]
    assert shingles.indices.dtype == np.uint32


def test_short_and_empty_documents_are_marked():
    shingles = mnb.shingle(["", " \t", "abcd", "ab cd", "\u2028ab\u2028"], k=5)
    assert shingles.is_short.tolist() == [False, False, True, False, True]
    assert shingles.is_empty.tolist() == [True, True, False, False, False]
    dropped = mnb.shingle(["", " \t", "abcd", "ab cd", "\u2028ab\u2028"], k=5, short_texts="drop")
    assert dropped.is_short.tolist() == [False, False, True, False, True]
    assert dropped.is_empty.tolist() == [True, True, True, False, True]
    assert mnb.shingle(["a b", "a b c"], k=3, unit="word").is_short.tolist() == [True, False]


def test_progress_changes_nothing(capfd):
    assert_same(mnb.shingle(twins.TEXTS, progress=True), mnb.shingle(twins.TEXTS))
    assert "shingling" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"k": 0}, ValueError, "`k` must be between 1 and 2147483647, got 0"),
        ({"k": True}, TypeError, "`k` must be an integer between 1 and 2147483647, got True"),
        ({"k": 2.0}, TypeError, "`k` must be an integer between 1 and 2147483647, got 2.0"),
        ({"unit": "line"}, ValueError, "`unit` must be one of 'char', 'word', 'byte', got 'line'"),
        ({"id_hash": "sha1"}, ValueError, "`id_hash` must be one of 'fast', 'md5', got 'sha1'"),
        ({"normalize": "NFC"}, ValueError, "`normalize` must be one of 'default', None, got 'NFC'"),
        ({"short_texts": None}, ValueError, "`short_texts` must be one of 'whole', 'drop', got None"),
    ],
)
def test_bad_options_are_named(options, error, says):
    with pytest.raises(error, match=re.escape(says)):
        mnb.shingle(["a text"], **options)


def test_key_round_trip():
    for normalize in ("default", None, str.upper):
        shingling = Shingling(k=3, unit="word", normalize=normalize, short_texts="drop", id_hash="md5")
        assert Shingling.from_key(shingling.key).key == shingling.key
    unknown = Shingling.from_key(Shingling(normalize=str.upper).key)
    assert isinstance(unknown.normalize, UnavailableNormalizer)
    with pytest.raises(RuntimeError, match=r"the normaliser .*upper is known by name only"):
        mnb.shingle(["a"], normalize=unknown.normalize)
