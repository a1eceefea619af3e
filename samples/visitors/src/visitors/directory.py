"""Directory: where the sites are listed, outside of the cluster. No garbage collector knows of it."""

import asyncio
from pathlib import Path
from typing import Protocol


class Directory(Protocol):
    """An outside system (a DNS zone, a licence server) with an entry for each app; any call of it may fail."""

    async def enter(self, app: str) -> None:
        """Make the entry; one that is there already is no error."""
        ...

    async def forget(self, app: str) -> None:
        """Remove the entry; one that is gone already is no error."""
        ...


class FolderDirectory:
    """A folder with a file for each app: the simplest thing that outlives the cluster."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def enter(self, app: str) -> None:
        """Make the file."""
        await asyncio.to_thread(self._write, self._file(app))

    async def forget(self, app: str) -> None:
        """Remove the file."""
        await asyncio.to_thread(self._file(app).unlink, missing_ok=True)

    def _write(self, file: Path) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        file.touch()

    def _file(self, app: str) -> Path:
        return self._folder / app.replace("/", ".")
