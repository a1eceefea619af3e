"""Asks a container how it is, once: by HTTP, by TCP or by a command of its own, as its probe says."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import msgspec

from konverge.cluster.node.process.http_get import HttpGet, http_get
from konverge.cluster.node.process.probe_count import Verdict
from konverge.models import core_v1

_FIRST_GOOD, _FIRST_BAD = 200, 400
_HTTPS: Final = "HTTPS"

Execute = Callable[[Sequence[str], float], Awaitable[tuple[int, str]]]
"""Runs a command beside a container within seconds, and returns its exit code and output; raises `TimeoutError`."""


class Target(msgspec.Struct, frozen=True):
    """The container that is asked."""

    address: str
    ports: dict[str, int]  # those that have names
    execute: Execute

    def port(self, wanted: int | str) -> int:
        """Return the number of a port; raises `ValueError` for a name that nobody gave."""
        if isinstance(wanted, int):
            return wanted
        if wanted in self.ports:
            return self.ports[wanted]
        if wanted.isdigit():
            return int(wanted)
        raise ValueError(f"couldn't find port: {wanted}")


async def ask(probe: core_v1.Probe, target: Target) -> Verdict:
    """Return a container's answer to a probe."""
    limit = float(probe.timeout_seconds or 1)
    try:
        async with asyncio.timeout(limit):
            if probe.exec is not None:
                return await _by_command(probe.exec, target, limit)
            if probe.http_get is not None:
                return await _by_http(http_request(probe.http_get, target))
            return await _by_connection(probe, target)
    except TimeoutError:
        if probe.exec is not None:
            return Verdict(
                False, f'command timed out: "{" ".join(probe.exec.command or ())}" timed out after {limit:g}s'
            )
        return Verdict(False, f"no answer within {limit:g}s")
    except (OSError, ValueError) as error:
        return Verdict(False, str(error) or type(error).__name__)


def http_request(action: core_v1.HTTPGetAction, target: Target) -> HttpGet:
    """Return the request that an HTTP action makes."""
    headers = tuple((each.name, each.value or "") for each in action.http_headers or ())
    path = action.path or "/"
    return HttpGet(
        host=action.host or target.address,
        port=target.port(action.port),
        path=path if path.startswith("/") else f"/{path}",
        tls=action.scheme == _HTTPS,
        headers=headers,
    )


async def _by_http(get: HttpGet) -> Verdict:
    try:
        status = await http_get(get)
    except OSError as error:
        return Verdict(False, f'Get "{get.url}": {_dial(get.host, get.port, error)}')
    if _FIRST_GOOD <= status < _FIRST_BAD:
        return Verdict(True)
    return Verdict(False, f"HTTP probe failed with statuscode: {status}")


async def _by_connection(probe: core_v1.Probe, target: Target) -> Verdict:
    """A TCP probe; a gRPC probe is taken for one, since nothing here speaks HTTP/2."""
    if probe.tcp_socket is not None:
        host, port = probe.tcp_socket.host or target.address, target.port(probe.tcp_socket.port)
    elif probe.grpc is not None:
        host, port = target.address, probe.grpc.port
    else:
        return Verdict(True)
    try:
        _, writer = await asyncio.open_connection(host, port)
    except OSError as error:
        return Verdict(False, _dial(host, port, error))
    writer.transport.abort()
    return Verdict(True)


def _dial(host: str, port: int, error: OSError) -> str:
    """What is wrong with a connection, in a kubelet's words; asyncio's own name its arguments instead."""
    what = os.strerror(error.errno).lower() if error.errno and error.errno > 0 else str(error)
    return f"dial tcp {host}:{port}: connect: {what}"


async def _by_command(action: core_v1.ExecAction, target: Target, limit: float) -> Verdict:
    code, output = await target.execute(action.command or (), limit)
    return Verdict(code == 0, output)
