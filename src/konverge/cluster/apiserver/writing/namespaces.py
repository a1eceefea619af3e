"""The life of namespaces, as far as writes meet it: nothing is created where there is none, or where one is ending."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.call import Call
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.failure import bad_request, forbidden, not_found
from konverge.cluster.apiserver.strategy import JsonObject

IMMORTAL: Final = ("default", "kube-system", "kube-public")
_REVIEWS: Final = ("authorization.k8s.io", "localsubjectaccessreviews")


class _Status(msgspec.Struct):
    phase: str = ""


class _Namespace(msgspec.Struct):
    status: _Status = msgspec.field(default_factory=_Status)


_decode: Final = msgspec.json.Decoder(_Namespace).decode


def set_namespace(call: Call, metadata: JsonObject) -> None:
    """Give an object the namespace of its URL; raise (400) where it says another."""
    expected = call.route.namespace if call.resource.namespaced else ""
    claimed: Any = metadata.get("namespace", "")
    if claimed == expected:
        return
    if claimed and expected:
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    if expected:
        metadata["namespace"] = expected
    else:
        metadata.pop("namespace", None)


def check_namespace(context: Context, call: Call, name: str, *, is_create: bool) -> None:
    """Refuse a write into a namespace that is not there, and a create in one that is ending."""
    resource, namespace = call.resource, call.route.namespace
    if not resource.namespaced or (resource.group, resource.plural) == _REVIEWS:
        return
    stored = context.storage.newest(f"/core/namespaces/{namespace}")
    if stored is None:
        raise not_found("namespaces", "", namespace)
    if is_create and _decode(stored.value).status.phase == "Terminating":
        why = f"unable to create new content in namespace {namespace} because it is being terminated"
        failure = forbidden(resource.plural, resource.group, name or "Unknown", why)
        cause = {
            "reason": "NamespaceTerminating",
            "message": f"namespace {namespace} is being terminated",
            "field": "metadata.namespace",
        }
        failure.details = {**(failure.details or {}), "causes": [cause]}
        raise failure
