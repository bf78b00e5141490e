"""The benchmarks measure what they say: every adapter does its step rightly, and the report writes what came out."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import minhash_nb as mnb
from benchmarks import corpora, output, report
from benchmarks.accuracy import Error, estimate_errors, recall_and_precision, unit
from benchmarks.adapters import REFERENCE, STEPS, on_one_thread
from benchmarks.corpora import Corpus
from benchmarks.measure import Effort, interleave
from benchmarks.tables import TABLES, Table
from benchmarks.tables.base import at_least, at_most, number, sample, time_adapters

LEAST = Effort(seconds=0.0, rounds=1, pairs=40, batches=4, most=2e4, share=0.02)
TEXTS = [
    "the ferry leaves the harbour when the tide turns at dusk",
    "Bakers fold cold butter into dough to make a crisp pastry",
    "the ferry  leaves the harbour when the tide turns at DUSK",
    "satellites measure the height of every glacier twice a month",
    "bakers fold cold butter into dough to make a crisp pastry",
    "the ferry leaves the harbour when the tide turns at dusk",
]
EQUAL = [(0, 2), (0, 5), (1, 4), (2, 5)]


def every(step):
    return pytest.mark.parametrize("adapter", STEPS[step], ids=[adapter.name for adapter in STEPS[step]])


@pytest.fixture(autouse=True)
def _installed(request):
    callspec = getattr(request.node, "callspec", None)
    if callspec and "adapter" in callspec.params and not callspec.params["adapter"].installed:
        pytest.skip(f"{callspec.params['adapter'].package} is not installed: pip install 'minhash-nb[bench]'")


# -- adapters agree


@every("shingle")
def test_shingle_sets_are_those_of_the_reference(adapter):
    found = adapter.read(adapter.run(adapter.prepare(Corpus("tiny", TEXTS))))
    rows = [set(found.row(d).tolist()) for d in range(len(found))] if hasattr(found, "row") else found
    truth = [mnb.reference.shingle_ids(text) for text in TEXTS]
    assert [len(row) for row in rows] == [len(row) for row in truth]
    for i, j in combinations(range(len(TEXTS)), 2):
        assert len(rows[i] & rows[j]) == len(truth[i] & truth[j])


@every("sign")
def test_estimates_of_disjoint_and_equal_documents(adapter):
    ids = np.arange(300, dtype=np.uint32) * np.uint32(7_654_321)
    indices = np.concatenate([np.sort(ids[:150]), np.sort(ids[150:]), np.sort(ids[:150])])
    shingles = mnb.ShingleMatrix([0, 150, 300, 450], indices)
    estimate = adapter.read(adapter.run(adapter.prepare(shingles)))
    assert estimate(np.array([[0, 2]]))[0] == 1.0
    assert estimate(np.array([[0, 1]]))[0] < 0.1


@every("sign")
def test_estimates_are_unbiased_but_for_rho(adapter):
    effort = Effort(seconds=0.0, rounds=1, pairs=200, batches=10, most=1e6, share=1.0)
    num_ids, step = 300, 100
    error = estimate_errors([adapter], num_ids, step, effort)[adapter.name]
    # Neighbouring windows: squared correlation .04 (lag 1); no scheme here spreads over 1.2 times the binomial.
    bound = norm.isf(1e-4 / 2 / len(STEPS["sign"])) * np.sqrt(1.2 * 1.1 * unit(0.5) / error.pairs)
    assert error.jaccard == 0.5
    if adapter.name == "rensa rho":
        assert abs(error.bias) > bound
    else:
        assert abs(error.bias) < bound


@every("sign_texts")
def test_every_text_is_signed(adapter):
    found = adapter.run(adapter.prepare(Corpus("tiny", TEXTS)))
    count = getattr(found, "size", None) or getattr(found, "len", None) or found.__len__
    assert count() == len(TEXTS)


@every("candidates")
def test_candidates_are_the_equal_texts(adapter):
    found = adapter.read(adapter.run(adapter.prepare(Corpus("tiny", TEXTS))))
    assert found.tolist() == [list(pair) for pair in EQUAL]


def test_parity_candidates_are_those_of_the_reference():
    corpus = Corpus("small", mnb.datasets.generate_corpus(120))
    parity, reference = (
        adapter.read(adapter.run(adapter.prepare(corpus)))
        for adapter in STEPS["candidates"]
        if adapter.name in ("parity", REFERENCE)
    )
    assert len(reference) > 20
    assert np.array_equal(parity, reference)


@every("near_duplicates")
def test_near_duplicates_are_the_equal_texts(adapter):
    found = adapter.read(adapter.run(adapter.prepare(Corpus("tiny", TEXTS))))
    assert found.tolist() == [list(pair) for pair in EQUAL]


@every("join")
def test_joins_find_every_pair(adapter):
    texts = mnb.datasets.generate_corpus(150)
    shingles = mnb.shingle(texts)
    sets = [set(shingles.row(document).tolist()) for document in range(len(shingles))]
    truth = [[i, j] for i, j, _ in mnb.reference.brute_force_pairs(sets, 0.7)]
    assert len(truth) > 10
    assert adapter.read(adapter.run(adapter.prepare(shingles))).tolist() == truth


def test_one_thread_gives_the_same_signatures():
    adapter = STEPS["sign"][0]
    rows = corpora.random_rows(50, 1000)
    assert np.array_equal(on_one_thread(adapter).run(rows).values, adapter.run(rows).values)


# -- measuring


def test_overlapping_rows_have_the_similarity_they_promise():
    rows = corpora.overlapping_rows(12, 4, 30, np.random.default_rng(1))
    neighbours = np.arange(30)[:, None] + np.array([0, 1])
    assert len(rows) == 31
    assert np.all(rows.sizes == 12)
    assert np.all(mnb.exact_jaccard(rows, neighbours) == 0.5)


def test_error_is_in_units_of_independent_hashes():
    """Errors of known mean and spread come back as such: 4 standard errors, derived from the normal draws."""
    draws = np.random.default_rng(2).normal(0.01, np.sqrt(2 * unit(0.5)), (50, 400))

    class Known:
        name, most = "known", float("inf")
        batches = iter(draws)

        def prepare(self, rows):
            return rows

        def run(self, rows, seed):
            return next(self.batches)

        def read(self, found):
            return lambda pairs: 0.5 + found

    error = estimate_errors([Known()], 9, 3, Effort(0, 1, draws.size, 50, 1e9, 1.0))["known"]
    assert isinstance(error, Error)
    assert error.pairs == draws.size
    assert abs(error.bias - 0.01) < 4 * np.sqrt(2 * unit(0.5) / draws.size)
    assert abs(error.variance - 2) < 4 * 2 * np.sqrt(2 / draws.size)
    assert error.mean_square == pytest.approx(error.variance + error.bias**2 / unit(0.5))
    assert error.variance_error == pytest.approx(2 * np.sqrt(2 / draws.size), rel=0.5)


def test_recall_and_precision():
    truth = np.array([[0, 1], [0, 2], [3, 4], [1, 7]])
    found = np.array([[0, 1], [1, 2], [3, 4]])
    assert recall_and_precision(found, truth, 8) == (0.5, 2 / 3)
    assert np.isnan(recall_and_precision(found[:0], truth, 8)[1])


def test_calls_are_timed_in_turns():
    order = []
    calls = {name: (lambda name=name: order.append(name) or name.upper()) for name in "ab"}
    timings = interleave(calls, Effort(seconds=1.0, rounds=3, pairs=1, batches=1, most=1, share=1))
    assert [timings[name].result for name in "ab"] == ["A", "B"]
    assert all(len(timing.seconds) == 3 for timing in timings.values())
    assert timings["a"].best <= timings["a"].median
    turns = [name for position, name in enumerate(order) if position == 0 or order[position - 1] != name]
    assert turns == ["a", "b"] * 3


def test_slow_adapters_run_on_a_sample():
    corpus = Corpus("many", ["some text of this corpus"] * 100)
    limited = next(adapter for adapter in STEPS["shingle"] if adapter.name == REFERENCE)
    timed = time_adapters([limited], corpus, Effort(0, 1, 1, 1, 1, share=600 / limited.most))[REFERENCE]
    assert not timed.whole
    assert timed.data.size <= 600
    assert len(timed.read()) == len(timed.data.texts)
    assert sample(corpus, 1e9) is corpus


# -- the report


@pytest.mark.parametrize("name", ["main", "near-duplicates", "join", "steps", "from-text"])
def test_tables_hold_the_figures_they_promise(name, monkeypatch, tmp_path):
    monkeypatch.setattr(corpora, "DATA", tmp_path)  # no real corpora
    monkeypatch.setattr(corpora, "chapter", lambda: Corpus("chapter", mnb.datasets.generate_corpus(60)))
    monkeypatch.setattr(
        corpora, "two_kilobyte_documents", lambda count: Corpus("2 kB", ["ten bytes, " * 180, "twenty bytes " * 155])
    )
    table = TABLES[name](LEAST)
    assert table.name == name
    assert np.all(table.frame["seconds, best"] > 0)
    assert np.all(table.frame["seconds, best"] <= table.frame["median"])
    if "recall" in table.frame:
        verified = table.frame["tool"].str.startswith("find_near_duplicates")
        assert np.all(table.frame.loc[verified, "precision"] == 1)
    assert output.section(table).count("\n|") == len(table.frame) + 2


def _tables():
    frame = pd.DataFrame(
        {"tool": ["a", "b"], "seconds": [1.5, np.nan], "shingles": ["20", "20"], "ns x error": [2, 3.0]}
    )
    return [Table("equal-error", "What it is.", frame, [at_most("low", 1, 2.0), at_least("high", 1, 2.0)])]


def test_goals_say_whether_they_are_met():
    frame = output.goals_frame(_tables()[0].goals)
    assert frame["asked"].to_list() == ["<= 1", ">= 1"]
    assert frame["met"].to_list() == ["no", "yes"]


def test_report_writes_between_the_marks_only(tmp_path):
    readme = tmp_path / "README.md"
    before = "# Title\n\n<!-- bench:equal-error -->\nold\n<!-- /bench:equal-error -->\n\n<!-- bench:other -->\nkept\n"
    readme.write_text(before, encoding="utf-8")
    report.write_files(_tables(), readme, tmp_path)
    after = readme.read_text(encoding="utf-8")
    start, end = after.split("\n<!-- bench:other -->")
    assert end == "\nkept\n"
    assert start.startswith("# Title\n\n<!-- bench:equal-error -->\nWhat it is.\n\n| tool | seconds |")
    assert start.endswith("| b |  | 20 | 3 |\n<!-- /bench:equal-error -->\n")
    assert (tmp_path / "equal_error.png").stat().st_size > 10_000


def test_report_leaves_a_readme_without_marks_alone(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text("# Title\n", encoding="utf-8")
    stamp = readme.stat().st_mtime_ns
    report.write_files(_tables(), readme, tmp_path)
    assert readme.read_text(encoding="utf-8") == "# Title\n"
    assert readme.stat().st_mtime_ns == stamp


def test_figures_are_tidy_and_say_on_what_they_depend(tmp_path):
    report.write_files(_tables(), tmp_path / "none.md", tmp_path)
    lines = (tmp_path / "results.csv").read_text(encoding="utf-8").splitlines()
    assert all(f"{name} " in lines[0] for name in ("minhash-nb", "numba", "numpy", "processor", "threads"))
    figures = pd.read_csv(tmp_path / "results.csv", comment="#")
    assert figures[["table", "case", "quantity", "value"]].to_numpy().tolist() == [
        ["equal-error", "tool: a; shingles: 20", "seconds", 1.5],
        ["equal-error", "tool: a; shingles: 20", "ns x error", 2.0],
        ["equal-error", "tool: b; shingles: 20", "ns x error", 3.0],
    ]
    assert not (tmp_path / "none.md").exists()


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.0, "0"),
        (1234.5, "1,234"),
        (99.951, "100"),
        (12.34, "12.3"),
        (1.234, "1.23"),
        (0.00012, "0.0001"),
        (3.0, "3"),
        (np.nan, ""),
    ],
)
def test_numbers_have_three_digits(value, written):
    assert number(value) == written
