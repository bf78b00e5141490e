"""Execute the notebooks: ``python -m notebooks.build [NN ...]`` (``make notebooks``); with numbers, only those.

Conventions, which `checks` and tests/test_notebooks.py enforce:

1. People edit ``NN_name.py`` (jupytext py:percent) and read ``NN_name.ipynb``; both are committed, in step.
2. The first cell is ``# N · Title`` and ``> **Question.** ...?``. The last section is ``## Exercises``: each one a
   paragraph and ``<details><summary>Solution</summary>`` ... ``</details>``. Fenced ``python`` blocks in solutions are
   run after the notebook, here and by the tests, so they assert what they claim.
3. ``QUICK = os.environ.get("MINHASH_NB_QUICK") == "1"``: sizes shrink, and only relations are asserted; numbers are
   asserted ``if not QUICK``. Every number in prose is asserted. On installed packages' text, whose content varies,
   and on times only relations that cannot fail.
4. A cell that draws begins with ``# Figure: ...``, what is to be seen (it becomes the alternative text), and ends with
   ``plt.show()``. The next cell is markdown and begins with ``**To see:**``, the sentence to take away.
5. Plots and sweeps come from `minhash_nb.plotting` and `minhash_nb.experiments`; so does every helper of more than
   five lines. ``# %%`` scripts run as they are: no magics; a table is the last expression of its cell, or a print.
6. Sliders: ``if find_spec("ipywidgets"):`` and one `interact` of one tested function, beside a static panel that says
   the same. Their output is not kept. In the body of an `interact` exceptions vanish.
"""

from __future__ import annotations

import base64
import io
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from PIL import Image
from traitlets.config import Config

from notebooks import checks

PIXELS_PER_POINT = 1.5  # pictures are shown this much smaller than drawn, and stay sharp
SECONDS = 600  # a cell may take


def build(script: Path) -> Path:
    """Execute one script into the notebook beside it."""
    notebook = jupytext.read(script)
    size = len(notebook.cells)
    text = script.read_text(encoding="utf-8")
    notebook.cells += [nbformat.v4.new_code_cell(solution) for solution in checks.solutions(text)]
    execute(notebook)
    del notebook.cells[size:]
    for number, cell in enumerate(notebook.cells, start=1):
        cell.id = f"cell-{number}"
        cell.metadata = nbformat.NotebookNode()
        if cell.cell_type == "code":
            cell.outputs = [dressed(output, cell.source) for output in cell.outputs if not _is_widget(output)]
    notebook.metadata = nbformat.from_dict(
        {
            "jupytext": {"formats": "ipynb,py:percent"},
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
        }
    )
    content = nbformat.writes(notebook) + "\n"
    faults = checks.script_faults(text) + checks.notebook_faults(json.loads(content), text)
    if len(content) > checks.MOST_BYTES:
        faults.append(f"{len(content)} bytes are too many")
    if faults:
        raise SystemExit(f"{script.name}: " + "; ".join(faults))
    target = script.with_suffix(".ipynb")
    target.write_text(content, encoding="utf-8")
    return target


def execute(notebook: nbformat.NotebookNode) -> None:
    """Run all cells in this folder, in full mode and with pictures."""
    environment = {name: value for name, value in os.environ.items() if name not in ("MINHASH_NB_QUICK", "MPLBACKEND")}
    with tempfile.TemporaryDirectory() as folder:
        config = Config()
        if os.name == "posix":  # sockets of our own: no ports to fight for, nobody can listen
            config.KernelManager.transport, config.KernelManager.ip = "ipc", f"{folder}/kernel"
        client = NotebookClient(
            notebook,
            config=config,
            kernel_name="python3",
            timeout=SECONDS,
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": str(checks.FOLDER)}},
        )
        client.execute(env=environment)


def dressed(output: nbformat.NotebookNode, source: str) -> nbformat.NotebookNode:
    """Return an output with its picture in 256 colours, which makes it small, and with size and alternative text."""
    data = output.get("data", {})
    if "image/png" in data:
        picture = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
        content = io.BytesIO()
        picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(content, "PNG", optimize=True)
        data["image/png"] = base64.b64encode(content.getvalue()).decode()
        width, height = (round(pixels / PIXELS_PER_POINT) for pixels in picture.size)
        description = {"alt": checks.picture_text(source) or "", "width": width, "height": height}
        output.metadata = nbformat.from_dict({"image/png": description})
    return output


def _is_widget(output: nbformat.NotebookNode) -> bool:
    return any("widget" in kind for kind in output.get("data", {}))


def main(numbers: list[str]) -> None:
    """Build those notebooks, or all."""
    chosen = [script for script in checks.scripts() if not numbers or script.name[:2] in numbers]
    if not chosen:
        raise SystemExit(f"no notebook has the number {' or '.join(numbers)}")
    for script in chosen:
        start = time.perf_counter()
        target = build(script)
        print(f"{target.name}  {time.perf_counter() - start:.0f} s  {target.stat().st_size / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
