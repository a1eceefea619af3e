"""A call about one object of a collection that spans namespaces."""

from __future__ import annotations

from dataclasses import replace

from konverge.cluster.apiserver.call import Call


def in_namespace(call: Call, namespace: str) -> Call:
    """Return a call as if its URL had named the namespace."""
    if call.route.namespace == namespace or not call.resource.namespaced:
        return call
    return replace(call, route=replace(call.route, namespace=namespace))
