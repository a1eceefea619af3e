"""Leases on a server in memory that can be slow, fail and lose answers, and what managers under test need."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from konverge.api.request import ApiRequest
from konverge.client.transport import ApiResponse, error_of
from konverge.errors import ConnectionFailed


@dataclass(frozen=True)
class Fault:
    """How one call goes: seconds before and after the server acts, and whether it is reached and its answer arrives."""

    before: float = 0.0
    after: float = 0.0
    reached: bool = True
    answered: bool = True


@dataclass
class LeaseServer:
    """Keeps objects by path, with resource versions and conflicts as the API server has them."""

    objects: dict[str, dict[str, Any]] = field(default_factory=dict)
    version: int = 0
    log: list[str] = field(default_factory=list)

    def act(self, request: ApiRequest) -> ApiResponse:
        """Do what a request asks for, in one step."""
        self.log.append(f"{request.operation}")
        if request.method == "GET":
            return self._answer(request, self.objects.get(request.path))
        body = msgspec.json.decode(request.body or b"{}")
        path = request.path if request.method == "PUT" else f"{request.path}/{body['metadata']['name']}"
        there = self.objects.get(path)
        if request.method == "POST" and there is not None:
            raise error_of(request, 409, _status("AlreadyExists", 409))
        if request.method == "PUT" and there is None:
            raise error_of(request, 404, _status("NotFound", 404))
        if there is not None and body["metadata"].get("resourceVersion") != there["metadata"]["resourceVersion"]:
            raise error_of(request, 409, _status("Conflict", 409))
        self.version += 1
        body["metadata"]["resourceVersion"] = str(self.version)
        self.objects[path] = body
        return self._answer(request, body)

    @staticmethod
    def _answer(request: ApiRequest, found: dict[str, Any] | None) -> ApiResponse:
        if found is None:
            raise error_of(request, 404, _status("NotFound", 404))
        return ApiResponse(status=200, body=msgspec.json.encode(found))

    @property
    def lease(self) -> dict[str, Any]:
        """The spec of the only lease."""
        (only,) = self.objects.values()
        spec: dict[str, Any] = only["spec"]
        return spec


def _status(reason: str, code: int) -> bytes:
    return msgspec.json.encode({"kind": "Status", "reason": reason, "code": code, "message": "no"})


@dataclass
class Line:
    """A transport to a lease server, on which each call meets the fault that it is given."""

    server: LeaseServer
    fault: Callable[[], Fault] = Fault

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Carry a call, as well as it goes."""
        fault = self.fault()
        await asyncio.sleep(fault.before)
        if not fault.reached:
            raise ConnectionFailed(f"{request.operation}: cut before it arrived")
        response = self.server.act(request)
        await asyncio.sleep(fault.after)
        if not fault.answered:
            raise ConnectionFailed(f"{request.operation}: the answer was lost")
        return response

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Carry no streams."""
        raise ConnectionFailed(f"{request.operation}: no streams here")
        yield

    async def close(self) -> None:
        """Close nothing."""


class Leases:
    """The classes above, for tests: test modules cannot import a conftest."""

    Server = LeaseServer
    Line = Line
    Fault = Fault


@pytest.fixture(scope="session")
def leases() -> type[Leases]:
    """What to build a server of leases with."""
    return Leases
