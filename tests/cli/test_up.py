"""The commands `konverge up` and `konverge down`, with a simulated node."""

from __future__ import annotations

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from konverge.cli.run_state import RunState
from konverge.cli.up_run import Options
from konverge.testing import binaries

PATIENCE = 60.0
SIMULATED = ("--node", "simulate")


def command(*args: str) -> list[str]:
    """Return the program with arguments, as the `konverge` of this environment."""
    return [sys.executable, "-m", "konverge.cli", *args]


def environment(home: Path) -> dict[str, str]:
    """Return the environment of a user with this home folder and no kubeconfig."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KUBE", "XDG"))}
    return {**kept, "HOME": str(home)}


@contextmanager
def up(*args: str, home: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `konverge up` until the block ends; the first line that it prints comes along."""
    with subprocess.Popen(
        command("up", *args),
        cwd=home,
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            assert process.stdout.readline() == "kubectl get pods -A\n"
            yield process, line.rstrip("\n")
        finally:
            process.kill()


def kubeconfig_of(line: str) -> Path:
    """Return the file that the line for a shell names."""
    name, _, path = line.partition("=")
    assert name == "export KUBECONFIG"
    return Path(shlex.split(path)[0])


def ended(process: subprocess.Popen[str]) -> tuple[str, str, int]:
    """Wait for its end, and return what else it said and its exit code."""
    out, err = process.communicate(timeout=PATIENCE)
    return out, err, process.returncode


def konverge(*args: str, home: Path) -> tuple[int, str, str]:
    """Run a command to its end."""
    result = subprocess.run(
        command(*args), cwd=home, env=environment(home), capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    return result.returncode, result.stdout, result.stderr


def kubectl(*args: str, home: Path, kubeconfig: Path | None = None) -> str:
    """Run kubectl as this user, and return what it prints."""
    env = environment(home) | ({"KUBECONFIG": str(kubeconfig)} if kubeconfig else {})
    program = str(binaries.find("kubectl")["kubectl"])
    result = subprocess.run([program, *args], env=env, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_a_deployment_is_rolled_out_and_is_there_the_next_time(tmp_path: Path) -> None:
    """Everything is kept in one folder per user, and the address stays the same."""
    folder = tmp_path / ".local" / "share" / "konverge" / "up"
    urls: list[str] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        with up(*SIMULATED, home=tmp_path) as (process, line):
            kubeconfig = kubeconfig_of(line)
            assert kubeconfig == folder / "kubeconfig"
            if not urls:
                kubectl("create", "deployment", "web", "--image=web:1", home=tmp_path, kubeconfig=kubeconfig)
            kubectl("rollout", "status", "deployment/web", home=tmp_path, kubeconfig=kubeconfig)
            found = RunState(folder).running()
            assert found is not None
            assert found.pid == process.pid
            urls.append(found.url)
            process.send_signal(number)
            assert ended(process) == ("", "", 0)
        assert RunState(folder).running() is None
    assert urls[0] == urls[1]


def test_in_memory_it_leaves_nothing_behind(tmp_path: Path) -> None:
    """But for the file that was its lock; `down` finds it all the same, and waits for its end."""
    with up(*SIMULATED, "--memory", home=tmp_path) as (process, line):
        kubeconfig = kubeconfig_of(line)
        assert "kube-system" in kubectl("get", "namespaces", "-o", "name", home=tmp_path, kubeconfig=kubeconfig)
        assert konverge("down", home=tmp_path) == (0, f"stopped (pid {process.pid})\n", "")
        assert ended(process) == ("", "", 0)
    assert [path.name for path in kubeconfig.parent.parent.iterdir()] == ["up.lock"]


def test_in_the_background_until_it_is_taken_down(tmp_path: Path) -> None:
    """A second one says how to reach the first, `down` ends it, and a second `down` has nothing to do."""
    data = ("--data", "my data")
    folder = tmp_path / "my data"
    code, out, err = konverge("up", *SIMULATED, *data, "--detach", home=tmp_path)
    assert (code, err) == (0, "")
    assert out == f"export KUBECONFIG='{folder}/kubeconfig'\nkubectl get pods -A\n"
    found = RunState(folder).running()
    assert found is not None
    try:
        assert os.getsid(found.pid) == found.pid
        for again in ((), ("--detach",)):
            code, out, err = konverge("up", *SIMULATED, *data, *again, home=tmp_path)
            assert (code, out) == (1, "")
            assert err == (
                f"error: {folder}: konverge is up already (pid {found.pid}, {found.url}); use it with "
                f"KUBECONFIG={folder}/kubeconfig, stop it with `konverge down --data '{folder}'`, or give --data DIR "
                "for another one\n"
            )
        assert json.loads(kubectl("version", "-o", "json", home=tmp_path, kubeconfig=Path(found.kubeconfig)))
    finally:
        assert konverge("down", *data, home=tmp_path) == (0, f"stopped (pid {found.pid})\n", "")
    assert konverge("down", *data, home=tmp_path) == (0, f"nothing is up on {folder}\n", "")
    assert (folder / "up.log").read_text().startswith("export KUBECONFIG=")


def test_the_context_is_in_the_users_kubeconfig_while_it_is_up(tmp_path: Path) -> None:
    """Nothing else is needed by kubectl then, and the contexts that were there stay."""
    config = tmp_path / ".kube" / "config"
    kubectl("config", "set-context", "prod", "--cluster=prod", home=tmp_path)
    with up(*SIMULATED, "--memory", "--context", home=tmp_path) as (process, line):
        assert line == "kubectl config use-context konverge"
        kubectl("config", "use-context", "konverge", home=tmp_path)
        assert "kube-system" in kubectl("get", "namespaces", "-o", "name", home=tmp_path)
        process.terminate()
        assert ended(process) == ("", "", 0)
    assert kubectl("config", "get-contexts", "-o", "name", home=tmp_path) == "prod\n"
    kubectl("config", "set-context", "konverge", "--cluster=prod", home=tmp_path)
    before = config.read_text()
    code, _, err = konverge("up", *SIMULATED, "--memory", "--context", "--detach", home=tmp_path)
    assert code == 1
    assert err.startswith(f"error: {config}: has a context named konverge that `konverge up` did not add")
    assert config.read_text() == before


def test_a_terminal_shows_what_is_the_case(tmp_path: Path) -> None:
    """And Ctrl-C there ends it."""
    controller, terminal = pty.openpty()
    env = environment(tmp_path) | {"TERM": "xterm", "COLUMNS": "150"}
    with subprocess.Popen(
        command("up", *SIMULATED, "--memory"), env=env, stdin=terminal, stdout=terminal, stderr=terminal
    ) as process:
        os.close(terminal)
        shown = b""
        try:
            while b"Ctrl-C stops it" not in shown:
                shown += os.read(controller, 1 << 16)
            process.send_signal(signal.SIGINT)
            while piece := _read(controller):
                shown += piece
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
            os.close(controller)
    text = shown.decode()
    for words in ("up for 0:00:0", "https://127.0.0.1:", "in memory, gone when it stops", "simulates pods", "stopping"):
        assert words in text
    assert "Traceback" not in text


def _read(descriptor: int) -> bytes:
    """Read from a terminal; its other side is gone where that fails."""
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:
        return b""


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--images", "x.yaml", *SIMULATED), "--images names what runs and --node simulate runs nothing"),
        (("--images", "x.yaml"), "cannot read the image catalogue {home}/x.yaml: No such file or directory"),
        (("--data", "file", *SIMULATED), "{home}/file: cannot be used: File exists; give --data DIR"),
        (("--kubeconfig", "file", *SIMULATED), "{home}/file: is not an embedded cluster's kubeconfig"),
    ],
)
@pytest.mark.parametrize("detach", [(), ("--detach",)])
def test_what_cannot_be_is_one_sentence(
    tmp_path: Path, args: tuple[str, ...], words: str, detach: tuple[str, ...]
) -> None:
    """No stack, exit code 1, in the background, too."""
    (tmp_path / "file").write_text("mine")
    code, out, err = konverge("up", *args, *detach, home=tmp_path)
    assert (code, out) == (1, "")
    assert err.startswith(f"error: {words.format(home=tmp_path)}")
    assert err.count("\n") == 1


def test_options_are_handed_on_as_they_are(tmp_path: Path) -> None:
    """What goes on in the background was asked for in the foreground."""
    options = Options(
        folder=tmp_path,
        memory=True,
        simulate=True,
        images=Path("/i"),
        kubeconfig=Path("/k"),
        context=True,
        port=7,
    )
    text = " ".join(options.arguments())
    assert text == (f"--data {tmp_path} --port 7 --node simulate --memory --context --images /i --kubeconfig /k")
    assert Options(folder=tmp_path).arguments() == ["--data", str(tmp_path), "--port", "0", "--node", "process"]


def test_what_a_kill_leaves_is_taken_over_by_the_next(tmp_path: Path) -> None:
    """Neither the lock nor the context nor the port of the one that is gone is in its way."""
    folder = tmp_path / ".local" / "share" / "konverge" / "up"
    urls: list[str] = []
    for _ in range(2):
        with up(*SIMULATED, "--context", home=tmp_path):  # the block ends with SIGKILL
            assert kubectl("config", "current-context", home=tmp_path) == "konverge\n"
            assert "kube-system" in kubectl("get", "namespaces", "-o", "name", home=tmp_path)
            found = RunState(folder).running()
            assert found is not None
            urls.append(found.url)
    assert urls[0] == urls[1]
    assert konverge("down", home=tmp_path) == (0, f"nothing is up on {folder}\n", "")
