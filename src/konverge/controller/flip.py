"""Flip: a field that changed between two states of an object, and the managers that the server says have set it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from konverge.api import json_patch

_BOOKKEEPING = ("resourceVersion", "generation", "managedFields")  # they change with every write


class Flip(msgspec.Struct, frozen=True):
    """One field of one object."""

    object: str
    path: str
    managers: tuple[str, ...] = ()

    @property
    def place(self) -> tuple[str, str]:
        """What and where, whoever did it."""
        return self.object, self.path

    def __str__(self) -> str:
        by = f", set by {' and '.join(self.managers)}" if self.managers else ""
        return f"{self.object} {self.path}{by}"


def flips_between(name: str, before: dict[str, Any], after: dict[str, Any]) -> list[Flip]:
    """Return what changed; the managers are those of the later state. No values are in it."""
    pointers = dict.fromkeys(op["path"] for op in json_patch.create(_plain(before), _plain(after)))
    entries = (after.get("metadata") or {}).get("managedFields") or []
    return [Flip(name, _dotted(pointer), managers_of(pointer, entries)) for pointer in pointers]


def _plain(obj: dict[str, Any]) -> dict[str, Any]:
    """The object without what the server counts in it."""
    if not obj:
        return {}
    metadata = {key: value for key, value in (obj.get("metadata") or {}).items() if key not in _BOOKKEEPING}
    return {**obj, "metadata": metadata}


def _steps(pointer: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def _dotted(pointer: str) -> str:
    """A path as people write it: .spec.containers[0].image, .metadata.labels["a.b/c"]; a dot alone is the object."""
    return "".join(map(_step, _steps(pointer))) or "."


def _step(step: str) -> str:
    if step.isdigit() or step == "-":
        return f"[{step}]"
    return f".{step}" if step.replace("_", "").replace("-", "").isalnum() else f'["{step}"]'


def managers_of(pointer: str, entries: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    """Return the managers that own a field; of a list's items the record has other names, so there its owners count."""
    owners = [entry for entry in entries if _owns(entry.get("fieldsV1") or {}, _steps(pointer))]
    return tuple(dict.fromkeys(entry.get("manager") or "unknown" for entry in owners))


def _owns(fields: dict[str, Any], steps: list[str]) -> bool:
    if not steps or not fields:
        return True
    inner = fields.get(f"f:{steps[0]}")
    if inner is not None:
        return _owns(inner, steps[1:])
    return steps[0].isdigit() and any(key[:2] in ("k:", "v:") for key in fields)
