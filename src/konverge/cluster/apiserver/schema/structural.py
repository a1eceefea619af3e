"""Structural: a CRD's schema, read once into nodes that pruning, defaulting and validation walk over.

`structural(schema)` reads the JSON of `openAPIV3Schema` as the real server does: absent, null and empty mean the same,
an int-or-string is of two types, and formats that Kubernetes does not know are dropped. What stands below `allOf`,
`anyOf`, `oneOf` and `not` becomes nodes of the same class, held by `Limits`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from konverge.cluster.apiserver.schema.formats import known_format

Schema = Mapping[str, Any]

_KEYWORDS: Final = frozenset(
    {
        *(
            "format",
            "maximum",
            "exclusiveMaximum",
            "minimum",
            "exclusiveMinimum",
            "multipleOf",
            "maxLength",
            "minLength",
        ),
        *("pattern", "maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties", "required", "enum"),
        *("allOf", "anyOf", "oneOf", "not"),
    }
)


@dataclass(slots=True, kw_only=True, eq=False)
class Limits:
    """What a schema asks of a value beside its type."""

    format: str = ""
    maximum: float | None = None
    is_below: bool = False  # exclusiveMaximum
    minimum: float | None = None
    is_above: bool = False  # exclusiveMinimum
    multiple_of: float | None = None
    max_length: int | None = None
    min_length: int | None = None
    pattern: str = ""
    max_items: int | None = None
    min_items: int | None = None
    has_unique_items: bool = False
    max_properties: int | None = None
    min_properties: int | None = None
    required: tuple[str, ...] = ()
    enum: tuple[Any, ...] = ()
    all_of: tuple[Structural, ...] = ()
    any_of: tuple[Structural, ...] = ()
    one_of: tuple[Structural, ...] = ()
    negated: Structural | None = None


NO_LIMITS: Final = Limits()  # shared by all nodes that have none: most do


@dataclass(slots=True, kw_only=True, eq=False)
class Structural:
    """One node of a schema."""

    schema: Schema = field(repr=False)  # as it was written
    type: str = ""  # as it was written
    types: tuple[str, ...] = ()  # what a value may be; empty: anything
    nullable: bool = False
    default: Any = None  # None: there is none, since null is no default
    properties: dict[str, Structural] = field(default_factory=dict)
    items: Structural | None = None
    additional: Structural | None = None  # the schema of additionalProperties
    has_additional: bool = False  # additionalProperties is given, as a schema or as a boolean
    allows_additional: bool = True
    preserves_unknown: bool = False
    is_embedded: bool = False
    is_int_or_string: bool = False
    list_type: str = ""
    list_map_keys: tuple[str, ...] = ()
    map_type: str = ""
    rules: tuple[Mapping[str, Any], ...] = ()  # x-kubernetes-validations
    limits: Limits = NO_LIMITS
    # Found once, so that a walk leaves out what cannot matter: whether this node or one below it has …
    has_defaults: bool = False
    has_list_types: bool = False
    has_embedded: bool = False
    has_rules: bool = False
    # … and which properties lead there.
    defaulted: tuple[tuple[str, Structural], ...] = ()
    listed: tuple[tuple[str, Structural], ...] = ()
    accepts: Any = field(default=None, repr=False)  # the quick check, made by `accept` when first asked
    rule_checker: Any = field(default=None, repr=False)  # made by `rules` when first needed

    def child(self, name: str) -> Structural | None:
        """Return the node of a property, declared or additional."""
        return self.properties.get(name) or self.additional

    def below(self) -> list[Structural]:
        """Return the nodes of what a value of this node holds."""
        return [*self.properties.values(), *(node for node in (self.items, self.additional) if node is not None)]


def structural(schema: Schema, *, is_declared: bool = False) -> Structural:
    """Read a schema; `is_declared` keeps types and formats as they are written, as defaults are checked."""
    node = Structural(
        schema=schema,
        type=schema.get("type") or "",
        types=_types(schema, is_declared=is_declared),
        nullable=bool(schema.get("nullable")),
        default=schema.get("default"),
        preserves_unknown=bool(schema.get("x-kubernetes-preserve-unknown-fields")),
        is_embedded=bool(schema.get("x-kubernetes-embedded-resource")),
        is_int_or_string=bool(schema.get("x-kubernetes-int-or-string")),
        list_type=schema.get("x-kubernetes-list-type") or "",
        list_map_keys=tuple(schema.get("x-kubernetes-list-map-keys") or ()),
        map_type=schema.get("x-kubernetes-map-type") or "",
        rules=tuple(schema.get("x-kubernetes-validations") or ()),
    )
    _read_children(node, schema, is_declared=is_declared)
    if not _KEYWORDS.isdisjoint(schema):
        node.limits = _limits(schema, node.types, is_declared=is_declared)
    _look_below(node)
    return node


def _types(schema: Schema, *, is_declared: bool) -> tuple[str, ...]:
    if schema.get("x-kubernetes-int-or-string") and not is_declared:
        return ("integer", "string")
    return (schema["type"],) if schema.get("type") else ()


def _read_children(node: Structural, schema: Schema, *, is_declared: bool) -> None:
    for name, child in (schema.get("properties") or {}).items():
        node.properties[name] = structural(child, is_declared=is_declared)
    items = schema.get("items")
    if isinstance(items, Mapping):
        node.items = structural(items, is_declared=is_declared)
    additional = schema.get("additionalProperties")
    if additional is None:
        return
    node.has_additional = True
    if isinstance(additional, Mapping):
        node.additional = structural(additional, is_declared=is_declared)
    else:
        node.allows_additional = bool(additional)


def _limits(schema: Schema, types: tuple[str, ...], *, is_declared: bool) -> Limits:
    def nested(name: str) -> tuple[Structural, ...]:
        return tuple(structural(one, is_declared=is_declared) for one in schema.get(name) or ())

    format_ = schema.get("format") or ""
    negated = schema.get("not")
    return Limits(
        format=format_ if is_declared or known_format(format_, types) else "",
        maximum=schema.get("maximum"),
        is_below=bool(schema.get("exclusiveMaximum")),
        minimum=schema.get("minimum"),
        is_above=bool(schema.get("exclusiveMinimum")),
        multiple_of=schema.get("multipleOf"),
        max_length=schema.get("maxLength"),
        min_length=schema.get("minLength"),
        pattern=schema.get("pattern") or "",
        max_items=schema.get("maxItems"),
        min_items=schema.get("minItems"),
        has_unique_items=bool(schema.get("uniqueItems")),
        max_properties=schema.get("maxProperties"),
        min_properties=schema.get("minProperties"),
        required=tuple(schema.get("required") or ()),
        enum=tuple(schema.get("enum") or ()),
        all_of=nested("allOf"),
        any_of=nested("anyOf"),
        one_of=nested("oneOf"),
        negated=structural(negated, is_declared=is_declared) if isinstance(negated, Mapping) else None,
    )


def _look_below(node: Structural) -> None:
    below = node.below()
    node.has_defaults = any(child.default is not None or child.has_defaults for child in below)
    node.has_list_types = node.list_type in ("set", "map") or any(child.has_list_types for child in below)
    named = node.properties.items()
    node.defaulted = tuple((name, one) for name, one in named if one.default is not None or one.has_defaults)
    node.listed = tuple((name, one) for name, one in named if one.has_list_types)
    node.has_embedded = node.is_embedded or any(child.has_embedded for child in below)
    node.has_rules = bool(node.rules) or any(child.has_rules for child in below)
