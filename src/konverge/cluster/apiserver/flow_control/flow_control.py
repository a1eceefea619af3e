"""FlowControl: tells each request's flow schema and priority level, and each FlowSchema whether its level is there."""

from __future__ import annotations

import logging
import math
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Final

import msgspec

from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver.access.attempt import Attempt
from konverge.cluster.apiserver.access.user import User
from konverge.cluster.apiserver.exchange import Answer, Peer, Request
from konverge.cluster.apiserver.flow_control.bootstrap import GROUP, LEVELS, SCHEMAS, make_flow_control
from konverge.cluster.apiserver.flow_control.schema import FlowSchema, Level
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.ids import Ids
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.route import Route
from konverge.cluster.apiserver.storage import Storage

_log = logging.getLogger(__name__)
_schema: Final = msgspec.json.Decoder(FlowSchema).decode
_level: Final = msgspec.json.Decoder(Level).decode
_OWNER: Final = "api-priority-and-fairness-config-consumer-v1"
_MOST_REMEMBERED: Final = 10_000
_SEATS: Final = 600  # of the whole server, by default
_GONE: Final = 404
_FAILED: Final = 400

Headers = tuple[tuple[str, str], ...]
_is_ours: Final = ContextVar("_is_ours", default=False)  # a write, made to tell a schema of its level


class FlowControl:
    """What the stored schemas and levels say; read again after one of them was written."""

    def __init__(self, storage: Storage, handle: Callable[[Request], Awaitable[Answer]]) -> None:
        self._storage = storage
        self._handle = handle
        self._schemas: list[tuple[FlowSchema, Level]] | None = None  # in their order; None: to be read
        self._known: dict[tuple[object, ...], Headers] = {}  # of each sort of request
        self._is_telling = False
        self._is_outdated = False  # what is being told

    async def start(self, ids: Ids) -> None:
        """Make what every cluster has."""
        await make_flow_control(self._storage, ids)
        self._forget()

    def _forget(self) -> None:
        self._schemas = None
        self._known.clear()

    def headers(self, user: User, where: Route) -> Headers:
        """Return what the answer to a request tells about its flow."""
        what = (where.verb, where.group, where.plural, where.subresource, where.namespace) if where.is_resource else ()
        key = (user.name, user.groups, what or (where.verb, where.path))
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            known = self._known[key] = self._headers(user, where)
        return known

    def _headers(self, user: User, where: Route) -> Headers:
        attempt = Attempt(
            verb=where.verb,
            is_resource=where.is_resource,
            group=where.group,
            resource=where.plural,
            subresource=where.subresource,
            namespace=where.namespace,
            path=where.path,
        )
        for schema, level in self._ordered():
            if schema.means(user, attempt):
                return (
                    ("X-Kubernetes-Pf-Flowschema-Uid", schema.metadata.uid),
                    ("X-Kubernetes-Pf-Prioritylevel-Uid", level.metadata.uid),
                )
        return ()

    def _ordered(self) -> list[tuple[FlowSchema, Level]]:
        if self._schemas is None:
            levels = self._levels()
            found = sorted(self._read_schemas(), key=lambda schema: schema.order)
            self._schemas = [(schema, levels[schema.level]) for schema in found if schema.level in levels]
        return self._schemas

    def _read_schemas(self) -> list[FlowSchema]:
        return [_schema(stored.value) for stored in self._storage.range(SCHEMAS).items]

    def _levels(self) -> dict[str, Level]:
        found = (_level(stored.value) for stored in self._storage.range(LEVELS).items)
        return {level.metadata.name: level for level in found}

    def seats(self) -> dict[str, int]:
        """Return how many requests of each level the real server would work on at a time."""
        levels = self._levels()
        whole = sum(level.shares for level in levels.values()) or 1
        return {name: math.ceil(_SEATS * level.shares / whole) for name, level in levels.items()}

    async def changed(self, resource: Resource) -> None:
        """Follow a write. Our own ones come back here too; others may come while we write, and count afterwards."""
        if resource.group != GROUP:
            return
        self._forget()
        self._is_outdated = self._is_outdated or not _is_ours.get()
        while self._is_outdated and not self._is_telling:
            self._is_outdated = False
            await self._tell_all()

    async def _tell_all(self) -> None:
        """Tell each schema whether its level is there."""
        self._is_telling = True
        try:
            levels = self._levels()
            for schema in self._read_schemas():
                condition = _dangling(schema.level, is_there=schema.level in levels)
                if not schema.says(condition):
                    await self._write(schema.metadata.name, condition)
        finally:
            self._is_telling = False

    async def _write(self, name: str, condition: dict[str, str]) -> None:
        body = {
            "apiVersion": f"{GROUP}/v1",
            "kind": "FlowSchema",
            "metadata": {"name": name},
            "status": {"conditions": [{**condition, "lastTransitionTime": format_time(now())}]},
        }
        request = Request(
            method="PATCH",
            path=f"/apis/{GROUP}/v1/flowschemas/{name}/status",
            query=(("fieldManager", _OWNER), ("force", "true")),
            headers={"content-type": "application/apply-patch+yaml"},
            body=msgspec.json.encode(body),
            peer=Peer(is_trusted=True),
        )
        token = _is_ours.set(True)
        try:
            answer = await self._handle(request)
        finally:
            _is_ours.reset(token)
        if answer.status >= _FAILED and answer.status != _GONE:
            _log.error("the status of FlowSchema %s cannot be written: %s", name, answer.status)


def _dangling(level: str, *, is_there: bool) -> dict[str, str]:
    text = f"This FlowSchema references the PriorityLevelConfiguration object named {quoted(level)}"
    if is_there:
        return {"type": "Dangling", "status": "False", "reason": "Found", "message": f"{text} and it exists"}
    return {
        "type": "Dangling",
        "status": "True",
        "reason": "NotFound",
        "message": f"{text} but there is no such object",
    }
