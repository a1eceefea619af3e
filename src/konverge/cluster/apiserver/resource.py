"""Resource: what the server knows of one plural in one version, and where to find it.

One value per (group, version, plural), built-in or from a CRD. The verbs know nothing of any kind but what stands here;
what differs from kind to kind in behaviour is its `Strategy`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from konverge.cluster.apiserver.strategy import Strategy

ALL_VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Where a kind keeps what its scale subresource shows: JSON paths without the leading dot."""

    spec_replicas: str
    status_replicas: str
    label_selector: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """One plural of one group and version."""

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    namespaced: bool
    storage_version: str  # the version in which its objects are stored
    strategy: Strategy
    list_kind: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS
    has_status: bool = False
    scale: Scale | None = None
    other_subresources: tuple[str, ...] = ()  # eviction, binding, token, log …
    selectable_fields: Mapping[str, str] = field(default_factory=dict)  # field selector → JSON path without leading dot
    storage_group: str | None = None  # where another group has the same objects in another form (Events): that group
    deprecation: str = ""  # the warning that every request to it carries; empty: none
    is_custom: bool = False

    @property
    def api_version(self) -> str:
        """`apps/v1`, `v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def converts(self) -> bool:
        """Whether objects are stored in another form than the one in which they are served here."""
        return self.version != self.storage_version or self.strategy.converts

    @property
    def prefix(self) -> str:
        """The beginning of all its objects' keys, the same in each version and in each group that shows them."""
        group = self.group if self.storage_group is None else self.storage_group
        return f"/{group or 'core'}/{self.plural}/"

    def key(self, namespace: str, name: str) -> str:
        """Return the key of an object in the storage."""
        return f"{self.prefix}{namespace}/{name}" if self.namespaced else f"{self.prefix}{name}"


class Resources:
    """All that is served now. CRDs come and go: `generation` grows with each change, so that others know to look."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str], Resource] = {}
        self.generation = 0

    def add(self, resource: Resource) -> None:
        """Serve a resource, in place of what was served under its name."""
        self._found[resource.group, resource.version, resource.plural] = resource
        self.generation += 1

    def remove(self, group: str, version: str, plural: str) -> None:
        """Stop serving a resource; one that is not served is no error."""
        if self._found.pop((group, version, plural), None) is not None:
            self.generation += 1

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        """Return a resource, or None where it is not served."""
        return self._found.get((group, version, plural))

    def __iter__(self) -> Iterator[Resource]:
        return iter(tuple(self._found.values()))
