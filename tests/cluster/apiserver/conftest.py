"""A server with a few objects, filled without the write side."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from konverge.cluster.apiserver.exchange import Answer, Peer, Request, Response, Stream
from konverge.cluster.apiserver.resource import Resource, Scale
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.apiserver.strategy import JsonObject, Strategy

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
GADGETS = "/apis/example.com/v1/namespaces/default/gadgets"


class InBeta(Strategy):
    """Another version of the same objects."""

    def from_storage(self, value: JsonObject) -> JsonObject:
        """Say that it is the other version."""
        return {**value, "apiVersion": "example.com/v1beta1"}


def gadgets() -> list[Resource]:
    """Return a custom resource in two versions, as a CRD would define it."""
    v1 = Resource(
        group="example.com",
        version="v1",
        kind="Gadget",
        plural="gadgets",
        singular="gadget",
        namespaced=True,
        storage_version="v1",
        strategy=Strategy(),
        list_kind="GadgetList",
        has_status=True,
        scale=Scale(spec_replicas="spec.replicas", status_replicas="status.replicas", label_selector="spec.sel"),
        selectable_fields={"spec.color": "spec.color", "spec.size": "spec.size"},
        is_custom=True,
    )
    v1beta1 = Resource(
        group="example.com",
        version="v1beta1",
        kind="Gadget",
        plural="gadgets",
        singular="gadget",
        namespaced=True,
        storage_version="v1",
        strategy=InBeta(),
        list_kind="GadgetList",
        deprecation="example.com/v1beta1 Gadget is deprecated; use example.com/v1 Gadget",
        is_custom=True,
    )
    return [v1, v1beta1]


class Served:
    """A server and the storage behind it."""

    def __init__(self) -> None:
        self.storage = Storage.in_memory()
        self.server = ApiServer(self.storage)
        for resource in gadgets():
            self.server.resources.add(resource)

    async def ask(self, method: str, path: str, **headers: str) -> Answer:
        """Send a request as the administrator; header names with underscores."""
        url = urlsplit(path)
        request = Request(
            method=method,
            path=url.path,
            query=tuple(parse_qsl(url.query, keep_blank_values=True)),
            headers={name.replace("_", "-"): value for name, value in headers.items()},
            peer=Peer(is_trusted=True),
        )
        return await self.server.handle(request)

    async def get(self, path: str, **headers: str) -> Response:
        """GET something that is no stream."""
        answer = await self.ask("GET", path, **headers)
        assert isinstance(answer, Response), answer
        return answer

    async def read(self, path: str, **headers: str) -> Any:
        """GET something that is there, decoded."""
        answer = await self.get(path, **headers)
        assert answer.status == 200, answer.body
        return json.loads(answer.body)

    async def watch(self, path: str, **headers: str) -> Stream:
        """GET a stream."""
        answer = await self.ask("GET", path, **headers)
        assert isinstance(answer, Stream), answer
        return answer

    async def put(self, value: JsonObject) -> int:
        """Store an object of one of the kinds here, new or changed, and return its revision."""
        key, based_on = self._place(value)
        stored = await self.storage.put(key, lambda revision: _encoded(value, revision), based_on=based_on)
        return stored.revision

    async def delete(self, value: JsonObject) -> int:
        """Take an object away and return the revision of that."""
        key, based_on = self._place(value)
        stored = await self.storage.delete(key, lambda revision: _encoded(value, revision), based_on=based_on)
        return stored.revision

    @staticmethod
    def config_map(name: str, *, namespace: str = "default", **labels: str) -> JsonObject:
        """Return a ConfigMap."""
        metadata = {"name": name, "namespace": namespace, **({"labels": labels} if labels else {})}
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"k": "v"}}

    @staticmethod
    def gadget(name: str, *, namespace: str = "default", **spec: Any) -> JsonObject:
        """Return a custom resource."""
        metadata = {"name": name, "namespace": namespace}
        return {"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": metadata, "spec": spec}

    @staticmethod
    async def events(stream: Stream) -> list[JsonObject]:
        """Read a stream to its end."""
        return [json.loads(line) for line in b"".join([chunk async for chunk in stream.chunks]).splitlines()]

    def _place(self, value: JsonObject) -> tuple[str, int]:
        plural = {"ConfigMap": "/core/configmaps/", "Gadget": "/example.com/gadgets/", "Pod": "/core/pods/"}
        metadata = value["metadata"]
        key = f"{plural[value['kind']]}{metadata['namespace']}/{metadata['name']}"
        newest = self.storage.newest(key)
        return key, newest.revision if newest else 0


def _encoded(value: JsonObject, revision: int) -> bytes:
    value["metadata"]["resourceVersion"] = str(revision)
    return json.dumps(value, separators=(",", ":")).encode()


@pytest.fixture(scope="session")
def serving() -> type[Served]:
    """What makes an empty server, for a test that runs on a loop of its own."""
    return Served


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """A server with two ConfigMaps and two custom resources."""
    served = Served()
    await served.put(served.config_map("a", x="1"))
    await served.put(served.config_map("b"))
    await served.put(served.gadget("a", color="red", replicas=3, size=4, sel="a=b"))
    await served.put(served.gadget("b"))
    yield served
    await served.server.close()
    await served.storage.close()
