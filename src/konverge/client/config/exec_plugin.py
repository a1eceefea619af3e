"""`ExecPlugin`: credentials from a program, as cloud providers ship them for kubectl.

Promises: one run at a time, shared by all who wait for it; what it printed is kept until it expires or the server
refuses it; what it printed is never shown. Its messages (stderr) are shown in the error when it fails, without the
secrets it was started with.
"""

from __future__ import annotations

import asyncio
import os
import re
from asyncio import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from konverge import clock
from konverge.client.config.credentials import ClientCertificate
from konverge.client.config.exec_credential import API_VERSIONS, ExecCredential, exec_info, parse_exec_credential
from konverge.errors import ConfigError

INTERACTIVE_MODES = ("Never", "IfAvailable", "Always")
_STDIN = 0
_SHOWN = 1000  # characters of stderr in an error: the end, where programs say what went wrong
_SECRET_OPTION = re.compile(
    r"--?[\w-]*(?:secret|password|token|key|credential)[\w-]*(?:=(?P<value>.*))?", re.IGNORECASE
)
_TOO_SHORT_TO_HIDE = 4  # "1" or "eu" are no secrets, and hiding them would garble the message


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecCommand:
    """How to run the plugin: the `exec` part of a kubeconfig user."""

    command: str
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    api_version: str = API_VERSIONS[0]
    install_hint: str = ""
    interactive_mode: str = "IfAvailable"
    # What the plugin is told about the cluster; None where the kubeconfig does not say provideClusterInfo.
    cluster: Mapping[str, Any] | None = field(default=None, repr=False, hash=False)
    place: str = field(default="", repr=False, compare=False)  # where it stands, for errors

    def __post_init__(self) -> None:
        if self.api_version not in API_VERSIONS:
            raise ConfigError(f"apiVersion must be {' or '.join(API_VERSIONS)}, not {self.api_version!r}")
        if self.interactive_mode not in INTERACTIVE_MODES:
            raise ConfigError(f"interactiveMode must be one of {', '.join(INTERACTIVE_MODES)}")

    def secrets(self) -> Iterator[str]:
        """Yield what must not be shown: the values of the environment, and of options that are named like secrets."""
        yield from self.env.values()
        for option, following in zip(self.args, (*self.args[1:], ""), strict=True):
            if match := _SECRET_OPTION.fullmatch(option):
                yield match["value"] or ("" if following.startswith("-") else following)


class ExecPlugin:
    """Runs the command when there is no credential, when it expired, and after the server refused it.

    `env` is what the command runs in, with the command's own variables added. `timeout` (seconds) does not apply
    to a plugin that talks to a person on the terminal.
    """

    kind: ClassVar[str] = "exec plugin"

    def __init__(self, command: ExecCommand, *, env: Mapping[str, str] | None = None, timeout: float = 60) -> None:
        self.command = command
        self._env = env
        self._timeout = timeout
        self._credential: ExecCredential | None = None
        self._failure: ConfigError | None = None  # of the last run, for those who waited for that run
        self._runs = 0
        self._gate: tuple[asyncio.AbstractEventLoop, asyncio.Lock] | None = None

    def __repr__(self) -> str:
        return f"ExecPlugin({self.command.command!r})"

    async def authorization(self) -> str | None:
        """Return the header for the plugin's token, if it gave one."""
        return (await self._current()).authorization

    async def client_certificate(self) -> ClientCertificate | None:
        """Return the plugin's client certificate, if it gave one."""
        return (await self._current()).certificate

    def invalidate(self, rejected: str | None = None) -> None:
        """Run the plugin again at the next request."""
        if self._credential and rejected in (None, self._credential.authorization):
            self._credential = None

    async def _current(self) -> ExecCredential:
        if credential := self._fresh():
            return credential
        seen = self._runs
        async with self._lock():
            if credential := self._fresh():
                return credential
            if self._failure and self._runs != seen:
                raise ConfigError(str(self._failure)) from self._failure
            return await self._renew()

    def _fresh(self) -> ExecCredential | None:
        credential = self._credential
        if credential and (credential.expires is None or clock.now() < credential.expires):
            return credential
        return None

    def _lock(self) -> asyncio.Lock:
        """Return the lock of the running loop: a lock cannot be shared between loops, a Config can."""
        loop = asyncio.get_running_loop()
        if self._gate is None or self._gate[0] is not loop:
            self._gate = loop, asyncio.Lock()
        return self._gate[1]

    async def _renew(self) -> ExecCredential:
        """Run the plugin. A credential that comes expired is used once: the server has the last word on it."""
        self._credential = self._failure = None
        try:
            output = await self._run()
            self._credential = parse_exec_credential(
                output, api_version=self.command.api_version, source=_source(self.command)
            )
        except ConfigError as error:
            self._failure = error
            raise
        finally:
            self._runs += 1
        return self._credential

    async def _run(self) -> bytes:
        interactive = _interactive(self.command)
        process = await self._start(interactive=interactive)
        try:
            async with asyncio.timeout(None if interactive else self._timeout):
                output, messages = await process.communicate()
        except TimeoutError:
            raise ConfigError(f"{_source(self.command)} did not end within {self._timeout:g} s") from None
        finally:
            await _end(process)
        if process.returncode:
            raise ConfigError(_failed(self.command, process.returncode, messages or b""))
        return output

    async def _start(self, *, interactive: bool) -> subprocess.Process:
        command = self.command
        info = exec_info(command.api_version, interactive=interactive, cluster=command.cluster)
        env = os.environ if self._env is None else self._env
        try:
            return await asyncio.create_subprocess_exec(
                command.command,
                *command.args,
                env={**env, **command.env, "KUBERNETES_EXEC_INFO": info},
                stdin=None if interactive else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=None if interactive else subprocess.PIPE,  # a person must see what is asked
            )
        except FileNotFoundError:
            raise ConfigError(_not_found(command)) from None
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "its name or an argument holds a null character"
            raise ConfigError(f"{_source(command)} cannot be run: {reason}") from None


async def _end(process: subprocess.Process) -> None:
    """Leave neither the process nor its pipes behind, whether it ended, took too long or nobody waits any more."""
    transport = process._transport  # type: ignore[attr-defined]  # noqa: SLF001 - nothing public closes the pipes
    transport.close()  # kills it too if it still runs; with the pipes closed, no child of its own can hold us up
    await process.wait()


def _interactive(command: ExecCommand) -> bool:
    terminal = os.isatty(_STDIN)
    if command.interactive_mode == "Always" and not terminal:
        raise ConfigError(f"{_source(command)} needs a terminal (interactiveMode: Always), and there is none")
    return terminal and command.interactive_mode != "Never"


def _source(command: ExecCommand) -> str:
    name = f"exec plugin {command.command}"
    return f"{command.place}: {name}" if command.place else name


def _not_found(command: ExecCommand) -> str:
    hint = (
        f": {_clean(command.install_hint)}" if command.install_hint else ": install it, or set PATH so that it is found"
    )
    return f"{_source(command)} was not found{hint}"


def _failed(command: ExecCommand, code: int, messages: bytes) -> str:
    ended = f"was ended by signal {-code}" if code < 0 else f"failed with exit code {code}"
    text = messages.decode("utf-8", "replace")
    for secret in sorted(command.secrets(), key=len, reverse=True):  # the longest first: one may be part of another
        if len(secret) >= _TOO_SHORT_TO_HIDE:
            text = text.replace(secret, "[hidden]")
    said = _clean(text)[-_SHOWN:]
    return f"{_source(command)} {ended}{f': {said}' if said else ' and said nothing'}"


def _clean(text: str) -> str:
    """Keep what can be printed, so that no escape sequence reaches a terminal or a log."""
    return " ".join("".join(c if c.isprintable() or c.isspace() else "?" for c in text).split())
