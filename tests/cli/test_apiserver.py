"""The command `konverge apiserver`."""

from __future__ import annotations

import os
import shlex
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from konverge.cli.serving import _is_loopback
from konverge.testing import binaries

PATIENCE = 60.0


@contextmanager
def running(*args: str, cwd: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Run the command as a user would until the block ends; the kubeconfig that it names comes along."""
    command = [sys.executable, "-c", "from konverge.cli import main; main()", "apiserver", *args]
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            name, _, path = process.stdout.readline().partition("=")
            assert name == "export KUBECONFIG", process.stderr.read() if process.stderr else ""
            assert process.stdout.readline() == "kubectl get namespaces\n"
            yield process, Path(shlex.split(path)[0])
        finally:
            process.kill()


def stop(process: subprocess.Popen[str], number: signal.Signals = signal.SIGTERM) -> None:
    """Ask it to stop; it must end in order and say nothing more."""
    process.send_signal(number)
    assert process.communicate(timeout=PATIENCE) == ("", "")
    assert process.returncode == 0


def refused(*args: str, cwd: Path) -> str:
    """Run the command where it cannot start, and return what it says."""
    command = [sys.executable, "-c", "from konverge.cli import main; main()", "apiserver", *args]
    result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (result.returncode, result.stdout) == (1, "")
    return result.stderr


def kubectl(kubeconfig: Path, *args: str, text: str = "") -> str:
    """Run kubectl, and return what it prints."""
    program = str(binaries.find("kubectl")["kubectl"])
    cache = f"--cache-dir={kubeconfig.parent / 'cache'}"
    result = subprocess.run(
        [program, cache, *args],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        env={"KUBECONFIG": str(kubeconfig), "HOME": str(kubeconfig.parent), "PATH": os.environ.get("PATH", "")},
        timeout=PATIENCE,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_kubectl_until_it_is_told_to_stop(tmp_path: Path, number: signal.Signals) -> None:
    """The two lines that it prints are all that a person needs; in memory it leaves nothing behind."""
    with running("--memory", cwd=tmp_path) as (process, kubeconfig):
        assert stat.S_IMODE(kubeconfig.stat().st_mode) == 0o600
        assert "kube-system" in kubectl(kubeconfig, "get", "namespaces", "-o", "name")
        stop(process, number)
    assert list(tmp_path.iterdir()) == []
    assert not kubeconfig.parent.exists()


def test_data_survives_a_restart_and_a_kill(tmp_path: Path) -> None:
    """Everything that kubectl was told is kept; the kubeconfig goes where it was asked for."""
    args = ("--data", "data", "--kubeconfig", "config")
    for number in range(3):
        with running(*args, cwd=tmp_path) as (process, kubeconfig):
            assert kubeconfig == tmp_path / "config"
            manifest = f'{{"apiVersion": "v1", "kind": "Namespace", "metadata": {{"name": "n{number}"}}}}'
            kubectl(kubeconfig, "apply", "--validate=false", "-f", "-", text=manifest)
            names = kubectl(kubeconfig, "get", "namespaces", "-o", "name").split()
            assert [name for name in names if name.startswith("namespace/n")] == [
                f"namespace/n{each}" for each in range(number + 1)
            ]
            if number:
                stop(process)
    assert {path.name for path in (tmp_path / "data").iterdir()} >= {"storage.db", "ca.key", "ca.crt", "lock"}


def test_a_second_one_on_the_same_folder_says_so(tmp_path: Path) -> None:
    """One sentence, with the folder and the process that has it."""
    with running(cwd=tmp_path) as (process, kubeconfig):
        folder = tmp_path / ".konverge"
        assert kubeconfig == folder / "kubeconfig"
        assert (folder / ".gitignore").read_text() == "*\n"
        said = refused("--data", ".konverge", cwd=tmp_path)
        assert said == (
            f"error: {folder}: in use by another server (pid {process.pid}); "
            "stop that one, or choose another data folder\n"
        )
        stop(process)


def test_what_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    """No stack, exit code 1."""
    assert refused("--memory", "--data", "x", cwd=tmp_path).startswith("error: --data keeps everything and --memory")
    (tmp_path / "mine").write_text("clusters: []")
    said = refused("--memory", "--kubeconfig", "mine", cwd=tmp_path)
    assert said == (
        f"error: {tmp_path}/mine: is not an embedded cluster's kubeconfig, so it is not replaced; choose another file\n"
    )


@pytest.mark.parametrize(
    ("address", "expected"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("10.1.2.3", False), ("x", False)],
)
def test_other_addresses_are_told_from_loopback(address: str, expected: bool) -> None:
    """They are worth a warning."""
    assert _is_loopback(address) is expected
