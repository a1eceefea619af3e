"""The shape of an attribute's type, as the round trip needs it: what its items are and which keys tell them apart.

Everything here depends on types alone and is computed once for each. `items_below` is what every read pays for, so it
visits only attributes that can lead to items, by functions made once for each type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from konverge.api.markers import ListMap, PatchMerge
from konverge.api.model import Model, model_fields

Visit = Callable[[Any, list[Any]], None]
"""Adds the items below a value, which is not None, to a list."""


def items_below(value: Model) -> list[Any]:
    """Return every item of every list and dict of models below a value, in an order that its bytes decide.

    Two decodings of the same bytes therefore give the same items at the same places.
    """
    found: list[Any] = []
    visitor(type(value))(value, found)
    return found


def visitor(cls: type[Model]) -> Visit:
    """Return what finds the items below a value of one class: it is given the value and a list to add them to."""
    return _visit_model(cls)


@cache
def _visit_model(cls: type[Model]) -> Visit:
    """Return what visits the attributes of a model that can lead to items.

    It is compiled from text, as dataclasses do it, because every read of every object runs it: in a loop over names
    and functions it took half as long as decoding the object did.
    """
    lines = ["def visit(value, found):"]
    names: dict[str, Any] = {}
    for number, info in enumerate(model_fields(cls)):
        if _holds_items(info.type, frozenset()):
            lines += [f"    child = value.{info.name}", "    if child:", f"        {_step(info.type, number, names)}"]
    exec("\n".join([*lines, "    return"]), names)  # noqa: S102 - made of attribute names of a class, nothing else
    visit: Visit = names["visit"]
    return visit


def _step(kind: Any, number: int, names: dict[str, Any]) -> str:
    """The line that visits `child`; what it calls goes into the names."""
    below = _visit(kind)
    if below is _add_items:
        return "found += child"
    names[f"visit_{number}"] = below
    return f"visit_{number}(child, found)"


def _visit(kind: Any) -> Visit:
    options = options_of(kind)
    if len(options) > 1:
        return _visit_whichever(options)
    (bare,) = options
    if isinstance(bare, type) and issubclass(bare, Model):
        return _visit_later(bare) if _is_recursive(bare) else _visit_model(bare)
    return _visit_dict(get_args(bare)[1]) if get_origin(bare) is dict else _visit_list(get_args(bare)[0])


def _visit_later(cls: type[Model]) -> Visit:
    """Visit a model by what is made when it is first needed: a model may contain itself."""

    def visit(value: Any, found: list[Any]) -> None:
        _visit_model(cls)(value, found)

    return visit


def _visit_list(element: Any) -> Visit:
    if not _holds_items(element, frozenset()):
        return _add_items
    below = _visit(element)

    def visit(value: Any, found: list[Any]) -> None:
        found.extend(value)
        for item in value:
            if item:
                below(item, found)

    return visit


def _visit_dict(element: Any) -> Visit:
    visit_values = _visit_list(element)

    def visit(value: Any, found: list[Any]) -> None:
        visit_values(list(value.values()), found)

    return visit


def _add_items(value: Any, found: list[Any]) -> None:
    found.extend(value)


def _visit_whichever(options: tuple[Any, ...]) -> Visit:
    """Visit a value by the type it turns out to have."""
    visits = [(get_origin(option) or option, _visit(option)) for option in options if _holds_items(option, frozenset())]

    def visit(value: Any, found: list[Any]) -> None:
        for kind, below in visits:
            if isinstance(value, kind):
                below(value, found)
                return

    return visit


def _holds_items(kind: Any, seen: frozenset[type]) -> bool:
    """Whether a type leads to a list or dict whose items are models, or are made of them."""
    return any(_option_holds_items(option, seen) for option in options_of(kind))


def _option_holds_items(bare: Any, seen: frozenset[type]) -> bool:
    if get_origin(bare) in (list, dict):
        return has_models(bare)
    if not (isinstance(bare, type) and issubclass(bare, Model)) or bare in seen:
        return False
    return any(_holds_items(info.type, seen | {bare}) for info in model_fields(bare))


@cache
def _is_recursive(cls: type[Model]) -> bool:
    """Whether a model can contain itself."""
    seen: set[type[Model]] = set()
    waiting = [model for info in model_fields(cls) for model in _models_of(info.type)]
    while waiting:
        model = waiting.pop()
        if model not in seen:
            seen.add(model)
            waiting += [below for info in model_fields(model) for below in _models_of(info.type)]
    return cls in seen


@cache
def has_models(kind: Any) -> bool:
    """Whether a type is a model or is made of some: only there can fields be that the type does not know."""
    return next(_models_of(kind), None) is not None


def _models_of(kind: Any) -> Iterator[type[Model]]:
    if isinstance(kind, type) and issubclass(kind, Model):
        yield kind
    for argument in get_args(kind):
        yield from _models_of(argument)


@cache
def options_of(kind: Any) -> tuple[Any, ...]:
    """The types a value can have, without their markers and without None."""
    origin = get_origin(kind)
    if origin is Annotated:
        return options_of(get_args(kind)[0])
    if origin in (Union, UnionType):
        found = [option for part in get_args(kind) if part is not NoneType for option in options_of(part)]
        return tuple(found)
    return (kind,)


@cache
def element_of(kind: Any) -> Any:
    """Return the type of the items of a list, or of the values of a dict; Any where it is not known."""
    options = [option for option in options_of(kind) if get_origin(option) in (list, dict)]
    return get_args(options[0])[-1] if len(options) == 1 else Any


@cache
def keys_of(kind: Any) -> ListMap | None:
    """Return the keys that tell a list's items apart: those of the list's map type, else that of its patches."""
    markers = tuple(_markers(kind))
    found = next((marker for marker in markers if isinstance(marker, ListMap)), None)
    patch = next((marker for marker in markers if isinstance(marker, PatchMerge) and marker.key), None)
    if found is None and patch is not None and patch.key is not None:
        return ListMap(patch.key)
    return found


def _markers(kind: Any) -> Iterator[Any]:
    """The markers on a type itself; those of its items are not its own."""
    if get_origin(kind) is Annotated:
        inner, *markers = get_args(kind)
        yield from markers
        yield from _markers(inner)
    elif get_origin(kind) in (Union, UnionType):
        for part in get_args(kind):
            yield from _markers(part)
