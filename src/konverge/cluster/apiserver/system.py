"""What every cluster has from its first moment: the built-in kinds, and the namespaces of the system."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

import msgspec

from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.builtin.strategy import strategy_of
from konverge.cluster.apiserver.exchange import JSON, Answer, Peer, Request
from konverge.cluster.apiserver.resource import Resources

_CONFLICT: Final = 409
_NAMESPACES: Final = ("default", "kube-node-lease", "kube-public", "kube-system")


def builtin_resources() -> Resources:
    """Return the kinds that are served before anyone has defined one."""
    resources = Resources()
    for resource in catalogue.resources(strategy_of):
        group = catalogue.storage_group(resource.group, resource.plural)
        resources.add(resource if group == resource.group else replace(resource, storage_group=group))
    return resources


async def make_system_namespaces(handle: Callable[[Request], Awaitable[Answer]]) -> None:
    """Make the namespaces of the system, where they are not there yet."""
    for name in _NAMESPACES:
        answer = await handle(_create("/api/v1/namespaces", {"metadata": {"name": name}}))
        if answer.status >= 300 and answer.status != _CONFLICT:  # noqa: PLR2004 - what is no success
            raise RuntimeError(f"namespace {name} could not be made: the server answers {answer.status}")


def _create(path: str, value: dict[str, object]) -> Request:
    headers = {"content-type": JSON, "user-agent": "kube-apiserver"}
    body = msgspec.json.encode(value)
    return Request(method="POST", path=path, headers=headers, body=body, peer=Peer(is_trusted=True))
