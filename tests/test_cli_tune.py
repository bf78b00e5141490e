"""``minhash-nb tune`` and ``curve``: the figures of the library, as tables and pictures."""

import io
import json

import pandas as pd
import pytest

import minhash_nb as mnb

PNG = b"\x89PNG\r\n"


@pytest.fixture
def corpus(tmp_path):
    """A small corpus with near-duplicates, one document a line."""
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(mnb.datasets.generate_corpus(num_docs=200, seed=1)), encoding="utf-8")
    return path


def test_tune_prints_and_writes_what_the_library_finds(run, corpus, tmp_path):
    table, picture = tmp_path / "bandings.csv", tmp_path / "choice.png"
    code, out, err = run("tune", corpus, "--threshold", 0.7, "--max-hashes", 64, "-o", table, "--plot", picture)
    tuned = mnb.tune(mnb.shingle(corpus.read_text().split("\n")), threshold=0.7, max_hashes=64)
    assert code == 0, err
    assert out.decode().startswith(repr(tuned))
    assert len(pd.read_csv(table)) == len(tuned.table)
    front = tuned.table[tuned.table["pareto"]]
    assert len(out.decode().strip().splitlines()) == len(repr(tuned).splitlines()) + 3 + min(len(front), 10)
    assert picture.read_bytes().startswith(PNG)


def test_tune_writes_the_table_to_standard_output(run, corpus):
    code, out, err = run("tune", corpus, "--threshold", 0.7, "--max-hashes", 16, "--output", "-")
    assert code == 0
    assert list(pd.read_csv(io.BytesIO(out)).columns[:3]) == ["num_bands", "rows_per_band", "num_hashes"]
    assert err[0].startswith("TuningResult")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--recall", 1), "--recall must be in (0, 1), got 1.0"),
        (("--threshold", 1.2), "--threshold must be in (0, 1], got 1.2"),
        (("--threshold", "nan"), "--threshold must be in (0, 1], got nan"),
        (("--max-hashes", 1), "--max-hashes=1 is too small for recall 0.95 at threshold 0.8"),
        (("--objective", "best"), "'best' is not one of"),
        (("--plot", "no/such/folder.png"), "does not exist"),
    ],
)
def test_tune_refuses_in_one_sentence(run, corpus, options, sentence):
    code, out, err = run("tune", corpus, *options)
    assert (code, out, len(err)) == (2, b"", 1)
    assert sentence in err[0]


def test_tune_needs_two_different_documents(run, tmp_path):
    path = tmp_path / "same.txt"
    path.write_text("one text\n" * 5)
    code, _, err = run("tune", path)
    assert (code, len(err)) == (2, 1)
    assert "at least two different documents" in err[0]


def test_curve_prints_the_landmarks(run):
    code, out, _ = run("curve", "--bands", 16, "--rows", 8, "--bands", 450, "--rows", 20)
    head, first, second = (line.split() for line in out.decode().splitlines())
    assert code == 0
    assert head[:6] == ["bands", "rows", "hashes", "(1/b)^(1/r)", "half-point", "steepest"]
    assert first[:6] == ["16", "8", "128", "0.7071", "0.6736", "0.6961"]
    assert second[9] == "0.9946"  # RefinedWeb at .8


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_curve_draws(run, tmp_path, kind):
    picture = tmp_path / f"curve.{kind}"
    code, _, err = run("curve", "--bands", 16, "--rows", 8, "--threshold", 0.8, "-o", picture)
    assert code == 0
    assert picture.stat().st_size > 1000
    assert err == [f"1 curves -> {picture}"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--bands", 16), "Missing option '--rows'"),
        (("--bands", 16, "--bands", 4, "--rows", 8), "--bands and --rows must come in pairs, got 2 and 1"),
        (("--bands", 0, "--rows", 8), "must be at least 1, got 0"),
        (("--bands", 16, "--rows", 8, "-o", "curve.gif"), "must end in .png, .svg, .pdf, got curve.gif"),
    ],
)
def test_curve_refuses_in_one_sentence(run, tmp_path, monkeypatch, options, sentence):
    monkeypatch.chdir(tmp_path)
    code, _, err = run("curve", *options)
    assert (code, len(err)) == (2, 1)
    assert sentence in err[0]
    assert not list(tmp_path.iterdir())


def test_audit_is_summarised_and_reported(run, corpus, tmp_path):
    report = tmp_path / "report.json"
    code, _, err = run("dedup", corpus, "--threshold", 0.7, "--audit", 200, "--report", report)
    audit = json.loads(report.read_text())["audit"]
    assert code == 0
    assert 0.9 <= audit["recall"] <= 1.0
    assert audit["low"] <= audit["recall"] <= audit["high"]
    assert any(line.startswith("recall, measured") and str(audit["neighbours"]) in line for line in err)


def test_classic_minhash_is_one_option_away(run, corpus, tmp_path):
    report, table = tmp_path / "report.json", tmp_path / "pairs.csv"
    code, _, _ = run("pairs", corpus, "--threshold", 0.7, "--scheme", "minhash", "-o", table, "--report", report)
    parameters = json.loads(report.read_text())["parameters"]
    texts = corpus.read_text().split("\n")
    banding = mnb.Banding.for_recall(0.7)
    expected = mnb.find_near_duplicates(texts, 0.7, scheme=mnb.MinHash(banding.num_hashes), banding=banding)
    assert code == 0
    assert parameters["scheme"] == mnb.MinHash(banding.num_hashes).key
    pd.testing.assert_frame_equal(pd.read_csv(table), expected.pairs)


def test_an_audit_without_neighbours_is_valid_json(run, tmp_path):
    path, report = tmp_path / "different.txt", tmp_path / "report.json"
    path.write_text("one document of its own\nquite another text here\n")
    code, _, err = run("dedup", path, "--audit", 2, "--report", report)
    audit = json.loads(report.read_text(), parse_constant=lambda constant: pytest.fail(f"{constant} is no JSON"))[
        "audit"
    ]
    assert code == 0
    assert (audit["neighbours"], audit["recall"], audit["low"], audit["high"]) == (0, None, 0.0, 1.0)
    assert "recall, measured  none of 2 documents drawn has a near-duplicate" in err
