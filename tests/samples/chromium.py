"""Chromium, driven by the W3C WebDriver protocol: one JSON request for each step, so the standard library is enough."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

REMEDY: Final = "install Chromium and its driver (Debian: apt install chromium chromium-driver): `make browser` does"
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
PATIENCE: Final = 60.0  # seconds
# As root there is no sandbox; a container has little shared memory; nothing is asked of the network.
ARGUMENTS: Final = (
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--window-size=900,640",
)
_ELEMENT: Final = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's own name for a reference to an element


class Browser:
    """One window."""

    def __init__(self, session: str) -> None:
        self._session = session

    def open(self, url: str) -> None:
        """Go to a page, and wait until it is loaded."""
        call("POST", f"{self._session}/url", {"url": url})

    def text(self, selector: str) -> str:
        """Return what a person reads in an element."""
        found = call("POST", f"{self._session}/element", {"using": "css selector", "value": selector})
        return str(call("GET", f"{self._session}/element/{found[_ELEMENT]}/text"))

    def wait_for_text(self, selector: str, text: str) -> None:
        """Look until an element reads so, without loading the page again."""
        deadline = time.monotonic() + PATIENCE
        while (seen := self._text_or_nothing(selector)) != text:
            assert time.monotonic() < deadline, f"{selector} reads {seen!r} and not {text!r} after {PATIENCE:g} s"
            time.sleep(0.1)

    def _text_or_nothing(self, selector: str) -> str:
        try:
            return self.text(selector)
        except AssertionError:
            return ""  # the page is being loaded again

    def screenshot(self, path: Path) -> None:
        """Write what is seen as a PNG."""
        path.write_bytes(base64.b64decode(call("GET", f"{self._session}/screenshot")))


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """Have a window as long as the block; where there is no Chromium, fail."""
    driver = shutil.which("chromedriver")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    assert driver, f"chromedriver is not in PATH: {REMEDY}"
    assert program, f"chromium is not in PATH: {REMEDY}"
    with driving(driver) as url:
        options = {"binary": program, "args": [*ARGUMENTS, f"--user-data-dir={profile}"]}
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}}
        session = f"{url}/session/{call('POST', f'{url}/session', wanted)['sessionId']}"
        try:
            yield Browser(session)
        finally:
            call("DELETE", session)


@contextmanager
def driving(driver: str) -> Iterator[str]:
    """Run the driver on a port that it chooses; gives its address."""
    environ = {**os.environ, "no_proxy": "*"}
    with subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, text=True, env=environ) as process:
        try:
            assert process.stdout is not None
            said = next((line for line in process.stdout if "started successfully on port" in line), "")
            assert said, "chromedriver did not start"
            yield f"http://127.0.0.1:{said.rstrip().rstrip('.').rpartition(' ')[2]}"
        finally:
            process.terminate()


def call(method: str, url: str, body: Any = None) -> Any:
    """Ask the driver; its refusals are failures of the test."""
    data = json.dumps(body).encode() if body is not None else None
    request = Request(url, data=data, method=method, headers={"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]
    except HTTPError as error:
        raise AssertionError(f"{method} {url}: {error.read().decode()}") from error
