"""Folds: what `all`, `exists`, `map`, `filter` and their kin run as."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from konverge.cluster.apiserver.cel.arithmetic import Accumulator, MapAccumulator
from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.frame import UNSET, Frame, Run
from konverge.cluster.apiserver.cel.go_type_name import go_type_name
from konverge.cluster.apiserver.cel.values import MapValue, is_list, is_map
from konverge.cluster.apiserver.cel.views import ListView


@dataclass(frozen=True, slots=True)
class FoldPlan:
    """The parts of a fold, and the slots of what it binds; `second` is None with one variable."""

    values: Run
    condition: Run
    step: Run
    result: Run
    result_slot: int
    first: int
    second: int | None


def fold(plan: FoldPlan) -> Run:
    """Return what runs a fold."""
    values, result, slot = plan.values, plan.result, plan.result_slot

    def run(frame: Frame) -> Any:
        container = values(frame)
        slots = frame.slots
        slots[slot] = UNSET
        if plan.second is None:
            _fold_one(frame, plan, items_of(container))
        else:
            _fold_two(frame, plan, _pairs(container))
        return _finished(result(frame))

    return run


def started(run: Run) -> Run:
    """Return the first value of what is folded into: an empty list or map can be added to in place."""

    def start(frame: Frame) -> Any:
        value = run(frame)
        if is_list(value) and len(value) == 0:
            return Accumulator()
        if is_map(value) and len(value) == 0:
            return MapAccumulator()
        return value

    return start


def _finished(value: Any) -> Any:
    if value.__class__ is Accumulator:
        return list(value)
    if value.__class__ is MapAccumulator:
        return MapValue((key, value.find(key)[0]) for key in value.keys())  # noqa: SIM118 - no dict
    return value


def items_of(container: Any) -> Iterator[Any]:
    """Return what a fold of one variable goes over: elements, or keys."""
    if isinstance(container, list):
        return iter(container)
    if isinstance(container, ListView):
        return _converted(container)
    if is_list(container):
        return iter(container)
    if is_map(container):
        keys: Iterator[Any] = container.keys()
        return keys
    raise CelError(f"got '{go_type_name(container)}', expected iterable type")


def _converted(container: ListView) -> Iterator[Any]:
    """Yield the elements; one that cannot be converted is an error only for who reads it."""
    for index in range(len(container)):
        try:
            yield container.at(index)
        except CelError as error:
            yield error


def _pairs(container: Any) -> Iterator[tuple[Any, Any]]:
    if is_map(container):
        return ((key, container.find(key)[0]) for key in container.keys())  # noqa: SIM118 - no dict
    if is_list(container):
        return enumerate(items_of(container))
    raise CelError(f"unsupported comprehension range type: {go_type_name(container)}")


def _fold_one(frame: Frame, plan: FoldPlan, items: Iterator[Any]) -> None:
    slots, first = frame.slots, plan.first
    for value in items:
        slots[first] = value
        if not _stepped(frame, plan):
            return


def _fold_two(frame: Frame, plan: FoldPlan, pairs: Iterator[tuple[Any, Any]]) -> None:
    slots, first, second = frame.slots, plan.first, plan.second
    for slots[first], slots[second] in pairs:  # type: ignore[index] # with two variables there is a second slot
        if not _stepped(frame, plan):
            return


def _stepped(frame: Frame, plan: FoldPlan) -> bool:
    """Take one step; return False where the condition ends the fold."""
    try:
        if plan.condition(frame) is False:
            return False
    except CelError:
        pass  # only a plain false ends it
    try:
        frame.slots[plan.result_slot] = plan.step(frame)
    except CelError as error:
        frame.slots[plan.result_slot] = error
    if frame.cost > frame.limit:
        frame.check()
    return True
