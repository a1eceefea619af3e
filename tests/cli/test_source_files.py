"""Which files of an operator have changed."""

from __future__ import annotations

import os
from pathlib import Path

from konverge.cli.source_files import changes, state_of


def write(path: Path, text: str = "") -> Path:
    """Write a file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_new_changed_and_lost_files_are_told(tmp_path: Path) -> None:
    """And no others."""
    changed, lost, _ = (write(tmp_path / "src" / f"{name}.py") for name in ("changed", "lost", "same"))
    before = state_of(tmp_path)
    assert changes(before, before) == []
    os.utime(changed, ns=(1, 1))
    lost.unlink()
    new = write(tmp_path / "new.py")
    assert changes(before, state_of(tmp_path)) == [new, changed, lost]


def test_what_is_no_source_is_left_out(tmp_path: Path) -> None:
    """Other files, hidden folders, and virtual environments whatever their name is."""
    write(tmp_path / "environment" / "pyvenv.cfg")
    for name in ("environment/lib/x.py", ".venv/x.py", "__pycache__/x.py", "build/x.py", "notes.txt"):
        write(tmp_path / name)
    assert list(state_of(tmp_path)) == []
    assert state_of(tmp_path / "absent") == {}
