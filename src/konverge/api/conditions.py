"""Conditions: a list in an object's status with one entry per type, and the rule of the transition time.

`last_transition_time` tells since when the status has been what it is: it moves when `status` changes, and stays
when only the reason or the message does. Works on any list of `Condition`; None counts as empty.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from datetime import datetime

from konverge import clock
from konverge.api.meta import Condition


def get_condition(conditions: Iterable[Condition] | None, type_: str) -> Condition | None:
    """Return the condition of this type, if there is one."""
    return next((condition for condition in conditions or () if condition.type == type_), None)


def is_condition_true(conditions: Iterable[Condition] | None, type_: str) -> bool:
    """Whether the condition is there and its status is True; absent and Unknown are not."""
    found = get_condition(conditions, type_)
    return found is not None and found.status == "True"


def set_condition(conditions: list[Condition], new: Condition, *, now: datetime | None = None) -> bool:
    """Add the condition, or update the one of its type in place; return whether anything changed.

    A missing transition time is filled in with the current time, to the second, as the server keeps it. The given
    condition itself is left alone, so that it can be set on many objects.
    """
    moment = new.last_transition_time or (now or clock.now()).replace(microsecond=0)
    found = get_condition(conditions, new.type)
    if found is None:
        added = copy.copy(new)
        added.last_transition_time = moment
        conditions.append(added)
        return True
    before = (found.status, found.reason, found.message, found.observed_generation)
    if found.status != new.status:
        found.last_transition_time = moment
    found.status, found.reason, found.message = new.status, new.reason, new.message
    found.observed_generation = new.observed_generation
    return before != (found.status, found.reason, found.message, found.observed_generation)


def remove_condition(conditions: list[Condition], type_: str) -> bool:
    """Remove the condition of this type; return whether it was there."""
    kept = [condition for condition in conditions if condition.type != type_]
    changed = len(kept) != len(conditions)
    conditions[:] = kept
    return changed
