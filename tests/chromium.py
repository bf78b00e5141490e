"""A headless Chromium that reaches no other machine, and tells what its pages asked for."""

import json
import shutil
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

OPTIONS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    "--window-size=1280,900",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",  # no name is found, so no machine
]


def skip_without(*modules: str) -> None:
    """Skip a test where Chromium, its driver or one of the modules is missing."""
    programs = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    absent = [name for name in modules if find_spec(name) is None]
    if programs:
        pytest.skip(f"no {' and no '.join(programs)} here: on Debian, apt-get install chromium chromium-driver")
    if absent:
        pytest.skip(f"no {' and no '.join(absent)} here: pip install '.[site]'")


@contextmanager
def open_browser(profile: Path):
    """Start Chromium with an empty profile; end it afterwards."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for option in (*OPTIONS, f"--user-data-dir={profile}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        driver.set_page_load_timeout(60)
        driver.set_script_timeout(60)
        driver.get("about:blank")  # leave the page for new tabs, and forget what it asked for
        requests(driver)
        yield driver
    finally:
        driver.quit()


def requests(driver) -> list[str]:
    """Return the addresses asked for since the last call."""
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    return [
        message["params"]["request"]["url"] for message in messages if message["method"] == "Network.requestWillBeSent"
    ]


def complaints(driver) -> list[str]:
    """Return the warnings and errors on the console since the last call."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] in ("WARNING", "SEVERE")]
