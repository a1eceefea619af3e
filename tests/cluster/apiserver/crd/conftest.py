"""Definitions to begin with, and a server of a few lines for the controller to talk to."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from konverge.api.json_value import json_copy
from konverge.cluster.apiserver.crd.controller import GROUP, PLURAL, CrdController
from konverge.cluster.apiserver.crd.definition_strategy import DefinitionStrategy
from konverge.cluster.apiserver.exchange import Answer, Request, Response
from konverge.cluster.apiserver.resource import Resource, Resources

CRDS = f"/apis/{GROUP}/v1/{PLURAL}"
JsonObject = dict[str, Any]


class SmallServer:
    """Holds CRDs and the objects they define, and tells the controller of each write, as the real one does."""

    def __init__(self) -> None:
        self.crds: dict[str, JsonObject] = {}
        self.objects: dict[str, JsonObject] = {}  # by namespace/name, of one kind
        self.requests: list[str] = []
        self.conflicts = 0  # how many of the next status writes meet a newer version
        self.resources = Resources()
        self.controller = CrdController(self.resources, self.handle)
        self.strategy = DefinitionStrategy()
        self.resource = Resource(
            group=GROUP,
            version="v1",
            kind="CustomResourceDefinition",
            plural=PLURAL,
            singular="customresourcedefinition",
            namespaced=False,
            storage_version="v1",
            strategy=self.strategy,
        )

    async def create(self, crd: JsonObject) -> JsonObject:
        """Store a new CRD; return it as the answer to the client shows it."""
        self.strategy.default(crd)
        self.strategy.prepare_for_create(crd)
        return await self._write(crd)

    async def update(self, name: str, **spec: Any) -> JsonObject:
        """Change the spec of a CRD."""
        old = self.crds[name]
        crd = json_copy(old)
        crd["spec"].update(spec)
        self.strategy.default(crd)
        self.strategy.prepare_for_update(crd, old)
        return await self._write(crd)

    async def delete(self, name: str) -> None:
        """Mark a CRD for deletion."""
        crd = json_copy(self.crds[name])
        self.strategy.begin_delete(crd)
        await self._write(crd)

    async def remove_object(self, key: str) -> None:
        """Let an object go, as its last finalizer does."""
        old = self.objects.pop(key)
        await self.controller.changed(next(iter(self.resources)), old, None)

    async def _write(self, crd: JsonObject) -> JsonObject:
        name = crd["metadata"]["name"]
        old = self.crds.get(name)
        answer = json_copy(crd)
        if "deletionTimestamp" in crd["metadata"] and not crd["metadata"].get("finalizers"):
            del self.crds[name]
            await self.controller.changed(self.resource, old, None)
            return crd
        self.crds[name] = answer
        await self.controller.changed(self.resource, old, crd)
        return crd

    async def handle(self, request: Request) -> Answer:
        """Answer what the controller asks."""
        self.requests.append(f"{request.method} {request.path}")
        if request.path.startswith(CRDS):
            return await self._definition(request)
        if request.method == "DELETE":
            return await self._delete_objects(request.path.split("/")[5])
        return _answer(200, {"items": list(self.objects.values())})

    async def _definition(self, request: Request) -> Answer:
        name = request.path.removeprefix(f"{CRDS}/").removesuffix("/status")
        if request.method == "GET":
            return _answer(200, self.crds[name]) if name in self.crds else _answer(404, {"kind": "Status"})
        if self.conflicts:
            self.conflicts -= 1
            return _answer(409, {"kind": "Status"})
        return _answer(200, await self._write(msgspec.json.decode(request.body)))

    async def _delete_objects(self, namespace: str) -> Answer:
        for key in [one for one in self.objects if one.startswith(f"{namespace}/")]:
            if self.objects[key]["metadata"].get("finalizers"):
                self.objects[key]["metadata"]["deletionTimestamp"] = "now"
            else:
                await self.remove_object(key)
        return _answer(200, {})


def _answer(status: int, value: JsonObject) -> Response:
    return Response(status=status, body=msgspec.json.encode(value))


@pytest.fixture
def server() -> SmallServer:
    """Return a server without CRDs."""
    return SmallServer()
