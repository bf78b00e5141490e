"""The README's Python blocks run, in order, in one namespace; where they show output, it is right."""

import doctest
import re
from pathlib import Path

import matplotlib as mpl

README = Path(__file__).resolve().parent.parent / "README.md"
BLOCK = re.compile(r"^```(?:python|pycon)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def test_python_blocks_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # what they write goes there
    mpl.use("Agg", force=True)
    text = README.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    assert blocks
    runner, problems = doctest.DocTestRunner(optionflags=FLAGS), []
    namespace = {"__name__": "readme"}
    for block in blocks:
        line = text.count("\n", 0, block.start(1))  # messages then show the line in the README
        if ">>> " in block.group(1):
            test = doctest.DocTestParser().get_doctest(block.group(1), {}, README.name, str(README), line)
            test.globs = namespace
            runner.run(test, out=problems.append, clear_globs=False)
        else:
            exec(compile("\n" * line + block.group(1), str(README), "exec"), namespace)
    assert not problems, "".join(problems)
