"""HorizontalPodAutoscalers where there are no metrics: a size is kept within its bounds, and the status says the rest.

No server of metrics is asked: the embedded API server has none. So an autoscaler here does what a real one does in a
cluster without metrics-server. `bounds` decides about the size and `metric_failure` words what is missing; both pure.
"""

from __future__ import annotations

from typing import Any, Final

import konverge as kv
from konverge.cluster.controllers.horizontal_pod_autoscaler.reconciler import HorizontalPodAutoscalerReconciler
from konverge.controller.event import Event
from konverge.manager import Manager
from konverge.models import autoscaling_v2

NAME: Final = "horizontal-pod-autoscaler-controller"


def add_to(manager: Manager) -> None:
    """Register the controller."""
    autoscalers = (
        kv.new_controller(manager)
        .named(NAME)
        .for_(autoscaling_v2.HorizontalPodAutoscaler, predicates=_asks_for_something_else)
    )
    autoscalers.complete(HorizontalPodAutoscalerReconciler())


def _asks_for_something_else(event: Event[Any]) -> bool:
    """Leave out the controller's own writes of the status: each look tells what it could not do by an event."""
    return not isinstance(event, kv.UpdateEvent) or bool(event.old.spec != event.new.spec)
