"""The rules about several attributes of a class: exactly, at most or at least one of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from konverge.api.model import Model
from konverge.api.rule import AtLeastOneOf, AtMostOneOf, ExactlyOneOf
from konverge.api.schema_marker import markers_of
from konverge.manifest.default_value import is_required
from konverge.manifest.place import Place

_ORDER = (AtMostOneOf, ExactlyOneOf, AtLeastOneOf)


def class_rules(place: Place) -> Iterator[dict[str, str]]:
    """Make the CEL rules of a class's markers, in controller-gen's order and words."""
    found = markers_of(place.cls)
    for kind in _ORDER:
        for marker in found:
            if isinstance(marker, kind):
                yield _rule(marker, [_wire(name, place) for name in marker.names])


def _rule(marker: Any, names: list[str]) -> dict[str, str]:
    count = "+".join(f"(has(self.{name})?1:0)" for name in names)
    listed = f"the fields in [{' '.join(names)}]"
    if isinstance(marker, AtMostOneOf):
        return {"rule": f"{count} <= 1", "message": f"at most one of {listed} may be set"}
    if isinstance(marker, ExactlyOneOf):
        return {"rule": f"{count} == 1", "message": f"exactly one of {listed} must be set"}
    return {
        "rule": "||".join(f"has(self.{name})" for name in names),
        "message": f"at least one of {listed} must be set",
    }


def _wire(name: str, place: Place) -> str:
    """The wire name of an attribute that may be absent."""
    cls: type[Model] = place.cls
    names = dict(zip(cls.__struct_fields__, cls.__struct_encode_fields__, strict=True))
    attribute = next((own for own, wire in names.items() if name in (own, wire)), None)
    if attribute is None:
        raise place.refusal(f"it has no attribute {name!r} for its one-of rule", f"name some of {', '.join(names)}")
    if is_required(cls, attribute):
        raise place.at(attribute).refusal(
            "it is part of a one-of rule, so it may not be required", "write `… | None = None`"
        )
    return names[attribute]
