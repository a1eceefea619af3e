"""PayloadFolder: a folder of files that are exchanged all at once, as a kubelet's atomic writer does it.

    config/..2026_11_15_15_30_00.000000001/app.yaml      the files
    config/..data -> ..2026_11_15_15_30_00.000000001      swapped in one step
    config/app.yaml -> ..data/app.yaml                    what a reader opens

A reader sees the old set or the new one, never a mixture; whoever watches `..data` learns of each change.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Final

from konverge.cluster.node.process.disk import Disk
from konverge.cluster.node.process.volume_files import File, Files

_DATA: Final = "..data"
_NEW: Final = "..data_tmp"


def write_payload(disk: Disk, folder: Path, files: Files, now: datetime) -> bool:
    """Make a folder hold just these files; return whether that was a change. Raises `OSError`, and changes nothing."""
    disk.make_folder(folder, 0o755)
    data = folder / _DATA
    old = data.readlink().name if data.is_symlink() else None
    if old is not None and _holds(folder / old, files):
        return False
    new = _new_folder(folder, now)
    try:
        _write(disk, new, files)
    except OSError:
        disk.remove(new)
        raise
    _swap(folder, new.name)
    _link(folder, files)
    if old is not None:
        disk.remove(folder / old)
    return True


def _holds(folder: Path, files: Files) -> bool:
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*") if not path.is_dir()}
    return found.keys() == files.keys() and all(_is(path, files[name]) for name, path in found.items())


def _is(path: Path, file: File) -> bool:
    return path.stat().st_mode & 0o7777 == file.mode and path.read_bytes() == file.content


def _new_folder(folder: Path, now: datetime) -> Path:
    stamp = now.strftime("..%Y_%m_%d_%H_%M_%S")
    number = 0
    while (path := folder / f"{stamp}.{number:09}").exists():
        number += 1
    return path


def _write(disk: Disk, folder: Path, files: Files) -> None:
    disk.make_folder(folder)
    for name, file in files.items():
        path = folder / name
        disk.make_folder(path.parent)
        disk.write(path, file.content, file.mode)


def _swap(folder: Path, name: str) -> None:
    new = folder / _NEW
    new.unlink(missing_ok=True)
    new.symlink_to(name)
    new.replace(folder / _DATA)


def _link(folder: Path, files: Files) -> None:
    """Give each file its visible name, and take away the names of those that are gone."""
    wanted = {Path(name).parts[0] for name in files}
    for path in folder.iterdir():
        if path.is_symlink() and not path.name.startswith("..") and path.name not in wanted:
            path.unlink()
    for name in sorted(wanted):
        link = folder / name
        if not link.is_symlink():
            link.symlink_to(f"{_DATA}/{name}")
