"""The synthetic corpus against the chapter's, and the reader of installed packages against made-up ones."""

import hashlib
import inspect
import random
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from tqdm import tqdm

from minhash_nb.datasets import BASE_TEXTS, DOCUMENTED_PACKAGES, WORDS, generate_corpus, installed_docs


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


# -- generate_corpus


def test_golden_corpus(golden):
    corpus = generate_corpus(
        golden["num_docs"],
        golden["dup_fraction"],
        golden["corpus_seed"],
        base_texts=golden["base_texts"],
        words=golden["words"],
    )
    assert [sha256(text) for text in corpus[:3]] == golden["first_three_texts_sha256"]
    assert sha256("\n".join(corpus)) == golden["corpus_sha256"]


def test_own_texts_are_not_the_chapter_s(golden):
    assert not set(BASE_TEXTS) & set(golden["base_texts"])
    assert not set(WORDS) & set(golden["words"])


def test_own_corpus_is_the_same_everywhere():
    assert sha256("\n".join(generate_corpus())) == "bafe570406d85164a3151b47603e60d2a0781e5aa24a84adae25e921f87da06d"


def test_draws_spelled_out():
    def drawn(seed):
        draw = random.Random(seed)
        first = draw.choice([["a", "b", "c"], ["d", "e"]])
        position = draw.randint(0, len(first) - 1)
        first[position] = draw.choice(["x", "y"])
        second = draw.choice([["a", "b", "c"], ["d", "e"]])
        for _ in range(draw.randint(3, 6)):
            position = draw.randint(0, len(second) - 1)
            second[position] = draw.choice(["x", "y"])
        return [" ".join(first), " ".join(second)]

    for seed in range(50):
        assert generate_corpus(2, 0.5, seed, base_texts=["a b  c", "d e"], words=["x", "y"]) == drawn(seed)


@pytest.mark.parametrize(
    ("num_docs", "dup_fraction", "light"), [(50, 0.0, 0), (50, 1.0, 50), (9, 0.5, 4), (100, 0.29, 28)]
)
def test_the_first_texts_have_one_word_replaced(num_docs, dup_fraction, light):
    def replaced(text):
        return min(sum(a != b for a, b in zip(text.split(), base.split(), strict=False)) for base in BASE_TEXTS)

    corpus = generate_corpus(num_docs, dup_fraction)
    assert len(corpus) == num_docs
    assert {replaced(text) for text in corpus[:light]} <= {1}
    assert all(1 <= replaced(text) <= 6 for text in corpus[light:])
    assert max(map(replaced, corpus[light:]), default=3) > 2


def test_numpy_numbers_series_and_generators_are_welcome():
    expected = generate_corpus(5, 1.0, 3, base_texts=["a b c"], words=["x", "y"])
    assert expected == generate_corpus(
        np.int64(5),
        np.float64(1),
        np.int32(3),
        base_texts=pd.Series(["a b c"], index=[9]),
        words=(word for word in "xy"),
    )
    assert generate_corpus(0) == []


def test_global_random_state_is_left_alone():
    before = random.getstate()
    generate_corpus(3)
    assert random.getstate() == before


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"num_docs": -1}, ValueError, "`num_docs` must be at least 0, got -1"),
        ({"num_docs": 2.0}, TypeError, "`num_docs` must be an integer at least 0, got 2.0"),
        ({"dup_fraction": 1.1}, ValueError, r"`dup_fraction` must be in \[0, 1\], got 1.1"),
        ({"dup_fraction": float("nan")}, ValueError, r"`dup_fraction` must be in \[0, 1\], got nan"),
        ({"seed": None}, TypeError, "`seed` must be an integer at least 0, got None"),
        ({"seed": -1}, ValueError, "`seed` must be at least 0, got -1"),
        ({"base_texts": "a b c"}, TypeError, "`base_texts` must be a sequence of documents, got one str"),
        ({"base_texts": []}, ValueError, "`base_texts` must hold at least one text, got none"),
        ({"base_texts": ["a", " \t"]}, ValueError, r"`base_texts\[1\]` must hold at least one word"),
        ({"base_texts": ["a", None]}, TypeError, r"`base_texts\[1\]` must be a str, got None"),
        ({"words": "xyz"}, TypeError, "`words` must be a sequence of documents, got one str"),
        ({"words": []}, ValueError, "`words` must hold at least one text, got none"),
        ({"words": [""]}, ValueError, r"`words\[0\]` must hold at least one word"),
    ],
)
def test_corpus_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        generate_corpus(**arguments)


# -- installed_docs on packages made up for the test

LONG = "x" * 250
LICENCE = b"Permission is granted to read this.\n" * 10


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Return ``install(name, {path: bytes})``: lay out a distribution as pip does and put it on the path."""

    def lay_out(name, files, *, record=True, folder="site"):
        site = tmp_path / folder
        info = f"{name}-1.0.dist-info"
        files = {path.format(info=info): content for path, content in files.items()}
        files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode()
        for path, content in files.items():
            (site / path).parent.mkdir(parents=True, exist_ok=True)
            (site / path).write_bytes(content)
        if record:
            lines = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
            (site / info / "RECORD").write_text(lines, encoding="utf-8")
        if str(site) not in sys.path:
            monkeypatch.syspath_prepend(str(site))
        return site

    return lay_out


def texts_of(docs, kind, start="made"):
    docs = docs[(docs["kind"] == kind) & docs["name"].str.startswith(start)]
    return dict(zip(docs["name"], docs["text"], strict=True))


def names_of(docs, kind, start="made"):
    return list(texts_of(docs, kind, start))


def test_every_definition_is_found_by_its_dotted_path(install):
    def doc(name, indent):
        return f'{" " * indent}"""{name}.\n\n{" " * indent}{LONG}\n{" " * indent}"""\n'

    source = (
        doc("module", 0)
        + "class A:\n" + doc("A", 4)
        + "    class B:\n        @property\n        def c(self):\n" + doc("A.B.c", 12)
        + "async def d():\n" + doc("d", 4)
        + "    def e():\n" + doc("d.e", 8)
        + "if 1:\n  def i(): \n" + doc("i", 4)
        + "elif 2:\n  def i2(): \n" + doc("i2", 4)
        + "else:\n  def i3(): \n" + doc("i3", 4)
        + "try:\n  def t(): \n" + doc("t", 4)
        + "except E:\n  def t2(): \n" + doc("t2", 4)
        + "else:\n  def t3(): \n" + doc("t3", 4)
        + "finally:\n  def t4(): \n" + doc("t4", 4)
        + "try:\n  pass\nexcept* E:\n  def g(): \n" + doc("g", 4)
        + "with w:\n  def w2(): \n" + doc("w2", 4)
        + "for f in f:\n  def f2(): \n" + doc("f2", 4)
        + "while 0:\n  def w3(): \n" + doc("w3", 4)
        + "match 0:\n  case 0:\n    def m(): \n" + doc("m", 6)
        + "async def k():\n  async with w:\n    def w(): \n" + doc("k.w", 6)
        + "  async for f in f:\n    def f(): \n" + doc("k.f", 6)
        + f"def short():\n    'short'\ndef no():\n    x = '{LONG}'\n"
    )  # fmt: skip
    install("made", {"made/__init__.py": source.encode(), "made/sub/mod.py": doc("other", 0).encode()})
    docs = installed_docs(["made"])
    expected = ["A", "A.B.c", "d", "d.e", "i", "i2", "i3", "t", "t2", "t3", "t4", "g"]
    expected += ["w2", "f2", "w3", "m", "k.w", "k.f"]
    found = texts_of(docs, "docstring")
    assert found == {
        "made": f"module.\n\n{LONG}",
        "made.sub.mod": f"other.\n\n{LONG}",
        **{f"made.{name}": f"{name}.\n\n{LONG}" for name in expected},
    }
    assert list(found) == sorted(found)


def test_one_name_defined_twice_appears_twice(install):
    source = f"if x:\n    def f():\n        'b{LONG}'\nelse:\n    def f():\n        'a{LONG}'\n"
    install("made", {"made.py": source.encode()})
    docs = installed_docs(["made"])
    twice = docs[docs["name"] == "made.f"]
    assert twice["text"].to_list() == [f"a{LONG}", f"b{LONG}"]


def test_files_that_do_not_parse_or_decode_are_left_out(install):
    good = f'"""{LONG}"""\n'.encode()
    site = install(
        "made",
        {
            "made/good.py": good,
            "made/syntax.py": good + b"def f(:\n",
            "made/python2.py": good + b"print 'hello'\n",
            "made/latin.py": good + "# caf\u00e9\n".encode("latin-1"),
            "made/cookie.py": b"# -*- coding: latin-1 -*-\n" + f'"""caf\u00e9 {LONG}"""\n'.encode("latin-1"),
            "made/no_such_coding.py": b"# -*- coding: klingon -*-\n" + good,
            "made/bom.py": b"\xef\xbb\xbf" + good,
            "made/crlf.py": good.replace(b"\n", b"\r\n"),
            "made/nul.py": good + b"\0",
            "made/deep.py": good + b"x = " + b"(" * 5000 + b")" * 5000,
            "made/deeper.py": good + b"x = " + b"1 + " * 20_000 + b"1",
            "made/chain.py": good + b"if 0:\n  pass\n" + b"elif 1:\n  pass\n" * 300,
            "made/escape.py": good + b'x = "\\d"\n',
            "made/surrogate.py": f'"""\\ud800 {LONG}"""\n'.encode(),
            "made/empty.py": b"",
            "made/lost.py": good,
            "{info}/LICENSE": LICENCE,
            "{info}/LICENSE.latin": LICENCE + "\u00a9 caf\u00e9".encode("latin-1"),
            "{info}/LICENSE.bom": b"\xef\xbb\xbf" + LICENCE,
            "{info}/LICENSE.lost": LICENCE,
        },
    )
    (site / "made/lost.py").unlink()
    (site / "made-1.0.dist-info/LICENSE.lost").unlink()
    docs = installed_docs(["made"])
    found = texts_of(docs, "docstring")
    assert sorted(found) == [
        f"made.{name}" for name in ("bom", "chain", "cookie", "crlf", "escape", "good", "surrogate")
    ]
    assert found["made.cookie"] == f"caf\u00e9 {LONG}"
    assert found["made.surrogate"] == f"? {LONG}"
    assert found["made.bom"] == found["made.crlf"] == LONG
    assert texts_of(docs, "licence") == {
        "made/LICENSE": LICENCE.decode(),
        "made/LICENSE.bom": LICENCE.decode(),
    }


def test_tests_and_scripts_are_left_out(install):
    module = f'"""{LONG}"""'.encode()
    left_out = [
        "tests/a.py",
        "test/a.py",
        "sub/tests/deep/a.py",
        "test_a.py",
        "a_test.py",
        "conftest.py",
        "stub.pyi",
    ]
    kept = ["testing/a.py", "latest.py", "contest.py"]
    files = {f"made/{path}": module for path in left_out + kept}
    install("made", {**files, "../bin/made.py": module})
    docs = installed_docs(["made"])
    found = docs.loc[docs["kind"] == "docstring", "name"].to_list()
    assert found == ["made.contest", "made.latest", "made.testing.a"]


def test_licence_files_are_told_from_others(install):
    licences = [
        "LICENSE",
        "LICENCE.txt",
        "licenses/COPYING",
        "licenses/sub/NOTICE.md",
        "LICENSE.APACHE",
        "License-MIT.rst",
    ]
    others = ["METADATA2", "AUTHORS", "entry_points.txt"]
    inside = ["LICENSE", "ThirdPartyNotices.txt", "COPYING_QHULL.TXT", "fonts/LICENSE_STIX"]
    no_text = ["license.py", "licenses.json", "_copying.so", "notice.html", "reading.txt"]
    files = {f"{{info}}/{path}": LICENCE for path in licences + others}
    files |= {f"made_up/{path}": LICENCE for path in inside + no_text}
    install("made-up", {**files, "../share/made-up/LICENSE": LICENCE})
    names = installed_docs([])["name"]
    found = names[names.str.contains("made.up")].to_list()
    assert found == sorted([f"made-up/{path}" for path in licences] + [f"made_up/{path}" for path in inside])


def test_a_licence_that_two_packages_ship_is_there_twice(install):
    for name in ("made.one", "Made_Two"):
        install(name, {"{info}/licenses/LICENSE": LICENCE})
    docs = installed_docs([])
    assert texts_of(docs, "licence") == {
        "made-one/licenses/LICENSE": LICENCE.decode(),
        "made-two/licenses/LICENSE": LICENCE.decode(),
    }
    assert set(docs["kind"]) == {"licence"}


def test_names_of_packages_are_compared_as_on_pypi(install):
    install("Made.Up_Name", {"made.py": f'"""{LONG}"""'.encode()})
    for name in ("made-up-name", "MADE_UP.NAME", "Made.Up_Name"):
        assert names_of(installed_docs([name, name]), "docstring") == ["made"]


def test_of_two_installations_the_one_that_an_import_finds(install):
    install("made", {"made.py": f'"""hidden {LONG}"""'.encode()}, folder="later")
    install("made", {"made.py": f'"""first {LONG}"""'.encode()}, folder="sooner")
    assert texts_of(installed_docs(["made"]), "docstring") == {"made": f"first {LONG}"}


def test_a_distribution_without_a_list_of_its_files_is_as_good_as_absent(install):
    install("made", {"made.py": f'"""{LONG}"""'.encode(), "{info}/LICENSE": LICENCE}, record=False)
    assert names_of(installed_docs([]), "licence") == []
    with pytest.raises(ValueError, match="`packages` must be installed, with a list of their files: 'made' is not"):
        installed_docs(["made"])


def test_nothing_is_imported(install):
    install("made", {"made_bomb.py": f'"""{LONG}"""\nraise SystemExit("imported")\n'.encode()})
    assert names_of(installed_docs(["made"]), "docstring") == ["made_bomb"]
    assert "made_bomb" not in sys.modules


def test_limits(install):
    functions = "".join(f"def f{length}():\n    {'y' * length!r}\n" for length in (1, 99, 100, 101))
    install("made", {"made.py": functions.encode()})
    assert names_of(installed_docs(["made"], min_length=100), "docstring") == ["made.f100", "made.f101"]
    assert len(names_of(installed_docs(["made"], min_length=1), "docstring")) == 4
    everything = installed_docs(["made"])
    pd.testing.assert_frame_equal(installed_docs(["made"], max_documents=3), everything.head(3))
    pd.testing.assert_frame_equal(installed_docs(["made"], max_documents=10**6), everything)


def test_nothing_found_is_an_empty_table_of_the_same_kind(install):
    docs = installed_docs([], min_length=10**9)
    assert len(docs) == 0
    pd.testing.assert_series_equal(docs.dtypes, installed_docs([]).dtypes)


def test_progress_is_shown_on_request(install, capsys):
    install("made", {"made.py": b""})
    installed_docs(["made"])
    assert capsys.readouterr() == ("", "")
    installed_docs(["made"], progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "reading: 100%" in err


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"packages": "numpy"}, TypeError, "`packages` must be a sequence of documents, got one str"),
        ({"packages": ["numpy", "no-such-package"]}, ValueError, "'no-such-package' is not"),
        ({"packages": [], "min_length": 0}, ValueError, "`min_length` must be at least 1, got 0"),
        ({"packages": [], "max_documents": 0}, ValueError, "`max_documents` must be at least 1, got 0"),
        ({"packages": [], "max_documents": 2.5}, TypeError, "`max_documents` must be an integer"),
    ],
)
def test_installed_docs_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        installed_docs(**arguments)


# -- installed_docs on what is really here


@pytest.fixture(scope="module")
def docs():
    return installed_docs()


def test_real_documents(docs):
    assert docs.columns.to_list() == ["name", "kind", "text"]
    assert docs.index.equals(pd.RangeIndex(len(docs)))
    assert docs["name"].to_list() == sorted(docs["name"])
    assert set(docs["kind"]) == {"docstring", "licence"}
    assert docs["text"].str.len().min() >= 200
    docstrings = docs[docs["kind"] == "docstring"]
    paths = docstrings["name"].str.split(".")
    assert {path[0] for path in paths} >= set(DOCUMENTED_PACKAGES)
    assert not any({"tests", "test", "conftest"} & set(path[:-1]) for path in paths)
    assert len(docstrings) > 3000


def test_real_documents_have_near_duplicates(docs):
    for kind in ("docstring", "licence"):
        assert docs.loc[docs["kind"] == kind, "text"].duplicated().any()
    mit = docs["text"].str.contains("Permission is hereby granted, free of charge", regex=False)
    assert mit.sum() >= 5


def test_real_docstrings_are_those_that_python_shows(docs):
    texts = dict(zip(docs["name"], docs["text"], strict=True))
    for thing in (pd.DataFrame.merge, pd.Series.map, brentq, tqdm):
        assert texts[f"{thing.__module__}.{thing.__qualname__}"] == inspect.getdoc(thing)


def test_the_same_packages_give_the_same_table(docs):
    small = installed_docs(["tqdm", "click"])
    pd.testing.assert_frame_equal(installed_docs(["click", "tqdm"]), small)
    expected = docs[(docs["kind"] == "licence") | docs["name"].str.match(r"(click|tqdm)\b")]
    pd.testing.assert_frame_equal(small, expected.reset_index(drop=True))
