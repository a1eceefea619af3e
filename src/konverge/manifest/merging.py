"""Merging of what a type, its class's markers and an attribute's markers say, as controller-gen merges them.

What the attribute's documentation says stands in place of the type's; rules add up; where both name a bound, both
hold, each in its own branch of an allOf.
"""

from __future__ import annotations

from typing import Any, Final

Schema = dict[str, Any]

_REPLACED: Final = (
    "description", "title", "example", "externalDocs", "nullable", "default",
    "x-kubernetes-map-type", "x-kubernetes-list-type", "x-kubernetes-list-map-keys",
    "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource",
)  # fmt: skip
_RULES: Final = "x-kubernetes-validations"
_EXCLUSIVE: Final = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}


def merged(schema: Schema, added: Schema) -> Schema:
    """Return a schema with more said about the same value; rules that are added stand first."""
    found = dict(schema)
    first: Schema = {}
    second: Schema = {}
    for name, value in added.items():
        if name == _RULES:
            found[name] = [*value, *found.get(name, [])]
        elif name in _REPLACED or name not in found or found[name] == value:
            found[name] = value
        else:
            first[name], second[name] = found.pop(name), value
    return _with_branches(found, first, second) if first else found


def _with_branches(found: Schema, first: Schema, second: Schema) -> Schema:
    """Put the two that are said of one keyword into the two branches of an allOf."""
    for name, exclusive in _EXCLUSIVE.items():
        if name in first and exclusive in found:  # it belongs to the first bound: the second one would have clashed
            first[exclusive] = found.pop(exclusive)
    before = found.get("allOf", [{}, {}])
    return {**found, "allOf": [{**before[0], **first}, {**before[1], **second}]}
