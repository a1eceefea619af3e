"""kubectl, for tests: run by its path with a cache of its own, so that nothing of the user's is read or written."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from konverge.testing.processes import ClusterError


class KubectlError(ClusterError):
    """kubectl failed; the message has what it wrote to its standard error."""


@dataclass(frozen=True, slots=True)
class Kubectl:
    """The program, and the folder for its cache."""

    program: Path
    cache: Path

    def run(self, *args: str, kubeconfig: Path, input: str | None = None) -> str:  # noqa: A002 - as in subprocess.run
        """Return what it printed. Raises `KubectlError`."""
        own = [f"--kubeconfig={kubeconfig}", f"--cache-dir={self.cache}"]
        result = subprocess.run(  # noqa: S603 - a program that `binaries` found, without a shell
            [str(self.program), *own, *args], input=input or "", capture_output=True, text=True, check=False
        )
        if result.returncode:
            # Flags stay out of the message: their values may be secrets.
            said = " ".join(_before_flags(args))
            raise KubectlError(f"kubectl {said} (exit code {result.returncode}): {result.stderr.strip()}")
        return result.stdout


def _before_flags(args: Iterable[str]) -> Iterator[str]:
    for arg in args:
        if arg.startswith("-"):
            return
        yield arg
