"""The defaults of built-in kinds that are code in Kubernetes, not data: by the Go type that they belong to.

A default fills in what the author left out, in place, on every read of a body. Each belongs to a type, wherever that
type stands: a container of a Pod and one of a CronJob's template are filled in alike, a type before what is in it.
What Go writes always (`status: {}`) and the schema's own defaults are there already. Absent and empty are one to Go,
but for pointers: for those a default asks whether the name is there, for all others whether there is a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from konverge.cluster.apiserver.builtin.defaults import (
    admissionregistration,
    apps,
    autoscaling,
    batch,
    claims,
    core,
    discovery,
    flowcontrol,
    networking,
    pods,
    rbac,
    resource,
    scheduling,
    services,
    storage,
    volumes,
)
from konverge.cluster.apiserver.builtin.defaults.default import Default

_PACKAGES: Final[tuple[tuple[str, Mapping[str, Default]], ...]] = (
    ("io.k8s.api.admissionregistration.v1", admissionregistration.DEFAULTS),
    ("io.k8s.api.apps.v1", apps.DEFAULTS),
    ("io.k8s.api.autoscaling.v1", autoscaling.DEFAULTS_V1),
    ("io.k8s.api.autoscaling.v2", autoscaling.DEFAULTS_V2),
    ("io.k8s.api.batch.v1", batch.DEFAULTS),
    ("io.k8s.api.core.v1", claims.DEFAULTS),
    ("io.k8s.api.core.v1", core.DEFAULTS),
    ("io.k8s.api.core.v1", pods.DEFAULTS),
    ("io.k8s.api.core.v1", services.DEFAULTS),
    ("io.k8s.api.core.v1", volumes.DEFAULTS),
    ("io.k8s.api.discovery.v1", discovery.DEFAULTS),
    ("io.k8s.api.flowcontrol.v1", flowcontrol.DEFAULTS),
    ("io.k8s.api.networking.v1", networking.DEFAULTS),
    ("io.k8s.api.rbac.v1", rbac.DEFAULTS),
    ("io.k8s.api.resource.v1", resource.DEFAULTS),
    ("io.k8s.api.scheduling.v1", scheduling.DEFAULTS),
    ("io.k8s.api.storage.v1", storage.DEFAULTS),
    (
        "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1",
        {"ServiceReference": admissionregistration.default_service_reference},
    ),
)
_DEFAULTS: Final = {f"{package}.{name}": default for package, found in _PACKAGES for name, default in found.items()}


def of(type_name: str) -> Default | None:
    """Return what fills in values of a type (`io.k8s.api.core.v1.Container`)."""
    return _DEFAULTS.get(type_name)
