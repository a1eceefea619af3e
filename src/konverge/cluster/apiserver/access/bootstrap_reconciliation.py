"""What the roles and bindings of the first start get back at each later one: what they lack, and nothing is taken away.

An object that says `rbac.authorization.kubernetes.io/autoupdate: "false"` stays as it is. The decision is pure; what it
decides is written through the API, as the real server does it, so that managedFields and watches tell of it.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.access.coverage import missing
from konverge.cluster.apiserver.access.roles import GROUP
from konverge.cluster.apiserver.access.rule import PolicyRule
from konverge.cluster.apiserver.exchange import JSON, Answer, Peer, Request
from konverge.cluster.apiserver.strategy import JsonObject

_log = logging.getLogger(__name__)
_OPTION: Final = "rbac.authorization.kubernetes.io/autoupdate"
_FAILED: Final = 400
Handle = Callable[[Request], Awaitable[Answer]]


def reconciled(existing: JsonObject, expected: JsonObject) -> JsonObject | None:
    """Return an object with what it lacks; None where it lacks nothing, or wants to be left alone."""
    if (existing["metadata"].get("annotations") or {}).get(_OPTION) == "false":
        return None
    found = {**existing, "metadata": _metadata(existing["metadata"], expected["metadata"])}
    if "roleRef" not in expected:
        found = _with_rules(_with_aggregation(found, expected), expected)
    elif found.get("roleRef") == expected["roleRef"]:
        found["subjects"] = _joined(found.get("subjects"), expected.get("subjects"))
    else:  # what a binding is for can never be changed: it is made anew
        return expected
    return None if _without_empty(found) == _without_empty(existing) else found


def _metadata(existing: JsonObject, expected: JsonObject) -> JsonObject:
    """Return metadata with the labels and annotations that are expected; a value that is there stays."""
    own = {name: {**(expected.get(name) or {}), **(existing.get(name) or {})} for name in ("labels", "annotations")}
    return {**existing, **{name: found for name, found in own.items() if found}}


def _with_rules(role: JsonObject, expected: JsonObject) -> JsonObject:
    own, wanted = role.get("rules") or [], expected.get("rules") or []
    if own == wanted:
        return role
    lacking = missing(msgspec.convert(own, list[PolicyRule]), msgspec.convert(wanted, list[PolicyRule]))
    return {**role, "rules": [*own, *map(_rule, lacking)]}


def _rule(rule: PolicyRule) -> JsonObject:
    value: JsonObject = msgspec.to_builtins(rule)
    return {name: list(found) for name, found in value.items() if found}


def _with_aggregation(role: JsonObject, expected: JsonObject) -> JsonObject:
    wanted = expected.get("aggregationRule")
    if wanted is None:  # nobody expects it to be a sum of others
        return {name: value for name, value in role.items() if name != "aggregationRule"}
    own = role.get("aggregationRule") or {}
    selectors = _joined(own.get("clusterRoleSelectors"), wanted.get("clusterRoleSelectors"))
    return {**role, "aggregationRule": {**own, "clusterRoleSelectors": selectors}}


def _joined(own: list[Any] | None, wanted: list[Any] | None) -> list[Any]:
    return [*(own or ()), *(each for each in wanted or () if each not in (own or ()))]


def _without_empty(value: JsonObject) -> JsonObject:
    return {name: found for name, found in value.items() if found not in (None, [])}


async def reconcile(handle: Handle, plural: str, found: Iterable[tuple[JsonObject, JsonObject]]) -> None:
    """Write what is lacking, for pairs of an object as it is and as it was made first."""
    for existing, expected in found:
        wanted = reconciled(existing, expected)
        if wanted is None:
            continue
        metadata = existing["metadata"]
        folder = f"/namespaces/{metadata['namespace']}" if "namespace" in metadata else ""
        path = f"/apis/{GROUP}/v1{folder}/{plural}"
        if wanted is not expected:
            await _send(handle, "PUT", f"{path}/{metadata['name']}", wanted)
        else:
            options = {"preconditions": {"uid": metadata["uid"]}}
            await _send(handle, "DELETE", f"{path}/{metadata['name']}", options)
            own = {name: value for name, value in expected["metadata"].items() if name != "managedFields"}
            await _send(handle, "POST", path, {**expected, "metadata": own})


async def _send(handle: Handle, method: str, path: str, value: JsonObject) -> None:
    headers = {"content-type": JSON, "user-agent": "kube-apiserver"}
    body = msgspec.json.encode(value)
    answer = await handle(Request(method=method, path=path, headers=headers, body=body, peer=Peer(is_trusted=True)))
    if answer.status >= _FAILED:  # a webhook may refuse it; the server has to start all the same
        _log.warning("%s %s: what every cluster has was not brought back: %s", method, path, answer.status)
