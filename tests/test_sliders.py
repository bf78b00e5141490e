"""The sliders in a real JupyterLab: moved by key, they redraw the picture."""

import json
import os
import shutil
import subprocess
import sys
import time

import chromium
import pytest

from notebooks import checks

SECONDS = 120  # for a notebook to run, in quick mode
SCRIPTS = {script.stem: script.read_text(encoding="utf-8") for script in checks.scripts()}
LOCAL = ("data:", "blob:", "http://localhost:", "http://127.0.0.1:")
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},  # all cells are on the page
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Start a JupyterLab of its own in a copy of the notebooks; return the address of a notebook by its name."""
    chromium.skip_without("selenium", "jupyterlab", "ipywidgets", "ipykernel")
    home = tmp_path_factory.mktemp("lab")
    work = home / "work"
    shutil.copytree(checks.FOLDER, work, ignore=shutil.ignore_patterns("gallery", "pictures", "__pycache__"))
    for name, values in SETTINGS.items():
        path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), encoding="utf-8")
    folders = {f"JUPYTER_{kind}_DIR": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")}
    environment = {**os.environ, **folders, "IPYTHONDIR": str(home / "ipython"), "MINHASH_NB_QUICK": "1"}
    environment.pop("MPLBACKEND", None)
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", f"--ServerApp.root_dir={work}", "--ServerApp.port=0"),
        *("--ServerApp.allow_root=True", "--LabApp.expose_app_in_browser=True", "--LabApp.extension_manager=readonly"),
        f"--LabApp.user_settings_dir={home / 'settings'}",
    ]
    with (home / "log").open("w") as log, subprocess.Popen(command, env=environment, stdout=log, stderr=log) as server:
        try:
            deadline = time.monotonic() + 60
            while not (found := list((home / "runtime").glob("jpserver-*.json"))):
                assert server.poll() is None, (home / "log").read_text()
                assert time.monotonic() < deadline, (home / "log").read_text()
                time.sleep(0.1)
            time.sleep(0.2)
            server_info = json.loads(found[0].read_text())
            yield lambda name: f"{server_info['url']}lab/tree/{name}?token={server_info['token']}&reset"
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def browser(lab, tmp_path_factory):
    with chromium.open_browser(tmp_path_factory.mktemp("profile")) as driver:
        driver.set_script_timeout(SECONDS)
        yield driver


RUN_ALL = """
const done = arguments[0], app = window.jupyterapp;
(async () => {
  await app.restored;
  const panel = app.shell.currentWidget;
  await panel.context.ready;
  await panel.sessionContext.ready;
  await app.commands.execute("notebook:run-all-cells");
  return panel.model.sharedModel.cells.filter(c => c.cell_type === "code").map(c => c.execution_count);
})().then(done, error => done(String(error)))
"""


def until(driver, condition):
    """Wait for a condition, and return what it gives."""
    from selenium.webdriver.support.wait import WebDriverWait

    return WebDriverWait(driver, 30).until(lambda _: condition())


@pytest.mark.parametrize("name", [name for name, text in SCRIPTS.items() if "interact(" in text])
def test_a_slider_redraws_the_picture(lab, browser, name):
    from selenium.webdriver.common.keys import Keys

    browser.get(lab(f"{name}.ipynb"))
    until(browser, lambda: browser.execute_script("return window.jupyterapp?.shell.currentWidget?.context != null"))
    counts = browser.execute_async_script(RUN_ALL)
    assert counts == list(range(1, len(counts) + 1))  # an error would have stopped it
    assert browser.find_elements("css selector", "[data-mime-type='application/vnd.jupyter.error']") == []

    def find(what: str):
        return browser.find_elements("css selector", f".widget-interact {what}")

    def picture() -> str:
        return "".join(image.get_attribute("src") for image in find(".jp-RenderedImage img"))

    def readouts() -> list[str]:
        return [readout.text for readout in find(".widget-readout")]

    first, start = until(browser, picture), readouts()
    handles = find(".noUi-handle")
    assert len(handles) == len(start) > 0
    seen = {first}
    for place, handle in enumerate(handles):
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", handle)
        handle.send_keys(Keys.ARROW_LEFT)  # none starts at its lower end
        seen.add(until(browser, lambda: picture() not in {*seen, ""} and picture()))
        assert [now != before for now, before in zip(readouts(), start, strict=True)].index(True) == place
        handle.send_keys(Keys.ARROW_RIGHT)
        until(browser, lambda: (picture(), readouts()) == (first, start))
    assert len(seen) == 1 + len(handles)
    assert [address for address in chromium.requests(browser) if not address.startswith(LOCAL)] == []
