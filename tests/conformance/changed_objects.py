"""Changed objects: an object that is in order, and a few changes that may break it; made by the chances of a source."""

from __future__ import annotations

import copy
from random import Random
from typing import Any, Final

_TEXTS: Final = (
    *("", "a", "A", "a b", "a.b", "example.com", "example.com/a", "a/b/c", "-a", "/a", "/a/../b", "x" * 64, "x" * 300),
    *("10.0.0.1", "10.0.0.1/33", "10.0.0.0/24", "2001:db8::1", "0", "-1", "1Gi", "0.5", "1e3", "50%", "150%"),
    *("https://example.com", "http://[::1", "2020-01-01T00:00:00Z", "true", "*", "None", "Always", "TCP", "system:a"),
)
_NUMBERS: Final = (0, 1, -1, 2, 80, 10000, 65536, 2**31 - 1, -(2**31))


def changed(value: dict[str, Any], random: Random, *, count: int) -> dict[str, Any]:
    """Return a copy with so many changes below its metadata."""
    value = copy.deepcopy(value)
    for _ in range(count):
        places = [place for place in _places(value) if place[0] is not value or place[1] not in _KEPT]
        if places:
            holder, key = random.choice(places)
            _change(holder, key, random)
    return value


_KEPT: Final = ("apiVersion", "kind", "metadata")


def _places(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found.append((value, key))
        if key != "metadata":
            found += _places(item)
    return found


def _change(holder: Any, key: Any, random: Random) -> None:
    old, chance = holder[key], random.random()
    if chance < 0.3 or old is None:
        del holder[key]
    elif isinstance(old, bool):
        holder[key] = not old
    elif isinstance(old, str):
        holder[key] = random.choice(_TEXTS)
    elif isinstance(old, int):
        holder[key] = random.choice(_NUMBERS)
    elif isinstance(old, list):
        holder[key] = [*old, *copy.deepcopy(old[:1])] if chance < 0.7 else []
    elif isinstance(old, dict) and old and all(isinstance(item, str) for item in old.values()):
        old[random.choice(_TEXTS)] = random.choice(_TEXTS)
    else:
        holder[key] = {}
