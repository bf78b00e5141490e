"""Make the site: ``python -m notebooks.web.build [folder]`` (``make site``) turns all of this folder into web pages.

The index is the front page. Notebooks and markdown files go through one exporter, the reference comes from the
docstrings. A page loads nothing from outside: formulas become MathML here, and their font is copied along.
"""

from __future__ import annotations

import re
import shutil
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import pdoc
from bs4 import BeautifulSoup
from jinja2 import FileSystemLoader, pass_context
from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments.formatters import HtmlFormatter

import minhash_nb as mnb
from notebooks import checks

HERE = Path(__file__).resolve().parent
INDEX, CHEAT_SHEET, GALLERY = (checks.FOLDER / name for name in ("README.md", "cheat_sheet.md", "gallery/README.md"))
FONT = "STIXTwoMath-Regular.ttf"  # SIL Open Font License


class Link(NamedTuple):
    """The notebook before or after."""

    address: str
    title: str


class Renderer(IPythonRenderer):
    """Markdown to HTML, with formulas as MathML."""

    def inline_math(self, body: str) -> str:
        return formula(body, "inline")

    def block_math(self, body: str) -> str:
        return formula(body, "block")


class Exporter(HTMLExporter):
    """Cells to a page of the site."""

    def __init__(self) -> None:
        super().__init__(
            template_name="classic",
            template_file="page.html.j2",
            extra_loaders=[FileSystemLoader(HERE)],
            exclude_input_prompt=True,
            exclude_output_prompt=True,
        )

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        return MarkdownWithMath(renderer=Renderer(escape=False)).render(source)


def build(folder: Path) -> None:
    """Write the site into a folder, which is emptied first if it holds an older one."""
    if folder.exists():
        if any(folder.iterdir()) and not (folder / FONT).exists():
            raise SystemExit(f"{folder} is not empty and holds no site: name another folder")
        shutil.rmtree(folder)
    for picture in checks.FOLDER.glob("*/*.png"):
        copy(picture, folder / picture.relative_to(checks.FOLDER))
    copy(GALLERY.parent / "build.py", folder / "gallery" / "build.py")
    (folder / FONT).write_bytes((files("ziamath") / "fonts" / FONT).read_bytes())
    style = (HERE / "style.css").read_text(encoding="utf-8") + HtmlFormatter().get_style_defs(".highlight") + "\n"
    (folder / "style.css").write_text(style, encoding="utf-8")
    write_pages(folder)
    write_reference(folder / "api")


def copy(source: Path, target: Path) -> None:
    """Copy a file, making the folders it goes to."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def formula(latex: str, display: str) -> str:
    """Return LaTeX as MathML, spaced as in LaTeX: browsers put none after a name (log t), and some around / and |."""
    mathml = convert(latex.strip(), display=display)
    mathml = re.sub(r"(<mi>[a-z]{2,}</mi>)(?=<m[ins])", r'\1<mspace width="0.167em"/>', mathml)
    return re.sub(r"<mo>(&#x0002F;|&#x0007C;)</mo>", r'<mo stretchy="false" lspace="0" rspace="0">\1</mo>', mathml)


def write_pages(folder: Path) -> None:
    """Write the index, the cheat sheet, the gallery and the notebooks."""
    notebooks = [path.with_suffix(".ipynb") for path in checks.scripts()]
    documents = {path: nbformat.v4.new_notebook(cells=[markdown(path)]) for path in (INDEX, CHEAT_SHEET, GALLERY)}
    documents |= {path: nbformat.read(path, as_version=4) for path in notebooks}
    links = [None, *(Link(address(path.name), title(documents[path])) for path in notebooks), None]
    neighbours = {path: (links[at], links[at + 2]) for at, path in enumerate(notebooks)}
    exporter = Exporter()
    for path, document in documents.items():
        place = path.relative_to(checks.FOLDER)
        page = {
            "name": "_".join(place.with_suffix("").parts),
            "title": title(document),
            "root": "../" * (len(place.parts) - 1),
            "neighbours": neighbours.get(path),
        }
        html, _ = exporter.from_notebook_node(document, {"page": page})
        (folder / address(str(place))).write_text(relinked(html), encoding="utf-8")


def markdown(path: Path) -> nbformat.NotebookNode:
    """Return a markdown file as a cell."""
    return nbformat.v4.new_markdown_cell(path.read_text(encoding="utf-8"))


def title(document: nbformat.NotebookNode) -> str:
    """Return the first heading of a document."""
    return re.match(r"# (.+)", document.cells[0].source)[1]


def address(link: str) -> str:
    """Return where the site has what a relative link of this folder leads to."""
    return re.sub(r"\.(ipynb|md)(?=#|$)", ".html", re.sub(r"\bREADME\.md", "index.html", link))


def relinked(html: str) -> str:
    """Return a page whose links lead to pages of the site."""
    soup = BeautifulSoup(html, "html.parser")
    for link in soup.find_all("a", href=True):
        if "://" not in link["href"]:
            link["href"] = address(link["href"])
    return str(soup)


def write_reference(folder: Path) -> None:
    """Write the reference of the public names."""
    modules = [name for name in mnb.__all__ if type(getattr(mnb, name)) is type(mnb)]
    pdoc.render.configure(docformat="numpy", template_directory=HERE / "api")
    others = rf"!minhash_nb\.(?!({'|'.join(modules)})$)"
    pdoc.pdoc("minhash_nb", others, output_directory=folder)


def main(arguments: list[str]) -> None:
    """Make the site in the folder named, or in ``site``."""
    folder = Path(*arguments) if arguments else Path("site")
    build(folder)
    print(f"open {folder / 'index.html'}")


if __name__ == "__main__":
    main(sys.argv[1:])
