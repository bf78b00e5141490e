"""The index of the notebooks is what they say, and the cheat sheet's values are what its calls return."""

import re

import numpy as np
import pytest

import minhash_nb as mnb
from minhash_nb import theory
from notebooks import checks, index

SHEET = (checks.FOLDER / "cheat_sheet.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| .+ \| `([^`|]+)` \| ([^|]+) \|$", SHEET, flags=re.MULTILINE)


def test_index_is_in_step():
    assert (checks.FOLDER / "README.md").read_text(encoding="utf-8") == index.page(), "run python -m notebooks.index"


def test_index_pictures_are_those_of_the_notebooks():
    pictures = {f"{entry.notebook.name[:2]}.png": entry.picture for entry in index.entries()}
    assert pictures == {path.name: path.read_bytes() for path in index.PICTURES.iterdir()}
    assert len(pictures) == len(checks.scripts()) == 9


def test_an_opening_gives_title_and_question():
    assert index.opening("# 1 · A\n\n> **Question.** Does it,\n> or not?\n\nText") == ("1 · A", "Does it, or not?")


def test_every_row_of_the_cheat_sheet_has_a_call_and_a_value():
    body = [line for line in SHEET.splitlines() if line.startswith("| ") and not line.startswith("| What |")]
    assert len(ROWS) == len(body) > 30


@pytest.mark.parametrize(("call", "value"), ROWS)
def test_a_value_of_the_cheat_sheet_is_what_its_call_returns(call, value):
    result = eval(call, {"mnb": mnb, "theory": theory})
    if isinstance(result, mnb.Banding):
        result = (result.num_bands, result.rows_per_band)
    shown = re.findall(r"[\d.,]*\d", value)
    assert len(shown) == np.size(result)
    for text, number in zip(shown, np.ravel(result), strict=True):
        decimals = len(text.partition(".")[2])
        assert abs(float(text.replace(",", "")) - number) <= 0.5 * 10.0**-decimals


def test_the_cheat_sheet_has_every_formula():
    called = set(re.findall(r"theory\.(\w+)\(", SHEET))
    assert called == {name for name in theory.__all__ if name != "MemoryForecast"}
