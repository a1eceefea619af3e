"""What is served now, as discovery sees it: the groups in order, and the lines of each group and version.

Built-in groups come first, in the real server's order; those of CRDs follow by name.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.builtin.catalogue import ApiResource, Group
from konverge.cluster.apiserver.resource import Resource, Resources
from konverge.cluster.apiserver.version_order import priority

_SUBRESOURCE_VERBS = ("get", "patch", "update")

GroupVersion = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Served:
    """The named groups, and the lines of each group and version, the core group's too."""

    groups: tuple[Group, ...]
    lines: dict[GroupVersion, tuple[ApiResource, ...]]

    def group(self, name: str) -> Group | None:
        """Return a named group, or None where it is not served."""
        return next((group for group in self.groups if group.name == name), None)


def served(resources: Resources) -> Served:
    """Look at all resources."""
    found: dict[GroupVersion, list[Resource]] = {}
    for resource in resources:
        found.setdefault((resource.group, resource.version), []).append(resource)
    return Served(tuple(_groups(found)), {where: tuple(_lines(where, members)) for where, members in found.items()})


def _groups(found: Iterable[GroupVersion]) -> Iterator[Group]:
    versions: dict[str, list[str]] = {}
    for group, version in found:
        versions.setdefault(group, []).append(version)
    order = {group.name: rank for rank, group in enumerate(catalogue.groups())}
    for name in sorted(versions, key=lambda name: (order.get(name, len(order)), name)):
        if name:
            yield Group(name, tuple(sorted(versions[name], key=priority)))


def _lines(where: GroupVersion, members: list[Resource]) -> Iterator[ApiResource]:
    plurals = {resource.plural for resource in members if not resource.is_custom}
    for line in catalogue.api_resources(*where):
        if line.name.partition("/")[0] in plurals:
            yield line
    for resource in members:
        if resource.is_custom:
            yield from _custom_lines(resource)


def _custom_lines(resource: Resource) -> Iterator[ApiResource]:
    yield ApiResource(
        name=resource.plural,
        singular_name=resource.singular,
        namespaced=resource.namespaced,
        kind=resource.kind,
        verbs=resource.verbs,
        short_names=resource.short_names,
        categories=resource.categories,
        storage_version_hash=storage_version_hash(resource),
    )
    if resource.has_status:
        yield _custom_subresource(resource, "status", resource.kind)
    if resource.scale is not None:
        yield _custom_subresource(resource, "scale", "Scale", group="autoscaling", version="v1")


def _custom_subresource(resource: Resource, name: str, kind: str, *, group: str = "", version: str = "") -> ApiResource:
    return ApiResource(
        name=f"{resource.plural}/{name}",
        singular_name="",
        namespaced=resource.namespaced,
        kind=kind,
        verbs=_SUBRESOURCE_VERBS,
        group=group,
        version=version,
    )


def storage_version_hash(resource: Resource) -> str:
    """Return the mark by which a client sees that objects are stored in another version than before."""
    text = f"{resource.group}/{resource.storage_version}/{resource.kind}"
    return base64.b64encode(hashlib.sha256(text.encode()).digest()[:8]).decode()
