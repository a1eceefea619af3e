"""The names of kinds, resources and objects: frozen, hashable, ordered values without behaviour.

They are msgspec structs rather than tuples or dataclasses: as quick to make as a tuple, which counts in the hot path
of watch events, and unlike tuples never equal across types.
"""

from __future__ import annotations

from typing import Self

import msgspec

from konverge.api.invalid import InvalidValue


class GroupVersion(msgspec.Struct, frozen=True, order=True, gc=False):
    """A group in one of its versions; the core group's name is empty."""

    group: str
    version: str

    @classmethod
    def parse(cls, api_version: str) -> Self:
        """Read the apiVersion of an object: "apps/v1", or "v1" for the core group."""
        group, slash, version = api_version.rpartition("/")
        if not version or "/" in group or (slash and not group):
            raise InvalidValue(f"{api_version!r} is not an apiVersion: write group/version, or v1 for the core group")
        return cls(group, version)

    @property
    def api_version(self) -> str:
        """What stands in an object's apiVersion."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def __str__(self) -> str:
        return self.api_version


class GroupKind(msgspec.Struct, frozen=True, order=True, gc=False):
    """A kind in whatever version."""

    group: str
    kind: str

    def __str__(self) -> str:
        return f"{self.kind}.{self.group}" if self.group else self.kind


class GroupResource(msgspec.Struct, frozen=True, order=True, gc=False):
    """A resource, by its plural name, in whatever version."""

    group: str
    resource: str

    def __str__(self) -> str:
        return f"{self.resource}.{self.group}" if self.group else self.resource


class GroupVersionKind(msgspec.Struct, frozen=True, order=True, gc=False):
    """A kind in one version: what an object says it is."""

    group: str
    version: str
    kind: str

    @classmethod
    def parse(cls, api_version: str, kind: str) -> Self:
        """Read the apiVersion and kind of an object."""
        if not kind:
            raise InvalidValue(f"an object of {api_version!r} has no kind: set it")
        parsed = GroupVersion.parse(api_version)
        return cls(parsed.group, parsed.version, kind)

    @property
    def api_version(self) -> str:
        """What stands in an object's apiVersion."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def group_version(self) -> GroupVersion:
        """The group and version alone."""
        return GroupVersion(self.group, self.version)

    @property
    def group_kind(self) -> GroupKind:
        """The group and kind alone."""
        return GroupKind(self.group, self.kind)

    def __str__(self) -> str:
        return f"{self.api_version} {self.kind}"


class GroupVersionResource(msgspec.Struct, frozen=True, order=True, gc=False):
    """A resource in one version: what a URL says."""

    group: str
    version: str
    resource: str

    @property
    def api_version(self) -> str:
        """The group and version as an object's apiVersion has them."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def group_version(self) -> GroupVersion:
        """The group and version alone."""
        return GroupVersion(self.group, self.version)

    @property
    def group_resource(self) -> GroupResource:
        """The group and resource alone."""
        return GroupResource(self.group, self.resource)

    def __str__(self) -> str:
        return f"{self.api_version} {self.resource}"


class Resource(msgspec.Struct, frozen=True, order=True, gc=False, kw_only=True):
    """Everything needed to address the objects of a kind: its names, its scope and its subresources."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    subresources: tuple[str, ...] = ()

    @property
    def api_version(self) -> str:
        """What stands in an object's apiVersion."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def group_version_kind(self) -> GroupVersionKind:
        """The kind, as objects say it."""
        return GroupVersionKind(self.group, self.version, self.kind)

    @property
    def group_version_resource(self) -> GroupVersionResource:
        """The resource, as URLs say it."""
        return GroupVersionResource(self.group, self.version, self.plural)

    @property
    def group_resource(self) -> GroupResource:
        """The resource, as RBAC rules and errors say it."""
        return GroupResource(self.group, self.plural)

    def __str__(self) -> str:
        return f"{self.api_version} {self.kind}"


class ObjectKey(msgspec.Struct, frozen=True, order=True, gc=False):
    """An object of a known kind; the namespace is empty where the kind has none."""

    namespace: str
    name: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read "namespace/name", or a bare name."""
        namespace, slash, name = text.rpartition("/")
        if not name or "/" in namespace or (slash and not namespace):
            raise InvalidValue(f"{text!r} is not an object's key: write namespace/name, or a name alone")
        return cls(namespace, name)

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name
