"""What ships to the tests of users: fixtures (`plugin`), clusters to test on, waits, virtual time, a gate, faults.

pytest loads this package at its start, in every project of the user, so the names below are imported when they are
first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from konverge.testing.applying import apply
    from konverge.testing.binaries import MissingBinaries
    from konverge.testing.children_waiting import wait_children
    from konverge.testing.cluster import Cluster
    from konverge.testing.fault import Fault
    from konverge.testing.fault_proxy import FaultProxy
    from konverge.testing.gate import Gate
    from konverge.testing.idle_waiting import wait_idle
    from konverge.testing.kubectl import KubectlError
    from konverge.testing.manager_run import running
    from konverge.testing.object_waiting import wait_for, wait_gone
    from konverge.testing.processes import ClusterError
    from konverge.testing.real_cluster import RealCluster
    from konverge.testing.rollout import rolled_out
    from konverge.testing.runs import Runs
    from konverge.testing.threaded_cluster import ThreadedCluster
    from konverge.testing.virtual_cluster import VirtualCluster
    from konverge.testing.virtual_time import advance
    from konverge.testing.waiting import eventually

_HOME = {
    "Cluster": "cluster",
    "ClusterError": "processes",
    "Fault": "fault",
    "FaultProxy": "fault_proxy",
    "Gate": "gate",
    "KubectlError": "kubectl",
    "MissingBinaries": "binaries",
    "RealCluster": "real_cluster",
    "Runs": "runs",
    "ThreadedCluster": "threaded_cluster",
    "VirtualCluster": "virtual_cluster",
    "advance": "virtual_time",
    "apply": "applying",
    "eventually": "waiting",
    "rolled_out": "rollout",
    "running": "manager_run",
    "wait_children": "children_waiting",
    "wait_for": "object_waiting",
    "wait_gone": "object_waiting",
    "wait_idle": "idle_waiting",
}

__all__ = [
    "Cluster",
    "ClusterError",
    "Fault",
    "FaultProxy",
    "Gate",
    "KubectlError",
    "MissingBinaries",
    "RealCluster",
    "Runs",
    "ThreadedCluster",
    "VirtualCluster",
    "advance",
    "apply",
    "eventually",
    "rolled_out",
    "running",
    "wait_children",
    "wait_for",
    "wait_gone",
    "wait_idle",
]


if not TYPE_CHECKING:  # a type checker that saw it would take a misspelt name for one that may be there

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
