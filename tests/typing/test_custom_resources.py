import sys
from pathlib import Path
from subprocess import run

ROOT = Path(__file__).resolve().parents[2]


def test_mypy_knows_what_a_custom_resource_is() -> None:
    """Every `assert_type` of custom_resources.py holds, and every `type: ignore` there is needed."""
    command = [sys.executable, "-m", "mypy", "--strict", "tests/typing/custom_resources.py"]
    result = run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout
