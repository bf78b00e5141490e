"""Real text that every installation has: docstrings and licences."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable
from importlib.metadata import Distribution, PackagePath, distributions
from importlib.util import decode_source
from typing import TYPE_CHECKING

from minhash_nb.validation import as_texts, check_integer

if TYPE_CHECKING:
    import pandas as pd

DOCUMENTED_PACKAGES = ("numpy", "scipy", "pandas", "matplotlib", "click", "tqdm")
"""Packages that `installed_docs` reads by default: dependencies of this one that repay the parsing."""

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
BLOCKS = (
    ast.If,
    ast.Try,
    ast.TryStar,
    ast.ExceptHandler,
    ast.With,
    ast.AsyncWith,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.Match,
    ast.match_case,
)
"""Statements and their parts that may hold definitions."""


def installed_docs(
    packages: Iterable[str] | None = None,
    min_length: int = 200,
    max_documents: int | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Return real text that this machine has already: docstrings and licences of installed packages.

    Docstrings are those of all modules, classes and functions in the ``.py`` files of `packages`, tests left
    out; the files are parsed, nothing is imported. Licences are the licence, copying and notice files of all
    installed distributions. Both are rich in near-duplicates: methods documented alike, parameters described
    by copying, one licence under many names.

    A file that cannot be read, decoded or parsed is left out, and so is a distribution without a list of its
    files (``RECORD``, which installers of wheels write). Which texts come depends on what is installed; the
    same packages give the same table.

    Parameters
    ----------
    packages : iterable of str, optional
        Distributions whose docstrings to read, by their names on PyPI; by default those of
        `DOCUMENTED_PACKAGES` that are installed. An empty list leaves the licences.
    min_length : int
        Least number of characters of a document, at least 1.
    max_documents : int, optional
        Keep so many documents, the first by name. (To save time, name fewer packages.)
    progress : bool
        Show a bar while the files are read.

    Returns
    -------
    pandas.DataFrame
        Sorted by name, with str columns

        - ``name``: for a docstring the dotted path of the definition (``numpy.linalg._linalg.norm``); for a
          licence its installed path, version left out (``scipy/LICENSE.txt``). What is defined twice under
          one name appears twice.
        - ``kind``: ``"docstring"`` or ``"licence"``.
        - ``text``: a docstring with its indentation removed, a licence as it stands. Lone surrogates are
          replaced by ``?``: no file could hold them.

    Raises
    ------
    TypeError
        If `packages` is one bare str, or a number is not an integer.
    ValueError
        If a package is not installed, or a number is out of range.

    Examples
    --------
    >>> docs = installed_docs(["numpy"])
    >>> docs.columns.to_list()
    ['name', 'kind', 'text']
    >>> sorted(set(docs["kind"]))
    ['docstring', 'licence']
    """
    import pandas as pd
    from tqdm import tqdm

    min_length = check_integer("min_length", min_length)
    if max_documents is not None:
        max_documents = check_integer("max_documents", max_documents)
    installed = _installed_distributions()
    if packages is None:
        chosen = [name for name in DOCUMENTED_PACKAGES if name in installed]
    else:
        chosen = list(dict.fromkeys(map(_canonical, as_texts(packages, "packages"))))
    for name in chosen:
        if name not in installed:
            raise ValueError(f"`packages` must be installed, with a list of their files: {name!r} is not")

    sources = [file for name in chosen for file in installed[name].files or () if _is_source(file)]
    licences = [(name, file) for name in installed for file in installed[name].files or () if _is_licence(file)]
    documents: list[tuple[str, str, str]] = []
    with (
        tqdm(total=len(sources) + len(licences), desc="reading", unit="file", disable=not progress) as bar,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # the parser's remarks on other people's code
        for file in sources:
            documents += [(name, "docstring", text) for name, text in _docstrings(file)]
            bar.update()
        for name, file in licences:
            documents.append((_licence_name(name, file), "licence", _licence_text(file)))
            bar.update()
    rows = sorted(row for row in documents if len(row[2]) >= min_length)
    return pd.DataFrame(rows[:max_documents], columns=["name", "kind", "text"], dtype="str")


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _installed_distributions() -> dict[str, Distribution]:
    """Map names to distributions; where two share a name, the one that an import would find."""
    found: dict[str, Distribution] = {}
    for distribution in distributions():
        name = distribution.metadata["Name"]
        if name and distribution.read_text("RECORD"):
            found.setdefault(_canonical(name), distribution)
    return found


def _is_source(file: PackagePath) -> bool:
    is_test = re.fullmatch(r"test_.*|.*_test|conftest", file.stem) or {"test", "tests"} & set(file.parts)
    return file.suffix == ".py" and ".." not in file.parts and not is_test


def _is_licence(file: PackagePath) -> bool:
    named_so = re.search(r"licen[cs]e|copying|notice", file.name, re.IGNORECASE) is not None
    as_text = file.suffix.lower() in {"", ".txt", ".md", ".rst"} or file.parts[0].endswith(".dist-info")
    return named_so and as_text and ".." not in file.parts


def _docstrings(file: PackagePath) -> list[tuple[str, str]]:
    """Return (dotted path, docstring) of every definition of a file; nothing if it does not parse."""
    try:
        tree = ast.parse(decode_source(file.read_binary()))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):  # as decoder and parser raise
        return []
    parts = file.with_suffix("").parts
    module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    found = []
    blocks: list[tuple[str, ast.AST]] = [(module, tree)]
    while blocks:
        path, block = blocks.pop()
        if isinstance(block, (ast.Module, *DEFINITIONS)) and (text := ast.get_docstring(block)):
            found.append((path, text.encode("utf-8", "replace").decode()))
        for child in ast.iter_child_nodes(block):
            if isinstance(child, DEFINITIONS):
                blocks.append((f"{path}.{child.name}", child))
            elif isinstance(child, BLOCKS):  # expressions, the bulk of a tree, hold no definitions
                blocks.append((path, child))
    return found


def _licence_name(distribution: str, file: PackagePath) -> str:
    folder, *rest = file.parts
    return "/".join([distribution if folder.endswith(".dist-info") else folder, *rest])


def _licence_text(file: PackagePath) -> str:
    """Return the text of a file, or an empty text if it cannot be read or is not UTF-8."""
    try:
        return file.read_binary().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""
