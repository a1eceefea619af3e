"""The manager: lifecycle, leader election, health, metrics endpoint, diagnosis.

`Manager` is the way in. `Runnable` says what it can run, `LeaderElection` how one of several replicas leads, `Fence`
what keeps a leader of the past from writing.
"""

from __future__ import annotations

from konverge.errors import CacheSyncTimeout
from konverge.manager.cache_options import CacheOptions
from konverge.manager.fence import NotLeader
from konverge.manager.leader_election import LeaderElection
from konverge.manager.lifecycle import LeadershipLost, ShutdownTimeout
from konverge.manager.manager import Manager
from konverge.manager.runnable import Function, Group, Runnable
from konverge.manager.watchdog import LoopBlocked

__all__ = [
    "CacheOptions",
    "CacheSyncTimeout",
    "Function",
    "Group",
    "LeaderElection",
    "LeadershipLost",
    "LoopBlocked",
    "Manager",
    "NotLeader",
    "Runnable",
    "ShutdownTimeout",
]
