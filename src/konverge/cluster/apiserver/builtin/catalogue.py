"""The catalogue of built-in kinds: a `Resource` for each, its subresources, its schema, the groups' order.

`resources` needs a strategy for each kind, so it asks its caller for one; a strategy should look at the schema only
when the first object comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

import msgspec

from konverge.cluster.apiserver.builtin import captured
from konverge.cluster.apiserver.builtin.field_labels import selectable_fields
from konverge.cluster.apiserver.builtin.schemas import JsonSchema, Schemas, schemas
from konverge.cluster.apiserver.resource import Resource, Scale
from konverge.cluster.apiserver.strategy import Strategy

# The same objects under two versions; each other kind is stored in the version in which it is served. Events are the
# same under two groups too: see `storage_group`.
_STORED_IN: Final = {("autoscaling", "horizontalpodautoscalers"): "v2"}
_STORAGE_GROUPS: Final = {("events.k8s.io", "events"): ""}
_DEPRECATIONS: Final = {
    ("", "componentstatuses"): "v1 ComponentStatus is deprecated in v1.19+",
    ("", "endpoints"): "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
}


class ApiResource(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One line of an APIResourceList: a resource, or a subresource by `plural/name`."""

    name: str
    singular_name: str
    namespaced: bool
    kind: str
    verbs: tuple[str, ...]
    group: str = ""  # of the kind, where that is not the resource's own
    version: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    storage_version_hash: str = ""


class Group(msgspec.Struct, frozen=True):
    """A group and its versions, the preferred one first."""

    name: str
    versions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subresource:
    """One subresource of a built-in kind."""

    name: str  # without the plural
    group: str  # of the kind that is sent and answered
    version: str
    kind: str
    verbs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KindSchema:
    """A kind's schema, and where those are that it refers to."""

    name: str
    root: JsonSchema
    schemas: Schemas

    def resolve(self, schema: JsonSchema) -> JsonSchema:
        """Return what a schema refers to, or itself."""
        return self.schemas.resolve(schema)


class _GroupVersion(msgspec.Struct):
    version: str


class _ApiGroup(msgspec.Struct):
    name: str
    versions: list[_GroupVersion]


class _Served(msgspec.Struct):
    version: dict[str, str]
    groups: list[_ApiGroup]
    resources: dict[str, tuple[ApiResource, ...]]
    kinds: dict[str, str]


@cache
def _served() -> _Served:
    return msgspec.json.decode(captured.read("served.json"), type=_Served)


def version() -> dict[str, str]:
    """Return what `/version` says."""
    return dict(_served().version)


def groups() -> tuple[Group, ...]:
    """Return the named groups in the server's order; the core group is not among them."""
    return tuple(Group(group.name, tuple(found.version for found in group.versions)) for group in _served().groups)


def api_resources(group: str, version: str) -> tuple[ApiResource, ...]:
    """Return a group and version's resources and subresources as discovery lists them; none where it is not served."""
    return _served().resources.get(_api_version(group, version), ())


def subresources(group: str, version: str, plural: str) -> tuple[Subresource, ...]:
    """Return a resource's subresources."""
    begin = f"{plural}/"
    return tuple(
        Subresource(
            name=found.name.removeprefix(begin),
            group=found.group if found.version else group,
            version=found.version or version,
            kind=found.kind,
            verbs=found.verbs,
        )
        for found in api_resources(group, version)
        if found.name.startswith(begin)
    )


def schema_name(group: str, version: str, kind: str) -> str | None:
    """Return the name of a kind's schema, or None where no such kind is built in."""
    return _served().kinds.get(f"{group}/{version}/{kind}")


def schema_of(group: str, version: str, kind: str) -> KindSchema | None:
    """Return a kind's schema, or None where no such kind is built in."""
    name = schema_name(group, version, kind)
    return None if name is None else KindSchema(name, schemas()[name], schemas())


def storage_group(group: str, plural: str) -> str:
    """Return the group under whose name a kind's objects are stored: events of both groups are the same ones."""
    return _STORAGE_GROUPS.get((group, plural), group)


StrategyOf = Callable[[str, str, ApiResource], Strategy]


def resources(strategy_of: StrategyOf) -> Iterator[Resource]:
    """Yield each built-in resource; `strategy_of(group, version, resource)` gives its strategy."""
    for api_version, found in _served().resources.items():
        group, _, version = api_version.rpartition("/")
        names = [resource.name for resource in found]
        for resource in found:
            if "/" not in resource.name:
                yield _resource(group, version, resource, names=names, strategy=strategy_of(group, version, resource))


def _resource(group: str, version: str, found: ApiResource, *, names: list[str], strategy: Strategy) -> Resource:
    below = tuple(name.partition("/")[2] for name in names if name.startswith(f"{found.name}/"))
    return Resource(
        group=group,
        version=version,
        kind=found.kind,
        plural=found.name,
        singular=found.singular_name,
        namespaced=found.namespaced,
        storage_version=_STORED_IN.get((group, found.name), version),
        strategy=strategy,
        list_kind=f"{found.kind}List" if "list" in found.verbs else "",
        short_names=found.short_names,
        categories=found.categories,
        verbs=found.verbs,
        has_status="status" in below,
        scale=_SCALE if "scale" in below else None,
        other_subresources=tuple(name for name in below if name not in ("status", "scale")),
        selectable_fields=selectable_fields(group, found.kind),
        deprecation=_DEPRECATIONS.get((group, found.name), ""),
    )


# The selector is a LabelSelector here, or the map of a ReplicationController: a text only in custom resources.
_SCALE: Final = Scale(spec_replicas="spec.replicas", status_replicas="status.replicas", label_selector="spec.selector")


def _api_version(group: str, version: str) -> str:
    return f"{group}/{version}" if group else version
