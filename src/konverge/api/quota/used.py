"""What a quota's namespace uses: the sum that a quota's `status.used` holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from konverge.api.quantity import Quantity
from konverge.api.quota.amounts import Amounts, added, masked
from konverge.api.quota.evaluator import Evaluator


def tracked_resources(quota: Mapping[str, Any], evaluators: Iterable[Evaluator]) -> list[str]:
    """Return the resources of `spec.hard` that one of these evaluators counts, sorted."""
    hard = (quota.get("spec") or {}).get("hard") or {}
    return sorted({name for evaluator in evaluators for name in evaluator.tracked(hard)})


def quota_used(
    quota: Mapping[str, Any], objects: Mapping[Evaluator, Iterable[Mapping[str, Any]]], now: datetime
) -> Amounts:
    """Return what the objects of a namespace use of the resources that a quota limits (`spec.hard`).

    `objects` are by what counts them; kinds of which the quota limits nothing may be left out.
    """
    names = tracked_resources(quota, objects)
    used = {name: Quantity(0) for name in names}
    for evaluator, values in objects.items():
        if evaluator.tracked(names):
            for value in values:
                used = _counted(used, quota, value, evaluator=evaluator, now=now)
    return masked(used, names)


def _counted(
    used: Amounts, quota: Mapping[str, Any], value: Mapping[str, Any], *, evaluator: Evaluator, now: datetime
) -> Amounts:
    return added(used, evaluator.usage(value, now)) if evaluator.is_in_all(quota, value) else used
