"""The bounds of an autoscaler."""

from __future__ import annotations

import pytest

from konverge.cluster.controllers.horizontal_pod_autoscaler.bounds import resize
from konverge.models import autoscaling_v2


@pytest.mark.parametrize(
    ("least", "current", "wanted"), [(None, 3, None), (2, 1, 2), (2, 9, 5), (2, 0, None), (None, 1, None), (5, 5, None)]
)
def test_a_target_is_brought_within_its_bounds(least: int | None, current: int, wanted: int | None) -> None:
    """The least is one where nothing is said, the most is five here; what has none was switched off."""
    spec = autoscaling_v2.HorizontalPodAutoscalerSpec(min_replicas=least, max_replicas=5)
    found = resize(spec, current)
    assert (found.replicas if found else None) == wanted
