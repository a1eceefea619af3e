"""The conditions that a device must meet before a pod is bound to its node, and those by which that has failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.device.bounded import list_errors
from konverge.cluster.apiserver.builtin.rules.label_selector import label_name_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_MET: Final = "bindingConditions"
_FAILED: Final = "bindingFailureConditions"
_MOST: Final = 4


def binding_condition_errors(holder: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge the conditions of a device, or of its allocation: both sorts or neither, and nothing twice."""
    met, failed = holder.get(_MET), holder.get(_FAILED)
    for name, conditions in ((_MET, met), (_FAILED, failed)):
        yield from list_errors(conditions, f"{path}.{name}", label_name_errors, most=_MOST)
    yield from _repeated(met or (), f"{path}.{_MET}")
    yield from _repeated(failed or (), f"{path}.{_FAILED}", others=met or ())
    if failed and not met:
        yield field_error.invalid(f"{path}.{_MET}", met, f"{_MET} are required to use {_FAILED}")
    if met and not failed:
        yield field_error.invalid(f"{path}.{_FAILED}", failed, f"{_FAILED} are required to use {_MET}")


def _repeated(conditions: Sequence[str], path: str, others: Sequence[str] = ()) -> Iterator[FieldError]:
    for index, condition in enumerate(conditions):
        if condition in conditions[:index]:
            yield field_error.duplicate(f"{path}[{index}]", condition)
        if condition in others:
            yield field_error.invalid(f"{path}[{index}]", condition, f"{_FAILED} must not overlap with {_MET}")
