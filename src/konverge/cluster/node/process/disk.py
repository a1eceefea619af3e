"""Disk: the file system as a node uses it, and no more; the one place that a test makes full.

Every method blocks; what may take long is called in a thread.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


class Disk:
    """The machine's own. All methods raise `OSError`."""

    def make_folder(self, path: Path, mode: int = 0o755) -> None:
        """Make a folder and those above it."""
        path.mkdir(parents=True, exist_ok=True)
        if path.stat().st_mode & 0o7777 != mode:
            path.chmod(mode)

    def write(self, path: Path, content: bytes, mode: int = 0o644) -> None:
        """Write a new file; nobody ever sees it with more rights than these."""
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            os.fchmod(descriptor, mode)

    def replace(self, path: Path, content: bytes, mode: int = 0o644) -> None:
        """Write a file so that its readers see either what was there or all that is."""
        new = path.with_name(f".{path.name}.new")
        self.write(new, content, mode)
        new.replace(path)

    def append(self, descriptor: int, data: bytes) -> None:
        """Write at the end of an open file."""
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]

    def remove(self, path: Path) -> None:
        """Remove a folder with all that is in it; one that is not there is no error."""
        if sys.version_info >= (3, 12):
            shutil.rmtree(path, onexc=_forgiving)
        else:
            shutil.rmtree(path, onerror=lambda call, name, info: _forgiving(call, name, info[1]))


def _forgiving(call: object, name: str, error: BaseException) -> None:
    """Let a container's own read-only folders be removed; the rest is an error."""
    if isinstance(error, FileNotFoundError):
        return
    parent = Path(name).parent
    if isinstance(error, PermissionError) and not os.access(parent, os.W_OK):
        parent.chmod(0o700)
        if call in (os.unlink, os.rmdir):
            call(name)
            return
    raise error
