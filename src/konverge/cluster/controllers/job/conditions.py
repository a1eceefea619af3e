"""The conditions of a job: written once, and dated when they change."""

from __future__ import annotations

from datetime import datetime

from konverge.models import batch_v1


def set_condition(
    status: batch_v1.JobStatus, type_: str, *, reason: str, message: str, now: datetime, is_true: bool = True
) -> bool:
    """Write a condition; return whether that changed anything. One that was never there is not written as false."""
    wanted = "True" if is_true else "False"
    new = batch_v1.JobCondition(
        type=type_,
        status=wanted,
        reason=reason or None,
        message=message or None,
        last_probe_time=now,
        last_transition_time=now,
    )
    conditions = list(status.conditions or ())
    for place, there in enumerate(conditions):
        if there.type == type_:
            if (there.status, there.reason, there.message) == (wanted, new.reason, new.message):
                return False
            status.conditions = [*conditions[:place], new, *conditions[place + 1 :]]
            return True
    if is_true:
        status.conditions = [*conditions, new]
    return is_true
