"""EndpointSlices: the addresses of the pods that a Service selects, in slices of a hundred."""

from __future__ import annotations

from typing import Final

import konverge as kv
from konverge.cluster.controllers.endpoint_slice.reconciler import MANAGER, EndpointSliceReconciler
from konverge.cluster.controllers.service_pods import EnqueueServices
from konverge.manager import Manager
from konverge.models import core_v1, discovery_v1

_WORKERS: Final = 5
_SERVICE: Final = "kubernetes.io/service-name"


def add_to(manager: Manager) -> None:
    """Register the controller."""
    (
        kv.new_controller(manager)
        .named("endpointslice-controller")
        .for_(core_v1.Service)
        .watches(core_v1.Pod, EnqueueServices(manager.client))
        .watches(discovery_v1.EndpointSlice, _service_of)
        .with_options(max_concurrent_reconciles=_WORKERS)
        .complete(EndpointSliceReconciler())
    )


def _service_of(slice_: discovery_v1.EndpointSlice) -> list[kv.Request]:
    """Return the service of a slice that is ours, should someone have changed or deleted it."""
    labels = slice_.metadata.labels or {}
    if labels.get("endpointslice.kubernetes.io/managed-by") != MANAGER or not labels.get(_SERVICE):
        return []
    return [kv.Request(slice_.metadata.namespace or "", labels[_SERVICE])]
