"""A browser that is missing is told, by `make browser` and by the test that needs it; nothing is skipped."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from chromium import browser

ROOT = Path(__file__).resolve().parents[2]


def test_where_it_cannot_be_installed_the_remedy_is_told(tmp_path: Path) -> None:
    """And `make test` goes on to all the other tests."""
    command = [sys.executable, str(ROOT / "tools" / "browser.py")]
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=True)
    assert "chromium and chromedriver: not here, and not installed" in done.stdout
    assert "apt install chromium chromium-driver" in done.stdout


def test_without_it_the_test_of_the_page_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same remedy."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AssertionError, match="apt install chromium chromium-driver"), browser(tmp_path):
        pytest.fail("there is no browser")
