"""The lanes of `make test`: all of the suite is in one of them, and no failure gets lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.lanes import LANES, SERVERS, Lane

ROOT = Path(__file__).resolve().parents[2]
WELL = "def test_it():\n    pass\n"
FAILS = "def test_it():\n    print('the reason')\n    assert False\n"


def project(folder: Path, servers: str, others: str) -> None:
    """Write a small suite with something for each lane."""
    texts = dict.fromkeys(SERVERS, WELL) | {"tests/cluster": servers, "tests/others": others}
    for place, text in texts.items():
        (folder / place).mkdir(parents=True)
        (folder / place / f"test_{Path(place).name}.py").write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider\n")


def test_every_test_is_in_one_lane() -> None:
    """What one names, the other leaves out; the folders are there."""
    assert {option.removeprefix("--ignore=") for option in LANES["others"]} == set(LANES["servers"]) == set(SERVERS)
    assert all((ROOT / folder).is_dir() for folder in SERVERS)


@pytest.mark.parametrize(
    ("servers", "others", "code", "last"),
    [
        (WELL, WELL, 0, "others"),
        (FAILS, WELL, 1, "servers"),
        (WELL, FAILS, 1, "others"),
        ("import nothing", WELL, 2, "servers"),
    ],
    ids=["none", "servers", "others", "unreadable"],
)
def test_a_failure_in_any_lane_is_one(tmp_path: Path, servers: str, others: str, code: int, last: str) -> None:
    """And it is the last that is printed, with its reason."""
    project(tmp_path, servers, others)
    result = subprocess.run(
        [sys.executable, ROOT / "tools" / "lanes.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.returncode == code
    assert " others | tests/others/test_others.py" in result.stdout
    report = result.stdout[result.stdout.rindex(f"\n--- {last} ---\n") :]
    assert report.count("\n--- ") == 1
    assert ("the reason" in report or "No module named 'nothing'" in report) == bool(code)


def test_progress_is_shown_at_once_and_the_report_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    """The reports of two lanes would else be mixed."""
    lane = Lane("others", ())
    for line in ("=== test session starts ===", "tests/a.py ..F [100%]", "", "=== FAILURES ===", "tests/a.py: why"):
        lane.take(line)
    assert capsys.readouterr().out == " others | === test session starts ===\n others | tests/a.py ..F [100%]\n"
    lane.tell()
    assert capsys.readouterr().out == "\n--- others ---\n=== FAILURES ===\ntests/a.py: why\n"
