"""Shared fixtures: a private kernel cache, and the real corpora where they are present."""

import gzip
import io
import json
import os
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".cache" / "numba-tests"))

import hypothesis
import numpy as np
import pytest

# A shared machine can be slow at any example; the same examples every time keep a red run reproducible.
hypothesis.settings.register_profile("repository", deadline=None, derandomize=True)
hypothesis.settings.load_profile("repository")

DATA = Path(os.environ.get("MINHASH_NB_DATA") or ROOT.parent / "shared" / "data")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of the real corpora; skips where they are not installed."""
    if not (DATA / "spdx_licenses.jsonl.gz").exists():
        pytest.skip(f"real corpora not found in {DATA}: set MINHASH_NB_DATA to their folder")
    return DATA


@cache
def _read(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def load_records(data_dir):
    """Return ``load(name) -> list of dict`` for spdx_licenses, civil_codes, febrl1, febrl2, febrl3, sms."""
    return lambda name: _read(data_dir / f"{name}.jsonl.gz")


@pytest.fixture(scope="session")
def load_texts(load_records):
    """Return ``load(name) -> list of str``: the texts of a real corpus."""
    return lambda name: [record["text"] for record in load_records(name)]


@pytest.fixture(scope="session")
def golden(data_dir) -> dict:
    """Golden values of the chapter."""
    return json.loads((data_dir / "chapter_golden.json").read_text(encoding="utf-8"))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20260)


@pytest.fixture
def run(monkeypatch, capfdbinary):
    """Return ``run(*args, stdin=b"") -> (exit code, stdout, lines of stderr)``: main, in this process."""
    monkeypatch.setattr("minhash_nb.threads.first_run", lambda: False)  # whatever the state of the cache

    def call(*args, stdin: bytes = b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        from minhash_nb.cli import main

        with pytest.raises(SystemExit) as left:
            main([str(arg) for arg in args])
        out, err = capfdbinary.readouterr()
        return left.value.code, out, err.decode().splitlines()

    return call
