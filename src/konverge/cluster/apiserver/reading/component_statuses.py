"""ComponentStatuses: how the parts of the control plane are, which no one stores.

The real server asks those that it expects beside itself. Here the storage is a part of the server, and nobody answers
at the two addresses of a scheduler and a controller manager, so that is what is said; what konverge runs in their place
has no address.
"""

from __future__ import annotations

from typing import Final

import msgspec

from konverge.cluster.apiserver.call import Call
from konverge.cluster.apiserver.failure import not_found
from konverge.cluster.apiserver.reading.options import list_options
from konverge.cluster.apiserver.reading.selection import selection
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import JsonObject

_ABSENT: Final = {"controller-manager": 10257, "scheduler": 10259}  # the ports at which they would answer


def are_meant(resource: Resource) -> bool:
    """Whether a resource is this one."""
    return resource.plural == "componentstatuses" and not resource.group


def one(call: Call) -> JsonObject:
    """Return the status that a request names."""
    for value in _all():
        if value["metadata"]["name"] == call.route.name:
            return value
    raise not_found("componentstatus", "", call.route.name)


def chosen(call: Call) -> list[JsonObject]:
    """Return the statuses that a request for the list selects."""
    options = list_options(call.request)
    wanted = selection(call.resource, labels=options.label_selector, fields=options.field_selector)
    return [value for value in _all() if not wanted or wanted.takes(call.resource, msgspec.json.encode(value))]


def _all() -> list[JsonObject]:
    refused = {name: f"127.0.0.1:{port}" for name, port in _ABSENT.items()}
    return [
        *(
            _status(name, "False", f'Get "https://{place}/healthz": dial tcp {place}: connect: connection refused')
            for name, place in refused.items()
        ),
        _status("etcd-0", "True", "ok"),
    ]


def _status(name: str, healthy: str, message: str) -> JsonObject:
    condition = {"type": "Healthy", "status": healthy, "message": message}
    return {"kind": "ComponentStatus", "apiVersion": "v1", "metadata": {"name": name}, "conditions": [condition]}
