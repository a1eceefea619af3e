"""The flow schemas and priority levels that every cluster has from its first start, as the real server makes them."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Final

import msgspec

from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver.builtin import captured
from konverge.cluster.apiserver.ids import Ids
from konverge.cluster.apiserver.storage import Storage, Stored

GROUP: Final = "flowcontrol.apiserver.k8s.io"
SCHEMAS: Final = f"/{GROUP}/flowschemas/"
LEVELS: Final = f"/{GROUP}/prioritylevelconfigurations/"
_PREFIXES: Final = {"flowschemas": SCHEMAS, "prioritylevelconfigurations": LEVELS}


async def make_flow_control(storage: Storage, ids: Ids) -> None:
    """Write what is not there yet."""
    time, written = format_time(now()), None
    for plural, values in captured.read_json("flow_control.json").items():
        for value in values:
            key = _PREFIXES[plural] + value["metadata"]["name"]
            if storage.newest(key) is None:
                written = _put(storage, key, _dated(value, uid=ids.uid(), time=time))
    if written is not None:
        await written  # the last one is durable after all others


def _put(storage: Storage, key: str, value: dict[str, Any]) -> Awaitable[Stored]:
    def encode(version: int) -> bytes:
        value["metadata"]["resourceVersion"] = str(version)
        return msgspec.json.encode(value)

    return storage.put(key, encode, based_on=0)


def _dated(value: dict[str, Any], *, uid: str, time: str) -> dict[str, Any]:
    """Return an object with what is new in each server."""
    metadata = value["metadata"]
    entries = [{**entry, "time": time} for entry in metadata.pop("managedFields")]
    name = {"name": metadata.pop("name"), "uid": uid, "resourceVersion": "", "creationTimestamp": time}
    made = {**value, "metadata": {**name, **metadata, "managedFields": entries}}
    for condition in (value.get("status") or {}).get("conditions") or ():
        condition["lastTransitionTime"] = time
    return made
