"""What ships to the tests of users: fixtures (`plugin`), a real Kubernetes on loopback, and a proxy that breaks it.

pytest loads this package at its start, in every project of the user, so the names below are imported when they are
first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from konverge.testing.binaries import MissingBinaries
    from konverge.testing.cluster import KubectlError, RealCluster
    from konverge.testing.fault import Fault
    from konverge.testing.fault_proxy import FaultProxy
    from konverge.testing.processes import ClusterError

_HOME = {
    "ClusterError": "processes",
    "Fault": "fault",
    "FaultProxy": "fault_proxy",
    "KubectlError": "cluster",
    "MissingBinaries": "binaries",
    "RealCluster": "cluster",
}

__all__ = ["ClusterError", "Fault", "FaultProxy", "KubectlError", "MissingBinaries", "RealCluster"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
