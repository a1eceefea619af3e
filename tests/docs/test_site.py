"""The documentation as a site."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    """Every page is in it, and every link and every anchor leads somewhere."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    assert (tmp_path / "concepts" / "level-triggered.html").exists()
    assert (tmp_path / "images" / "markdownview.png").exists()
    assert (tmp_path / "css" / "site.css").exists()  # without which most tables are cut off
