"""Values under schemas, for `capture_crd_answers.py`: each schema stands at `spec.<name>` of one CRD."""

from __future__ import annotations

from typing import Any

Json = Any
_INT_OR_STRING = {"x-kubernetes-int-or-string": True}
_FREE = {"x-kubernetes-preserve-unknown-fields": True}


def _case(schema: Json, *values: Json) -> Json:
    return {"schema": schema, "values": list(values)}


def _text(**limits: Json) -> Json:
    return {"type": "string", **limits}


def _integer(**limits: Json) -> Json:
    return {"type": "integer", **limits}


def _number(**limits: Json) -> Json:
    return {"type": "number", **limits}


def _object(**properties: Json) -> Json:
    return {"type": "object", "properties": properties}


def _list(items: Json, **limits: Json) -> Json:
    return {"type": "array", "items": items, **limits}


def _any(*names: str) -> Json:
    return [{"required": [name]} for name in names]


_AB = _object(a=_text(), b=_integer(), c=_text())
_FORMATS: dict[str, list[str]] = {
    "bsonobjectid": ["507f1f77bcf86cd799439011", "xyz"],
    "uri": [
        "https://example.com/a?b#c",
        "/path",
        "relative",
        "",
        "http://[::1]:80/",
        "http://a b/",
        "mailto:x",
        "http://h:x/",
    ],
    "email": ["a@example.com", "Joe <joe@example.com>", "nope", "a@b@c", "a@", ""],
    "hostname": ["example.com", "a", "-a.com", "a_b.com", "x" * 64, "exämple.com", "1.2", ""],
    "ipv4": ["1.2.3.4", "1.2.3", "::1", "01.2.3.4", "1.2.3.256", "::ffff:1.2.3.4"],
    "ipv6": ["::1", "1.2.3.4", "fe80::1%eth0", "2001:db8::", "::ffff:1.2.3.4", ":::"],
    "cidr": ["10.0.0.0/8", "10.0.0.0/33", "::/0", "10.0.0.0", "1.2.3.4/08"],
    "mac": ["01:23:45:67:89:ab", "01-23-45-67-89-AB", "0123.4567.89ab", "01:23:45", "01:23-45:67:89:ab"],
    "uuid": ["123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000", "123"],
    "uuid3": ["123e4567-e89b-32d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174000"],
    "uuid4": ["123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-42d3-c456-426614174000"],
    "uuid5": ["123e4567-e89b-52d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174000"],
    "isbn": ["0321751043", "978-0321751041", "123"],
    "isbn10": ["0321751043", "0321751044", "080442957X"],
    "isbn13": ["978 0321751041", "978-0321751042"],
    "creditcard": ["4111 1111 1111 1111", "4111-1111-1111-1112", "1"],
    "ssn": ["123-45-6789", "123456789", "abc"],
    "hexcolor": ["#fff", "FFFFFF", "#ffff"],
    "rgbcolor": ["rgb(1,2,3)", "rgb( 255 , 0,0)", "rgb(256,0,0)", "rgb(1,2)"],
    "byte": ["aGVsbG8=", "aGVsbG8", "", "a==="],
    "password": ["anything"],
    "date": ["2024-02-29", "2023-02-29", "2024-1-01", "0000-02-29"],
    "duration": ["1h30m", "22 ns", "5 minutes", "forever", "1.5h", "-3s", "3 weeks", "0", ""],
    "date-time": [
        *("2024-01-01T00:00:00Z", "2024-01-01t00:00:00z", "2024-01-01 00:00:00Z", "2024-01-01T24:00:00Z"),
        *("2024-01-01T00:00:00.123+01:00", "2024-01-01T00:00:00", "2024-13-01T00:00:00Z"),
    ],
    "datetime": ["2024-01-01T00:00:00Z", "now"],
    "k8s-short-name": ["abc", "a.b", "Abc", "a" * 64],
    "k8s-long-name": ["a.b", "A.b", "a..b"],
    "unheard-of": ["anything"],
}
_EMBEDDED = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
_TYPED = {"apiVersion": "v1", "kind": "Pod"}

VALUES: dict[str, Json] = {
    "text": _case(_text(), "a", "", 1, 1.5, True, None, [], {}),
    "whole": _case(_integer(), 1, 1.0, 1.5, "1", True, None, 9223372036854775807, 1e30, -1, [1]),
    "number": _case(_number(), 1, 1.5, "1", True, {}, 1e300),
    "flag": _case({"type": "boolean"}, True, False, "true", 0, None),
    "object": _case({"type": "object"}, {}, [], "x", {"unknown": 1}, None),
    "nullable": _case({"type": "object", "properties": {"a": _text(nullable=True)}}, {"a": None}, {"a": "x"}, {"a": 1}),
    "long": _case(_text(maxLength=3, minLength=2), "abcd", "a", "ab", "äöü", "äöüx"),
    "one-long": _case(_text(maxLength=1), "ab"),
    "pattern": _case(_text(pattern="^[a-z]+$"), "abc", "ABC", "abc\n", ""),
    "digits": _case(_text(pattern=r"\d{2,3}"), "1", "12", "a123b"),
    "all-texts": _case(_text(maxLength=3, minLength=5, pattern="x", enum=["y"]), "abcd"),
    "range": _case(_integer(minimum=1, maximum=5), 0, 1, 5, 6, 2.0, 7.0),
    "open-range": _case(_integer(minimum=1, maximum=5, exclusiveMinimum=True, exclusiveMaximum=True), 1, 2, 5, 4),
    "float-range": _case(_number(minimum=0.5, maximum=1.5), 0.4, 0.5, 1, 2, 1.6, 0),
    "open-floats": _case(_number(minimum=0.5, exclusiveMinimum=True), 0.5, 0.6),
    "multiple": _case(_integer(multipleOf=3), 3, 4, 0, -6),
    "fraction": _case(_number(multipleOf=0.1), 0.3, 0.35, 1, 1e-5),
    "odd-multiple": _case(_integer(multipleOf=0.5), 1, 2),
    "int32": _case(_integer(format="int32"), 2147483647, 2147483648, -2147483649, 1.5),
    "int64": _case(_integer(format="int64"), 1, 9223372036854775807, 1e19, "x"),
    "float": _case(_number(format="float"), 1.5, 1e39, 1, "x"),
    "double": _case(_number(format="double"), 1e300, 2),
    "big-maximum": _case(_integer(maximum=1e20), 1),
    "int32-bounds": _case(_integer(format="int32", maximum=3000000000), 1, 3000000001),
    "enum": _case(_text(enum=["a", "b"]), "a", "c", None, 1),
    "number-enum": _case(_number(enum=[1, 2.5]), 1, 2.5, 1.0, 3, 1.5),
    "integer-enum": _case(_integer(enum=[1, 2]), 1, 3),
    "object-enum": _case({"type": "object", "enum": [{"a": 1}], "properties": {"a": _integer()}}, {"a": 1}, {"a": 2}),
    "mixed-enum": _case({**_FREE, "enum": [1, "a", True, None, 1.5]}, 1, "a", True, False, 97, 1.5, "z"),
    "items": _case(_list(_integer(), minItems=1, maxItems=2), [], [1], [1, 2, 3], ["a", 1], [None]),
    "one-item": _case(_list(_integer(), maxItems=1), [1, 2]),
    "nested-items": _case(_list(_list(_text(maxLength=1))), [["ab", "c"], ["de"]]),
    "map": _case(
        {"type": "object", "additionalProperties": _integer(minimum=1), "minProperties": 1, "maxProperties": 2},
        {},
        {"a": 1},
        {"a": 0},
        {"a": 1, "b": 2, "c": 3},
        {"a.b": 0},
        {"a": None},
    ),
    "free-map": _case({"type": "object", "additionalProperties": True}, {"a": 1}, {"a": {"b": 1}}, {"a": [{"b": 1}]}),
    "closed-map": _case({"type": "object", "additionalProperties": False}, {}, {"a": 1}),
    "one-property": _case({"type": "object", "additionalProperties": _text(), "maxProperties": 1}, {"a": "", "b": ""}),
    "required": _case({**_AB, "required": ["a", "b"]}, {}, {"a": "x"}, {"a": "x", "b": 1}, {"a": None, "b": 1}),
    "unknown": _case(_AB, {"x": 1}, {"a": "1", "x": {"y": 2}}, {"a": {"z": 1}}),
    "unknown-items": _case(_list(_AB), [{"x": 1}, {"a": "", "y": 1}], [1]),
    "free": _case(_FREE, 1, "a", {"a": {"b": [1, {"c": None}]}}, [1, [2]]),
    "free-object": _case(
        {**_FREE, "type": "object", "properties": {"a": _object(b=_text()), "n": _text()}},
        {"x": 1, "a": {"y": 1, "b": "z"}},
        {"n": None, "m": None},
    ),
    "free-list": _case({**_FREE, "type": "array", "items": _object(a=_object(b=_text()))}, [{"x": 1, "a": {"y": 1}}]),
    "int-or-string": _case(_INT_OR_STRING, 1, "1", 1.5, True, {}, 2.0),
    "int-or-string-any": _case(
        {**_INT_OR_STRING, "anyOf": [{"type": "integer"}, {"type": "string"}], "pattern": "^a"}, 1, "a", "b", True
    ),
    "int-or-string-all": _case(
        {**_INT_OR_STRING, "allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"maximum": 5}]},
        1,
        "a",
        6,
        [],
    ),
    "any-of": _case({**_AB, "anyOf": _any("a", "b")}, {}, {"a": "x"}, {"b": 1}, {"c": "y"}),
    "any-values": _case(
        {**_AB, "anyOf": [{"properties": {"a": {"minLength": 2}, "b": {"minimum": 2}}}, {"required": ["c"]}]},
        {"a": "x", "b": 1},
        {"a": "xx", "b": 1},
        {"a": "x", "b": 2},
        {"c": "z"},
    ),
    "one-of": _case({**_AB, "oneOf": _any("a", "b")}, {}, {"a": "x"}, {"a": "x", "b": 1}),
    "one-of-three": _case({**_AB, "oneOf": _any("a", "b", "c")}, {"a": "x", "b": 1, "c": ""}, {"c": ""}),
    "all-of": _case({**_AB, "allOf": _any("a", "b")}, {}, {"a": "x"}, {"a": "x", "b": 1}),
    "not": _case({**_AB, "not": {"required": ["a"]}}, {}, {"a": "x"}),
    "not-enum": _case(_text(**{"not": {"enum": ["a"]}}), "a", "b"),
    "any-text": _case(
        _text(anyOf=[{"maxLength": 1}, {"pattern": "^x"}, {"enum": ["long"]}]), "a", "xyz", "long", "other"
    ),
    "nested-of": _case(
        _text(allOf=[{"anyOf": [{"maxLength": 1}, {"minLength": 5}]}, {"not": {"pattern": "b"}}]),
        "a",
        "abc",
        "aaaaa",
        "b",
    ),
    "any-numbers": _case(_number(anyOf=[{"maximum": 1}, {"minimum": 5, "multipleOf": 2}]), 1, 3, 6, 7),
    "any-items": _case(_list(_integer(), anyOf=[{"maxItems": 1}, {"items": {"minimum": 3}}]), [1], [3, 4], [1, 2]),
    "set": _case(
        _list(_text(), **{"x-kubernetes-list-type": "set"}), ["a", "b"], ["a", "a"], ["a", "b", "a", "a", "b"]
    ),
    "object-set": _case(
        _list({**_AB, "x-kubernetes-map-type": "atomic"}, **{"x-kubernetes-list-type": "set"}),
        [{"a": "x"}, {"a": "x"}],
        [{"a": "x"}, {"a": "y"}],
    ),
    "number-set": _case(_list(_number(), **{"x-kubernetes-list-type": "set"}), [1, 1.0], [1, 1], [1.5, 1.5]),
    "map-list": _case(
        _list(
            {**_object(name=_text(), v=_integer()), "required": ["name"]},
            **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]},
        ),
        [{"name": "a"}, {"name": "b"}],
        [{"name": "a"}, {"name": "a", "v": 1}],
        [{"v": 1}, {"v": 2}],
        [{"name": "a"}, {"name": "a"}, {"name": "a"}],
    ),
    "two-keys": _case(
        _list(
            {**_object(port=_integer(), protocol=_text(default="TCP")), "required": ["port"]},
            **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"]},
        ),
        [{"port": 1}, {"port": 1, "protocol": "UDP"}],
        [{"port": 1}, {"port": 1, "protocol": "TCP"}],
    ),
    "deep-lists": _case(
        {"type": "object", "additionalProperties": _list(_text(), **{"x-kubernetes-list-type": "set"})},
        {"k": ["a", "a"]},
    ),
    "defaults": _case(
        _object(
            a=_text(default="x"),
            n=_text(default="y", nullable=True),
            o={**_object(p=_integer(default=1), q=_text()), "default": {"q": "r"}},
            items=_list(_object(d={"type": "boolean", "default": False})),
            m={"type": "object", "additionalProperties": _object(e=_text(default="f"))},
        ),
        {},
        {"a": None, "n": None},
        {"o": {}, "items": [{}, {"d": True}], "m": {"k": {}}},
        {"o": None, "items": []},
    ),
    "null-items": _case(_list(_text(nullable=True)), [None, "a"]),
    "null-default-items": _case(_list(_object(a=_text(default="z"))), [None], [{}]),
    "nulls": _case(_object(a=_text(), o=_object(b=_text()), f=_FREE), {"a": None, "o": {"b": None}, "f": None}),
    "null-map": _case({"type": "object", "additionalProperties": _text()}, {"a": None, "b": "x"}),
    "format-of-number": _case(_text(format="date-time"), 5, True, {}, []),
    "format-alone": _case({**_FREE, "format": "date"}, "2024-01-01", "x", 5),
    "embedded": _case(
        _EMBEDDED,
        _TYPED,
        {},
        {"apiVersion": "a/b/c", "kind": "Pod"},
        {"apiVersion": "v1", "kind": "1pod"},
        {"apiVersion": "", "kind": ""},
        {**_TYPED, "metadata": {"name": "a/b"}},
        {**_TYPED, "metadata": {"name": "x", "unknown": 1, "labels": {"a": "b"}}, "spec": {"x": 1}},
        {**_TYPED, "metadata": {"labels": {"-a": "b", "ok": "-"}}},
        {**_TYPED, "metadata": {"namespace": "A"}},
        {**_TYPED, "metadata": {"finalizers": ["x y"], "annotations": {"a b": "c"}}},
        {**_TYPED, "metadata": {"name": "", "labels": {}, "creationTimestamp": None}},
    ),
    "embedded-known": _case(
        {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "properties": {"spec": _object(a=_text())},
        },
        {**_TYPED, "spec": {"a": "x", "b": 1}, "status": {}},
    ),
    "title": _case({**_text(), "title": "T", "description": "D", "example": "E"}, "a", 1),
    "dotted.name": _case(_object(**{"a.b": _integer()}), {"a.b": "x"}, {"c.d": 1}),
    "escaped": _case(_text(maxLength=2, enum=['"', "<>"]), '"', "<a>", "é\t"),
    **{f"format-{name}": _case(_text(format=name), *values) for name, values in _FORMATS.items()},
}


def _ruled(schema: Json, *rules: Json) -> Json:
    return {**schema, "x-kubernetes-validations": [{"rule": rule} if isinstance(rule, str) else rule for rule in rules]}


# Under a CRD of their own: where a schema has rules anywhere, other faults say that rules were not checked.
RULE_VALUES: dict[str, Json] = {
    "positive": _case(_ruled(_integer(), "self > 0"), 1, 0, "x"),
    "message": _case(_ruled(_text(), {"rule": "self.size() < 3", "message": "too long"}), "ab", "abc"),
    "expression": _case(
        _ruled(
            _text(),
            {"rule": "self == 'a'", "messageExpression": "'not a but ' + self", "reason": "FieldValueForbidden"},
        ),
        "a",
        "b",
    ),
    "field": _case(
        _ruled(
            _object(a=_integer(), b=_integer()),
            {"rule": "self.a <= self.b", "fieldPath": ".a", "reason": "FieldValueRequired"},
        ),
        {"a": 1, "b": 2},
        {"a": 3, "b": 2},
        {"a": 3},
    ),
    "items": _case(_list(_ruled(_text(maxLength=5), "self.startsWith('x')"), maxItems=5), ["x"], ["x", "y", "z"]),
    "values": _case(
        {"type": "object", "additionalProperties": _ruled(_integer(), "self % 2 == 0"), "maxProperties": 5},
        {"a": 1, "b": 2},
    ),
    "all": _case(_ruled(_list(_integer(), maxItems=9), "self.all(x, x < 5)", "self.exists(x, x == 1)"), [1], [7], []),
    "limited": _case(_ruled(_text(maxLength=2, enum=["a", "b"]), "self != 'b'"), "a", "b", "abc", "c"),
    "optional": _case(_ruled(_object(a=_text(), b=_text()), "has(self.a) || has(self.b)"), {}, {"a": ""}),
    "either": _case(_ruled(_INT_OR_STRING, "type(self) == int ? self < 5 : self == 'x'"), 1, 9, "x", "y"),
    "formats": _case(
        _ruled(_text(format="date-time"), "self.getFullYear() > 2000"), "2024-01-01T00:00:00Z", "1999-01-01T00:00:00Z"
    ),
    "raises": _case(_ruled(_list(_integer(), maxItems=3), "self[0] == 1"), [1], []),
    "transition": _case(_ruled(_integer(), "self >= oldSelf"), 1),
}

_KEYED = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}


def _update(before: Json, schema: Json, *, old: Json, bad: Json, values: list[Json]) -> Json:
    return {"before": before, "schema": schema, "old": old, "bad": bad, "values": values}


UPDATED_VALUES: dict[str, Json] = {
    "field": _update(
        _object(a=_text(), b=_text()),
        _object(a=_text(maxLength=1), b=_text(maxLength=1)),
        old={"a": "long", "b": "x"},
        bad={"a": "long"},
        values=[
            {"a": "long", "b": "y"},
            {"a": "longer", "b": "x"},
            {"a": "long", "b": "long"},
            {"a": "long", "b": "x"},
            {"b": "x"},
        ],
    ),
    "nested": _update(
        _object(o=_object(a=_text(), b=_text()), c=_text()),
        _object(o={**_object(a=_text(pattern="^x"), b=_text()), "required": ["b"]}, c=_text()),
        old={"o": {"a": "y"}, "c": "1"},
        bad={"o": {"a": "y"}},
        values=[{"o": {"a": "y"}, "c": "2"}, {"o": {"a": "z"}}, {"o": {"a": "y", "b": "1"}}, {"o": {"a": "x"}}],
    ),
    "list": _update(
        _object(l=_list(_text()), c=_text()),
        _object(l=_list(_text(maxLength=1)), c=_text()),
        old={"l": ["long"], "c": "1"},
        bad={"l": ["long"]},
        values=[{"l": ["long"], "c": "2"}, {"l": ["long", "a"]}, {"l": ["a", "long"]}],
    ),
    "keyed": _update(
        _object(l=_list({**_object(k=_text(), v=_text(), w=_text()), "required": ["k"]}, **_KEYED)),
        _object(l=_list({**_object(k=_text(), v=_text(maxLength=1), w=_text()), "required": ["k"]}, **_KEYED)),
        old={"l": [{"k": "a", "v": "long"}, {"k": "b", "v": "long"}]},
        bad={"l": [{"k": "a", "v": "long"}]},
        values=[
            {"l": [{"k": "b", "v": "long"}, {"k": "a", "v": "long"}]},
            {"l": [{"k": "b", "v": "long", "w": "1"}, {"k": "c", "v": "long"}]},
            {"l": [{"k": "a", "v": "longer"}]},
        ],
    ),
    "map": _update(
        _object(m={"type": "object", "additionalProperties": _text()}),
        _object(m={"type": "object", "additionalProperties": _text(maxLength=1), "maxProperties": 1}),
        old={"m": {"a": "long", "b": "x"}},
        bad={"m": {"a": "long"}},
        values=[
            {"m": {"a": "long", "b": "x"}},
            {"m": {"a": "long"}},
            {"m": {"a": "long", "c": "x"}},
            {"m": {"z": "long"}},
        ],
    ),
    "any-of": _update(
        _object(o=_object(a=_text(), b=_text()), c=_text()),
        _object(o={**_object(a=_text(), b=_text()), "anyOf": [{"properties": {"a": {"maxLength": 1}}}]}, c=_text()),
        old={"o": {"a": "long"}},
        bad={"o": {"a": "long"}},
        values=[{"o": {"a": "long"}, "c": "x"}, {"o": {"a": "long", "b": "x"}}],
    ),
    "set": _update(
        _object(l=_list(_text()), c=_text(), d=_text()),
        _object(l=_list(_text(), **{"x-kubernetes-list-type": "set"}), c=_text(), d=_text(maxLength=1)),
        old={"l": ["a", "a"]},
        bad={"l": ["a", "a"]},
        values=[{"l": ["a", "a"], "c": "x"}, {"l": ["a", "a", "a"]}, {"l": ["b", "b"], "d": "long"}],
    ),
    "required": _update(
        _object(a=_text(), b=_text()),
        {**_object(a=_text(), b=_text()), "required": ["b"]},
        old={"a": "x"},
        bad={"a": "x"},
        values=[{"a": "x"}, {"a": "y"}, {"b": "z"}],
    ),
    "rule": _update(
        _object(a=_text(), n=_integer(), o=_object(p=_integer(), q=_integer())),
        _object(
            a=_ruled(_text(), "self.size() < 2"),
            n=_ruled(_integer(), "self >= oldSelf"),
            o=_ruled(_object(p=_integer(), q=_integer()), "self.p < 5"),
        ),
        old={"a": "long", "n": 3, "o": {"p": 9}},
        bad={"a": "long"},
        values=[
            {"a": "long", "n": 3, "o": {"p": 9}},
            {"a": "longer", "n": 4, "o": {"p": 9}},
            {"a": "long", "n": 2, "o": {"p": 9, "q": 1}},
            {"a": "x", "o": {"p": 1}},
        ],
    ),
}
