"""Every adapter of every step under pytest-benchmark: ``pytest benchmarks``. Accuracy is in `extra_info`."""

from dataclasses import asdict, replace

import pytest

from benchmarks import corpora
from benchmarks.accuracy import estimate_errors, recall_and_precision
from benchmarks.adapters import JOIN_THRESHOLD, THRESHOLD, Adapter, installed
from benchmarks.measure import QUICK
from benchmarks.tables.base import sample
from minhash_nb import shingle
from minhash_nb.joins import similarity_join

TEXTS = corpora.chapter()
DOCUMENTS = corpora.two_kilobyte_documents(100)
LENGTHS = (20, 200, 5_000)


def every(step):
    adapters = installed(step)
    return pytest.mark.parametrize("adapter", adapters, ids=[adapter.name for adapter in adapters])


def run(benchmark, adapter: Adapter, data, group: str):
    """Time one adapter, after one run that warms it up, and return its result in the common form."""
    part = sample(data, adapter.most)
    benchmark.group = group
    benchmark.extra_info["whole"] = part is data
    result = benchmark.pedantic(adapter.run, args=(adapter.prepare(part),), rounds=3, warmup_rounds=1)
    return adapter.read(result)


def quality(benchmark, found, shingles, threshold: float) -> None:
    truth = similarity_join(shingles, threshold=threshold)[["i", "j"]].to_numpy()
    recall, precision = recall_and_precision(found, truth, len(shingles))
    benchmark.extra_info.update(pairs=len(found), recall=recall, precision=precision)


@every("shingle")
def test_shingle(benchmark, adapter):
    run(benchmark, adapter, TEXTS, f"text to shingle ids, {TEXTS.name}")


@pytest.mark.parametrize("length", LENGTHS)
@every("sign")
def test_sign(benchmark, adapter, length):
    group = f"ids to 128 slots, {length} shingles a document"
    run(benchmark, adapter, corpora.random_rows(length, 200_000), group)
    few = replace(QUICK, pairs=100)
    benchmark.extra_info.update(asdict(estimate_errors([adapter], length, round(length / 3), few)[adapter.name]))


@every("sign_texts")
def test_sign_texts(benchmark, adapter):
    run(benchmark, adapter, DOCUMENTS, f"text to 128 slots, {DOCUMENTS.name}")


@every("candidates")
def test_candidates(benchmark, adapter):
    found = run(benchmark, adapter, TEXTS, f"text to candidate pairs, {TEXTS.name}")
    if benchmark.extra_info["whole"]:
        quality(benchmark, found, shingle(TEXTS.texts), THRESHOLD)


@every("near_duplicates")
def test_near_duplicates(benchmark, adapter):
    found = run(benchmark, adapter, TEXTS, f"text to near-duplicates, {TEXTS.name}")
    quality(benchmark, found, shingle(TEXTS.texts), THRESHOLD)


@every("join")
def test_join(benchmark, adapter):
    shingles = shingle(TEXTS.texts)
    found = run(benchmark, adapter, shingles, f"exact join, {TEXTS.name}")
    quality(benchmark, found, shingles, JOIN_THRESHOLD)
    assert benchmark.extra_info["recall"] == benchmark.extra_info["precision"] == 1.0
