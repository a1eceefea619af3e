"""Class defaults as a CRD has them: the server fills in what the class would."""

from __future__ import annotations

from typing import Any

import msgspec

from konverge.api.choice import admits_none
from konverge.api.declared import declared_types
from konverge.api.markers import Present
from konverge.api.meta import ObjectMeta
from konverge.api.model import Model, defaults_of, encode, implied_of
from konverge.manifest.type_parts import parts_of

ABSENT: Any = msgspec.UNSET


def is_required(cls: type[Model], attribute: str) -> bool:
    """Whether the schema requires an attribute: it has no default, and None is no value of it.

    A struct that reads as empty where it is absent is required if one of its own attributes is: an absent one could
    not have it.
    """
    kind = declared_types(cls)[attribute]
    parts = parts_of(kind)
    if any(isinstance(marker, Present) for marker in parts.markers):
        return True
    if attribute in implied_of(cls):
        return bool(required_of(parts.options[0])) and not is_status(cls, attribute)
    return attribute not in defaults_of(cls) and not admits_none(kind) and not is_status(cls, attribute)


def required_of(cls: Any) -> list[str]:
    """Return the attributes of a model that its schema requires."""
    if not (isinstance(cls, type) and issubclass(cls, Model)) or cls is ObjectMeta:
        return []
    return [name for name in declared_types(cls) if name in cls.__struct_fields__ and is_required(cls, name)]


def default_value(cls: type[Model], attribute: str) -> Any:
    """Return the default of an attribute as JSON, or `ABSENT`.

    A struct that reads as empty gets an empty default where it has defaults below: they take effect only in one that
    is there.
    """
    make = defaults_of(cls).get(attribute)
    if make is None or is_status(cls, attribute):
        return ABSENT
    if attribute in implied_of(cls):
        (below,) = parts_of(declared_types(cls)[attribute]).options
        return {} if not required_of(below) and _has_defaults(below) else ABSENT
    return msgspec.json.decode(encode(make()))


def _has_defaults(cls: type[Model]) -> bool:
    return any(default_value(cls, name) is not ABSENT for name in defaults_of(cls))


def is_status(cls: type[Model], attribute: str) -> bool:
    """Whether an attribute is the status of a kind, which is the controller's to write and nobody's to require."""
    return attribute == "status" and hasattr(cls, "__definition__")
