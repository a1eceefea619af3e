"""Message: a Go struct, read from protobuf into the JSON that Go would write of it.

Two rules decide what stands in that JSON. What protobuf leaves out may still be written (a list that is null, an empty
struct), so reading begins with what Go has where nothing was set; and what protobuf always writes may be left out
again (`omitempty`), so each value is looked at as it comes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Final, Protocol

import msgspec

from konverge.cluster.apiserver.protobuf.bad_message import BadMessage
from konverge.cluster.apiserver.protobuf.own_form import CHOICES, OWN_FORMS
from konverge.cluster.apiserver.protobuf.scalar import SCALARS, unpacked
from konverge.cluster.apiserver.protobuf.wire import LENGTH, VARINT, Known, parts

JsonObject = dict[str, Any]
_ENTRY_NAME: Final = 1
_ENTRY_VALUE: Final = 2


class FieldFacts(msgspec.Struct, frozen=True):
    """What was captured of a field."""

    type: str  # a scalar, or the name of a message
    name: str = ""  # in JSON; empty: its content stands beside the other fields, or is all there is
    go: str = ""  # where that is not the name in JSON with a capital
    many: str = ""  # list, map
    pointer: bool = False
    omit: str = ""  # empty, zero
    at: int = 0  # its place among the fields, in which JSON has them

    @property
    def go_name(self) -> str:
        """What errors call the field."""
        return self.go or self.name[:1].upper() + self.name[1:]


class Value(Protocol):
    """A type of values: what Go writes where nothing was set, and how the content of a field is read."""

    form: int

    def zero(self) -> Any:
        """Return a fresh one."""

    def entry(self) -> Any:
        """Return what stands for null in a map."""

    def read(self, content: Any, onto: Any = None) -> Any:
        """Return the JSON value; a message that stands twice is read onto the first."""


Find = Callable[[str], "Value"]


class Plain:
    """A value that is no message of its own fields."""

    def __init__(self, form: int, zero: Any, read: Callable[[Any], Any], entry: Any = None) -> None:
        self.form, self._zero, self._read, self._entry = form, zero, read, entry

    def read(self, content: Any, _onto: Any = None) -> Any:
        """Return the JSON value."""
        return self._read(content)

    def zero(self) -> Any:
        """Return what there is where nothing was set."""
        return self._zero

    def entry(self) -> Any:
        """Return what stands for null in a map."""
        return self._entry


class Message:
    """A struct by its fields; what they refer to is looked up when it is first needed."""

    form = LENGTH

    def __init__(self, name: str, fields: dict[int, FieldFacts], find: Find) -> None:
        self._name = name.rpartition(".")[2]
        self._fields = {number: _field(facts, find) for number, facts in fields.items()}
        self._choose = CHOICES.get(name)
        self._is_list = [facts.name for facts in fields.values() if facts.many] == [""]  # a list with a name of its own

    @cached_property
    def _known(self) -> dict[int, Known]:
        return {number: Known(field.facts.go_name, field.forms) for number, field in self._fields.items()}

    def zero(self) -> Any:
        """Return what Go writes where nothing was set."""
        return self._finished(self._empty())

    def entry(self) -> Any:
        """Return what stands for null in a map: an empty list is made before it is read."""
        return [] if self._is_list else None

    def read(self, content: bytes, onto: Any = None) -> Any:
        """Return the JSON value of a message; one that stands twice is read onto the first."""
        value = onto if self._can_be_read_onto(onto) else self._empty()
        for number, form, part in parts(content, self._known, self._name):
            self._fields[number].put(value, form, part)
        return self._finished(value)

    def _can_be_read_onto(self, value: Any) -> bool:
        return isinstance(value, dict) and self._choose is None

    def _empty(self) -> JsonObject:
        value: JsonObject = {}
        for field in self._starting:
            field.start(value)
        return value

    @cached_property
    def _starting(self) -> list[_Field]:
        """The fields that Go writes though nothing was set: few of many."""
        return [field for field in self._fields.values() if field.is_always_written()]

    def _finished(self, value: JsonObject) -> Any:
        if self._is_list:
            return value.get("")
        return value if self._choose is None else self._choose(value)


class _Field:
    """A field of one value."""

    def __init__(self, facts: FieldFacts, find: Find) -> None:
        self.facts, self._find, self._name = facts, find, facts.name

    @cached_property
    def kind(self) -> Value:
        """The type of its values."""
        return self._find(self.facts.type)

    @property
    def forms(self) -> tuple[int, ...]:
        """The forms it may have on the wire."""
        return (self.kind.form,)

    def is_always_written(self) -> bool:
        """Whether it stands there though nothing was set."""
        value: JsonObject = {}
        self.start(value)
        return bool(value)

    def start(self, value: JsonObject) -> None:
        """Write what stands there where nothing was set."""
        facts = self.facts
        if facts.pointer:
            if not facts.omit:
                value[self._name] = None
        elif not self._name:
            value.update(self.kind.zero())
        elif facts.omit != "zero" and not (facts.omit and self._is_left_out):
            value[self._name] = self.kind.zero()

    def put(self, value: JsonObject, _form: int, content: Any) -> None:
        """Write a value that was found."""
        if not self._name:
            self.kind.read(content, value)
            return
        found = self.kind.read(content, value.get(self._name))
        if self.facts.omit and not self.facts.pointer and self._is_nothing(found):
            value.pop(self._name, None)
        else:
            value[self._name] = found

    @property
    def _is_left_out(self) -> bool:
        """Whether Go leaves an empty value of this type out: not a struct."""
        return self.facts.type in SCALARS

    def _is_nothing(self, found: Any) -> bool:
        if self._is_left_out:
            return not found
        return self.facts.omit == "zero" and bool(found == self.kind.zero())


class _List(_Field):
    """A field of any number of values."""

    @property
    def forms(self) -> tuple[int, ...]:
        return (VARINT, LENGTH) if self.kind.form == VARINT else (self.kind.form,)

    def start(self, value: JsonObject) -> None:
        if not self.facts.omit:
            value[self._name] = None

    def put(self, value: JsonObject, form: int, content: Any) -> None:
        found: list[Any] = value.get(self._name) or []
        is_packed = form != self.kind.form
        found += [self.kind.read(each) for each in (unpacked(content) if is_packed else (content,))]
        value[self._name] = found


class _Map(_Field):
    """A field of values by names: a list of messages, each of a name and a value."""

    forms = (LENGTH,)

    def start(self, value: JsonObject) -> None:
        if not self.facts.omit:
            value[self._name] = None

    def put(self, value: JsonObject, _form: int, content: Any) -> None:
        key, found = "", self.kind.zero()
        for number, _, part in parts(content, self._entry):
            if number == _ENTRY_NAME:
                key = SCALARS["string"].read(part)
            else:
                found = self.kind.read(part)
        values: JsonObject = value.get(self._name) or {}
        values[key] = self.kind.entry() if found is None else found
        value[self._name] = values

    @cached_property
    def _entry(self) -> dict[int, Known]:
        name = self.facts.go_name  # Go's reader of an entry looks at no form; ours has to
        return {_ENTRY_NAME: Known(name, (LENGTH,)), _ENTRY_VALUE: Known(name, (self.kind.form,))}


def _field(facts: FieldFacts, find: Find) -> _Field:
    return {"list": _List, "map": _Map}.get(facts.many, _Field)(facts, find)


class Messages:
    """All messages, made as they are asked for."""

    def __init__(self, captured: dict[str, dict[int, FieldFacts]]) -> None:
        self._captured = captured
        self._found: dict[str, Value] = {}

    def find(self, name: str) -> Value:
        """Return a type by its name."""
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._made(name)
        return found

    def _made(self, name: str) -> Value:
        if name in SCALARS:
            return Plain(*SCALARS[name], entry="")
        if name in OWN_FORMS:
            return Plain(LENGTH, *OWN_FORMS[name])
        return Message(name, self._captured[name], self.find)


def read_message(kind: Value, content: bytes) -> JsonObject:
    """Return the JSON object of a message; refuse one whose parts go deeper than anyone means."""
    try:
        value: JsonObject = kind.read(content)
    except RecursionError:
        raise BadMessage("proto: exceeded max depth") from None
    return value
