"""The guide to testing: its tests run as they are printed, beside the sample that they test."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "testing.md"
CONFIGURATION = """
[pytest]
asyncio_mode = auto
asyncio_default_fixture_loop_scope = function
addopts = --strict-markers -p no:cacheprovider
"""


@pytest.mark.usefixtures("real_cluster")  # for its skip rule
def test_the_tests_of_the_page_pass_on_both_servers(tmp_path: Path) -> None:
    """As a project of their own, with warnings as errors."""
    project = shutil.copytree(ROOT / "samples" / "hello", tmp_path / "hello")
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (project / "test_hello.py").write_text("\n\n".join(blocks))
    (project / "pytest.ini").write_text(CONFIGURATION)
    command = [sys.executable, "-m", "pytest", "-W", "error", "-rA", "--cluster=embedded,real"]
    environ = {**os.environ, "PYTHONPATH": str(project)}
    result = subprocess.run(command, cwd=project, env=environ, capture_output=True, text=True, timeout=240, check=False)
    assert result.returncode == 0, result.stdout
    assert "18 passed" in result.stdout
