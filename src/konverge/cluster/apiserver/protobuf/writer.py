"""Writer: a Go struct, written as protobuf from the JSON that Go would write of it; the mirror of `message`.

Go writes every field of a struct that is no pointer, list or map, a zero as well, in the order of their numbers, and
maps in the order of their names: so one object has one form, and what is written here is Go's, byte for byte. What JSON
has and Go's struct has not is passed over.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Final, Protocol

from konverge.cluster.apiserver.openapi.protobuf import varint
from konverge.cluster.apiserver.protobuf.message import FieldFacts, JsonObject
from konverge.cluster.apiserver.protobuf.own_form_writing import EXPANSIONS, OWN_FORM_WRITERS
from konverge.cluster.apiserver.protobuf.scalar import SCALARS
from konverge.cluster.apiserver.protobuf.scalar_writing import SCALAR_WRITERS
from konverge.cluster.apiserver.protobuf.wire import LENGTH

_ENTRY_NAME: Final = b"\x0a"
_ENTRY_VALUE: Final = 2


class ValueWriter(Protocol):
    """A type of values: how one is written behind the tag of its field."""

    form: int

    @property
    def zero(self) -> bytes | None:
        """What is written where nothing is set; None where nothing is."""
        ...

    def write(self, value: Any) -> bytes:
        """Return the bytes of a value that is not null."""
        ...


Find = Callable[[str], ValueWriter]


class _Plain:
    """A value that is no message of its own fields; `content` leaves out the length of what has one."""

    def __init__(self, form: int, zero: bytes | None, content: Callable[[Any], bytes]) -> None:
        self.form, self._content = form, content
        self.zero = zero if zero is None or form != LENGTH else _with_length(zero)

    def write(self, value: Any) -> bytes:
        content = self._content(value)
        return _with_length(content) if self.form == LENGTH else content


class MessageWriter:
    """A struct by its fields; what they refer to is looked up when it is first needed."""

    form = LENGTH

    def __init__(self, name: str, fields: dict[int, FieldFacts], find: Find) -> None:
        self._fields = [_field(number, fields[number], find) for number in sorted(fields)]
        self._expand = EXPANSIONS.get(name)
        self._is_list = [facts.name for facts in fields.values() if facts.many] == [""]  # a list with a name of its own

    @cached_property
    def zero(self) -> bytes | None:
        """What is written where nothing is set."""
        return None if self._is_list else _with_length(self._of({}))

    def content(self, value: Any) -> bytes:
        """Return the fields of a value."""
        return self._of(value if self._expand is None else self._expand(value))

    def write(self, value: Any) -> bytes:
        """Return the fields with their length."""
        return _with_length(self.content(value))

    def _of(self, value: Any) -> bytes:
        return b"".join([field.written(value) for field in self._fields])


class _Field:
    """A field of one value."""

    def __init__(self, number: int, facts: FieldFacts, find: Find) -> None:
        self._facts, self._find, self._name = facts, find, facts.name
        self._tag = varint(number << 3 | _form(facts.type))

    @cached_property
    def _kind(self) -> ValueWriter:
        return self._find(self._facts.type)

    @cached_property
    def _absent(self) -> bytes:
        zero = None if self._facts.pointer else self._kind.zero
        return b"" if zero is None else self._tag + zero

    def written(self, value: JsonObject) -> bytes:
        """Return the field of a value, by its name; one without a name has the value's own fields."""
        found = value.get(self._name) if self._name else value
        return self._absent if found is None else self._tag + self._kind.write(found)


class _List(_Field):
    """A field of any number of values."""

    def written(self, value: Any) -> bytes:
        found = value.get(self._name) if self._name else value
        return b"".join([self._tag + self._item(each) for each in found or ()])

    def _item(self, value: Any) -> bytes:
        return self._kind.zero or b"\x00" if value is None else self._kind.write(value)


class _Map(_List):
    """A field of values by names: a list of messages, each of a name and a value."""

    def __init__(self, number: int, facts: FieldFacts, find: Find) -> None:
        super().__init__(number, facts, find)
        self._tag = varint(number << 3 | LENGTH)
        self._value_tag = varint(_ENTRY_VALUE << 3 | _form(facts.type))

    def written(self, value: JsonObject) -> bytes:
        found = value.get(self._name) or {}
        return b"".join([self._tag + self._entry(name, found[name]) for name in sorted(found)])

    def _entry(self, name: str, value: Any) -> bytes:
        key = _ENTRY_NAME + _with_length(name.encode())
        return _with_length(key + self._value_tag + self._item(value))


def _field(number: int, facts: FieldFacts, find: Find) -> _Field:
    return {"list": _List, "map": _Map}.get(facts.many, _Field)(number, facts, find)


def _form(name: str) -> int:
    return SCALARS[name].form if name in SCALARS else LENGTH


def _with_length(content: bytes) -> bytes:
    return varint(len(content)) + content


class Writers:
    """All messages, made as they are asked for."""

    def __init__(self, captured: dict[str, dict[int, FieldFacts]]) -> None:
        self._captured = captured
        self._messages: dict[str, MessageWriter] = {}

    def message(self, name: str) -> MessageWriter:
        """Return what writes a message."""
        found = self._messages.get(name)
        if found is None:
            found = self._messages[name] = MessageWriter(name, self._captured[name], self._find)
        return found

    def _find(self, name: str) -> ValueWriter:
        if name in SCALARS:
            return _Plain(SCALARS[name].form, *SCALAR_WRITERS[name])
        if name in OWN_FORM_WRITERS:
            return _Plain(LENGTH, *OWN_FORM_WRITERS[name])
        return self.message(name)
