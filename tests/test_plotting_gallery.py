"""The gallery page and its pictures are what its script makes of the functions today."""

import struct
import zlib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from matplotlib import pyplot as plt

from minhash_nb import experiments, plotting

FOLDER = Path(__file__).resolve().parent.parent / "notebooks" / "gallery"


def load():
    spec = spec_from_file_location("gallery_build", FOLDER / "build.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


build = load()
every_entry = pytest.mark.parametrize("entry", build.ENTRIES, ids=lambda entry: entry.name)


def notes(path):
    """Return the text chunks of a PNG file."""
    data, found, at = path.read_bytes(), {}, 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0]
        if kind == b"tEXt":
            key, _, text = body.partition(b"\0")
            found[key.decode()] = text.decode("latin-1")
        at += 12 + length
    return found


def test_page_is_in_step():
    assert (FOLDER / "README.md").read_text(encoding="utf-8") == build.page()


def test_every_function_is_shown():
    code = "\n".join(entry.code for entry in build.ENTRIES)
    assert not [name for name in plotting.__all__ if f"mnb.plotting.{name}(" not in code]
    assert not [name for name in experiments.__all__ if f"mnb.experiments.{name}(" not in code]


def test_no_picture_is_left_over():
    assert {path.stem for path in FOLDER.glob("*.png")} == {entry.name for entry in build.ENTRIES}


@every_entry
def test_picture_was_made_by_the_code_beside_it(entry):
    assert notes(FOLDER / f"{entry.name}.png")["Description"] == entry.code
    assert len(entry.code.strip().splitlines()) <= 4


@pytest.mark.parametrize("entry", [e for e in build.ENTRIES if not e.timed], ids=lambda entry: entry.name)
def test_picture_shows_what_the_code_draws_today(entry):
    plt.close("all")
    ax = build.run(entry)
    assert plt.get_fignums() == [ax.figure.number]
    assert build.digest(ax) == notes(FOLDER / f"{entry.name}.png")["Comment"], "run python -m notebooks.gallery.build"
    plt.close("all")
