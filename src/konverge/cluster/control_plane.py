"""The control plane beside the API server: every built-in controller, the scheduler and a simulated node, as one.

`add_control_plane(manager)` is what `konverge apiserver --controllers` and the tests' clusters run. A real server with
kube-controller-manager lacks only the last two: `add_node(manager)`.
"""

from __future__ import annotations

from typing import Final

from konverge.cluster import controllers, scheduler
from konverge.cluster.node import simulated, simulated_storage
from konverge.cluster.node.behaviour import Behaviour
from konverge.cluster.node.registration import RENEW_EVERY
from konverge.manager import Manager

_SELDOM: Final = 600.0  # seconds; none of our controllers gives up on a node, and days of virtual time are to be short
# Seconds that a deleted pod takes to end for programs of others: some look at it once more, and no kubelet is faster.
LIFELIKE: Final = 2.0


def add_control_plane(manager: Manager, *, stop_after: float = 0.0) -> None:
    """Register the controllers, and what lets pods run; deleted ones end after so many seconds."""
    controllers.add_to(manager)
    add_node(manager, renew_every=_SELDOM, stop_after=stop_after)


def add_node(manager: Manager, *, renew_every: float = RENEW_EVERY, stop_after: float = 0.0) -> None:
    """Register what lets pods run: the scheduler, and a node that simulates them and renews its lease so often."""
    scheduler.add_to(manager)
    usual = Behaviour(stop_after=stop_after)
    simulated.add_to(manager, rule=lambda _: usual, renew_every=renew_every)
    simulated_storage.add_to(manager)
