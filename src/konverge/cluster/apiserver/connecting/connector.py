"""Connector: the port through which a request reaches what runs on a node, and what is asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from konverge.cluster.apiserver.exchange import Answer, Request
from konverge.cluster.apiserver.failure import internal


@dataclass(frozen=True, slots=True, kw_only=True)
class PodTarget:
    """A pod that is on a node."""

    namespace: str
    name: str
    uid: str
    annotations: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Logs:
    """The log of a container, or a part of it."""

    pod: PodTarget
    container: str
    follow: bool = False
    previous: bool = False
    since: datetime | None = None
    timestamps: bool = False
    tail: int | None = None
    limit_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A program in a container (`exec`); without a `command` it is the container's own (`attach`)."""

    pod: PodTarget
    container: str
    command: tuple[str, ...] | None
    stdin: bool = False
    stdout: bool = False
    stderr: bool = False
    tty: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Forward:
    """The ports of a pod; clients of one protocol name them here, others as they go."""

    pod: PodTarget
    ports: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxied:
    """A request of HTTP to a pod's or a service's endpoint."""

    scheme: str  # http or https
    host: str
    port: int
    path: str  # with the query


Wanted = Logs | Command | Forward | Proxied


class Refused(Exception):
    """What a node says no to; the answer is this text, as a kubelet's is."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class Connector(Protocol):
    """Makes connections to what runs; a `Failure`, or `Refused`, says why it cannot."""

    async def connect(self, wanted: Wanted, request: Request) -> Answer:
        """Return the answer that is the connection: a stream, an upgrade, or what the other side answered."""
        ...


class NoConnector:
    """Reaches nothing: a server without nodes."""

    async def connect(self, wanted: Wanted, request: Request) -> Answer:  # noqa: ARG002 - there is nothing to look at
        """Say so."""
        target: Any = wanted
        where = target.host if isinstance(wanted, Proxied) else target.pod.name
        raise internal(f"error dialing backend: this server has no way to what runs at {where}")
