"""Where the service `default/kubernetes` leads: the endpoints of the server itself, which only it can know.

They are written straight to storage. This server listens on loopback, and an endpoint of anyone else may not have such
an address; the truth is still better than an address at which nobody answers.
"""

from __future__ import annotations

import ipaddress
from typing import Any, Final

import msgspec

from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver.ids import Ids
from konverge.cluster.apiserver.reading.decode import stored_object
from konverge.cluster.apiserver.resource import Resource, Resources
from konverge.cluster.apiserver.storage import Storage

_SERVICE: Final = "kubernetes"
_NAMESPACE: Final = "default"
_PORT: Final = "https"  # as the service names it

JsonObject = dict[str, Any]


async def announce(storage: Storage, resources: Resources, ids: Ids, *, address: str, port: int) -> None:
    """Write the Endpoints and the EndpointSlice of the server, unless they say so already."""
    endpoints = resources.find("", "v1", "endpoints")
    slices = resources.find("discovery.k8s.io", "v1", "endpointslices")
    if endpoints is not None and slices is not None:
        await _write(storage, endpoints, ids, _endpoints(address, port))
        await _write(storage, slices, ids, _slice(address, port))


def _endpoints(address: str, port: int) -> JsonObject:
    ports = [{"name": _PORT, "port": port, "protocol": "TCP"}]
    return {
        "metadata": {"labels": {"endpointslice.kubernetes.io/skip-mirror": "true"}},
        "subsets": [{"addresses": [{"ip": address}], "ports": ports}],
    }


def _slice(address: str, port: int) -> JsonObject:
    return {
        "metadata": {"labels": {"kubernetes.io/service-name": _SERVICE}},
        "addressType": f"IPv{ipaddress.ip_address(address).version}",
        "endpoints": [{"addresses": [address], "conditions": {"ready": True}}],
        "ports": [{"name": _PORT, "port": port, "protocol": "TCP"}],
    }


async def _write(storage: Storage, resource: Resource, ids: Ids, value: JsonObject) -> None:
    key = resource.key(_NAMESPACE, _SERVICE)
    found = storage.newest(key)
    old = {} if found is None else stored_object(resource, found.value)
    if any(old.get(field) != value[field] for field in value if field != "metadata"):
        identity = _identity(old.get("metadata"), ids)
        type_ = {"kind": resource.kind, "apiVersion": resource.api_version}

        def encode(version: int) -> bytes:
            metadata = {**identity, "resourceVersion": str(version), **value["metadata"]}
            return msgspec.json.encode({**type_, **value, "metadata": metadata})

        await storage.put(key, encode, based_on=0 if found is None else found.revision)


def _identity(old: JsonObject | None, ids: Ids) -> JsonObject:
    made = {"uid": ids.uid(), "creationTimestamp": format_time(now())}
    kept = {field: old[field] for field in made} if old else made
    return {"name": _SERVICE, "namespace": _NAMESPACE, **kept}
