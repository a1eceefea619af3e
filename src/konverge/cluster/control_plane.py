"""The control plane beside the API server: every built-in controller, the scheduler and a simulated node, as one.

`add_control_plane(manager)` is what `konverge apiserver --controllers` and the tests' clusters run. A real server with
kube-controller-manager lacks only the last two: `add_node(manager)`.
"""

from __future__ import annotations

from konverge.cluster import controllers, scheduler
from konverge.cluster.node import simulated
from konverge.manager import Manager


def add_control_plane(manager: Manager) -> None:
    """Register the controllers, and what lets pods run."""
    controllers.add_to(manager)
    add_node(manager)


def add_node(manager: Manager) -> None:
    """Register what lets pods run: the scheduler, and a node that simulates them."""
    scheduler.add_to(manager)
    simulated.add_to(manager)
