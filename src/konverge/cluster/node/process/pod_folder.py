"""PodFolder: where everything of one pod lies on disk.

<node>/pods/<uid>/volumes/<volume>/           what is mounted
                 /containers/<container>/work/            its working folder
                                        /process.json     what runs, for whoever comes after a crash
                                        /<run>.log        what it said; <run>.log.1, … are older
                 /kubeconfig
"""

from __future__ import annotations

from pathlib import Path

import msgspec


class PodFolder(msgspec.Struct, frozen=True):
    """Paths; it makes none of them."""

    path: Path

    def volume(self, name: str) -> Path:
        """Return the folder of a volume."""
        return self.path / "volumes" / name

    def container(self, name: str) -> Path:
        """Return the folder of a container."""
        return self.path / "containers" / name

    def work(self, name: str) -> Path:
        """Return the folder that a container works in, unless it is told otherwise."""
        return self.container(name) / "work"

    def log(self, name: str, run: int) -> Path:
        """Return the log of one run of a container."""
        return self.container(name) / f"{run}.log"

    def termination_message(self, name: str) -> Path:
        """Return the file in which a container may leave its last words."""
        return self.container(name) / "termination-log"

    def kubeconfig(self, name: str) -> Path:
        """Return the file by which a container reaches the API server."""
        return self.container(name) / "kubeconfig"

    def state(self, name: str) -> Path:
        """Return the file that says which process a container is."""
        return self.container(name) / "process.json"
