"""Metrics: the names and labels of controller-runtime, so that existing dashboards keep working, and the cache's own.

`Metrics` is the way in. What happens is counted in plain numbers (`series`); they are turned into Prometheus' form when
someone scrapes (`exposition`), and not before. This package knows no other part of konverge but by shapes.
"""

from __future__ import annotations

from konverge.metrics.metrics import (
    CONTENT_TYPE,
    CacheLevels,
    ControllerCounters,
    ElectionCounters,
    LevelReader,
    Levels,
    Metrics,
    QueueCounters,
    QueueLevels,
    WebhookMetrics,
)

__all__ = [
    "CONTENT_TYPE",
    "CacheLevels",
    "ControllerCounters",
    "ElectionCounters",
    "LevelReader",
    "Levels",
    "Metrics",
    "QueueCounters",
    "QueueLevels",
    "WebhookMetrics",
]
