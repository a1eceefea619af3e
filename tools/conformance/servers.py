"""The two servers that can be asked, each with its controllers and in processes of its own, until the block is left.

Both have the same scheduler and the same simulated node, which says of pods that they run: many tests wait for that and
look no further.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from konverge.cluster.control_plane import LIFELIKE, add_node
from konverge.testing.manager_thread import ManagerThread
from konverge.testing.real_cluster import RealCluster

NAMES: Final = ("embedded", "real")
_READY_WITHIN: Final = 60.0  # seconds; under one on a free machine
_POLL: Final = 0.05
_STOP_WITHIN: Final = 15.0
# The server's own endpoints must be there, and may not be on loopback; nobody connects to this address of examples.
_ANNOUNCED: Final = ("--endpoint-reconciler-type=lease", "--advertise-address=192.0.2.1")


class NoServer(Exception):
    """The server did not come up; the message says where its output is."""


@contextmanager
def started(name: str, output: Path) -> Iterator[Path]:
    """Start a server and yield the kubeconfig of its administrator; what it said is in `output` afterwards."""
    with (_embedded if name == "embedded" else _real)(output) as kubeconfig:
        yield kubeconfig


@contextmanager
def _real(output: Path) -> Iterator[Path]:
    with RealCluster(controllers=True, apiserver_flags=_ANNOUNCED) as cluster:
        try:
            with ManagerThread(cluster.manager, partial(add_node, stop_after=LIFELIKE)):
                yield cluster.kubeconfig
        finally:
            for log in cluster.folder.glob("*.log"):
                shutil.copy(log, output / f"server.{log.name}")


@contextmanager
def _embedded(output: Path) -> Iterator[Path]:
    kubeconfig = output / "kubeconfig"
    kubeconfig.unlink(missing_ok=True)
    said = output / "server.log"
    command = [str(Path(sys.executable).with_name("konverge")), "apiserver", "--memory", "--controllers"]
    with said.open("wb") as log:
        process = subprocess.Popen([*command, f"--kubeconfig={kubeconfig}"], stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait(process, kubeconfig, said)
        yield kubeconfig
    finally:
        process.terminate()
        try:
            process.wait(_STOP_WITHIN)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process: subprocess.Popen[bytes], kubeconfig: Path, said: Path) -> None:
    """Wait for the lines that it prints when it serves."""
    deadline = time.monotonic() + _READY_WITHIN
    while not (kubeconfig.exists() and b"KUBECONFIG" in said.read_bytes()):
        if process.poll() is not None or time.monotonic() > deadline:
            raise NoServer(f"the embedded server did not come up; what it said is in {said}")
        time.sleep(_POLL)
