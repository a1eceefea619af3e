"""The built-in controllers: what users of a cluster take for granted, written with konverge as any operator would be.

Each is a module (or a small folder) with `add_to(manager)`, which registers its reconcilers; it knows konverge's public
names and the models, and nothing of the API server that it talks to. So it runs against a real one as well. The table
names them as kube-controller-manager does.

    controllers.add_to(manager)                                    # all of them
    controllers.add_to(manager, names=["deployment-controller"])   # some
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Final

from konverge.errors import ConfigError
from konverge.manager import Manager

CONTROLLERS: Final[Mapping[str, str]] = {
    "garbage-collector-controller": "garbage_collector",
    "namespace-controller": "namespace",
    "serviceaccount-controller": "service_account",
    "root-ca-certificate-publisher-controller": "root_ca",
    "clusterrole-aggregation-controller": "cluster_role_aggregation",
    "resourcequota-controller": "resource_quota",
    "ttl-after-finished-controller": "ttl_after_finished",
    "persistentvolume-binder-controller": "persistent_volume_binder",
    "persistentvolume-protection-controller": "persistent_volume_protection",
    "persistentvolumeclaim-protection-controller": "persistent_volume_claim_protection",
    "volumeattributesclass-protection-controller": "volume_attributes_class_protection",
    "validatingadmissionpolicy-status-controller": "validating_admission_policy_status",
    "deployment-controller": "deployment",
    "replicaset-controller": "replica_set",
    "replicationcontroller-controller": "replication_controller",
    "horizontal-pod-autoscaler-controller": "horizontal_pod_autoscaler",
    "disruption-controller": "disruption",
    "endpoints-controller": "endpoints",
    "endpointslice-controller": "endpoint_slice",
    "endpointslice-mirroring-controller": "endpoint_slice_mirroring",
    "job-controller": "job",
    "cronjob-controller": "cron_job",
    "statefulset-controller": "stateful_set",
    "daemonset-controller": "daemon_set",
}
"""The module of each controller, in this folder, by its name; in the order in which they are added."""


def add_to(manager: Manager, names: Iterable[str] | None = None) -> None:
    """Register the controllers of these names, or all of them."""
    wanted = list(CONTROLLERS if names is None else dict.fromkeys(names))
    if unknown := [name for name in wanted if name not in CONTROLLERS]:
        raise ConfigError(f"{unknown[0]!r} is no built-in controller: choose from {', '.join(CONTROLLERS)}")
    for name in wanted:
        import_module(f"{__name__}.{CONTROLLERS[name]}").add_to(manager)
