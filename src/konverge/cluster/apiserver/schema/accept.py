"""The quick check: whether a value is valid, as fast as Python allows, and nothing about why not.

A schema is compiled once into one function per node and type of value. Where one says no, `check` finds the words; the
two must agree, and a test holds them to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver.cel.re2 import InvalidPattern, compile_re2
from konverge.cluster.apiserver.schema.check import enum_has
from konverge.cluster.apiserver.schema.formats import format_test
from konverge.cluster.apiserver.schema.number import as_read, check_number, is_whole
from konverge.cluster.apiserver.schema.structural import NO_LIMITS, Limits, Structural

Test = Callable[[Any], bool]
# By the type of a value: the test it must pass, True where any passes, False where none does.
Table = Mapping[type, Test | bool]

_NAMES: dict[type, str] = {
    dict: "object",
    list: "array",
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
}


def accepts(value: Any, node: Structural) -> bool:
    """Whether a value is valid under a schema."""
    if node.accepts is None:
        node.accepts = _table(node)
    return _passes(value, node.accepts)


def _passes(value: Any, table: Table) -> bool:
    test = table[type(value)]
    return test is True or (test is not False and test(value))


def _table(node: Structural) -> Table:
    is_leaf = not node.properties and node.items is None and not node.has_additional
    if is_leaf and node.limits is NO_LIMITS:
        return _plain_table(node.types, node.nullable)
    return _own_table(node)


@cache
def _plain_table(types: tuple[str, ...], nullable: bool) -> Table:  # noqa: FBT001 - part of the key
    """Return the table that all nodes share which ask for a type and nothing else."""
    return _own_table(Structural(schema={}, types=types, nullable=nullable))


def _own_table(node: Structural) -> Table:
    table: dict[type, Test | bool] = {type(None): _null(node)}
    for kind, name in _NAMES.items():
        tests = [*_type_tests(node, kind, name), *_own_tests(node, kind), *_shared_tests(node.limits)]
        table[kind] = _joined(tests)
    return table


def _joined(tests: list[Test | bool]) -> Test | bool:
    if False in tests:
        return False
    needed = [test for test in tests if test is not True]
    if len(needed) <= 1:
        return needed[0] if needed else True
    if len(needed) == 2:  # noqa: PLR2004 - the usual case, without a loop
        return _both(needed[0], needed[1])
    return lambda value: all(test(value) for test in needed)  # type: ignore[operator]  # booleans are gone


def _both(first: Any, second: Any) -> Test:
    return lambda value: first(value) and second(value)


def _null(node: Structural) -> bool:
    return (not node.types or node.nullable or "null" in node.types) and not node.limits.enum


def _type_tests(node: Structural, kind: type, name: str) -> list[Test | bool]:
    types, format_ = node.types, node.limits.format
    if not types and not format_:
        return [True]
    if format_ and kind in (str, list):
        if "number" not in types and "integer" not in types:
            return [True]
    elif format_ == "float64" and kind is float:  # only where formats are kept as they are written
        return [name in types or "integer" in types]
    if kind is int and (("integer" in types) or "number" in types):
        return [_is_int64] if "number" not in types else [True]
    if kind is float and "integer" in types and "number" not in types:
        return [is_whole]
    return [name in types]


def _is_int64(value: int) -> bool:
    return -(2**63) <= value < 2**63 or is_whole(as_read(value))


def _shared_tests(limits: Limits) -> list[Test | bool]:
    tests: list[Test | bool] = []
    if limits.enum:
        tests.append(_enum(limits.enum))
    tests.extend(_node_test(part) for part in limits.all_of)
    if limits.any_of:
        tests.append(_any_of([_compiled(part) for part in limits.any_of]))
    if limits.one_of:
        tests.append(_one_of([_compiled(part) for part in limits.one_of]))
    if limits.negated is not None:
        tests.append(_not(_compiled(limits.negated)))
    return tests


def _compiled(node: Structural) -> Table:
    if node.accepts is None:
        node.accepts = _table(node)
    table: Table = node.accepts
    return table


def _node_test(node: Structural) -> Test:
    table = _compiled(node)
    return lambda value: _passes(value, table)


def _any_of(tables: list[Table]) -> Test:
    return lambda value: any(_passes(value, table) for table in tables)


def _one_of(tables: list[Table]) -> Test:
    return lambda value: sum(_passes(value, table) for table in tables) == 1


def _not(table: Table) -> Test:
    return lambda value: not _passes(value, table)


def _enum(options: tuple[Any, ...]) -> Test:
    texts = frozenset(option for option in options if isinstance(option, str))
    return lambda value: value in texts if type(value) is str else enum_has(options, value)


def _own_tests(node: Structural, kind: type) -> list[Test | bool]:
    if kind is str:
        return _text_tests(node.limits)
    if kind is int or kind is float:
        return _number_tests(node)
    if kind is list:
        return _list_tests(node)
    return _object_tests(node) if kind is dict else []


def _text_tests(limits: Limits) -> list[Test | bool]:
    tests: list[Test | bool] = []
    least, most = limits.min_length, limits.max_length
    if most is not None:
        tests.append(lambda value: len(value) <= most)
    if least is not None and least > 0:
        tests.append(lambda value: len(value) >= least)
    if limits.pattern:
        tests.append(_pattern(limits.pattern))
    is_format = format_test(limits.format)
    if is_format is not None:
        tests.append(is_format)
    return tests


def _pattern(pattern: str) -> Test | bool:
    try:
        return compile_re2(pattern).matches
    except InvalidPattern:
        return False


def _number_tests(node: Structural) -> list[Test | bool]:
    limits, types = node.limits, node.types
    is_plain = limits.maximum is None and limits.minimum is None and limits.multiple_of is None
    if is_plain and (limits.format in ("", "int64", "double") or not types):
        return []
    if limits.multiple_of is None and limits.format in ("", "int32", "int64"):
        quick = _int_range(limits, types)
        if quick is not None:
            return [quick]
    return [lambda value: not any(check_number(as_read(value), "", limits=limits, types=types))]


def _int_range(limits: Limits, types: tuple[str, ...]) -> Test | None:
    """Return a comparison for the usual case: whole numbers within whole limits."""
    bounds = [bound for bound in (limits.minimum, limits.maximum) if bound is not None]
    if types != ("integer",) or not all(bound == int(bound) and abs(bound) < 2**31 for bound in bounds):
        return None
    widest = 2**31 if limits.format == "int32" else 2**63
    low = -widest if limits.minimum is None else int(limits.minimum) + limits.is_above
    high = widest - 1 if limits.maximum is None else int(limits.maximum) - limits.is_below
    return lambda value: low <= value <= high and (type(value) is int or value == int(value))


def _list_tests(node: Structural) -> list[Test | bool]:
    tests: list[Test | bool] = []
    least, most = node.limits.min_items, node.limits.max_items
    if most is not None:
        tests.append(lambda value: len(value) <= most)
    if least is not None and least > 0:
        tests.append(lambda value: len(value) >= least)
    if node.limits.has_unique_items:
        tests.append(lambda value: not any(json_equal(one, two) for at, one in enumerate(value) for two in value[:at]))
    if node.items is not None:
        tests.append(_items(_compiled(node.items)))
    return tests


def _items(table: Table) -> Test:
    def test_items(value: list[Any]) -> bool:
        for item in value:
            test = table[type(item)]
            if test is not True and (test is False or not test(item)):
                return False
        return True

    return test_items


def _object_tests(node: Structural) -> list[Test | bool]:
    tests: list[Test | bool] = []
    least, most = node.limits.min_properties, node.limits.max_properties
    if most is not None:
        tests.append(lambda value: len(value) <= most)
    if least is not None and least > 0:
        tests.append(lambda value: len(value) >= least)
    if node.properties or node.has_additional or node.limits.required:
        tests.append(_fields(node))
    return tests


def _fields(node: Structural) -> Test:
    tables = {name: _compiled(child) for name, child in node.properties.items()}
    # What is not declared is free where the schema is silent of it or says `true`.
    other: Table | None = None if node.additional is None else _compiled(node.additional)
    is_open = node.allows_additional
    required = node.limits.required

    def test_fields(value: dict[str, Any]) -> bool:
        for name in required:
            if name not in value:
                return False
        for name, item in value.items():
            table = tables.get(name, other)
            if table is None:
                if not is_open:
                    return False
                continue
            test = table[type(item)]
            if test is not True and (test is False or not test(item)):
                return False
        return True

    return test_fields
