"""What makes a notebook fit to print. Standard library only: the tests run it where Jupyter is not installed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
MOST_BYTES = 1_000_000
LEAST_EXERCISES = 3
OUTPUT_FAULTS = {
    "an absolute path": r"(?<![\w.:/])/(?:home|root|Users|work|tmp|usr|opt|var|private)/|\b[A-Z]:\\",
    "an escape sequence for colours": r"\x1b",
    "the address of an object": r"\bat 0x[0-9a-f]{6,}",
    "a progress bar": r"\d+%\|",
}


def scripts() -> list[Path]:
    """Return the notebooks as people edit them, in order."""
    return sorted(FOLDER.glob("[0-9][0-9]_*.py"))


def cells(script: str) -> list[tuple[str, str]]:
    """Return (kind, source) of every cell of a py:percent script; kinds are "markdown" and "code"."""
    found = []
    for part in re.split(r"^# %%", script, flags=re.MULTILINE)[1:]:
        marker, _, body = part.partition("\n")
        source = body.strip("\n")
        if "[markdown]" not in marker:
            found.append(("code", source))
        else:
            found.append(("markdown", re.sub(r"^# ?", "", source, flags=re.MULTILINE)))
    return found


def solutions(script: str) -> list[str]:
    """Return the code in the hidden solutions of a script."""
    markdown = "\n".join(source for kind, source in cells(script) if kind == "markdown")
    hidden = re.findall(r"<details>(.*?)</details>", markdown, flags=re.DOTALL)
    return [code for text in hidden for code in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)]


def picture_text(source: str) -> str | None:
    """Return what the ``# Figure: ...`` comment at the top of a code cell says."""
    comment = re.match(r"# Figure: (.*(?:\n# .*)*)", source)
    return comment.group(1).replace("\n# ", " ") if comment else None


def script_faults(script: str) -> list[str]:
    """Return what a script lacks: a question, a takeaway for each picture, exercises with solutions."""
    faults = []
    sources = cells(script)
    opening = r"# \d+ · .+\n\n> \*\*Question\.\*\* .+(\n> .+)*\?(\n\n|$)"
    if sources[0][0] != "markdown" or not re.match(opening, sources[0][1]):
        faults.append('the first cell is not "# N · title" and "> **Question.** ...?"')
    for (kind, source), (next_kind, next_source) in zip(sources, [*sources[1:], ("", "")], strict=True):
        draws = kind == "code" and "plt.show()" in source
        if draws != (picture_text(source) is not None):
            faults.append(f'not both "# Figure: ..." on top and plt.show() at the end: {source[:60]!r}')
        if draws and not (next_kind == "markdown" and next_source.startswith("**To see:** ")):
            faults.append(f'no "**To see:** ..." below the picture of {source[:60]!r}')
    markdown = "\n".join(source for kind, source in sources if kind == "markdown")
    exercises = re.findall(r"^## (.+)", markdown, flags=re.MULTILINE)[-1:] == ["Exercises"]
    if not exercises or markdown.rpartition("## Exercises")[2].count("<summary>Solution</summary>") < LEAST_EXERCISES:
        faults.append(f'it does not end with "## Exercises", {LEAST_EXERCISES} of them with a solution')
    return faults


def notebook_faults(notebook: dict[str, Any], script: str) -> list[str]:
    """Return where an executed notebook is out of step with its script, or has outputs not to be printed."""
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    faults = []
    if cells(script) != [(cell["cell_type"], "".join(cell["source"]).strip("\n")) for cell in notebook["cells"]]:
        faults.append("its cells are not those of the script")
    if [cell["execution_count"] for cell in code] != list(range(1, len(code) + 1)):
        faults.append("it was not run once from top to bottom")
    for cell in code:
        outputs = cell["outputs"]
        where = f"below {''.join(cell['source'])[:60]!r}"
        texts = ["".join(output.get("text", "")) for output in outputs]
        for output, text in zip(outputs, texts, strict=True):
            if output["output_type"] == "error" or output.get("name") == "stderr":
                faults.append(f"an error or a warning {where}: {text}")
        data = [(kind, value) for output in outputs for kind, value in output.get("data", {}).items()]
        texts += ["".join(value) for kind, value in data if kind.startswith("text/")]
        faults += [
            f"{fault} {where}" for fault, form in OUTPUT_FAULTS.items() if any(re.search(form, text) for text in texts)
        ]
        pictures = [output for output in outputs if "image/png" in output.get("data", {})]
        wanted = picture_text("".join(cell["source"]))
        if len(pictures) != (wanted is not None):
            faults.append(f"{len(pictures)} pictures {where}")
        if any(picture["metadata"].get("image/png", {}).get("alt") != wanted for picture in pictures):
            faults.append(f"a picture without its alternative text {where}")
        if any("widget" in kind for kind, _ in data):
            faults.append(f"a widget, which is dead on paper, {where}")
    return faults
