from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from konverge.client.config import ClientCertificate, ExecCommand, ExecPlugin, load
from konverge.errors import ConfigError

V1 = "client.authentication.k8s.io/v1"
V1BETA1 = "client.authentication.k8s.io/v1beta1"

# Counts its runs, keeps what it was told, and prints what the test put into `answer`.
PLUGIN = """\
import os, pathlib, sys
here = pathlib.Path(__file__).parent
count = here / "count"
runs = int(count.read_text()) + 1 if count.exists() else 1
count.write_text(str(runs))
(here / "info").write_text(os.environ["KUBERNETES_EXEC_INFO"])
(here / "told").write_text(" ".join([os.environ.get("REGION", ""), *sys.argv[1:], str(len(sys.stdin.read()))]))
exec((here / "behave").read_text())
print((here / "answer").read_text().replace("RUN", str(runs)))
"""


class Plugin:
    """A real program and what it did."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "plugin.py").write_text(PLUGIN)
        self.behave("")
        self.answer(token="token-RUN")

    def behave(self, code: str) -> None:
        """Run the code before answering."""
        (self.folder / "behave").write_text(code)

    async def hang(self) -> int:
        """Make the next run hang, wait until it does, and return its process id."""
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        self.behave(f"import signal; open({str(pipe)!r}, 'w').write(str(os.getpid())); signal.pause()")
        return int(await asyncio.to_thread(pipe.read_text))

    def answer(self, *, api_version: str = V1, **status: Any) -> None:
        """Print an ExecCredential with the status."""
        self.print(json.dumps({"kind": "ExecCredential", "apiVersion": api_version, "status": status}))

    def print(self, text: str) -> None:
        """Print the text."""
        (self.folder / "answer").write_text(text)

    def credentials(self, **options: Any) -> ExecPlugin:
        """The credentials under test."""
        args = (str(self.folder / "plugin.py"), *options.pop("args", ()))
        return ExecPlugin(ExecCommand(command=sys.executable, args=args, **options))

    @property
    def runs(self) -> int:
        """How often it ran."""
        path = self.folder / "count"
        return int(path.read_text()) if path.exists() else 0

    def read(self, name: str) -> str:
        """What it kept."""
        return (self.folder / name).read_text()


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    """A plugin in a folder of its own."""
    return Plugin(tmp_path)


async def test_a_credential_is_kept_until_it_is_refused(plugin: Plugin) -> None:
    """Without an expiry one run serves all requests; a 401 of the current token makes another one."""
    credentials = plugin.credentials()
    assert [await credentials.authorization() for _ in range(3)] == ["Bearer token-1"] * 3
    credentials.invalidate("Bearer token-0")
    assert await credentials.authorization() == "Bearer token-1"
    credentials.invalidate("Bearer token-1")
    assert await credentials.authorization() == "Bearer token-2"
    credentials.invalidate()
    assert await credentials.authorization() == "Bearer token-3"
    assert plugin.runs == 3


async def test_those_who_wait_share_one_run(plugin: Plugin) -> None:
    """Twenty requests at once run the plugin once."""
    credentials = plugin.credentials()
    assert set(await asyncio.gather(*(credentials.authorization() for _ in range(20)))) == {"Bearer token-1"}
    assert plugin.runs == 1


async def test_those_who_wait_share_a_failure(plugin: Plugin) -> None:
    """A failing plugin is not run once per waiting request, but the next request tries again."""
    plugin.behave("sys.exit(3)")
    credentials = plugin.credentials()
    results = await asyncio.gather(*(credentials.authorization() for _ in range(20)), return_exceptions=True)
    assert {str(result) for result in results} == {
        f"exec plugin {sys.executable} failed with exit code 3 and said nothing"
    }
    assert plugin.runs == 1
    plugin.behave("")
    assert await credentials.authorization() == "Bearer token-2"


async def test_an_expired_credential_is_renewed(plugin: Plugin) -> None:
    """The expiry that the plugin prints is respected, by wall time."""
    now = datetime.now(UTC)
    credentials = plugin.credentials()
    plugin.answer(token="token-RUN", expirationTimestamp=(now - timedelta(seconds=1)).isoformat())
    assert await credentials.authorization() == "Bearer token-1"
    plugin.answer(token="token-RUN", expirationTimestamp=(now + timedelta(hours=1)).isoformat().replace("+00:00", "Z"))
    assert [await credentials.authorization() for _ in range(2)] == ["Bearer token-2"] * 2


async def test_a_client_certificate_comes_along(plugin: Plugin) -> None:
    """A plugin may give a certificate, with or without a token."""
    plugin.answer(clientCertificateData="CERT", clientKeyData="KEY")
    credentials = plugin.credentials()
    assert await credentials.client_certificate() == ClientCertificate(b"CERT", b"KEY")
    assert await credentials.authorization() is None
    assert plugin.runs == 1
    assert "KEY" not in repr(await credentials.client_certificate())


async def test_what_the_plugin_is_told(plugin: Plugin) -> None:
    """Arguments, variables and KUBERNETES_EXEC_INFO arrive; stdin is empty when there is no terminal."""
    credentials = plugin.credentials(args=("get-token",), env={"REGION": "eu"}, cluster={"server": "https://x"})
    await credentials.authorization()
    assert plugin.read("told") == "eu get-token 0"
    assert json.loads(plugin.read("info")) == {
        "kind": "ExecCredential",
        "apiVersion": V1,
        "spec": {"interactive": False, "cluster": {"server": "https://x"}},
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s3cr3t", "did not print an ExecCredential as JSON"),
        ('{"kind": "ExecCredential", "status": {"token": ["s3cr3t"]}}', "did not print an ExecCredential as JSON"),
        (
            json.dumps({"kind": "ExecCredential", "apiVersion": V1BETA1, "status": {"token": "s3cr3t"}}),
            f"apiVersion {V1},",
        ),
        (
            json.dumps({"kind": "Secret", "apiVersion": V1, "status": {"token": "s3cr3t"}}),
            "must print an ExecCredential",
        ),
        (json.dumps({"kind": "ExecCredential", "apiVersion": V1}), "neither a token nor a certificate"),
        (
            json.dumps({"kind": "ExecCredential", "apiVersion": V1, "status": {"clientKeyData": "s3cr3t"}}),
            "only one of",
        ),
        (
            json.dumps(
                {"kind": "ExecCredential", "apiVersion": V1, "status": {"token": "t", "expirationTimestamp": "x"}}
            ),
            "printed an expirationTimestamp that is not of the form",
        ),
        (
            json.dumps({"kind": "ExecCredential", "apiVersion": V1, "status": {"token": "s3cr3t\n\ns3cr3t"}}),
            "the token of exec plugin .* cannot be sent",
        ),
    ],
)
async def test_an_answer_that_cannot_be_used(plugin: Plugin, text: str, message: str) -> None:
    """The error says what is wrong and never what was printed."""
    plugin.print(text)
    with pytest.raises(ConfigError, match=message) as caught:
        await plugin.credentials().authorization()
    assert "s3cr3t" not in str(caught.value)


async def test_a_failure_shows_stderr_without_secrets(plugin: Plugin) -> None:
    """What the plugin says goes into the error; its output, variables and secret options do not."""
    plugin.behave(
        "print('s3cr3t-out')\n"
        "print('\\033[1mlogin expired', os.environ['PASS'], sys.argv[1:], file=sys.stderr)\n"
        "sys.exit(1)"
    )
    args = ("login", "--client-secret=s3cr3t-a", "--token", "s3cr3t-b", "--verbose")
    with pytest.raises(ConfigError) as caught:
        await plugin.credentials(args=args, env={"PASS": "s3cr3t-env"}).authorization()
    said = "?[1mlogin expired [hidden] ['login', '--client-secret=[hidden]', '--token', '[hidden]', '--verbose']"
    assert str(caught.value) == f"exec plugin {sys.executable} failed with exit code 1: {said}"


async def test_a_missing_plugin_shows_the_install_hint() -> None:
    """The author of the kubeconfig knows where to get it."""
    hint = "run: cloud components\ninstall auth"
    for command in ("no-such-plugin", "/no/such/plugin"):
        with pytest.raises(ConfigError, match=f"{command} was not found: run: cloud components install auth"):
            await ExecPlugin(ExecCommand(command=command, install_hint=hint)).authorization()
    with pytest.raises(ConfigError, match="was not found: install it"):
        await ExecPlugin(ExecCommand(command="no-such-plugin")).authorization()


async def test_a_plugin_that_is_no_program(tmp_path: Path) -> None:
    """Other reasons for not running it are told too."""
    with pytest.raises(ConfigError, match="cannot be run: Permission denied"):
        await ExecPlugin(ExecCommand(command=str(tmp_path))).authorization()
    with pytest.raises(ConfigError, match=r"cannot be run: .*null"):
        await ExecPlugin(ExecCommand(command=sys.executable, args=("\0",))).authorization()


def test_a_plugin_that_hangs_is_ended(plugin: Plugin, run_with_jumps: Callable[..., None]) -> None:
    """After the timeout the program is gone and the error says so."""

    async def main(jump: Callable[[float], None]) -> None:
        task = asyncio.create_task(plugin.credentials().authorization())
        pid = await plugin.hang()
        jump(60)
        with pytest.raises(ConfigError, match="did not end within 60 s"):
            await task
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)

    run_with_jumps(main)


async def test_a_cancelled_request_ends_the_plugin(plugin: Plugin) -> None:
    """Nobody waits any more: the program is ended, and the next request runs it anew."""
    credentials = plugin.credentials()
    task = asyncio.create_task(credentials.authorization())
    pid = await plugin.hang()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    plugin.behave("")
    assert await credentials.authorization() == "Bearer token-2"


def test_one_plugin_serves_several_loops(plugin: Plugin) -> None:
    """A Config outlives a loop, and what the plugin gave is still good in the next one."""
    credentials = plugin.credentials()

    async def twice() -> list[str | None]:
        return list(await asyncio.gather(credentials.authorization(), credentials.authorization()))

    assert asyncio.run(twice()) == ["Bearer token-1"] * 2
    credentials.invalidate()
    assert asyncio.run(twice()) == ["Bearer token-2"] * 2


def test_always_interactive_needs_a_terminal() -> None:
    """Without one the plugin is not even started; tried in a process of its own, which surely has none."""
    code = (
        "import asyncio; from konverge.client.config import ExecCommand, ExecPlugin; "
        'asyncio.run(ExecPlugin(ExecCommand(command="x", interactive_mode="Always")).authorization())'
    )
    tried = subprocess.run(
        [sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert "needs a terminal (interactiveMode: Always)" in tried.stderr


async def test_the_exec_part_of_a_kubeconfig(plugin: Plugin, kubeconfig: Callable[..., Path], authority: Any) -> None:
    """All its fields count: a relative command, the cluster's facts and its extension for plugins."""
    script = plugin.folder / "bin" / "plugin"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {sys.executable} {plugin.folder / "plugin.py"} "$@"\n')
    script.chmod(0o755)
    (plugin.folder / "ca.crt").write_bytes(authority.pem)
    plugin.answer(api_version=V1BETA1, token="t")
    extension = {"name": "client.authentication.k8s.io/exec", "extension": {"audience": 7}}
    cluster = {"server": "https://x", "certificate-authority": "ca.crt", "extensions": [extension]}
    exec_ = {"command": "./bin/plugin", "args": ["a"], "apiVersion": V1BETA1, "provideClusterInfo": True}
    env = [{"name": "REGION", "value": "eu"}]
    config = load(kubeconfig(cluster=cluster, user={"exec": {**exec_, "env": env}}), env=os.environ)
    assert await config.credentials.authorization() == "Bearer t"
    assert plugin.read("told") == "eu a 0"
    info = json.loads(plugin.read("info"))["spec"]["cluster"]
    assert info.pop("certificate-authority-data")
    assert info == {"server": "https://x", "config": {"audience": 7}}
    assert config.auth == "exec plugin"


def test_a_token_keeps_the_plugin_from_running(kubeconfig: Callable[..., Path]) -> None:
    """As in client-go, what the user has already is enough."""
    exec_ = {"command": "x", "apiVersion": V1, "interactiveMode": "Never"}
    assert load(kubeconfig(user={"exec": exec_, "token": "t"}), env={}).auth == "token"
