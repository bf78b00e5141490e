"""Readers keep every byte, bad input gets one sentence, and writers never leave half a file."""

import codecs
import csv
import gzip
import io
import json
import os
import stat
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minhash_nb.io import (
    Corpus,
    InputError,
    check_kept_name,
    check_outputs,
    check_table_name,
    corpus_format,
    format_by_name,
    read_corpus,
    write_json,
    write_kept,
    write_outputs,
    write_table,
)

BOM = codecs.BOM_UTF8


@pytest.fixture
def put(tmp_path):
    """Return ``put(name, content) -> path as str``: a file in a private folder."""

    def write(name: str, content: bytes) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return str(path)

    return write


def kept(corpus: Corpus, keep) -> bytes:
    stream = io.BytesIO()
    write_kept(corpus, keep, stream)
    return stream.getvalue()


def everything(corpus: Corpus) -> bytes:
    return kept(corpus, [True] * len(corpus))


def refusal(source, **options) -> str:
    with pytest.raises(InputError) as caught:
        read_corpus(source, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


# ---------------------------------------------------------------------------------- plain text


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\ntwo", ["one", "two"]),
        (b"one\r\n\r\ntwo\r\n", ["one", "", "two"]),
        (b"one\n\n\ntwo\n\n", ["one", "", "", "two", ""]),
        (BOM + b"one\n" + BOM + b"two\n", ["one", "\ufefftwo"]),
        (BOM, []),
        (b"a\0b\n\0\n", ["a\0b", "\0"]),
        (b"a\rb\r\r\nc\n", ["a\rb\r", "c"]),
        ("a\u2028b\x0bc\x0cd\x85e\x1cf\n".encode(), ["a\u2028b\x0bc\x0cd\x85e\x1cf"]),
        (b"caf\xe9\nok\n", ["caf\udce9", "ok"]),
    ],
)
def test_txt_is_a_document_a_line(put, content, texts):
    corpus = read_corpus(put("corpus.txt", content))
    assert corpus.texts == texts
    assert corpus.ids is None
    assert corpus.format == "txt"
    assert len(corpus) == len(corpus.records) == len(texts)
    assert everything(corpus) == content


def test_txt_drops_only_the_records_of_removed_documents(put):
    corpus = read_corpus(put("corpus.txt", BOM + b"one\r\ntwo\n\nth\xffree"))
    assert kept(corpus, [False, True, False, True]) == BOM + b"two\nth\xffree"
    assert kept(corpus, np.array([True, False, True, False])) == BOM + b"one\r\n\n"
    assert corpus.undecodable == 1


@given(st.binary(max_size=60).filter(lambda data: not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b"))))
def test_txt_round_trip(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("txt") / "corpus.txt"
    path.write_bytes(data)
    corpus = read_corpus(path)
    assert everything(corpus) == data
    assert [text.encode("utf-8", "surrogateescape") for text in corpus.texts] == [
        record.removesuffix(b"\n").removesuffix(b"\r") for record in corpus.records
    ]


# ---------------------------------------------------------------------------------- JSON lines


def test_jsonl_reads_texts_and_ids(put):
    content = BOM + b'\n{"id": 7, "text": "one"}\r\n \t\n{"text":"\\ud800 \xe2\x80\xa8 caf\xe9","id":"b", "x":[1]}\n\n'
    corpus = read_corpus(put("corpus.ndjson", content), id_column="id")
    assert corpus.texts == ["one", "\ud800 \u2028 caf\udce9"]
    assert corpus.ids == [7, "b"]
    assert corpus.format == "jsonl"
    assert corpus.undecodable == 1
    assert everything(corpus) == content
    assert kept(corpus, [False, True]) == BOM + b"\n" + content.splitlines(keepends=True)[3] + b"\n"


def test_jsonl_other_columns_and_no_ids(put):
    path = put("corpus.jsonl", b'{"body": "one"}\n{"body": ""}')
    corpus = read_corpus(path, text_column="body")
    assert (corpus.texts, corpus.ids) == (["one", ""], None)
    assert read_corpus(put("empty.jsonl", b"")).texts == []


@pytest.mark.parametrize(
    ("second", "says"),
    [
        (b'{"text": "x"', "line 3: not valid JSON (Expecting ',' delimiter at column 13)"),
        (b"nonsense", "line 3: not valid JSON (Expecting value at column 1)"),
        (b'{"text": "x"} {"text": "y"}', "line 3: not valid JSON (Extra data at column 15)"),
        (b'["text"]', "line 3: must be a JSON object, got ['text']"),
        (b'"text"', "line 3: must be a JSON object, got 'text'"),
        (b"null", "line 3: must be a JSON object, got null"),
        (b'{"text": null}', "line 3: column 'text' must be a string, got null"),
        (b'{"text": 17}', "line 3: column 'text' must be a string, got 17"),
        (b'{"text": ["a"]}', "line 3: column 'text' must be a string, got ['a']"),
        (
            b'{"body": "x", "id": 1}',
            "line 3: no column 'text', there are 'body', 'id': choose with `text_column`",
        ),
        (b"{}", "line 3: no column 'text', there are none: choose with `text_column`"),
        (b"[" * 100_000, "line 3: JSON beyond what can be read"),
        (b'{"text": "x", "n": ' + b"9" * 5000 + b"}", "line 3: JSON beyond what can be read"),
    ],
)
def test_jsonl_bad_line_is_named(put, second, says):
    path = put("corpus.jsonl", b'{"text": "fine"}\n\n' + second + b"\n")
    assert refusal(path).startswith(f"{path}, {says}")


def test_jsonl_many_columns_are_cut_short(put):
    row = json.dumps({f"c{i}": "" for i in range(1000)}).encode()
    message = refusal(put("corpus.jsonl", row))
    assert "'c19', ...: choose" in message
    assert "c20" not in message


@pytest.mark.parametrize(
    ("ids", "says"),
    [
        (["a", "b", "a", "b"], "ids must be unique, but 'a' stands in line 1 and again in line 3"),
        ([1, 2, "1"], "ids must be unique, but '1' stands in line 1 and again in line 3"),
        ([1, None], "line 2: column 'id' must be a string or integer, got null"),
        ([1, 2.5], "line 2: column 'id' must be a string or integer, got 2.5"),
        ([1, True], "line 2: column 'id' must be a string or integer, got True"),
        ([1, {"$oid": 2}], "line 2: column 'id' must be a string or integer, got {'$oid': 2}"),
        ([1, "\ud800"], "line 2: the id '\\ud800' cannot be written"),
    ],
)
def test_bad_ids_are_named(put, ids, says):
    path = put("corpus.jsonl", b"".join(json.dumps({"id": i, "text": ""}).encode() + b"\n" for i in ids))
    assert says in refusal(path, id_column="id")
    assert len(read_corpus(path)) == len(ids)  # nobody asked for the ids


def test_missing_id_column_is_named(put):
    message = refusal(put("corpus.jsonl", b'{"text": "x"}'), id_column="key")
    assert message.endswith("line 1: no column 'key', there are 'text': choose with `id_column`")


@given(
    st.lists(st.tuples(st.text(), st.sampled_from([b"", b"\n", b" \r\n"])), max_size=6),
    st.booleans(),
    st.sampled_from([b"\n", b"\r\n"]),
    st.booleans(),
)
def test_jsonl_round_trip(tmp_path_factory, rows, mark, end, last_end):
    parts = [json.dumps({"text": t}, ensure_ascii="a" in t).encode("utf-8", "surrogateescape") for t, _ in rows]
    data = (BOM if mark else b"") + b"".join(p + end + blank for p, (_, blank) in zip(parts, rows, strict=True))
    data = data if last_end else data.removesuffix(end)
    path = tmp_path_factory.mktemp("jsonl") / "corpus.jsonl"
    path.write_bytes(data)
    corpus = read_corpus(path)
    assert everything(corpus) == data
    assert corpus.texts == [text for text, _ in rows]


# ---------------------------------------------------------------------------------- CSV


def test_csv_rows_stay_as_they_are(put):
    header = b'id,"text",n\r\n'
    rows = [
        b'1,"two\r\nlines, ""quoted""\n\nand a blank one",x\r\n',
        b"2,plain,\n",
        b'3,"",\n\n',  # the blank line goes with the row before it
        b'4, caf\xe9\0 ,"z"',
    ]
    content = BOM + b"\n" + header + b"".join(rows)
    corpus = read_corpus(put("corpus.csv", content), id_column="id")
    assert corpus.texts == ['two\r\nlines, "quoted"\n\nand a blank one', "plain", "", " caf\udce9\0 "]
    assert corpus.ids == ["1", "2", "3", "4"]
    assert corpus.undecodable == 1
    assert corpus.records == rows
    assert everything(corpus) == content
    assert kept(corpus, [False, True, False, True]) == BOM + b"\n" + header + rows[1] + rows[3]


def test_csv_with_a_header_only_has_no_documents(put):
    corpus = read_corpus(put("corpus.csv", b"text"))
    assert corpus.texts == []
    assert everything(corpus) == b"text"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", ": empty, a CSV file needs a header row"),
        (b"\n\n", ": empty, a CSV file needs a header row"),
        (b"id,body\n1,x\n", ": no column 'text', there are 'id', 'body': choose with `text_column`"),
        (b"text,text\n1,x\n", ": 2 columns are named 'text', one is needed"),
        (b'text,n\n"a\nb",1\nonly\n', ", line 4: 1 field where the header has 2"),
        (b"text,n\na,1\nb,c,d\n", ", line 3: 3 fields where the header has 2"),
        (b'text,n\na,1\n"never closed,1\nb,2\n', ", line 3: not a valid CSV row (unexpected end of data)"),
        (b'text,n\n"a"b,1\n', ", line 2: not a valid CSV row (',' expected after '\"')"),
        (b"text,n\ra,1\rb,2\r", ", line 1: not a valid CSV row (new-line character seen in unquoted field"),
    ],
)
def test_csv_bad_row_is_named(put, content, says):
    path = put("corpus.csv", content)
    assert refusal(path).startswith(path + says)


@pytest.mark.parametrize("tail", [b"", b"too,many\n"])
def test_csv_field_size_limit_is_lifted_and_restored(put, tail):
    before = csv.field_size_limit()
    path = put("corpus.csv", b"text\n" + b"x" * (before + 1) + b"\n" + tail)
    if tail:
        assert "line 3: 2 fields" in refusal(path)
    else:
        assert len(read_corpus(path).texts[0]) == before + 1
    assert csv.field_size_limit() == before


@given(
    st.lists(st.tuples(st.text(), st.text()), max_size=6),
    st.booleans(),
    st.sampled_from([("\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_MINIMAL)]),
    st.booleans(),
)
def test_csv_round_trip(tmp_path_factory, rows, mark, dialect, last_end):
    written = io.StringIO()
    end, quoting = dialect
    writer = csv.writer(written, lineterminator=end, quoting=quoting)
    writer.writerows([("other", "text"), *rows])
    data = (BOM if mark else b"") + written.getvalue().encode("utf-8", "surrogatepass")
    data = data if last_end else data.removesuffix(end.encode())
    path = tmp_path_factory.mktemp("csv") / "corpus.csv"
    path.write_bytes(data)
    corpus = read_corpus(path)
    assert everything(corpus) == data
    assert [text.encode("utf-8", "surrogateescape") for text in corpus.texts] == [
        text.encode("utf-8", "surrogatepass") for _, text in rows
    ]
    assert [
        next(csv.reader(io.StringIO(raw.decode("utf-8", "surrogateescape"), newline=""))) for raw in corpus.records
    ] == [
        [part.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape") for part in row] for row in rows
    ]  # each record alone is its row


# ---------------------------------------------------------------------------------- Parquet


@pytest.fixture
def arrow():
    return pytest.importorskip("pyarrow", reason="pyarrow is not installed")


@pytest.mark.parametrize("compliant", [True, False])
def test_parquet_keeps_rows_and_schema(arrow, tmp_path, compliant):
    import pyarrow.parquet as pq

    table = arrow.table(
        {
            "id": arrow.array([3, 1, 2], arrow.uint16()),
            "text": arrow.array(["one", "two", ""], arrow.large_string()),
            "more": arrow.array([[1.5], None, []], arrow.list_(arrow.float32())),
        }
    ).replace_schema_metadata({"made by": "hand"})
    pq.write_table(table, tmp_path / "corpus.parquet", use_compliant_nested_type=compliant)
    table = pq.read_table(tmp_path / "corpus.parquet")
    corpus = read_corpus(tmp_path / "corpus.parquet", id_column="id")
    assert (corpus.texts, corpus.ids, corpus.undecodable) == (["one", "two", ""], [3, 1, 2], 0)
    again = pq.read_table(io.BytesIO(kept(corpus, np.array([True, False, True]))))
    assert again.schema.equals(table.schema, check_metadata=True)
    assert again.equals(table.take([0, 2]))


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "dictionary"])
def test_parquet_string_types(arrow, tmp_path, kind):
    import pyarrow.parquet as pq

    texts = arrow.array(["one", "", "one"])
    texts = texts.dictionary_encode() if kind == "dictionary" else texts.cast(getattr(arrow, kind)())
    pq.write_table(arrow.table({"text": texts, "id": ["a", "b", "c"]}), tmp_path / "c.parquet")
    corpus = read_corpus(tmp_path / "c.parquet", id_column="id")
    assert (corpus.texts, corpus.ids) == (["one", "", "one"], ["a", "b", "c"])


def test_parquet_bytes_that_are_not_utf8_are_kept(arrow, tmp_path):
    import pyarrow.parquet as pq

    texts = arrow.array([b"caf\xe9", b"ok"], arrow.binary()).view(arrow.string())
    pq.write_table(arrow.table({"text": texts}), tmp_path / "c.parquet")
    corpus = read_corpus(tmp_path / "c.parquet")
    assert (corpus.texts, corpus.undecodable) == (["caf\udce9", "ok"], 1)


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"text": ["a", None]}, ", row 2: column 'text' must be a string, got null"),
        ({"text": [1, 2]}, ": column 'text' must hold strings, its type is int64"),
        ({"text": [b"a"]}, ": column 'text' must hold strings, its type is binary"),
        ({"body": ["a"]}, ": no column 'text', there are 'body': choose with `text_column`"),
        ({"text": ["a"], "id": [1.5]}, ": column 'id' must hold strings or integers, its type is double"),
        ({"text": ["a", "b"], "id": [1, None]}, ", row 2: column 'id' must be a string or integer, got null"),
        (
            {"text": ["a", "b"], "id": [1, 1]},
            ": ids must be unique, but 1 stands in row 1 and again in row 2",
        ),
    ],
)
def test_parquet_bad_columns(arrow, tmp_path, columns, says):
    import pyarrow.parquet as pq

    path = str(tmp_path / "corpus.parquet")
    pq.write_table(arrow.table(columns), path)
    assert refusal(path, id_column="id" if "id" in columns else None) == path + says


def test_parquet_damaged(arrow, put):
    assert "not a readable Parquet file" in refusal(put("corpus.parquet", b"PAR1 and then nothing"))
    assert "not a readable Parquet file" in refusal(put("empty.parquet", b""))


def test_parquet_without_pyarrow(put, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = put("corpus.parquet", b"PAR1")
    assert refusal(path) == f"{path} needs pyarrow: pip install 'minhash-nb[parquet]'"
    with pytest.raises(InputError, match="needs pyarrow"):
        check_table_name("pairs.parquet")


# ---------------------------------------------------------------------------------- folders


def test_folder_is_a_document_a_file(put, tmp_path):
    put("docs/b.txt", BOM + b"two\nlines\n")
    put("docs/a/z.md", b"caf\xe9")
    put("docs/a.txt", b"")
    put("docs/.hidden", b"no")
    put("docs/.git/config", b"no")
    put("docs/picture.png", b"\x89PNG\r\n\0\0")
    put("docs/late-nul.txt", b"x" * 9000 + b"\0")
    (tmp_path / "docs" / "empty folder").mkdir()
    (tmp_path / "docs" / "dangling").symlink_to("nowhere")
    (tmp_path / "docs" / "loop").symlink_to(tmp_path / "docs")
    os.mkfifo(tmp_path / "docs" / "pipe")
    corpus = read_corpus(tmp_path / "docs")
    assert corpus.format == "folder"
    assert corpus.ids == ["a.txt", "a/z.md", "b.txt", "late-nul.txt"]
    assert corpus.texts[:3] == ["", "caf\udce9", "two\nlines\n"]
    assert corpus.skipped == ["picture.png"]
    assert corpus.undecodable == 1
    assert kept(corpus, [True, False, True, False]) == b"a.txt\nb.txt\n"


def test_folder_names_that_are_not_utf8_are_listed_as_they_are(tmp_path):
    name = os.path.join(os.fsencode(tmp_path), b"caf\xe9.txt")
    try:
        Path(os.fsdecode(name)).write_text("x")
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    assert everything(read_corpus(tmp_path)) == b"caf\xe9.txt\n"


def test_folder_refusals(put, tmp_path):
    (tmp_path / "empty").mkdir()
    assert refusal(tmp_path / "empty").endswith("empty: the folder holds no files (hidden ones do not count)")
    put("binary/x.bin", b"\0")
    assert refusal(tmp_path / "binary").endswith("binary: the folder holds only binary files (1)")
    put("broken/two\nlines.txt", b"x")
    assert r"'two\nlines.txt' holds a line break" in refusal(tmp_path / "broken")
    assert "`format` does not apply" in refusal(tmp_path / "binary", format="txt")
    assert "`id_column` does not apply" in refusal(tmp_path / "binary", id_column="id")


# ---------------------------------------------------------------------------------- where it comes from


@pytest.mark.parametrize(
    ("name", "content"),
    [("c.txt.gz", b"one\ntwo"), ("c.JSONL.GZ", b'{"text": "one"}\n'), ("c.csv.gz", b"text\none\n")],
)
def test_gzip_in(put, name, content):
    path = put(name, content)
    Path(path).write_bytes(gzip.compress(content[:5]) + gzip.compress(content[5:]))  # two members, as cat makes
    corpus = read_corpus(path)
    assert corpus.texts[0] == "one"
    assert everything(corpus) == content


def test_gzip_refusals(put):
    path = put("corpus.txt.gz", bytes(range(256)) * 50)
    whole = Path(path).read_bytes()
    for damaged in (whole[:-9], whole[:12], whole[:2], whole[:-8] + bytes(8), whole + b"rubbish"):
        Path(path).write_bytes(damaged)
        assert refusal(path).startswith(f"{path}: damaged or truncated gzip (")
    for other in (b"", b"plain text\n"):
        Path(path).write_bytes(other)
        assert refusal(path) == f"{path}: named .gz but not gzip data"


@pytest.mark.parametrize("squeeze", [bytes, gzip.compress])
def test_standard_input(monkeypatch, squeeze):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(squeeze(b"one\r\ntwo"))))
    corpus = read_corpus("-", format="txt")
    assert (corpus.source, corpus.texts) == ("-", ["one", "two"])
    assert everything(corpus) == b"one\r\ntwo"


def test_standard_input_messages(monkeypatch):
    assert refusal("-") == "standard input needs a `format`: one of txt, jsonl, csv, parquet"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{")))
    assert refusal("-", format="jsonl").startswith("standard input, line 1: not valid JSON")


def test_source_refusals(put, tmp_path):
    absent = str(tmp_path / "absent.txt")
    assert refusal(absent) == f"{absent}: no such file or folder"
    path = put("corpus.xyz", b"one\n")
    assert refusal(path).endswith("(or these with .gz): say which with `format`")
    assert read_corpus(path, format="txt").texts == ["one"]
    assert "UTF-16 text, convert it to UTF-8 first" in refusal(put("wide.txt", "one\n".encode("utf-16")))
    assert "`id_column` does not apply" in refusal(put("c.txt", b""), id_column="id")
    with pytest.raises(ValueError, match=r"`format` must be one of 'txt', .*, got 'xml'"):
        read_corpus(path, format="xml")


def test_unreadable_file(put, tmp_path, monkeypatch):
    path = put("docs/corpus.txt", b"one\n")

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert refusal(path) == f"{path}: Permission denied"
    assert refusal(tmp_path / "docs") == f"{path}: Permission denied"
    monkeypatch.setattr(os, "scandir", refuse)
    assert refusal(tmp_path / "docs").endswith(": Permission denied")


def test_formats_by_name():
    known = {"a.TXT": "txt", "a.b.ndjson": "jsonl", "a.csv.gz": "csv", "a.parquet": "parquet"}
    assert {name: format_by_name(name) for name in known} == known
    assert {format_by_name(name) for name in ("a.tar.gz", "txt", ".txt", "a.", "a.txt.bz2", "-")} == {None}
    assert corpus_format(os.curdir) == "folder"
    assert corpus_format("-", "csv") == "csv"


def test_repr():
    corpus = Corpus("c.txt", "txt", ["one"] * 1000)
    assert repr(corpus) == "Corpus('c.txt', txt, 1,000 documents without ids)"


def test_real_corpora_round_trip(data_dir):
    path = data_dir / "sms.jsonl.gz"
    corpus = read_corpus(path, id_column="id")
    assert len(corpus) == 5574
    assert everything(corpus) == gzip.decompress(path.read_bytes())


# ---------------------------------------------------------------------------------- outputs


def refused_outputs(source, outputs) -> str:
    with pytest.raises(InputError) as caught:
        check_outputs(source, outputs)
    return str(caught.value)


def test_outputs_that_are_fine(put, tmp_path):
    source = put("corpus.txt", b"one\n")
    check_outputs(source, [put("old.txt", b""), tmp_path / "new.txt", "-"])
    check_outputs("-", ["-", "relative.txt"])
    check_outputs(source, [])
    put("docs/a.txt", b"")
    check_outputs(tmp_path / "docs", [tmp_path / "docs.txt"])


def test_output_that_is_the_input(put, tmp_path, monkeypatch):
    source = put("corpus.txt", b"one\n")
    (tmp_path / "soft.txt").symlink_to(source)
    (tmp_path / "hard.txt").hardlink_to(source)
    (tmp_path / "folder").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    for same in (source, "corpus.txt", "folder/corpus.txt", "./folder/./corpus.txt", "soft.txt", "hard.txt"):
        assert refused_outputs(source, [same]) == f"{same} is the input itself: write to another file"
        assert "is the input itself" in refused_outputs(same, [source])


def test_output_that_is_the_redirected_input(put, monkeypatch):
    source, other = put("corpus.txt", b"one\n"), put("other.txt", b"one\n")
    with open(source, encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert "is the input itself" in refused_outputs("-", [source])
        check_outputs("-", [other, "-"])


def test_output_inside_the_input_folder(put, tmp_path):
    put("docs/deep/a.txt", b"")
    (tmp_path / "link").symlink_to(tmp_path / "docs")
    for inside in ("docs/kept.txt", "docs/deep/a.txt", "link/deep/kept.txt"):
        assert "lies in the input folder" in refused_outputs(tmp_path / "docs", [tmp_path / inside])
        assert "lies in the input folder" in refused_outputs(tmp_path / "link", [tmp_path / inside])


def test_two_outputs_in_one_place(put, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    first, second = str(tmp_path / "a.csv"), str(tmp_path / "link" / "a.csv")
    assert refused_outputs("-", [first, second]) == f"two outputs would go to one place: {first} and {second}"
    assert "one place: - and -" in refused_outputs("-", ["-", first, "-"])
    (tmp_path / "b.csv").symlink_to("a.csv")
    assert "one place" in refused_outputs("-", [tmp_path / "b.csv", first])


def test_outputs_that_cannot_be_written(put, tmp_path, monkeypatch):
    assert "is a folder, an output must be a file" in refused_outputs("-", [tmp_path])
    assert "does not exist" in refused_outputs("-", [tmp_path / "no" / "x.csv"])
    assert "does not exist" in refused_outputs("-", [put("file", b"") + "/x.csv"])
    os.mkfifo(tmp_path / "pipe")
    assert "is not a regular file" in refused_outputs("-", [tmp_path / "pipe"])
    assert "is not a regular file" in refused_outputs("-", [os.devnull])
    locked = put("locked.csv", b"")
    monkeypatch.setattr(os, "access", lambda path, mode: path != os.path.realpath(locked))
    assert refused_outputs("-", [locked]) == f"{locked}: no permission to write there"
    monkeypatch.setattr(os, "access", lambda path, mode: path != os.path.realpath(tmp_path))
    assert refused_outputs("-", [tmp_path / "new"]).endswith("new: no permission to write there")


@pytest.mark.parametrize(
    ("name", "format", "fine"),
    [
        ("kept.jsonl", "jsonl", True), ("kept.ndjson.gz", "jsonl", True), ("kept", "csv", True),
        ("kept.out", "csv", True), ("kept.txt", "folder", True), ("kept.lst", "folder", True),
        ("kept.csv", "jsonl", False), ("kept.txt", "parquet", False), ("kept.csv", "folder", False),
        ("-", "csv", True),
    ],
)  # fmt: skip
def test_names_for_the_kept(name, format, fine):
    if fine:
        check_kept_name(name, format)
    else:
        with pytest.raises(InputError, match=f"^{name}: the output will be "):
            check_kept_name(name, format)


def test_names_for_tables():
    for name in ("-", "pairs.csv", "pairs.CSV.gz"):
        check_table_name(name)
    for name in ("pairs", "pairs.tsv", "pairs.txt", "pairs.jsonl"):
        with pytest.raises(InputError, match=f"^{name}: a table is written as"):
            check_table_name(name)


def test_write_outputs_writes_all(put, tmp_path, capfdbinary):
    old = Path(put("old.bin", b"before"))
    old.chmod(0o640)
    link = tmp_path / "link.bin"
    link.symlink_to(old)
    new, squeezed = str(tmp_path / "new.bin"), str(tmp_path / "new.gz")
    write_outputs(
        {
            "-": lambda stream: stream.write(b"to the terminal"),
            str(link): lambda stream: stream.write(b"after"),
            new: lambda stream: stream.write(b"new"),
            squeezed: lambda stream: stream.write(b"squeezed"),
        }
    )
    assert old.read_bytes() == b"after"
    assert link.is_symlink()
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    assert Path(new).stat().st_mode == plain.stat().st_mode  # as the user's umask has it
    assert Path(new).read_bytes() == b"new"
    assert gzip.decompress(Path(squeezed).read_bytes()) == b"squeezed"
    assert capfdbinary.readouterr().out == b"to the terminal"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.bin", "new.bin", "new.gz", "old.bin", "plain"]


def test_gzip_out_is_deterministic(tmp_path, monkeypatch):
    first, second = tmp_path / "a.gz", tmp_path / "b.gz"
    write_outputs({str(first): lambda stream: stream.write(b"same")})
    monkeypatch.setattr("time.time", lambda: 1e9)
    write_outputs({str(second): lambda stream: stream.write(b"same")})
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt(), ValueError("x")])
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_failure_leaves_the_last_good_outputs_and_nothing_else(put, tmp_path, failure, suffix):
    first, second, third = "first" + suffix, "second" + suffix, "third" + suffix
    before = {name: Path(put(name, b"good " * 99)).read_bytes() for name in (first, second)}

    def fail(stream):
        stream.write(b"half")
        raise failure

    with pytest.raises(type(failure)):
        write_outputs(
            {
                str(tmp_path / first): lambda stream: stream.write(b"new"),
                str(tmp_path / second): fail,
                str(tmp_path / third): lambda stream: stream.write(b"new"),
            }
        )
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_failed_rename_leaves_nothing(put, tmp_path, monkeypatch):
    path = put("old", b"good")

    def refuse(*_):
        raise OSError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="Permission denied"):
        write_outputs({path: lambda stream: stream.write(b"new")})
    assert [p.name for p in tmp_path.iterdir()] == ["old"]
    assert Path(path).read_bytes() == b"good"


def table() -> pd.DataFrame:
    ids = ["a,b", 'say "x"', "caf\udce9"]
    return pd.DataFrame({"i": range(3), "id": pd.Series(ids, dtype=object), "jaccard": [0.1, 1 / 3, 1.0]})


def test_table_as_csv():
    stream = io.BytesIO()
    write_table(table(), "pairs.csv", stream)
    assert stream.getvalue() == (b'i,id,jaccard\n0,"a,b",0.1\n1,"say ""x""",0.3333333333333333\n2,caf\xe9,1.0\n')
    stream.write(b"still open")


def test_table_as_parquet(arrow):
    stream = io.BytesIO()
    frame = table().assign(id=["a", "b", "c"])
    write_table(frame, "pairs.parquet", stream)
    pd.testing.assert_frame_equal(pd.read_parquet(io.BytesIO(stream.getvalue())), frame, check_dtype=False)
    for ids in (["a", 1, "b"], ["a", "b", "caf\udce9"], [1, 2, 10**30]):
        with pytest.raises(InputError, match=r"^pairs.parquet: Parquet cannot hold this table .*, choose \.csv$"):
            write_table(table().assign(id=pd.Series(ids, dtype=object)), "pairs.parquet", io.BytesIO())


def test_json_takes_numpy_values():
    stream = io.BytesIO()
    value = {"n": np.int64(3), "x": np.float64(0.5), "on": np.bool_(True), "v": np.arange(2), "t": "é\udce9"}
    write_json(value, stream)
    assert stream.getvalue().endswith(b"}\n")
    assert json.loads(stream.getvalue()) == {"n": 3, "x": 0.5, "on": True, "v": [0, 1], "t": "é\udce9"}
