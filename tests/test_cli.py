"""The command line: what it writes, what it says, and how it leaves."""

import csv
import gzip
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import minhash_nb as mnb
from minhash_nb.cli import cli, main

BOM = b"\xef\xbb\xbf"


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """Near-duplicates of a few sentences, with exact copies, empty and short documents among them."""
    corpus = mnb.datasets.generate_corpus(num_docs=120, dup_fraction=0.5, seed=3)
    return [
        *corpus[:60],
        "",
        "hi",
        *corpus[60:],
        "hi",
        "",
        *corpus[:9],
        "caf\udce9 au lait, twice",
        "hello, you",
    ]


@pytest.fixture(scope="module")
def result(texts):
    return mnb.find_near_duplicates(texts, threshold=0.7)


def start(*args, code: str = "from minhash_nb.cli import main; main()", **options) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def as_records(format: str, texts: list[str]) -> tuple[bytes, list[bytes]]:
    """Return a header and one record for each text, in as many manners of writing as the format allows."""
    ends = [b"\n", b"\r\n"]
    if format == "txt":
        header, records = BOM, [raw(text) + ends[i % 2] for i, text in enumerate(texts)]
    elif format == "jsonl":
        header, records = BOM + b" \n", []
        for i, text in enumerate(texts):
            quoted = raw(json.dumps(text, ensure_ascii=False))
            record = b'{"text":%b, "id": %d }' % (quoted, i) if i % 2 else b'{"id":%d,"n":null,"text":%b}' % (i, quoted)
            records.append(record + ends[i // 2 % 2] + b"\n" * (i % 3 == 0))
    else:
        header, records = BOM + b'"id",text,"a ""note"""\r\n', []
        for i, text in enumerate(texts):
            note = b'"two\r\nlines,\n\n"' if i % 2 else b""
            records.append(b'%d,"%b",%b' % (i, raw(text), note) + ends[i // 2 % 2] + b"\n" * (i % 3 == 0))
    records[-1] = records[-1].rstrip(b"\r\n")  # no line end at the end of the file
    return header, records


def put(path: Path, content: bytes) -> Path:
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def get(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


# ---------------------------------------------------------------------------------- dedup


@pytest.mark.parametrize("squeezed", [("", ""), (".gz", ""), ("", ".gz")])
@pytest.mark.parametrize("format", ["txt", "jsonl", "csv"])
def test_kept_rows_are_unchanged(run, tmp_path, texts, result, format, squeezed):
    header, records = as_records(format, texts)
    source = put(tmp_path / f"corpus.{format}{squeezed[0]}", header + b"".join(records))
    output = tmp_path / f"kept.{format}{squeezed[1]}"
    code, out, err = run("dedup", source, "--threshold", 0.7, "--output", output)
    assert (code, out) == (0, b"")
    assert 0 < result.keep.sum() < len(texts)
    kept = [record for record, keep in zip(records, result.keep, strict=True) if keep]
    assert get(output) == header + b"".join(kept)
    assert f"{len(kept)} kept documents -> {output}" in err
    assert "not UTF-8         1 (kept as they are)" in err


def test_tables_and_report(run, tmp_path, texts, result):
    header, records = as_records("jsonl", texts)
    source = put(tmp_path / "corpus.jsonl", header + b"".join(records))
    paths = {name: tmp_path / f"{name}.csv" for name in ("pairs", "removed")}
    code, out, err = run(
        "dedup", source, "--threshold", 0.7, "--id-column", "id", "--report", tmp_path / "report.json",
        "--pairs", paths["pairs"], "--removed", paths["removed"],
    )  # fmt: skip
    assert (code, out) == (0, b"")
    pairs = pd.read_csv(paths["pairs"])
    assert list(pairs) == ["i", "j", "i_id", "j_id", "jaccard", "estimate"]
    assert pairs["i_id"].equals(pairs["i"])  # this corpus has its positions as ids
    pd.testing.assert_frame_equal(pairs[list(result.pairs)], result.pairs.reset_index(drop=True), check_exact=True)
    removed = pd.read_csv(paths["removed"])
    assert list(removed) == ["document", "representative", "document_id", "representative_id", "jaccard"]
    pd.testing.assert_frame_equal(
        removed[list(result.removed)], result.removed.reset_index(drop=True), check_exact=True
    )
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["input"] == {"source": str(source), "format": "jsonl", "undecodable": 1, "skipped": []}
    counts = {key: value for key, value in result.report.items() if isinstance(value, int)}
    assert len(counts) >= 9
    assert {key: report[key] for key in counts} == counts
    shown = {line[:18].strip(): line[18:] for line in err}
    assert shown["documents"] == f"{len(texts)}"
    assert (shown["empty"], shown["shorter than k"]) == ("2", "2")
    assert shown["exact duplicates"] == f"{result.report['exact_duplicates']}"
    assert shown["verified pairs"] == f"{len(pairs) - result.report['exact_duplicates']}"
    assert shown["removed"].startswith(f"{len(removed)} (")
    assert len(removed) + int(result.keep.sum()) == len(texts)


def test_options_reach_the_search(run, tmp_path, texts):
    source = put(tmp_path / "corpus.txt", b"".join(raw(text) + b"\n" for text in texts))
    options = {"threshold": 0.4, "recall": 0.9, "k": 2, "unit": "word", "num_hashes": 128, "seed": 7}
    options |= {"linkage": "components", "short_texts": "drop", "empty": "duplicates"}
    flags = [part for name, value in options.items() for part in ("--" + name.replace("_", "-"), value)]
    report = tmp_path / "report.json"
    code, out, _ = run("dedup", source, *flags, "--threads", 1, "--report", report, "-o", "-")
    expected = mnb.find_near_duplicates(texts, **options)
    assert code == 0
    assert out == b"".join(raw(t) + b"\n" for t, keep in zip(texts, expected.keep, strict=True) if keep)
    assert json.loads(report.read_text())["parameters"] == expected.report["parameters"]
    default = mnb.find_near_duplicates(texts, threshold=0.4)
    assert not np.array_equal(expected.keep, default.keep)  # or this test would show nothing


def test_threshold_one_keeps_all_but_copies(run, tmp_path):
    source = put(tmp_path / "corpus.txt", b"the same words\nthe same word\nThe  same words \n\n\n")
    code, out, _ = run("dedup", source, "--threshold", 1, "-o", "-")
    assert (code, out) == (0, b"the same words\nthe same word\n\n\n")


def test_empty_input(run, tmp_path):
    source = put(tmp_path / "corpus.txt", b"")
    output, pairs = tmp_path / "kept.txt", tmp_path / "pairs.csv"
    code, _, err = run("dedup", source, "-o", output, "--pairs", pairs)
    assert code == 0
    assert output.read_bytes() == b""
    assert pairs.read_bytes() == b"i,j,jaccard,estimate\n"
    assert "removed           0 (0.0%)" in err


def test_folder_lists_the_kept_paths(run, tmp_path):
    folder = tmp_path / "letters"
    (folder / "old").mkdir(parents=True)
    put(folder / "b.txt", b"the quick brown fox jumps over the lazy dog")
    put(folder / "old" / "a.txt", b"The quick brown fox jumps\nover the lazy dog\n")
    put(folder / "z.md", b"something else altogether")
    put(folder / "picture.png", b"\x89PNG\0")
    output, removed = tmp_path / "kept.txt", tmp_path / "removed.csv"
    code, _, err = run("dedup", folder, "-o", output, "--removed", removed)
    assert code == 0
    assert output.read_text() == "b.txt\nz.md\n"
    assert removed.read_text().splitlines()[1] == "1,0,old/a.txt,b.txt,1.0"
    assert "binary files      1 (left out; the first: picture.png)" in err


def test_standard_input_to_standard_output(run, tmp_path, texts, result):
    header, records = as_records("csv", texts)
    content = header + b"".join(records)
    kept = header + b"".join(r for r, keep in zip(records, result.keep, strict=True) if keep)
    pairs = tmp_path / "pairs.csv"
    for given in (content, gzip.compress(content)):
        code, out, err = run(
            "dedup",
            "-",
            "--format",
            "csv",
            "--threshold",
            0.7,
            "--output",
            "-",
            "--pairs",
            pairs,
            stdin=given,
        )
        assert (code, out) == (0, kept)
        assert f"{result.keep.sum()} kept documents -> standard output" in err
        assert pairs.read_bytes().count(b"\n") == len(result.pairs) + 1


def test_parquet(run, tmp_path, texts, result):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    frame = pd.DataFrame({"id": range(len(texts)), "text": [text.replace("\udce9", "é") for text in texts]})
    frame.to_parquet(tmp_path / "corpus.parquet")
    output, pairs = tmp_path / "kept.parquet", tmp_path / "pairs.parquet"
    code, _, _ = run("dedup", tmp_path / "corpus.parquet", "--threshold", 0.7, "-o", output, "--pairs", pairs)
    assert code == 0
    pd.testing.assert_frame_equal(pd.read_parquet(output), frame[result.keep].reset_index(drop=True))
    pd.testing.assert_frame_equal(pd.read_parquet(pairs), result.pairs.reset_index(drop=True))


def test_ids_that_are_not_unicode_are_written_as_they_came(run, tmp_path):
    rows = [b"caf\xe9,the very same words", b'"a,b",the very same words', b"c,something else"]
    source = put(tmp_path / "corpus.csv", b"\n".join([b"id,text", *rows]))
    code, out, _ = run("pairs", source, "--id-column", "id")
    assert (code, out) == (0, b'i,j,i_id,j_id,jaccard,estimate\n0,1,caf\xe9,"a,b",1.0,1.0\n')


def test_nothing_asked_for_is_said(run, tmp_path):
    code, out, err = run("dedup", put(tmp_path / "corpus.txt", b"one\n"))
    assert (code, out) == (0, b"")
    assert err[-1] == "nothing written: ask for --output, --pairs, --removed or --report"


def test_compilation_is_announced(run, tmp_path, monkeypatch):
    source = put(tmp_path / "corpus.txt", b"one\n")
    for cold in (True, False):
        monkeypatch.setattr("minhash_nb.threads.first_run", lambda cold=cold: cold)
        assert ("compiling kernels (first run only)" in run("dedup", source)[2]) is cold


# ---------------------------------------------------------------------------------- the other commands


def test_pairs_go_to_standard_output(run, tmp_path, texts, result):
    source = put(tmp_path / "corpus.txt", b"\n".join(map(raw, texts)))
    code, out, err = run("pairs", source, "--threshold", 0.7, "--report", tmp_path / "report.json")
    assert (code, err) == (0, [])
    rows = list(csv.DictReader(io.StringIO(out.decode())))
    assert [(int(row["i"]), int(row["j"])) for row in rows] == list(
        zip(result.pairs["i"], result.pairs["j"], strict=True)
    )
    assert [float(row["jaccard"]) for row in rows] == list(result.pairs["jaccard"])
    assert json.loads((tmp_path / "report.json").read_text())["verified"] == result.report["verified"]
    assert run("pairs", source, "--threshold", 0.7, "-o", tmp_path / "pairs.csv")[:2] == (0, b"")
    assert (tmp_path / "pairs.csv").read_bytes() == out


def test_config(run):
    code, out, err = run("config")
    assert (code, err) == (0, [])
    assert f"minhash_nb       {mnb.__version__}" in out.decode().splitlines()


def test_version(run):
    assert run("--version") == (0, f"minhash-nb, version {mnb.__version__}\n".encode(), [])


@pytest.mark.parametrize("command", [None, *cli.commands])
def test_help_explains_itself_with_an_example(run, command):
    code, out, err = run(*([command] if command else []), "--help")
    assert (code, err) == (0, [])
    text = out.decode()
    assert f"\n    minhash-nb {command or 'demo'}" in text  # the example keeps its own lines
    for option in cli.commands[command].params if command else ():
        assert option.opts[0] in text or option.human_readable_name in text
    if command is None:
        assert run() == (0, out, [])


def test_demo(run, tmp_path, monkeypatch):
    texts = [
        "A function that adds two numbers and returns their sum as a float.",
        "A function that adds two numbers and returns their sum as a float!",
        "A function that adds two numbers and returns their sum as a float.",
        "Something else altogether, about the weather in the north of the country.",
    ]
    docs = pd.DataFrame({"name": ["one.f", "two.g", "three.h", "four.i"], "kind": "docstring", "text": texts})
    monkeypatch.setattr("minhash_nb.datasets.installed_docs", lambda progress: docs)
    folder = tmp_path / "made" / "here"
    code, out, _ = run("demo", "--output-dir", folder)
    assert code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["pairs.csv", "removed.csv", "s_curve.png"]
    jaccard = mnb.compare(texts[0], texts[1]).jaccard
    assert f"  {jaccard:.4f}  one.f\n          two.g\n" in out.decode()
    assert "1.0000" not in out.decode()
    assert "documents         4\n" in out.decode()
    pairs = pd.read_csv(folder / "pairs.csv")
    assert pairs[["i_id", "j_id"]].to_numpy().tolist() == [["one.f", "two.g"], ["one.f", "three.h"]]
    assert pd.read_csv(folder / "removed.csv")["document_id"].to_list() == ["two.g", "three.h"]
    assert (folder / "s_curve.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert run("demo", "--output-dir", folder / "pairs.csv")[0] == 2


# ---------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--threshold", "0"], "--threshold must be in (0, 1], got 0.0"),
        (["--threshold", "1.2"], "--threshold must be in (0, 1], got 1.2"),
        (["--threshold", "nan"], "--threshold must be in (0, 1], got nan"),
        (["--threshold", "-0.1"], "--threshold must be in (0, 1], got -0.1"),
        (["--threshold", "high"], "'high' is not a valid float"),
        (["--recall", "0"], "--recall must be in (0, 1), got 0.0"),
        (["--k", "0"], "--k must be at least 1, got 0"),
        (["--k", "2.5"], "'2.5' is not a valid integer"),
        (["--unit", "line"], "'line' is not one of 'char', 'word', 'byte'"),
        (["--num-hashes", "0"], "--num-hashes must be at least 1, got 0"),
        (["--num-hashes", "1"], "--num-hashes"),
        (["--recall", "1"], "--recall"),
        (["--seed", "-1"], "--seed"),
        (["--threads", "0"], "--threads must be between 1 and "),
        (["--threads", "100000"], "--threads must be between 1 and "),
        (["--linkage", "single"], "'single' is not one of 'star', 'components'"),
        (["--format", "xml"], "'xml' is not one of"),
        (["--treshold", "0.8"], "No such option"),
        (["--output"], "requires an argument"),
        (["extra"], "unexpected extra argument"),
        (["--id-column", "id"], "plain text without columns: --id-column does not apply"),
        (["--format", "jsonl"], "corpus.txt, line 1: not valid JSON"),
        (["--format", "csv"], "corpus.txt: no column 'text', there are 'one'"),
        (["--output", "kept.csv"], "kept.csv: the output will be txt, as the input is"),
        (["--pairs", "pairs.txt"], "pairs.txt: a table is written as .csv"),
        (["--removed", "removed"], "removed: a table is written as .csv"),
        (["--output", "corpus.txt"], "corpus.txt is the input itself"),
        (["--output", "link.txt"], "link.txt is the input itself"),
        (["--pairs", "a.csv", "--removed", "./a.csv"], "two outputs would go to one place"),
        (["--pairs", "-", "--output", "-"], "two outputs would go to one place"),
        (["--report", "nowhere/report.json"], "does not exist"),
        (["--output", "."], ". is a folder"),
        (["--output", ""], "is a folder"),
    ],
)
def test_bad_use_is_one_sentence_and_code_2(run, tmp_path, monkeypatch, args, says):
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "corpus.txt", b"one\ntwo\n")
    (tmp_path / "link.txt").symlink_to("corpus.txt")
    before = sorted(os.listdir())
    code, out, err = run("dedup", "corpus.txt", *args)
    assert (code, out, len(err)) == (2, b"", 1), err
    assert err[0].startswith("minhash-nb: ")
    assert says in err[0]
    assert sorted(os.listdir()) == before
    assert (tmp_path / "corpus.txt").read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["dedup"], "Missing argument 'INPUT'"),
        (["dedupe"], "No such command 'dedupe'"),
        (["dedup", "absent.txt"], "absent.txt: no such file or folder"),
        (["dedup", "absent.txt", "-o", "kept.txt"], "absent.txt: no such file or folder"),
        (["dedup", "corpus.dat"], "say which with --format"),
        (["dedup", "-"], "standard input needs a --format"),
        (["dedup", "empty"], "empty: the folder holds no files"),
        (["dedup", "docs", "-o", "docs/kept.txt"], "docs/kept.txt lies in the input folder docs"),
        (["dedup", "docs", "-o", "kept.csv"], "kept.csv: the output will be a list of the kept paths"),
        (["pairs", "bad.jsonl"], "bad.jsonl, line 2: not valid JSON"),
        (["pairs", "ids.csv", "--id-column", "id"], "but 'a' stands in line 2 and again in line 3"),
        (["pairs", "ids.csv", "--text-column", "b"], "there are 'id', 'text': choose with --text-column"),
        (["pairs", "ids.csv", "-o", "pairs.tsv"], "pairs.tsv: a table is written as .csv"),
        (["pairs", "ids.csv", "-o", "ids.csv"], "ids.csv is the input itself"),
        (["pairs", "cut.txt.gz"], "cut.txt.gz: damaged or truncated gzip"),
        (["demo", "--output-dir", "corpus.dat"], "is a file"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_code_2(run, tmp_path, monkeypatch, args, says):
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "corpus.dat", b"one\n")
    put(tmp_path / "bad.jsonl", b'{"text": "one"}\n{"text": \n')
    put(tmp_path / "ids.csv", b"id,text\na,one\na,two\n")
    (tmp_path / "cut.txt.gz").write_bytes(gzip.compress(b"one\n" * 99)[:-9])
    (tmp_path / "empty").mkdir()
    (tmp_path / "docs").mkdir()
    put(tmp_path / "docs" / "a.txt", b"one")
    before = sorted(os.listdir())
    code, out, err = run(*args)
    assert (code, out, len(err)) == (2, b"", 1), err
    assert err[0].startswith("minhash-nb: ")
    assert says in err[0]
    assert sorted(os.listdir()) == before
    assert os.listdir("docs") == ["a.txt"]


@pytest.mark.parametrize(
    ("failure", "leaves"),
    [
        (OSError(28, "No space left on device", "kept.txt"), (2, "kept.txt: No space left on device")),
        (OSError("odd"), (2, "odd")),
        (MemoryError("Unable to allocate 9 TiB"), (2, "Unable to allocate 9 TiB")),
        (ValueError("`max_pairs` is 5:\nraise it"), (2, "`max_pairs` is 5: raise it")),
        (KeyboardInterrupt(), (130, "interrupted")),
    ],
)
@pytest.mark.parametrize("place", ["minhash_nb.pipeline.find_near_duplicates", "minhash_nb.cli._dedup.write_kept"])
def test_failures_leave_the_last_good_output(run, tmp_path, monkeypatch, failure, leaves, place):
    def fail(*_, **__):
        raise failure

    monkeypatch.setattr(place, fail)
    source, output = put(tmp_path / "corpus.txt", b"one\n"), put(tmp_path / "kept.txt", b"good")
    code, out, err = run("dedup", source, "--pairs", tmp_path / "pairs.csv", "--output", output)
    assert (code, out) == (leaves[0], b"")
    assert err[-1] == f"minhash-nb: {leaves[1]}"
    assert output.read_bytes() == b"good"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.txt", "kept.txt"]


def test_a_defect_is_not_passed_off_as_bad_input(monkeypatch, tmp_path):
    def fail(*_, **__):
        raise TypeError("a defect")

    monkeypatch.setattr("minhash_nb.pipeline.find_near_duplicates", fail)
    with pytest.raises(TypeError, match="a defect"):
        main(["pairs", str(put(tmp_path / "corpus.txt", b"one\n"))])


# ---------------------------------------------------------------------------------- as a process

SLOW_WRITER = """
import sys, time
from minhash_nb.cli import _dedup, main

def write_kept(corpus, keep, stream):
    stream.write(b"half")
    stream.flush()
    print("writing", flush=True)
    time.sleep(60)

_dedup.write_kept = write_kept
main()
"""


def test_interrupt_in_the_middle_of_writing(tmp_path):
    source, output = put(tmp_path / "corpus.txt", b"one\n"), put(tmp_path / "kept.txt", b"good")
    process = start("dedup", source, "--output", output, code=SLOW_WRITER)
    assert process.stdout.readline() == b"writing\n"
    assert len(os.listdir(tmp_path)) == 3  # the temporary file is there
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err.splitlines()[-1]) == (130, b"minhash-nb: interrupted")
    assert b"Traceback" not in err
    assert output.read_bytes() == b"good"
    assert sorted(os.listdir(tmp_path)) == ["corpus.txt", "kept.txt"]


def test_reader_that_goes_away(tmp_path):
    source = put(tmp_path / "corpus.txt", b"the very same words\n" * 20_000)
    process = start("pairs", source, "--report", tmp_path / "report.json")
    assert process.stdout.readline() == b"i,j,jaccard,estimate\n"
    process.stdout.close()
    err = process.stderr.read()
    process.stdin.close()
    process.stderr.close()
    assert process.wait(timeout=30) == 1
    assert b"Traceback" not in err
    assert b"BrokenPipe" not in err
    assert json.loads((tmp_path / "report.json").read_text())["documents"] == 20_000  # files are written first


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_progress_bar_on_a_terminal_and_none_in_a_pipe(tmp_path, texts):
    import pty
    import termios

    source = put(tmp_path / "corpus.txt", b"\n".join(map(raw, texts)))
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    process = subprocess.Popen(
        [sys.executable, "-c", "from minhash_nb.cli import main; main()", "dedup", source], stderr=theirs
    )
    os.close(theirs)
    seen = b""
    while chunk := _read_terminal(ours):
        seen += chunk
    os.close(ours)
    assert process.wait() == 0
    assert b"%|" in seen
    piped = start("dedup", source)
    _, err = piped.communicate()
    assert piped.returncode == 0
    assert b"|" not in err
    assert b"\r" not in err


def _read_terminal(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""


def test_same_bytes_whatever_the_threads_and_the_hash_seed(tmp_path, texts):
    header, records = as_records("jsonl", texts)
    source = put(tmp_path / "corpus.jsonl", header + b"".join(records))
    seen = set()
    for hash_seed, threads in (("0", []), ("1", ["--threads", "1"])):
        folder = tmp_path / hash_seed
        folder.mkdir()
        args = [
            "--output",
            folder / "kept.jsonl.gz",
            "--pairs",
            folder / "pairs.csv",
            "--removed",
            folder / "r.csv",
        ]
        process = start(
            "dedup", source, "--id-column", "id", "--threshold", 0.7, *threads, *args,
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
        )  # fmt: skip
        process.communicate()
        assert process.returncode == 0
        seen.add(tuple(path.read_bytes() for path in sorted(folder.iterdir())))
    assert len(seen) == 1
    assert len(next(iter(seen))) == 3


def test_no_needless_imports(tmp_path):
    code = """
import sys
from minhash_nb.cli import main
try:
    main()
except SystemExit:
    print(*sorted({"pandas", "scipy.special", "matplotlib", "pyarrow"} & set(sys.modules)), file=sys.stderr)
"""
    source = put(tmp_path / "corpus.txt", b"one\ntwo\n")
    for args, allowed in (
        (["--help"], set()),
        (["config"], set()),
        (["dedup", source], {b"pandas", b"pyarrow"}),
    ):
        process = start(*args, code=code)
        _, err = process.communicate()
        assert process.returncode == 0
        assert set(err.splitlines()[-1].split()) <= allowed
