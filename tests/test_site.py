"""The site: every page is there, complete, reachable, and loads nothing from outside; also in a real browser."""

import base64
import json
import re
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

import chromium
import pytest

import minhash_nb as mnb
from notebooks import checks

ROOT = checks.FOLDER.parent
NOTEBOOKS = [f"{script.stem}.html" for script in checks.scripts()]
MODULES = ["datasets", "experiments", "plotting", "reference", "theory"]
REFERENCE = ["api/minhash_nb.html", *(f"api/minhash_nb/{name}.html" for name in MODULES)]
COURSE = ["index.html", "cheat_sheet.html", "gallery/index.html", *NOTEBOOKS]
every_page = pytest.mark.parametrize("page", COURSE + REFERENCE)
every_course_page = pytest.mark.parametrize("page", COURSE)
every_notebook = pytest.mark.parametrize("page", NOTEBOOKS)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """Return the folder of a fresh site."""
    needed = ("bs4", "jinja2", "latex2mathml", "nbconvert", "nbformat", "pdoc", "pygments", "ziamath")
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        pytest.skip(f"no {', '.join(missing)} here: pip install '.[site]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "notebooks.web.build", str(folder)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert (run.returncode, run.stderr) == (0, "")
    return folder


@cache
def soup(path: Path):
    from bs4 import BeautifulSoup

    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def leads_to(path: Path, link: str) -> tuple[Path, str]:
    """Return the file and the fragment that a link on a page leads to."""
    parts = urlsplit(link)
    return (path.parent / unquote(parts.path)).resolve() if parts.path else path, parts.fragment


@cache
def names(path: Path) -> set[str]:
    """Return what fragments can lead to."""
    return {tag["id"] for tag in soup(path).find_all(id=True)}


def links(path: Path) -> list[str]:
    return [link["href"] for link in soup(path).find_all("a", href=True)]


def cells(page: str) -> list[dict]:
    return json.loads((checks.FOLDER / page).with_suffix(".ipynb").read_text(encoding="utf-8"))["cells"]


# -- without a browser


def test_the_pages_are_these(site):
    pages = {str(path.relative_to(site)) for path in site.rglob("*.html")}
    assert pages == {*COURSE, *REFERENCE, "api/index.html"}  # the last one only leads on
    assert set(MODULES) == {name for name in mnb.__all__ if isinstance(getattr(mnb, name), ModuleType)}


def test_the_front_page_leads_to_every_page(site):
    reached, waiting = set(), [site / "index.html"]
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            targets = (leads_to(path, link)[0] for link in links(path) if not urlsplit(link).scheme)
            waiting += [target for target in targets if target.suffix == ".html"]
    assert reached == {site / page for page in COURSE + REFERENCE}


@every_page
def test_links_lead_somewhere(site, page):
    path = site / page
    for link in links(path):
        if not urlsplit(link).scheme:
            target, fragment = leads_to(path, link)
            assert target.is_file(), link
            if fragment:  # as browsers look: as it stands, then decoded
                assert {fragment, unquote(fragment)} & names(target), link


@every_page
def test_nothing_is_loaded_from_outside(site, page):
    path = site / page
    for tag in soup(path).find_all(lambda tag: tag.name != "a"):
        for name in ("src", "href", "srcset", "data", "poster", "action"):
            address = tag.get(name)
            if address and not address.startswith("data:"):
                assert not urlsplit(address).netloc, tag
                assert leads_to(path, address)[0].is_file(), tag
    styles = [tag.string or "" for tag in soup(path).find_all("style")] + [(site / "style.css").read_text("utf-8")]
    for style in styles:
        assert "@import" not in style
        for address in re.findall(r"url\(\s*[\"']?([^\"')]+)", style):
            assert address.startswith("data:") or (site / address).is_file()


@every_notebook
def test_pictures_keep_their_alternative_text(site, page):
    outputs = [output for cell in cells(page) for output in cell.get("outputs", [])]
    wanted = [output["metadata"]["image/png"]["alt"] for output in outputs if "image/png" in output.get("data", {})]
    assert [picture["alt"] for picture in soup(site / page).find_all("img")] == wanted
    assert wanted


@every_course_page
def test_every_picture_is_described(site, page):
    assert all(len(picture.get("alt", "")) > 10 for picture in soup(site / page).find_all("img"))


@pytest.mark.parametrize("page", ["cheat_sheet.html", *NOTEBOOKS])
def test_every_formula_became_mathml(site, page):
    if page in NOTEBOOKS:
        texts = ["".join(cell["source"]) for cell in cells(page) if cell["cell_type"] == "markdown"]
    else:
        texts = [(checks.FOLDER / page).with_suffix(".md").read_text(encoding="utf-8")]
    formulas = 0
    for text in texts:
        prose = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
        formulas += len(re.findall(r"\$\$.+?\$\$|\$.+?\$", prose, flags=re.DOTALL))
    found = soup(site / page).find_all("math")
    assert len(found) == formulas > 0
    assert not [formula for formula in found if re.search(r"[\\$]", formula.get_text()) or formula.find("merror")]
    blocks = sum(text.count("$$") for text in texts) // 2
    assert sum(formula.get("display") == "block" for formula in found) == blocks


@every_course_page
def test_no_formula_is_left_in_the_text(site, page):
    for text in soup(site / page).find("main").find_all(string=True):
        if not text.find_parents(["code", "pre", "math", "script", "style"]):
            assert not re.search(r"\$|\\[a-z]+", text), text


def test_it_refuses_to_empty_a_folder_that_is_no_site(site, tmp_path):
    (tmp_path / "letter.txt").write_text("keep me", encoding="utf-8")
    command = [sys.executable, "-m", "notebooks.web.build", str(tmp_path)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode == 1
    assert "is not empty and holds no site: name another folder" in run.stderr
    assert (tmp_path / "letter.txt").read_text(encoding="utf-8") == "keep me"


# -- in a browser


@pytest.fixture(scope="module")
def browser(site, tmp_path_factory):
    chromium.skip_without("selenium")
    with chromium.open_browser(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


def visit(browser, path: Path) -> list[str]:
    """Open a page with all its folds, wait for what it loads, and return the addresses it asked for."""
    chromium.requests(browser)
    chromium.complaints(browser)
    browser.get(path.as_uri())
    browser.execute_script("for (const fold of document.querySelectorAll('details')) fold.open = true")
    browser.execute_async_script("document.fonts.ready.then(arguments[0])")
    return chromium.requests(browser)


@every_page
def test_a_page_opens_without_a_network(site, browser, page):
    asked = visit(browser, site / page)
    assert asked[0] == (site / page).as_uri()
    assert [address for address in asked if not address.startswith((f"{site.as_uri()}/", "data:"))] == []
    assert chromium.complaints(browser) == []
    pictures = browser.execute_script("return [...document.images].map(i => [i.complete, i.naturalWidth, i.width])")
    assert all(complete and natural > 0 and width > 0 for complete, natural, width in pictures)
    sizes = browser.execute_script(
        "return [...document.querySelectorAll('math')]"
        ".map(formula => formula.getBoundingClientRect()).map(box => [box.width, box.height])"
    )
    assert len(sizes) == len(soup(site / page).find_all("math"))
    assert all(width > 3 and height > 5 for width, height in sizes)
    if sizes:
        assert browser.execute_script("return [...document.fonts].map(f => f.status)") == ["loaded"]


@every_course_page
@pytest.mark.parametrize("width", [1280, 400])
def test_a_page_fits_a_window(site, browser, page, width):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        visit(browser, site / page)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_cheat_sheet_prints_on_one_page(site, browser):
    visit(browser, site / "cheat_sheet.html")
    options = {"paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": True}
    paper = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", options)["data"])
    assert len(re.findall(rb"/Type\s*/Page\b", paper)) == 1


def test_the_reference_can_be_searched(site, browser):
    visit(browser, site / "api/minhash_nb/theory.html")
    browser.find_element("css selector", "input[type=search]").send_keys("steepest")
    browser.execute_async_script(
        "const done = arguments[0];"
        "const look = () => document.querySelector('main .search-result') ? done() : setTimeout(look, 50); look()"
    )
    found = browser.execute_script("return [...document.querySelectorAll('main .search-result a')].map(a => a.href)")
    assert any(address.endswith("minhash_nb/theory.html#steepest_point") for address in found)
    assert all(address.startswith(site.as_uri()) for address in chromium.requests(browser))
    assert chromium.complaints(browser) == []


def test_the_browser_tells_of_what_should_not_be(site, browser, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<script src='https://example.org/x.js'></script><img src='none.png'>", encoding="utf-8")
    asked = visit(browser, page)
    assert sorted(asked) == sorted([page.as_uri(), "https://example.org/x.js", (tmp_path / "none.png").as_uri()])
    told = chromium.complaints(browser)
    assert [name for name in ("x.js", "none.png") if not any(name in line for line in told)] == []
    assert browser.execute_script("return document.images[0].naturalWidth") == 0
