"""Discovery: which resource serves a kind, asked of the server once per group and version.

Typed kinds carry their resource with them; this is for `Unstructured` objects, whose plural and scope only the
server knows. A kind that is not found is asked for again each time, so a CRD that arrives later is seen at once; one
whose resource turns out to be gone is forgotten, since its CRD may come back with another plural or scope.
"""

from __future__ import annotations

import msgspec

from konverge.api import request
from konverge.api.form import Form, T
from konverge.api.kind import GroupVersion, GroupVersionKind, Resource
from konverge.api.model import decode
from konverge.client.transport import Transport
from konverge.errors import NotFound, Operation

# The server's words for a path that leads to no resource; for an object it says which one is not found.
_NOT_SERVED = frozenset({"404 page not found", "the server could not find the requested resource"})


class _Served(msgspec.Struct):
    name: str
    kind: str
    namespaced: bool = False
    group: str = ""
    version: str = ""


class _Resources(msgspec.Struct):
    resources: list[_Served] | None = None


class Discovery:
    """Finds and remembers resources by kind."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._known: dict[GroupVersionKind, Resource] = {}

    async def resource_of(self, form: Form[T]) -> Resource:
        """Return how objects of this form are addressed."""
        return form.resource or self._known.get(form.gvk) or await self._find(form.gvk)

    def forget(self, operation: Operation, error: NotFound) -> None:
        """Forget a resource that the server no longer serves; an object that is not there changes nothing."""
        if error.message not in _NOT_SERVED:
            return
        plural = operation.resource.partition("/")[0]
        for gvk, resource in list(self._known.items()):
            if (resource.group, resource.plural) == (operation.group, plural):
                del self._known[gvk]

    def knows(self, form: Form[T]) -> bool:
        """Whether the form needs no asking."""
        return form.resource is not None or form.gvk in self._known

    async def _find(self, gvk: GroupVersionKind) -> Resource:
        for resource in await self.resources(gvk.group_version):
            self._known.setdefault(resource.group_version_kind, resource)
        if gvk not in self._known:
            raise self._missing(gvk)
        return self._known[gvk]

    async def resources(self, group_version: GroupVersion) -> list[Resource]:
        """Return what one group and version serves, subresources folded into their resource."""
        path = f"/apis/{group_version}" if group_version.group else f"/api/{group_version}"
        try:
            response = await self._transport.call(request.raw(path))
        except NotFound:
            return []
        return resources_in(response.body, group_version)

    def _missing(self, gvk: GroupVersionKind) -> NotFound:
        return NotFound(
            f'the server does not serve kind "{gvk.kind}" in {gvk.api_version}; '
            "install its CustomResourceDefinition, or check the spelling (kubectl api-resources)",
            operation=Operation(verb="discover", group=gvk.group, resource=gvk.kind),
        )


def resources_in(body: bytes, group_version: GroupVersion) -> list[Resource]:
    """Read the discovery document of one group and version."""
    served = decode(_Resources, body).resources or []
    below: dict[str, list[str]] = {}
    for entry in served:
        name, slash, subresource = entry.name.partition("/")
        if slash:
            below.setdefault(name, []).append(subresource)
    return [
        Resource(
            group=entry.group or group_version.group,
            version=entry.version or group_version.version,
            kind=entry.kind,
            plural=entry.name,
            namespaced=entry.namespaced,
            subresources=tuple(below.get(entry.name, ())),
        )
        for entry in served
        if "/" not in entry.name
    ]
