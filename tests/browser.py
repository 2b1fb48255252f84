"""A real browser for pages: Debian's Chromium, driven over its own protocol."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

__all__ = ["Browser", "needs_browser", "opened"]

_CHROMIUM, _DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
needs_browser = pytest.mark.skipif(
    not (_CHROMIUM and _DRIVER), reason="no Chromium with its driver is installed here"
)
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--force-prefers-reduced-motion",
)


class Browser:
    """One window."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, page: Path) -> None:
        """Open a file and wait until its script has run."""
        self.driver.get(page.as_uri())
        self.run("return document.documentElement.dataset.ready")

    def run(self, script: str, *arguments: object) -> Any:  # noqa: ANN401 - what the page gives
        """Run a script in the page and return what it gives."""
        return self.driver.execute_script(script, *arguments)

    def _log(self, kind: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.driver.get_log(kind)  # type: ignore[no-untyped-call]
        return found

    def complaints(self) -> list[str]:
        """What the page said to its console."""
        return [entry["message"] for entry in self._log("browser")]

    def requested(self) -> list[str]:
        """Every address the window asked for since it was opened, data in the page aside."""
        found = []
        for entry in self._log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(str(message["params"]["request"]["url"]))
        return [address for address in found if not address.startswith(("data:", "chrome"))]


@contextmanager
def opened(profile: Path, *, width: int = 1280, dark: bool = False) -> Iterator[Browser]:
    """Start a browser with an empty profile and close it in the end."""
    options = webdriver.ChromeOptions()
    options.binary_location = _CHROMIUM or ""
    wanted = (*_FLAGS, f"--user-data-dir={profile}", f"--window-size={width},1000")
    for flag in (*wanted, "--blink-settings=preferredColorScheme=0") if dark else wanted:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(_DRIVER))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
