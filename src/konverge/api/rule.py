"""Rules: what a server checks by CEL expressions, on an attribute or on a whole class.

On an attribute they stand in `Annotated[...]`, on a class in the `schema` or `resource` decorator::

    class Spec(kv.Spec):
        size: Annotated[str, Rule("self == oldSelf", message="the size cannot be changed")]

Expressions name fields as the wire does (`self.viewerImage`). The rules about several fields take either name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

Reason = Literal["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"]


class Rule(msgspec.Struct, frozen=True):
    """A CEL expression that must be true, and what the server says where it is not.

    `message_expression` is CEL that makes the message; `field_path` says which field below this one is to blame;
    with `optional_old_self` a rule about `oldSelf` runs at creation too.
    """

    rule: str
    message: str | None = msgspec.field(default=None)
    message_expression: str | None = msgspec.field(default=None)
    reason: Reason | None = msgspec.field(default=None)
    field_path: str | None = msgspec.field(default=None)
    optional_old_self: bool | None = msgspec.field(default=None)


class Immutable(msgspec.Struct, frozen=True):
    """The attribute may be set once and not be changed or removed after."""


@dataclass(frozen=True, slots=True, init=False)
class ExactlyOneOf:
    """One of these attributes of a class must be set, and no second one."""

    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", names)


@dataclass(frozen=True, slots=True, init=False)
class AtMostOneOf:
    """No two of these attributes of a class may be set."""

    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", names)


@dataclass(frozen=True, slots=True, init=False)
class AtLeastOneOf:
    """Some of these attributes of a class must be set."""

    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", names)
