"""Stage: what a scenario does to its namespace, and how it waits. Objects are plain JSON, as a user writes them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import yaml

import konverge as kv
from konverge.api.model import encode
from konverge.api.object import write
from konverge.api.request import MERGE_PATCH
from konverge.errors import NotFound
from konverge.testing import eventually

Json = dict[str, Any]
Objects = list[Json]
_PATIENCE = 120.0  # seconds that a state may take to come on a loaded machine; waiting ends when it is there


class Stage:
    """One namespace of a cluster."""

    def __init__(self, client: kv.Client, namespace: str) -> None:
        self.client = client
        self.namespace = namespace

    async def create(self, *objects: Json | str) -> None:
        """Create objects, given as JSON or as YAML (several documents in one text)."""
        for given in objects:
            for obj in yaml.safe_load_all(given) if isinstance(given, str) else [given]:
                await self.client.create(_unstructured(obj, self.namespace))

    async def patch(self, kind: str, name: str, patch: Json) -> None:
        """Change an object by a merge patch."""
        target = _named(kind, name, self.namespace)
        await self.client.patch(target, kv.RawPatch(MERGE_PATCH, encode(patch)))

    async def patch_status(self, kind: str, name: str, patch: Json) -> None:
        """Change the status of an object by a merge patch."""
        target = _named(kind, name, self.namespace)
        await self.client.status.patch(target, kv.RawPatch(MERGE_PATCH, encode(patch)))

    async def delete(self, kind: str, name: str, *, propagation: str | None = None, grace: int | None = None) -> None:
        """Delete an object."""
        await self.client.delete(_form(kind), name, propagation=propagation, grace_seconds=grace)

    async def get(self, kind: str, name: str) -> Json:
        """Return an object as it is now."""
        return _json(await self.client.get(_form(kind), name))

    async def list(self, kind: str, labels: str | None = None) -> Objects:
        """Return the objects of a kind, by name."""
        found = [_json(each) for each in await self.client.list(_form(kind), labels=labels)]
        return sorted(found, key=lambda obj: str(obj["metadata"]["name"]))

    async def until(self, kind: str, name: str, check: Callable[[Json], Any]) -> Json:
        """Wait until an object is as the check wants it; return it. Where a field is absent it is not yet so."""

        async def so() -> Json:
            obj = await self.get(kind, name)
            return obj if _holds(check, obj) else {}

        return await eventually(so, within=_PATIENCE)

    async def until_listed(self, kind: str, check: Callable[[Objects], Any], *, labels: str | None = None) -> Objects:
        """Wait until the objects of a kind are as the check wants them; return them."""

        async def so() -> tuple[Objects, ...]:
            found = await self.list(kind, labels)
            return (found,) if _holds(check, found) else ()

        return (await eventually(so, within=_PATIENCE))[0]

    async def gone(self, kind: str, name: str) -> None:
        """Wait until an object is no more."""

        async def so() -> bool:
            try:
                await self.get(kind, name)
            except NotFound:
                return True
            return False

        await eventually(so, within=_PATIENCE)


def _holds(check: Callable[[Any], Any], value: Any) -> bool:
    try:
        return bool(check(value))
    except (KeyError, IndexError, TypeError):
        return False


def _form(kind: str) -> kv.Form[kv.Unstructured]:
    """Read "apps/v1 Deployment"."""
    version, name = kind.split()
    return kv.unstructured(version, name)


def _named(kind: str, name: str, namespace: str) -> kv.Unstructured:
    version, word = kind.split()
    return _unstructured({"apiVersion": version, "kind": word, "metadata": {"name": name}}, namespace)


def _unstructured(obj: Json, namespace: str) -> kv.Unstructured:
    metadata = {"namespace": namespace, **obj.get("metadata", {})}
    if not metadata["namespace"]:
        del metadata["namespace"]  # namespace: "" in a scenario means a kind without namespaces
    return kv.Unstructured.__decode__(encode({**obj, "metadata": metadata}))


def _json(obj: kv.Unstructured) -> Json:
    decoded: Json = json.loads(write(obj))
    return decoded
