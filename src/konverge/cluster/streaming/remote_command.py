"""Remote commands: one program in a container, and a client that gives it input and takes its output.

`CommandClient` is the client whichever protocol it speaks; `run_command` is what happens between the two.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from konverge.cluster.apiserver.connecting import Command
from konverge.cluster.pod_runtime import STDERR, STDOUT, Execution


@dataclass(frozen=True, slots=True)
class Input:
    """Bytes for the program; none of them: its input ends."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Resize:
    """The client's terminal has another size."""

    columns: int
    rows: int


class CommandClient(Protocol):
    """Who runs a command."""

    def events(self) -> AsyncIterator[Input | Resize]:
        """Iterate over what the client does, until it goes."""
        ...

    async def output(self, stream: int, data: bytes) -> None:
        """Send what the program says. Raises `ConnectionError` when the client is gone."""
        ...

    async def finish(self, exit_code: int) -> None:
        """Tell how it ended, and end."""
        ...


async def run_command(wanted: Command, execution: Execution, client: CommandClient) -> None:
    """Serve a client until the program ends; if the client goes before, the program is ended."""
    if not wanted.stdin:
        execution.close_input()
    feeding = asyncio.ensure_future(_feed(execution, client))
    said = {STDOUT: wanted.stdout, STDERR: wanted.stderr}
    try:
        async for stream, data in execution.output():
            if said[stream]:
                await client.output(stream, data)
        await client.finish(await execution.wait())
    except ConnectionError:
        pass  # nobody is left to be told
    finally:
        feeding.cancel()
        await asyncio.gather(feeding, return_exceptions=True)
        await execution.close()


async def _feed(execution: Execution, client: CommandClient) -> None:
    """Pass on what the client does; its end is the program's."""
    with suppress(ConnectionError):
        async for event in client.events():
            if isinstance(event, Resize):
                execution.resize(columns=event.columns, rows=event.rows)
            elif event.data:
                await execution.write(event.data)
            else:
                execution.close_input()
    await execution.close()


def read_size(data: bytes) -> Resize | None:
    """Read the size of a terminal; what cannot be read is no size."""
    try:
        size = msgspec.json.decode(data, type=_Size)
    except msgspec.MsgspecError:
        return None
    return Resize(size.width, size.height)


class _Size(msgspec.Struct, rename="pascal"):
    width: int = 0
    height: int = 0


def status_of(exit_code: int) -> bytes:
    """Return the Status that tells how a command ended."""
    if not exit_code:
        return b'{"metadata":{},"status":"Success"}'
    status: dict[str, Any] = {
        "metadata": {},
        "status": "Failure",
        "message": message_of(exit_code),
        "reason": "NonZeroExitCode",
        "details": {"causes": [{"reason": "ExitCode", "message": str(exit_code)}]},
    }
    return msgspec.json.encode(status)


def message_of(exit_code: int) -> str:
    """Return what is said of a command that failed."""
    return f"command terminated with non-zero exit code: exit status {exit_code}"
