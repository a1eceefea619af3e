"""Operator: all that its manifests are made of, as one value; `cli` fills it from a manager."""

from __future__ import annotations

from typing import Any

import msgspec

from konverge.api.custom_resource import definition_of
from konverge.api.definition import Definition
from konverge.api.object import Object
from konverge.api.rbac import Grant
from konverge.manifest.crd import storage_class

Json = dict[str, Any]


class OwnKind(msgspec.Struct, frozen=True):
    """A custom resource of the operator: the classes that are its versions."""

    versions: tuple[type[Object], ...]

    @property
    def stored(self) -> Definition:
        """The definition of the version that is stored; group and names are the same in all of them."""
        return definition_of(storage_class(self.versions))


class CertManaged(msgspec.Struct, frozen=True, kw_only=True):
    """The webhooks' certificate, where cert-manager makes it."""

    secret: str  # where cert-manager puts it
    folder: str  # where the operator reads it
    names: tuple[str, ...]  # of the Service


class WebhookPart(msgspec.Struct, frozen=True, kw_only=True):
    """What its webhooks add to it."""

    namespace: str  # of the Service, which is also where the operator runs
    service: str
    port: int
    configurations: tuple[Json, ...] = ()
    converted: tuple[tuple[str, str], ...] = ()  # group and kind of what is converted between versions
    conversion: Json = msgspec.field(default_factory=dict)  # the `spec.conversion` of their CRDs
    certificate: CertManaged | None = None  # None: the operator makes it, or somebody mounts one


class Operator(msgspec.Struct, frozen=True, kw_only=True):
    """One operator, as it is to run in a cluster."""

    name: str  # what the names of its objects begin with
    namespace: str  # where it runs
    image: str
    command: tuple[str, ...]
    kinds: tuple[OwnKind, ...] = ()
    grants: tuple[Grant, ...] = ()
    lease: str = ""  # the leader election's; empty where there is none
    lease_namespace: str = ""  # empty: where it runs
    ports: tuple[tuple[str, int], ...] = ()  # "metrics", "health", "webhook", where they are served

    webhooks: WebhookPart | None = None

    def port(self, name: str) -> int:
        """Return a port, or 0 where it is not served."""
        return dict(self.ports).get(name, 0)

    def labels(self) -> Json:
        """Return what every object of it is labelled with."""
        return {"app.kubernetes.io/name": self.name, "app.kubernetes.io/managed-by": "kustomize"}

    def pod_labels(self) -> Json:
        """Return what selects its pods; never changed, since a Deployment's selector cannot be."""
        return {"app.kubernetes.io/name": self.name, "control-plane": "controller-manager"}

    def named(self, kind: str, part: str, *, api_version: str = "v1", namespace: str = "") -> Json:
        """Return the beginning of one of its objects."""
        metadata: Json = {"name": f"{self.name}-{part}", "labels": self.labels()}
        if namespace:
            metadata["namespace"] = namespace
        return {"apiVersion": api_version, "kind": kind, "metadata": metadata}
