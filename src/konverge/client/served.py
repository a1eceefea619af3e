"""Everything a server serves, in two requests: each kind, with its verbs and its subresources.

For programs that work on kinds they were not written for: collectors, backups, policies. It is aggregated discovery,
which every server since Kubernetes 1.30 has. Groups of an extension server that is away are named, with the reason:
what is missing is not the same as what does not exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from konverge.api import request
from konverge.api.kind import GroupResource, GroupVersion, Resource
from konverge.api.model import decode
from konverge.client.transport import Transport
from konverge.errors import DecodeError

_ACCEPT: Final = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_DOCUMENT: Final = "APIGroupDiscoveryList"


class ServedKind(msgspec.Struct, frozen=True):
    """A kind in one of its versions, and what can be done with it."""

    resource: Resource
    verbs: tuple[str, ...]

    def allows(self, *verbs: str) -> bool:
        """Whether it has all of these verbs."""
        return all(verb in self.verbs for verb in verbs)


class ServedKinds(msgspec.Struct, frozen=True):
    """All kinds, each group's versions in the server's order of preference."""

    kinds: tuple[ServedKind, ...]
    failed: Mapping[GroupVersion, str] = msgspec.field(default_factory=dict)  # what could not be asked, and why

    def preferred(self) -> Iterator[ServedKind]:
        """Yield each resource once, in the version that the server prefers."""
        seen: dict[GroupResource, None] = {}
        for kind in self.kinds:
            if kind.resource.group_resource not in seen:
                seen[kind.resource.group_resource] = None
                yield kind


async def served_kinds(transport: Transport) -> ServedKinds:
    """Ask the server."""
    kinds: list[ServedKind] = []
    failed: dict[GroupVersion, str] = {}
    for path in ("/api", "/apis"):
        response = await transport.call(request.raw(path, accept=_ACCEPT))
        read(response.body, kinds, failed)
    return ServedKinds(tuple(kinds), failed)


def read(body: bytes, kinds: list[ServedKind], failed: dict[GroupVersion, str]) -> None:
    """Add what one document says."""
    document = decode(_Document, body)
    if document.kind != _DOCUMENT:
        raise DecodeError(f"the server answered discovery with a {document.kind}, not with an {_DOCUMENT}: is it 1.30?")
    for group in document.items:
        for version in group.versions:
            where = GroupVersion(group.metadata.name, version.version)
            if version.freshness == "Stale":
                failed[where] = f"stale GroupVersion discovery: {where}"
                continue
            kinds += _kinds(where, version.resources)


def _kinds(where: GroupVersion, entries: Iterable[_Entry]) -> Iterator[ServedKind]:
    for entry in entries:
        if entry.response_kind is None or not entry.response_kind.kind:
            continue  # it has subresources only
        resource = Resource(
            group=where.group,
            version=where.version,
            kind=entry.response_kind.kind,
            plural=entry.resource,
            namespaced=entry.scope == "Namespaced",
            subresources=tuple(below.subresource for below in entry.subresources),
        )
        yield ServedKind(resource, tuple(entry.verbs))


# --- the document ---


class _Kind(msgspec.Struct):
    kind: str = ""


class _Below(msgspec.Struct):
    subresource: str


class _Entry(msgspec.Struct, rename="camel"):
    resource: str
    response_kind: _Kind | None = None
    scope: str = ""
    verbs: list[str] = []
    subresources: list[_Below] = []


class _Version(msgspec.Struct):
    version: str
    resources: list[_Entry] = []
    freshness: str = "Current"


class _Metadata(msgspec.Struct):
    name: str = ""


class _Group(msgspec.Struct):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)
    versions: list[_Version] = []


class _Document(msgspec.Struct):
    kind: str = ""
    items: list[_Group] = []
