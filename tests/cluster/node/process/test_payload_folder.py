from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from konverge.cluster.node.process.disk import Disk
from konverge.cluster.node.process.payload_folder import write_payload
from konverge.cluster.node.process.volume_files import File

NOW = datetime(2026, 11, 15, 15, 30, tzinfo=UTC)


def content(folder: Path) -> dict[str, str]:
    """Return what a reader finds under the visible names."""
    visible = (path for path in folder.iterdir() if not path.name.startswith(".."))
    files = (each for path in visible for each in ((path, *path.rglob("*")) if path.is_dir() else (path,)))
    return {str(path.relative_to(folder)): path.read_text() for path in files if path.is_file()}


def test_files_are_exchanged_all_at_once(tmp_path: Path) -> None:
    """A reader who opened the set before goes on with it; the names of what is gone go."""
    folder = tmp_path / "volume"
    assert write_payload(Disk(), folder, {"a": File(b"1", 0o644), "deep/b": File(b"1", 0o400)}, NOW)
    before = (folder / "..data").resolve()
    assert content(folder) == {"a": "1", "deep/b": "1"}
    assert (folder / "deep/b").stat().st_mode & 0o777 == 0o400
    assert not write_payload(Disk(), folder, {"a": File(b"1", 0o644), "deep/b": File(b"1", 0o400)}, NOW)
    assert (folder / "..data").resolve() == before
    assert write_payload(Disk(), folder, {"a": File(b"2", 0o644)}, NOW)
    assert content(folder) == {"a": "2"}
    assert not before.exists()


class Broken(Disk):
    """A disk on which nothing more can be written."""

    def write(self, path: Path, content: bytes, mode: int = 0o644) -> None:  # noqa: ARG002 - it takes nothing
        """Refuse."""
        raise OSError(28, "No space left on device")


def test_what_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    """The old set stays, and nothing of the new one is left."""
    write_payload(Disk(), tmp_path, {"a": File(b"1", 0o644)}, NOW)
    with pytest.raises(OSError, match="No space left"):
        write_payload(Broken(), tmp_path, {"a": File(b"2", 0o644)}, NOW)
    assert content(tmp_path) == {"a": "1"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["..2026_11_15_15_30_00.000000000", "..data", "a"]


def test_a_file_never_shows_what_it_holds() -> None:
    """It may be a Secret's."""
    assert "open" not in repr(File(b"open", 0o600))
