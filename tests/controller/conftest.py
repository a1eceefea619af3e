"""A server in memory, real informers that are told what a watch would tell, and a controller over both."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar, cast

import pytest

from konverge import Client, log
from konverge.api import merge_patch
from konverge.api.form import Kind, T, form_of, typed
from konverge.api.kind import Resource
from konverge.api.model import Model
from konverge.api.object import Object
from konverge.api.request import ApiRequest
from konverge.cache.feed import Selection
from konverge.cache.informer import Informer, InformerOptions
from konverge.cache.stored import Stored
from konverge.client.transport import ApiResponse, error_of
from konverge.controller import (
    Context,
    Controller,
    ControllerOptions,
    KindSource,
    NotingTransport,
    Recorder,
    Request,
    Result,
    Surroundings,
)
from konverge.controller.reconcile import ReconcilerLike
from konverge.testing import virtual_time

R = TypeVar("R")

WIDGET = Resource(group="test.konverge.dev", version="v1", kind="Widget", plural="widgets", namespaced=True)


class WidgetSpec(Model):
    """What a widget asks for."""

    size: int | None = None


class Widget(Object):
    """A custom resource of the tests."""

    __resource__ = WIDGET

    spec: WidgetSpec | None = None


def widget(name: str = "a", **metadata: Any) -> dict[str, Any]:
    """A widget as JSON."""
    meta = {"name": name, "namespace": "shop", "uid": f"uid-{name}", "resourceVersion": "1", **metadata}
    return {"apiVersion": "test.konverge.dev/v1", "kind": "Widget", "metadata": meta}


def config_map(name: str = "c", **metadata: Any) -> dict[str, Any]:
    """A ConfigMap as JSON."""
    meta = {"name": name, "namespace": "shop", "uid": f"uid-{name}", "resourceVersion": "1", **metadata}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}


def owned_by(name: str, *, controller: bool = True, api_version: str = "test.konverge.dev/v1") -> dict[str, Any]:
    """Owner references to a widget."""
    reference = {"apiVersion": api_version, "kind": "Widget", "name": name, "uid": f"uid-{name}"}
    return {"ownerReferences": [{**reference, "controller": controller}]}


class Server:
    """An API server of a few lines: it keeps objects by path and tells informers of every change."""

    def __init__(self) -> None:
        self.objects: dict[str, dict[str, Any]] = {}
        self.calls: list[str] = []
        self.version = 100
        self.informers = Informers(self)
        self.delay = 0.0  # seconds an answer takes
        self.refusals: list[tuple[int, str]] = []  # status codes and reasons for the next writes

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Answer."""
        self.calls.append(str(request.operation))
        if self.delay:
            await asyncio.sleep(self.delay)
        if self.refusals and not request.is_read:
            code, reason = self.refusals.pop(0)
            raise error_of(request, code, _status(code, reason))
        body: Any = json.loads(request.body) if request.body else None
        if request.method == "GET" and request.path in _DISCOVERY:
            return _ok({"kind": "APIResourceList", "groupVersion": "", "resources": [_DISCOVERY[request.path]]})
        if request.operation.verb == "list":
            found = [obj for path, obj in self.objects.items() if path.startswith(request.path)]
            return _ok({"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": found})
        if request.method == "POST":
            return self._put(f"{request.path}/{body['metadata']['name']}", body, request)
        return self._on_one(request, body)

    def _on_one(self, request: ApiRequest, body: Any) -> ApiResponse:
        current = self.objects.get(request.path)
        if request.method == "PATCH" and (current is not None or "apply" in request.content_type):
            return self._put(request.path, cast("dict[str, Any]", merge_patch.apply(current or {}, body)), request)
        if current is None:
            raise error_of(request, 404, _status(404, "NotFound"))
        if request.method == "GET":
            return _ok(current)
        if request.method == "DELETE":
            self.informers.deleted(self.objects.pop(request.path))
            return _ok({"kind": "Status", "apiVersion": "v1", "status": "Success"})
        return self._put(request.path, body, request)

    def _put(self, path: str, obj: dict[str, Any], request: ApiRequest) -> ApiResponse:
        before = self.objects.get(path)
        meta = {**obj["metadata"], "resourceVersion": before["metadata"]["resourceVersion"] if before else ""}
        if before == {**obj, "metadata": meta}:
            return _ok(before)
        self.version += 1
        manager = dict(request.query).get("fieldManager", "konverge")
        fields: dict[str, Any] = {f"f:{key}": {} for key in obj if key not in ("apiVersion", "kind", "metadata")}
        meta |= {
            "resourceVersion": str(self.version),
            "uid": obj["metadata"].get("uid") or f"uid-{obj['metadata']['name']}",
            "managedFields": [{"manager": manager, "fieldsV1": fields}],
        }
        self.objects[path] = {**obj, "metadata": meta}
        self.informers.changed(self.objects[path])
        return _ok(self.objects[path])

    def stream(self, request: ApiRequest) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Stream nothing."""
        return _nothing(request)

    async def close(self) -> None:
        """Close nothing."""


@asynccontextmanager
async def _nothing(_request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
    async def chunks() -> AsyncIterator[bytes]:
        for chunk in b"":
            yield bytes([chunk])

    yield chunks()


_DISCOVERY = {
    "/api/v1": {"name": "configmaps", "kind": "ConfigMap", "namespaced": True, "verbs": ["get", "list"]},
    "/apis/test.konverge.dev/v1": {"name": "widgets", "kind": "Widget", "namespaced": True, "verbs": ["get", "list"]},
}


def _ok(obj: Any) -> ApiResponse:
    return ApiResponse(status=200, body=json.dumps(obj).encode())


def _status(code: int, reason: str) -> bytes:
    return json.dumps({"kind": "Status", "code": code, "reason": reason, "message": "no"}).encode()


class Informers:
    """Real informers whose watch is this class: told by hand, or by the server's writes."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.made: dict[str, Informer[Any]] = {}

    async def informer(self, kind: Kind[T]) -> Informer[T]:
        """Return the informer of a kind."""
        form = form_of(kind)
        found = self.made.get(form.gvk.kind)
        if found is None:
            options: InformerOptions[T] = InformerOptions(selection=Selection())
            resource = form.resource or WIDGET
            found = Informer(self._server, form, resource, options, random=Random(1))
            self.made[form.gvk.kind] = found
        return cast("Informer[T]", found)

    async def resource_of(self, kind: Kind[T]) -> Resource:
        """Return the resource of a kind, and make no informer for it."""
        return form_of(kind).resource or WIDGET

    async def synced(self, kind: type[Object], *objects: dict[str, Any]) -> None:
        """Tell of the initial list of a kind."""
        feed = (await self.informer(typed(kind))).feeds[0]
        feed.list_started()
        for obj in objects:
            feed.listed(json.dumps(obj).encode())
        feed.list_finished("1")

    def changed(self, obj: dict[str, Any]) -> None:
        """Tell of an object that was added or modified."""
        if obj["kind"] in self.made:
            self.made[obj["kind"]].feeds[0].changed(json.dumps(obj).encode())

    def deleted(self, obj: dict[str, Any]) -> None:
        """Tell of an object that is gone."""
        if obj["kind"] in self.made:
            self.made[obj["kind"]].feeds[0].deleted(json.dumps(obj).encode())

    def resync(self, kind: str) -> None:
        """Tell of everything again."""
        informer = self.made[kind]
        for _key, entry in list(informer.feeds[0].store.items()):
            stored: Stored[Any] = Stored(entry, informer.form)
            informer.on_update(stored, stored)


@dataclass
class Counts:
    """Metrics as a list of what was heard."""

    heard: list[str] = field(default_factory=list)

    def started(self) -> None:
        """Note it."""

    def finished(self, result: str, seconds: float) -> None:
        """Note it."""
        self.heard.append(f"{result} {seconds:g}")

    def error(self) -> None:
        """Note it."""
        self.heard.append("error")

    def terminal_error(self) -> None:
        """Note it."""
        self.heard.append("terminal")

    def panic(self) -> None:
        """Note it."""
        self.heard.append("panic")

    def timeout(self) -> None:
        """Note it."""
        self.heard.append("timeout")

    def hot_loop(self) -> None:
        """Note it."""
        self.heard.append("hot loop")


@dataclass
class Script:
    """A reconciler that does one thing after the other and notes when it was called, for whom and why."""

    outcomes: list[Any]
    notes: list[str] = field(default_factory=list)

    async def reconcile(self, ctx: Context, request: Request) -> Result | None:
        """Do the next thing."""
        self.notes.append(f"{asyncio.get_running_loop().time():g} {request} ({ctx.causes})")
        outcome = self.outcomes.pop(0) if self.outcomes else None
        if isinstance(outcome, BaseException):
            raise outcome
        if callable(outcome):
            outcome = await outcome(ctx)
        return outcome


class World:
    """A server, its informers, a client, and the controllers made over them."""

    Widget = Widget
    Script = Script
    widget = staticmethod(widget)
    config_map = staticmethod(config_map)
    owned_by = staticmethod(owned_by)

    def __init__(self) -> None:
        self.server = Server()
        self.informers = self.server.informers
        self.client = Client(NotingTransport(self.server))
        self.counts = Counts()

    def controller(self, reconciler: ReconcilerLike, **options: Any) -> Controller:
        """Make a controller."""
        surroundings = Surroundings(
            client=self.client.with_defaults(field_owner="test"),
            live=self.client,
            recorder=Recorder(None, "test"),
            metrics=self.counts,
        )
        kind = WIDGET.group_version_kind.group_kind
        return Controller("test", reconciler, surroundings, options=ControllerOptions(**options), kind=kind)

    async def watching(self, reconciler: ReconcilerLike, *objects: dict[str, Any], **options: Any) -> Controller:
        """Make a controller of widgets whose initial list has these."""
        made = self.controller(reconciler, **options)
        made.watch(KindSource(self.informers, Widget))
        await self.informers.synced(Widget, *objects)
        return made

    @asynccontextmanager
    async def running(self, controller: Controller) -> AsyncIterator[None]:
        """Run a controller inside; stop it in order at the end."""
        task = asyncio.create_task(controller.run())
        try:
            yield
        finally:
            controller.stop()
            await task

    @staticmethod
    def play(main: Coroutine[Any, Any, R]) -> R:
        """Run a test's coroutine in virtual time."""
        return virtual_time.run(main)


@pytest.fixture
def world() -> World:
    """Everything a controller needs, in memory."""
    return World()


@pytest.fixture(scope="session")
def new_world() -> Callable[[], World]:
    """What makes a world for each generated history, where one for the test would be shared by all of them."""
    return World


@pytest.fixture
def lines() -> Iterator[list[dict[str, Any]]]:
    """The lines that konverge logs, as their fields."""
    kept: list[dict[str, Any]] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            kept.append(log.entry(record))

    handler, logger = Keep(), logging.getLogger("konverge")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield kept
    logger.removeHandler(handler)
    logger.setLevel(level)
