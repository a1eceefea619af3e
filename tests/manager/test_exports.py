from __future__ import annotations

import konverge.manager


def test_the_public_names_are_exactly_these() -> None:
    """A name that comes or goes is a decision, not an accident."""
    assert konverge.manager.__all__ == [
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
    assert all(hasattr(konverge.manager, name) for name in konverge.manager.__all__)
