"""The functions and type names of CEL itself: operators, conversions, sizes, text tests and parts of a time.

What Kubernetes and cel-go's extensions add is declared in `library`. The order of overloads is cel-go's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from konverge.cluster.apiserver.cel.ast import Operator
from konverge.cluster.apiserver.cel.declarations import Function, Overload, function, member, overload
from konverge.cluster.apiserver.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
    Type,
    list_of,
    map_of,
    type_of,
    type_param,
)

_A: Final = type_param("A")
_B: Final = type_param("B")
_LIST_OF_A: Final = list_of(_A)
_MAP_OF_AB: Final = map_of(_A, _B)
_NUMBERS: Final = {"int64": INT, "uint64": UINT, "double": DOUBLE}


def _comparison(operator: str, name: str) -> Function:
    return function(operator, *(overload(f"{name}_{id_}", pair, BOOL) for id_, pair in _comparable()))


def _comparable() -> Iterator[tuple[str, tuple[Type, Type]]]:
    yield "bool", (BOOL, BOOL)
    for left in ("int64", "uint64", "double"):
        yield left, (_NUMBERS[left], _NUMBERS[left])
        for right in ("double", "int64", "uint64"):
            if right != left:
                yield f"{left}_{right}", (_NUMBERS[left], _NUMBERS[right])
    for name, type_ in {"string": STRING, "bytes": BYTES, "timestamp": TIMESTAMP, "duration": DURATION}.items():
        yield name, (type_, type_)


def _arithmetic(operator: str, name: str, *numbers: str) -> Function:
    return function(operator, *(_same(f"{name}_{each}", _NUMBERS[each]) for each in numbers))


def _same(id_: str, type_: Type) -> Overload:
    return overload(id_, [type_, type_], type_)


def _text_test(name: str, id_: str) -> Function:
    return function(name, member(id_, [STRING, STRING], BOOL))


def _time_part(name: str, part: str, *, of_duration: bool = False) -> Function:
    zoned = f"timestamp_to_{part}_tz" if part == "seconds" else f"timestamp_to_{part}_with_tz"
    overloads = [
        member(f"timestamp_to_{part}", [TIMESTAMP], INT),
        member(zoned, [TIMESTAMP, STRING], INT),
    ]
    if of_duration:
        overloads.append(member(f"duration_to_{part}", [DURATION], INT))
    return function(name, *overloads)


def _conversion(result: Type, name: str, **sources: Type) -> Function:
    return function(name, *(overload(id_, [source], result) for id_, source in sources.items()))


def _size(name: str, type_: Type) -> tuple[Overload, Overload]:
    return overload(f"size_{name}", [type_], INT), member(f"{name}_size", [type_], INT)


_IN: Final = (overload("in_list", [_A, _LIST_OF_A], BOOL), overload("in_map", [_A, _MAP_OF_AB], BOOL))

FUNCTIONS: Final = (
    function(Operator.CONDITIONAL, overload("conditional", [BOOL, _A, _A], _A)),
    function(Operator.LOGICAL_AND, _same("logical_and", BOOL)),
    function(Operator.LOGICAL_OR, _same("logical_or", BOOL)),
    function(Operator.LOGICAL_NOT, overload("logical_not", [BOOL], BOOL)),
    function(Operator.NOT_STRICTLY_FALSE, overload("not_strictly_false", [BOOL], BOOL)),
    function("__not_strictly_false__", overload("__not_strictly_false__", [BOOL], BOOL)),
    function(Operator.EQUALS, overload("equals", [_A, _A], BOOL)),
    function(Operator.NOT_EQUALS, overload("not_equals", [_A, _A], BOOL)),
    function(
        Operator.ADD,
        _same("add_bytes", BYTES),
        _same("add_double", DOUBLE),
        _same("add_duration_duration", DURATION),
        overload("add_duration_timestamp", [DURATION, TIMESTAMP], TIMESTAMP),
        overload("add_timestamp_duration", [TIMESTAMP, DURATION], TIMESTAMP),
        _same("add_int64", INT),
        _same("add_list", _LIST_OF_A),
        _same("add_string", STRING),
        _same("add_uint64", UINT),
    ),
    _arithmetic(Operator.DIVIDE, "divide", "double", "int64", "uint64"),
    _arithmetic(Operator.MODULO, "modulo", "int64", "uint64"),
    _arithmetic(Operator.MULTIPLY, "multiply", "double", "int64", "uint64"),
    function(
        Operator.NEGATE,
        overload("negate_double", [DOUBLE], DOUBLE),
        overload("negate_int64", [INT], INT),
    ),
    function(
        Operator.SUBTRACT,
        _same("subtract_double", DOUBLE),
        _same("subtract_duration_duration", DURATION),
        _same("subtract_int64", INT),
        overload("subtract_timestamp_duration", [TIMESTAMP, DURATION], TIMESTAMP),
        overload("subtract_timestamp_timestamp", [TIMESTAMP, TIMESTAMP], DURATION),
        _same("subtract_uint64", UINT),
    ),
    _comparison(Operator.LESS, "less"),
    _comparison(Operator.LESS_EQUALS, "less_equals"),
    _comparison(Operator.GREATER, "greater"),
    _comparison(Operator.GREATER_EQUALS, "greater_equals"),
    function(
        Operator.INDEX,
        overload("index_list", [_LIST_OF_A, INT], _A),
        overload("index_map", [_MAP_OF_AB, _A], _B),
    ),
    function(Operator.IN, *_IN),
    function("_in_", *_IN),
    function("in", *_IN),
    function(
        "size",
        *_size("bytes", BYTES),
        *_size("list", _LIST_OF_A),
        *_size("map", _MAP_OF_AB),
        *_size("string", STRING),
    ),
    function("type", overload("type", [_A], type_of(_A))),
    _conversion(BOOL, "bool", bool_to_bool=BOOL, string_to_bool=STRING),
    _conversion(BYTES, "bytes", bytes_to_bytes=BYTES, string_to_bytes=STRING),
    _conversion(
        DOUBLE, "double", double_to_double=DOUBLE, int64_to_double=INT, string_to_double=STRING, uint64_to_double=UINT
    ),
    _conversion(
        DURATION,
        "duration",
        duration_to_duration=DURATION,
        int64_to_duration=INT,
        string_to_duration=STRING,
    ),
    _conversion(DYN, "dyn", to_dyn=_A),
    _conversion(
        INT,
        "int",
        int64_to_int64=INT,
        double_to_int64=DOUBLE,
        duration_to_int64=DURATION,
        string_to_int64=STRING,
        timestamp_to_int64=TIMESTAMP,
        uint64_to_int64=UINT,
    ),
    _conversion(
        STRING,
        "string",
        string_to_string=STRING,
        bool_to_string=BOOL,
        bytes_to_string=BYTES,
        double_to_string=DOUBLE,
        duration_to_string=DURATION,
        int64_to_string=INT,
        timestamp_to_string=TIMESTAMP,
        uint64_to_string=UINT,
    ),
    _conversion(
        TIMESTAMP,
        "timestamp",
        timestamp_to_timestamp=TIMESTAMP,
        int64_to_timestamp=INT,
        string_to_timestamp=STRING,
    ),
    _conversion(
        UINT, "uint", uint64_to_uint64=UINT, double_to_uint64=DOUBLE, int64_to_uint64=INT, string_to_uint64=STRING
    ),
    _text_test("contains", "contains_string"),
    _text_test("endsWith", "ends_with_string"),
    _text_test("startsWith", "starts_with_string"),
    function(
        "matches",
        overload("matches", [STRING, STRING], BOOL),
        member("matches_string", [STRING, STRING], BOOL),
    ),
    _time_part("getFullYear", "year"),
    _time_part("getMonth", "month"),
    _time_part("getDayOfYear", "day_of_year"),
    _time_part("getDayOfMonth", "day_of_month"),
    _time_part("getDate", "day_of_month_1_based"),
    _time_part("getDayOfWeek", "day_of_week"),
    _time_part("getHours", "hours", of_duration=True),
    _time_part("getMinutes", "minutes", of_duration=True),
    _time_part("getSeconds", "seconds", of_duration=True),
    _time_part("getMilliseconds", "milliseconds", of_duration=True),
)

# The names of types, as values.
IDENTIFIERS: Final[Mapping[str, Type]] = {
    name: type_of(type_)
    for name, type_ in {
        "bool": BOOL,
        "bytes": BYTES,
        "double": DOUBLE,
        "google.protobuf.Duration": DURATION,
        "google.protobuf.Timestamp": TIMESTAMP,
        "int": INT,
        "list": _LIST_OF_A,
        "map": _MAP_OF_AB,
        "null_type": NULL,
        "string": STRING,
        "type": TYPE,
        "uint": UINT,
    }.items()
}
