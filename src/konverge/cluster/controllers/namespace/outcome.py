"""What one pass over a namespace's content came to, and the five conditions that tell it. Pure.

The texts are kube-controller-manager's, to the letter: people search for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import msgspec

from konverge.api.kind import GroupVersion, GroupVersionResource
from konverge.models import core_v1


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """What is left of one kind after its objects were deleted."""

    count: int = 0
    finalizers: Mapping[str, int] = msgspec.field(default_factory=dict)  # and in how many objects
    seconds: int = 0  # an estimate of how long it will take; 0: nothing is known


class Outcome(msgspec.Struct, kw_only=True):
    """What is left of all kinds, and what went wrong."""

    undiscovered: str = ""  # why discovery is not complete; empty: it is
    failures: list[str] = msgspec.field(default_factory=list)
    left: dict[GroupVersionResource, Left] = msgspec.field(default_factory=dict)

    def add(self, resource: GroupVersionResource, left: Left) -> None:
        """Count what is left of a kind."""
        if left.count or left.seconds:
            self.left[resource] = left

    @property
    def seconds(self) -> int:
        """How long the slowest of what is left may take."""
        return max((left.seconds for left in self.left.values()), default=0)

    @property
    def failed(self) -> bool:
        """Whether it has to be tried again, without knowing what would help."""
        return bool(self.undiscovered or self.failures)


def discovery_failure(failed: Mapping[GroupVersion, str]) -> str:
    """Say which groups could not be asked; empty if all could."""
    if not failed:
        return ""
    each = ", ".join(f"{group}: {failed[group]}" for group in sorted(failed))
    unable = f"unable to retrieve the complete list of server APIs: {each}"
    return f"Discovery failed for some groups, {len(failed)} failing: {unable}"


class _Condition(msgspec.Struct, frozen=True):
    """A condition in its two states: all is well (False), or not (True, with a message of its own)."""

    type: str
    well: str
    well_message: str
    ill: str


_DISCOVERY: Final = _Condition(
    "NamespaceDeletionDiscoveryFailure",
    "ResourcesDiscovered",
    "All resources successfully discovered",
    "DiscoveryFailed",
)
_PARSING: Final = _Condition(
    "NamespaceDeletionGroupVersionParsingFailure",
    "ParsedGroupVersions",
    "All legacy kube types successfully parsed",
    "GroupVersionParsingFailed",
)
_CONTENT: Final = _Condition(
    "NamespaceDeletionContentFailure",
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
    "ContentDeletionFailed",
)
_REMAINING: Final = _Condition(
    "NamespaceContentRemaining", "ContentRemoved", "All content successfully removed", "SomeResourcesRemain"
)
_FINALIZERS: Final = _Condition(
    "NamespaceFinalizersRemaining",
    "ContentHasNoFinalizers",
    "All content-preserving finalizers finished",
    "SomeFinalizersRemain",
)


def set_conditions(status: core_v1.NamespaceStatus, outcome: Outcome, *, counted: bool, now: datetime) -> bool:
    """Write the outcome into a namespace's conditions; return whether anything changed.

    Not `counted`: pods are left, the other kinds wait for them, and as in the real one nothing is said of numbers yet.
    """
    messages = {
        _DISCOVERY: outcome.undiscovered,
        _PARSING: "",  # group and version come apart by discovery, so there is nothing left to parse
        _CONTENT: _content_failure(outcome.failures),
        _REMAINING: _remaining(outcome.left) if counted else "",
        _FINALIZERS: _finalizers(outcome.left) if counted else "",
    }
    conditions = status.conditions = list(status.conditions or ())
    changed = [_set(conditions, condition, message=message, now=now) for condition, message in messages.items()]
    return any(changed)


def _set(conditions: list[core_v1.NamespaceCondition], kind: _Condition, *, message: str, now: datetime) -> bool:
    state = "True" if message else "False"
    reason, message = (kind.ill, message) if message else (kind.well, kind.well_message)
    found = next((each for each in conditions if each.type == kind.type), None)
    if found is None:
        found = core_v1.NamespaceCondition(type=kind.type, status="")
        conditions.append(found)
    if found.status != state:
        found.last_transition_time = now.replace(microsecond=0)
    before = (found.status, found.reason, found.message)
    found.status, found.reason, found.message = state, reason, message
    return before != (state, reason, message)


def _content_failure(failures: Sequence[str]) -> str:
    if not failures:
        return ""
    return f"Failed to delete all resource types, {len(failures)} remaining: {', '.join(sorted(failures))}"


def _remaining(left: Mapping[GroupVersionResource, Left]) -> str:
    found = sorted(
        f"{resource.resource}.{resource.group} has {each.count} resource instances"
        for resource, each in left.items()
        if each.count
    )
    return f"Some resources are remaining: {', '.join(found)}" if found else ""


def _finalizers(left: Mapping[GroupVersionResource, Left]) -> str:
    counts: dict[str, int] = {}
    for each in left.values():
        for finalizer, count in each.finalizers.items():
            counts[finalizer] = counts.get(finalizer, 0) + count
    found = sorted(f"{finalizer} in {count} resource instances" for finalizer, count in counts.items())
    return f"Some content in the namespace has finalizers remaining: {', '.join(found)}" if found else ""
