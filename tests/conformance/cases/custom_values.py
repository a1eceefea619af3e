"""Custom resources: every word of a schema, met and broken."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import crd, custom, custom_path, of_spec

case = Cases("custom value")
TEXT = {"type": "string"}
ENTRY = {
    "type": "object",
    "properties": {"k": TEXT, "p": {"type": "integer", "default": 80}, "v": TEXT},
    "required": ["k"],
}
FORMATS = (
    "date", "date-time", "duration", "byte", "email", "hostname", "ipv4", "ipv6", "cidr", "mac", "uri", "uuid",
    "uuid3", "uuid4", "uuid5", "isbn", "isbn10", "isbn13", "creditcard", "ssn", "hexcolor", "rgbcolor", "password",
    "bsonobjectid", "k8s-short-name", "k8s-long-name",
)  # fmt: skip
PROPERTIES: dict[str, Any] = {
    "text": TEXT,
    "whole": {"type": "integer"},
    "number": {"type": "number"},
    "truth": {"type": "boolean"},
    "list": {"type": "array", "items": TEXT},
    "map": {"type": "object", "additionalProperties": {"type": "integer"}},
    "object": {"type": "object", "properties": {"a": TEXT}, "required": ["a"]},
    "few": {"type": "object", "additionalProperties": TEXT, "minProperties": 1, "maxProperties": 2},
    "least": {"type": "integer", "minimum": 3},
    "most": {"type": "number", "maximum": 2.5},
    "above": {"type": "integer", "minimum": 3, "exclusiveMinimum": True},
    "below": {"type": "integer", "maximum": 3, "exclusiveMaximum": True},
    "times": {"type": "number", "multipleOf": 0.5},
    "short": {"type": "string", "maxLength": 3},
    "long": {"type": "string", "minLength": 3},
    "pattern": {"type": "string", "pattern": "^[a-z]+$"},
    "enum": {"type": "string", "enum": ["a", "b"]},
    "wide": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
    "set": {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
    "byKey": {
        "type": "array",
        "items": ENTRY,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k", "p"],
    },
    "all": {"type": "integer", "allOf": [{"minimum": 2}, {"maximum": 4}]},
    "any": {"type": "integer", "anyOf": [{"minimum": 10}, {"maximum": 4}]},
    "one": {"type": "integer", "oneOf": [{"minimum": 2}, {"maximum": 4}]},
    "not": {"type": "string", "not": {"enum": ["x"]}},
    "either": {"x-kubernetes-int-or-string": True},
    "maybe": {"type": "string", "nullable": True},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "float": {"type": "number", "format": "float"},
    "anything": {"x-kubernetes-preserve-unknown-fields": True},
    "inner": {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
    **{f"is-{each}": {"type": "string", "format": each} for each in FORMATS},
}
PATH = custom_path("values")


def _tried(s: Script, name: str, *values: Any) -> None:
    """Try values for one field of the spec, by dry runs."""
    s.given(crd("values", of_spec(**PROPERTIES)))
    for value in values:
        s.post(PATH, custom("values", "a", spec={name: value}), dryRun="All")


def _add(title: str, name: str, *values: Any) -> None:
    @case(title)
    def _(s: Script) -> None:
        _tried(s, name, *values)


_add("a text", "text", "", "ok", 1, True, None, [], {})
_add("a whole number", "whole", 0, -3, 3.0, 3.5, "3", True, None, 9223372036854775807)
_add("a whole number that is too large", "whole", 9223372036854775808, 1e30)
_add("a number", "number", 1, 1.5, -0.0, 1e300, "1", False)
_add("a truth", "truth", True, False, "true", 0)
_add("a list", "list", [], ["a"], "a", {"a": 1}, ["a", 1], [None])
_add("a map", "map", {}, {"a": 1}, {"a": "1"}, [], {"a": None}, {"": 1})
_add("an object with a required field", "object", {"a": "x"}, {}, {"b": 1}, "x", {"a": None})
_add("the number of properties", "few", {}, {"a": "1"}, {"a": "1", "b": "2", "c": "3"})
_add("a minimum", "least", 3, 2)
_add("a maximum", "most", 2.5, 2.6, 3)
_add("an exclusive minimum", "above", 4, 3)
_add("an exclusive maximum", "below", 2, 3)
_add("a multiple", "times", 1.5, 0, 1.3)
_add("a maximal length", "short", "abc", "abcd", "äöü", "äöüß", "😀😀😀")
_add("a minimal length", "long", "abc", "ab", "")
_add("a pattern", "pattern", "abc", "Abc", "")
_add("an enum", "enum", "a", "c", 1)
_add("the number of items", "wide", [1], [], [1, 2, 3])
_add("a set", "set", ["a", "b"], ["a", "b", "a"], ["a", "a", "a"])
_add("a list by keys", "byKey", [{"k": "a"}, {"k": "a", "p": 81}], [{"k": "a"}, {"k": "a", "p": 80}], [{"p": 1}])
_add("all of", "all", 3, 1)
_add("any of", "any", 3, 7, 11)
_add("one of", "one", 1, 3, 5)
_add("not", "not", "y", "x")
_add("int or string", "either", 1, "1", 1.5, True, None, [1])
_add("null where it is allowed", "maybe", None, "x", 1)
_add("int32", "int32", 2147483647, 2147483648, -2147483649)
_add("int64", "int64", 9223372036854775807, 1.5)
_add("float", "float", 3.4e38, 3.5e38)
_add("anything", "anything", None, 1, {"a": [{"b": None}]}, "x")
_add(
    "an embedded resource",
    "inner",
    {"apiVersion": "v1", "kind": "Pod"},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"x": "y"}, "more": 1}, "spec": {"x": 1}},
    {"kind": "Pod"},
    {"apiVersion": "v1"},
    {"apiVersion": "a/b/c", "kind": "Pod"},
    {"apiVersion": "v1", "kind": "not a kind"},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "A_B"}},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": 1}}},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"-": "x"}}},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"creationTimestamp": "yesterday"}},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"deletionTimestamp": "2024-01-01T02:00:00.5+02:00"}},
    {"apiVersion": "v1", "kind": "Pod", "metadata": "x"},
)
_add("a date", "is-date", "2024-02-29", "2023-02-29", "24-1-1")
_add("a date and time", "is-date-time", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.5+02:00", "2024-01-01", "24:00")
_add("a duration", "is-duration", "1h30m", "1.5s", "3 weeks", "1 fortnight", "-1s", "")
_add("bytes", "is-byte", "YWJj", "YWJ", "not base64!", "")
_add("an e-mail address", "is-email", "a@example.com", "a@", "A <a@example.com>")
_add("a host name", "is-hostname", "example.com", "a_b", "-a.example.com", "a" * 64, "EXAMPLE.com.")
_add("an IPv4 address", "is-ipv4", "10.0.0.1", "10.0.0.256", "010.0.0.1", "::1")
_add("an IPv6 address", "is-ipv6", "::1", "10.0.0.1", "fe80::1%eth0", "::ffff:10.0.0.1")
_add("a network", "is-cidr", "10.0.0.0/8", "10.0.0.0/33", "10.0.0.0", "fd00::/64")
_add("a MAC address", "is-mac", "01:23:45:67:89:ab", "01-23-45-67-89-ab", "0123.4567.89ab", "01:23:45")
_add("a URI", "is-uri", "https://example.com/a?b#c", "/relative", "relative", "http://[::1", "")
_add("UUIDs", "is-uuid", "8f1e7c1e-0000-4000-8000-000000000000", "8f1e7c1e000040008000000000000000", "8f1e")
_add("UUIDs of version 3", "is-uuid3", "8f1e7c1e-0000-3000-8000-000000000000", "8f1e7c1e-0000-4000-8000-000000000000")
_add("UUIDs of version 4", "is-uuid4", "8f1e7c1e-0000-4000-8000-000000000000", "8f1e7c1e-0000-4000-7000-000000000000")
_add("UUIDs of version 5", "is-uuid5", "8f1e7c1e-0000-5000-8000-000000000000", "8f1e7c1e-0000-4000-8000-000000000000")
_add("ISBNs", "is-isbn", "978-3-16-148410-0", "3-16-148410-X", "1234")
_add("ISBNs of ten digits", "is-isbn10", "316148410X", "3161484100")
_add("ISBNs of thirteen digits", "is-isbn13", "9783161484100", "9783161484101")
_add("credit cards", "is-creditcard", "4111111111111111", "4111 1111 1111 1112")
_add("social security numbers", "is-ssn", "111-22-3333", "1112-2-3333")
_add("colours", "is-hexcolor", "#fff", "#ffffff", "fff", "#ggg")
_add("colours by numbers", "is-rgbcolor", "rgb(1,2,3)", "rgb(256,0,0)", "1,2,3")
_add("BSON ids", "is-bsonobjectid", "507f1f77bcf86cd799439011", "507f")
_add("passwords", "is-password", "anything at all", "")
_add("short names", "is-k8s-short-name", "a-b", "a.b", "A")
_add("long names", "is-k8s-long-name", "a-b.c", "a_b", "a" * 254)


@case("several faults of one list")
def _(s: Script) -> None:
    _tried(s, "byKey", [{"k": "a"}, {"k": "a"}, {"p": 1}, {"k": 1}])
    _tried(s, "wide", ["a", 1, "b"])


@case("a spec that is no object")
def _(s: Script) -> None:
    s.given(crd("values", of_spec(**PROPERTIES)))
    specs: tuple[Any, ...] = ("x", [], None, 3)
    for spec in specs:
        s.post(PATH, custom("values", "a", spec=spec), dryRun="All")


@case("a fault in an update")
def _(s: Script) -> None:
    s.given(crd("values", of_spec(**PROPERTIES)))
    s.post(PATH, custom("values", "a", spec={"least": 3}))
    s.patch(f"{PATH}/a", {"spec": {"least": 2}})
    s.patch(f"{PATH}/a", [{"op": "add", "path": "/spec/short", "value": "four"}], kind="json")
    s.patch(f"{PATH}/a", {"spec": {"set": ["a", "a"]}})
    s.put(f"{PATH}/a", custom("values", "a", spec={"least": 1}))
    s.apply(f"{PATH}/a", custom("values", "a", spec={"enum": "z"}))
    s.get(f"{PATH}/a")
