"""A violation of the standards, in the words of the real server, and the containers of a pod."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import msgspec

from konverge.cluster.apiserver.strategy import JsonObject


class Violation(msgspec.Struct, frozen=True):
    """What is wrong, and where."""

    reason: str
    detail: str


Check: TypeAlias = Callable[[JsonObject, JsonObject], Violation | None]
"""Judges a pod by its metadata and its spec."""


def containers_of(spec: JsonObject) -> list[JsonObject]:
    """Return all containers in the order in which they are told."""
    return [each for part in ("initContainers", "containers", "ephemeralContainers") for each in spec.get(part) or ()]


def security(holder: JsonObject) -> JsonObject:
    """Return the security context of a pod's spec or of a container."""
    found: JsonObject = holder.get("securityContext") or {}
    return found


def counted(count: int, one: str, many: str) -> str:
    """Return the word for one, or for several."""
    return one if count == 1 else many


def quoted(items: Iterable[Any]) -> str:
    """Return names in quotes."""
    return ", ".join(f'"{item}"' for item in items)


def named(names: Sequence[str]) -> str:
    """Return `container "a"`, or `containers "a", "b"`."""
    return f"{counted(len(names), 'container', 'containers')} {quoted(names)}"


def setters(spec: JsonObject, is_bad: Callable[[JsonObject], bool]) -> list[str]:
    """Return who sets something bad in their security context: the pod, its containers."""
    bad = [each["name"] for each in containers_of(spec) if is_bad(security(each))]
    return [*(["pod"] if is_bad(security(spec)) else []), *([named(bad)] if bad else [])]
