"""Attributes: a variable or a value with the fields and indices that are taken of it, as one step.

cel-go counts them as one: `self.spec.replicas` costs one for the name and one for each field. `a.?b` makes the rest of
the way optional. What an optional holds is looked at without its schema, as it is there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from konverge.cluster.apiserver.cel.cel_error import CelError, no_such_overload
from konverge.cluster.apiserver.cel.containers import find, item
from konverge.cluster.apiserver.cel.frame import UNSET, Frame, Run, Unset
from konverge.cluster.apiserver.cel.go_type_name import go_type_name
from konverge.cluster.apiserver.cel.values import NONE, Optional, Uint
from konverge.cluster.apiserver.cel.views import ObjectView, without_schema

_KEYS: Final = frozenset({str, int, Uint, float, bool})


def checked_key(key: Any) -> Any:
    """Return a key that a list or map can be asked for."""
    if key.__class__ in _KEYS:
        return key
    raise CelError(f"invalid qualifier type: {go_type_name(key)}")


@dataclass(slots=True)
class Qualifier:
    """One field or index: a constant key, or what `index` resolves to."""

    key: Any = None
    index: Run | None = None
    is_optional: bool = False
    is_test: bool = False  # has(): whether it is there

    def get(self, frame: Frame, value: Any) -> Any:
        """Return what is there, or raise."""
        frame.cost += 1
        key = self.key if self.index is None else checked_key(self.index(frame))
        return find(value, key)[1] if self.is_test else item(value, key)

    def look(self, frame: Frame, value: Any) -> tuple[Any, bool]:
        """Return what is there, and whether something is."""
        key = self.key if self.index is None else checked_key(self.index(frame))
        found = find(value, key)
        frame.cost += found[1]
        return found


@dataclass(slots=True)
class Variable:
    """A variable, by its slot."""

    slot: int
    name: str
    qualifiers: list[Qualifier] = field(default_factory=list)
    start: Run | None = None  # the first value of a fold's variable, evaluated when it is first read

    def add(self, qualifier: Qualifier) -> None:
        """Take a field or an index of it."""
        self.qualifiers.append(qualifier)


@dataclass(slots=True)
class Computed:
    """A value that an expression makes."""

    run: Run
    qualifiers: list[Qualifier] = field(default_factory=list)

    def add(self, qualifier: Qualifier) -> None:
        """Take a field or an index of it."""
        self.qualifiers.append(qualifier)


@dataclass(slots=True)
class Conditional:
    """`condition ? truthy : falsy`: what is taken of it is taken of the branch."""

    condition: Run
    truthy: Attribute
    falsy: Attribute

    def add(self, qualifier: Qualifier) -> None:
        """Take a field or an index of either branch."""
        self.truthy.add(qualifier)
        self.falsy.add(qualifier)


Attribute: TypeAlias = Variable | Computed | Conditional
_SPECIAL: Final = frozenset({Unset, CelError, Optional})  # what a slot can hold that is not simply its value


def evaluation(attribute: Attribute, *, is_test: bool = False) -> Run:
    """Return what evaluates an attribute as an expression: it costs one more than its parts; a test does not."""
    if is_test:
        return _tested(resolution(attribute), is_conditional=isinstance(attribute, Conditional))
    return resolution(attribute, price=0 if isinstance(attribute, Conditional) else 1)


def _tested(resolve: Run, *, is_conditional: bool) -> Run:
    def run(frame: Frame) -> Any:
        frame.cost -= is_conditional  # cel-go gives back what only other attributes have cost
        value = resolve(frame)
        return value.has_value if value.__class__ is Optional else value

    return run


def resolution(attribute: Attribute, *, price: int = 0) -> Run:
    """Return what finds the value of an attribute; `price` is what it costs beside its fields and indices."""
    if isinstance(attribute, Conditional):
        return _choice(attribute)
    start = attribute.run if isinstance(attribute, Computed) else _read(attribute)
    qualifiers = attribute.qualifiers
    if any(one.index is not None or one.is_optional or one.is_test for one in qualifiers):
        return _way(start, qualifiers, price)
    if isinstance(attribute, Variable) and not qualifiers:
        return _bare(attribute, start, price)
    return _path(start, tuple(one.key for one in qualifiers), price)


def _way(start: Run, qualifiers: list[Qualifier], price: int) -> Run:
    def resolve(frame: Frame) -> Any:
        frame.cost += price
        return _applied(frame, start(frame), qualifiers)

    return resolve


def _bare(variable: Variable, start: Run, price: int) -> Run:
    slot = variable.slot

    def resolve(frame: Frame) -> Any:
        frame.cost += price
        value = frame.slots[slot]
        if value.__class__ in _SPECIAL:
            value = start(frame)
            return _applied(frame, value, []) if value.__class__ is Optional else value
        return value

    return resolve


def _choice(attribute: Conditional) -> Run:
    condition, truthy, falsy = attribute.condition, resolution(attribute.truthy), resolution(attribute.falsy)

    def resolve(frame: Frame) -> Any:
        chosen = condition(frame)
        if chosen is True:
            return truthy(frame)
        if chosen is False:
            return falsy(frame)
        raise no_such_overload()

    return resolve


def _read(variable: Variable) -> Run:
    slot, name, start = variable.slot, variable.name, variable.start

    def read(frame: Frame) -> Any:
        value = frame.slots[slot]
        if value is UNSET:
            value = _started(frame, slot, start) if start else CelError(f"no such attribute(s): {name}")
        if value.__class__ is CelError:
            raise value
        return value

    return read


def _started(frame: Frame, slot: int, start: Run) -> Any:
    """Give a fold's variable its first value; an error is kept, and is not made twice."""
    try:
        value = start(frame)
    except CelError as error:
        value = error
    frame.slots[slot] = value
    return value


def _path(start: Run, names: tuple[Any, ...], price: int) -> Run:
    def resolve(frame: Frame) -> Any:
        frame.cost += price
        value = start(frame)
        if value.__class__ is Optional:
            return _applied(frame, value, [Qualifier(name) for name in names])
        for name in names:
            frame.cost += 1
            if value.__class__ is ObjectView:
                value, found = value.find(name)
                if not found:
                    raise CelError(f"no such key: {name}")
            else:
                value = item(value, name)
        return value

    return resolve


def _applied(frame: Frame, value: Any, qualifiers: list[Qualifier]) -> Any:
    is_optional = value.__class__ is Optional
    if is_optional:
        if not value.has_value:
            return value
        value = without_schema(value.value)
    for qualifier in qualifiers:
        is_optional = is_optional or qualifier.is_optional
        if is_optional:
            value, found = qualifier.look(frame, value)
            if not found:
                return NONE
        else:
            value = qualifier.get(frame, value)
    return Optional(value) if is_optional else value
