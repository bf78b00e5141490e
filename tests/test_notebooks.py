"""The notebooks: in step with their scripts, fit to print, and all of them run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from notebooks import checks

SCRIPTS = checks.scripts()
SECONDS = 60


def named(script: Path) -> str:
    return script.stem


def test_the_notebooks_are_numbered_without_a_gap():
    assert [script.name[:2] for script in SCRIPTS] == [f"{number:02}" for number in range(1, len(SCRIPTS) + 1)]
    assert {script.stem for script in SCRIPTS} == {notebook.stem for notebook in checks.FOLDER.glob("*.ipynb")}


@pytest.mark.parametrize("script", SCRIPTS, ids=named)
def test_a_script_asks_shows_and_sets_exercises(script):
    assert checks.script_faults(script.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("script", SCRIPTS, ids=named)
def test_a_notebook_is_in_step_with_its_script_and_fit_to_print(script):
    content = script.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert len(content) <= checks.MOST_BYTES
    assert checks.notebook_faults(json.loads(content), script.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("script", SCRIPTS, ids=named)
def test_a_notebook_runs_in_quick_mode_with_its_solutions(script, tmp_path):
    text = script.read_text(encoding="utf-8")
    program = tmp_path / script.name
    program.write_text("\n\n".join([text, *checks.solutions(text)]), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore:FigureCanvasAgg is non-interactive", str(program)],
        cwd=checks.FOLDER,
        env={**os.environ, "MINHASH_NB_QUICK": "1", "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert run.returncode == 0, run.stderr


# -- the checks themselves: a check that finds nothing is no check

SCRIPT = """
# ---
# jupyter: {}
# ---

# %% [markdown]
# # 1 · A title
#
# > **Question.** Does it hold?

# %%
# Figure: a line that
# goes up.
plt.show()

# %% [markdown]
# **To see:** it does.
#
# ## Exercises
#
# <details><summary>Solution</summary>
#
# ```python
# assert True
# ```
#
# </details>
# <details><summary>Solution</summary></details>
# <details><summary>Solution</summary></details>
"""


def notebook(**changes) -> dict:
    """Return the executed notebook of SCRIPT, its code cell changed."""
    (_, first), (_, code), (_, last) = checks.cells(SCRIPT)
    picture = {
        "output_type": "display_data",
        "data": {"image/png": "", "text/plain": "<Figure size 640x480 with 1 Axes>"},
        "metadata": {"image/png": {"alt": "a line that goes up."}},
    }
    cell = {"cell_type": "code", "source": code.splitlines(keepends=True), "execution_count": 1, "outputs": [picture]}
    text = [{"cell_type": "markdown", "source": source} for source in (first, last)]
    return {"cells": [text[0], cell | changes, text[1]]}


def stream(text: str, name: str = "stdout") -> dict:
    return {"output_type": "stream", "name": name, "text": [text]}


def shown(kind: str) -> dict:
    return {"output_type": "display_data", "data": {kind: ""}, "metadata": {}}


def test_checks_pass_what_is_right():
    assert checks.script_faults(SCRIPT) == []
    assert checks.notebook_faults(notebook(), SCRIPT) == []
    assert checks.solutions(SCRIPT) == ["assert True\n"]
    assert checks.picture_text(checks.cells(SCRIPT)[1][1]) == "a line that goes up."


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("> **Question.** Does it hold?", "> It holds."),
        ("# 1 · A title", "A title"),
        ("# Figure: a line", "# a line"),
        ("plt.show()", "plt.plot()"),
        ("**To see:** it does.", "It does."),
        ("## Exercises", "## Last words"),
        ("<summary>Solution</summary></details>", "</details>"),
    ],
)
def test_checks_find_what_a_script_lacks(old, new):
    assert len(checks.script_faults(SCRIPT.replace(old, new))) >= 1


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"source": "1 + 1"}, "not those of the script"),
        ({"execution_count": None}, "not run once"),
        ({"execution_count": 2}, "not run once"),
        ({"outputs": []}, "0 pictures"),
        ({"outputs": [stream("UserWarning", "stderr")]}, "a warning"),
        ({"outputs": [{"output_type": "error", "ename": "ValueError"}]}, "an error"),
        ({"outputs": [stream("read /home/somebody/file.py")]}, "absolute path"),
        ({"outputs": [stream("\x1b[31mred\x1b[0m")]}, "colours"),
        ({"outputs": [stream("<function f at 0x7f3a5c0d1e40>")]}, "address"),
        ({"outputs": [stream(" 45%|████     |")]}, "progress"),
        ({"outputs": [{"output_type": "display_data", "data": {"image/png": ""}, "metadata": {}}]}, "alternative text"),
        (
            {"outputs": [{"output_type": "display_data", "data": {"application/vnd.jupyter.widget-view+json": {}}}]},
            "widget",
        ),
    ],
)
def test_checks_find_what_is_not_fit_to_print(changes, fault):
    assert any(fault in found for found in checks.notebook_faults(notebook(**changes), SCRIPT))
