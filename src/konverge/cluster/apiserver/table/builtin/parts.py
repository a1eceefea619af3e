"""Parts of cells that several kinds share: names, ages, labels, selectors, containers, quantities, short lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from konverge.api.invalid import InvalidValue
from konverge.api.label_selector import LabelSelector
from konverge.api.quantity import Quantity
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.age import age

Cells = list[Any]
Printer = Callable[[JsonObject], Cells]
NONE: Final = "<none>"
UNSET: Final = "<unset>"
_NOTHING: Final[JsonObject] = {}


def below(value: Mapping[str, Any], *names: str) -> JsonObject:
    """Return an object inside an object, or an empty one where it is absent."""
    found: Any = value
    for name in names:
        found = found.get(name) or _NOTHING
    result: JsonObject = found
    return result


def listed(value: Mapping[str, Any], *names: str) -> list[Any]:
    """Return a list inside an object, or an empty one where it is absent."""
    found: list[Any] = below(value, *names[:-1]).get(names[-1]) or []
    return found


def name_of(value: JsonObject) -> str:
    """Return an object's name."""
    name: str = below(value, "metadata").get("name", "")
    return name


def age_of(value: JsonObject) -> str:
    """Return how long ago an object was created."""
    return age(below(value, "metadata").get("creationTimestamp"))


def is_deleted(value: JsonObject) -> bool:
    """Whether an object is on its way out."""
    return bool(below(value, "metadata").get("deletionTimestamp"))


def labels_text(labels: Mapping[str, str] | None) -> str:
    """Return labels as `a=b,c=d`, in order."""
    return ",".join(f"{name}={value}" for name, value in sorted((labels or {}).items())) or NONE


def selector_text(selector: Mapping[str, Any] | None, *, nothing: str = NONE, wrong: str = "<error>") -> str:
    """Return a LabelSelector in one line; an absent or empty one as `nothing`."""
    if not selector:
        return nothing
    try:
        return str(LabelSelector.from_spec(selector)) or nothing
    except InvalidValue:
        return wrong


def containers_of(template: JsonObject) -> tuple[str, str]:
    """Return the names and the images of a pod template's containers."""
    containers = listed(template, "spec", "containers")
    names = ",".join(container.get("name", "") for container in containers)
    return names, ",".join(container.get("image", "") for container in containers)


def quantity_text(value: Any) -> str:
    """Return a quantity in its canonical spelling; an absent one is zero."""
    return "0" if value is None else str(Quantity(value))


def or_none(text: str | None) -> str:
    """Return a text, or `<none>` for an empty one."""
    return text or NONE


def shortened(shown: Sequence[str], *, most: int = 3) -> str:
    """Return some of many, and how many more there are."""
    text = ",".join(shown[:most])
    return f"{text} + {len(shown) - most} more..." if len(shown) > most else text


def is_true(conditions: Sequence[JsonObject], kind: str) -> bool:
    """Whether the first condition of a type is True."""
    found = next((condition for condition in conditions if condition.get("type") == kind), _NOTHING)
    return found.get("status") == "True"
