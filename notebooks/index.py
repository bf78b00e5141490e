"""Write the index page: ``python -m notebooks.index`` makes README.md and one picture for each notebook.

Titles, questions, pictures and their alternative texts are taken out of the executed notebooks. Standard library only.
"""

from __future__ import annotations

import base64
import json
import re
from html import escape
from pathlib import Path
from typing import NamedTuple

from notebooks import checks

PICTURES = checks.FOLDER / "pictures"
WIDTH = 480  # as shown; the pictures themselves are larger and stay sharp
CHOSEN = {
    "01": 3,
    "02": 4,
    "03": 1,
    "04": 5,
    "05": 1,
    "06": 2,
    "07": 1,
    "08": 1,
    "09": 4,
}  # picture of each
HEAD = """# MinHash and LSH: a course in nine notebooks

Which of these documents are nearly the same, when there are too many to compare each with each? Nine notebooks answer
with pictures, with numbers that each notebook asserts as it runs, and with real text; 1 to 5 need no more than sets and
a little probability. Each begins with a question and ends with exercises, whose solutions are folded away.

Read the `.ipynb` as they are, or run them: `pip install '.[notebooks]'`, then open one in JupyterLab, where
notebooks 2, 4 and 5 have sliders. People edit the `.py` beside each, and `make notebooks` executes it. `make site`
turns all of this and the reference of the functions into one folder of web pages, to be read without a network.

Beside the course: the [cheat sheet](cheat_sheet.md), one page of formulas, each with the function that computes it,
and the [gallery](gallery/README.md), every plot with the lines that make it.
"""


class Entry(NamedTuple):
    """What the index shows of one notebook: its file, its title and question, a picture (PNG) and what is on it."""

    notebook: Path
    title: str
    question: str
    picture: bytes
    description: str


def entries() -> list[Entry]:
    """Return an entry for each notebook, in order."""
    found = []
    for script in checks.scripts():
        path = script.with_suffix(".ipynb")
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        title, question = opening("".join(cells[0]["source"]))
        outputs = [output for cell in cells for output in cell.get("outputs", [])]
        pictures = [output for output in outputs if "image/png" in output.get("data", {})]
        chosen = pictures[CHOSEN[path.name[:2]] - 1]
        content = base64.b64decode("".join(chosen["data"]["image/png"]))
        found.append(Entry(path, title, question, content, chosen["metadata"]["image/png"]["alt"]))
    return found


def opening(markdown: str) -> tuple[str, str]:
    """Return the title and the question of a first cell."""
    title, question = markdown.split("\n\n")[:2]
    return title.removeprefix("# "), re.sub(r"\s*\n> ", " ", question).removeprefix("> **Question.** ")


def page() -> str:
    """Return the text of README.md."""
    parts = [HEAD]
    for entry in entries():
        link, picture = entry.notebook.name, f"{PICTURES.name}/{entry.notebook.name[:2]}.png"
        image = f'<img src="{picture}" width="{WIDTH}" alt="{escape(entry.description)}">'
        parts.append(f'## [{entry.title}]({link})\n\n{entry.question}\n\n<a href="{link}">{image}</a>\n')
    return "\n".join(parts)


def main() -> None:
    """Write the page and its pictures."""
    PICTURES.mkdir(exist_ok=True)
    for entry in entries():
        (PICTURES / f"{entry.notebook.name[:2]}.png").write_bytes(entry.picture)
    (checks.FOLDER / "README.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
