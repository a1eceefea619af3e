"""Custom resources: CEL rules at work, on creates and on updates."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import CRDS, crd, custom, custom_path, of_spec

case = Cases("custom rule")
SHORT = {"type": "string", "maxLength": 20}
WHOLE = {"type": "integer"}


def _rule(rule: str, **more: Any) -> dict[str, Any]:
    return {"x-kubernetes-validations": [{"rule": rule, **more}]}


def _kind(script: Script, plural: str, /, **properties: Any) -> str:
    script.given(crd(plural, of_spec(**properties)))
    return custom_path(plural)


@case("broken, in words of the server and of the author")
def _(s: Script) -> None:
    path = _kind(
        s,
        "rulewords",
        a={**WHOLE, **_rule("self > 1")},
        b={**WHOLE, **_rule("self > 1", message="must be more than one")},
        c={**SHORT, **_rule("self == 'a'", messageExpression="'not a: ' + self")},
        d={**SHORT, **_rule("self == 'a'", message="plain", messageExpression="self.substring(5)")},
        e={**SHORT, **_rule("self != ''", messageExpression="self")},
        f={**WHOLE, **_rule("self > 1", messageExpression="'a\\nb'")},
    )
    for field, value in (("a", 1), ("b", 1), ("c", "b"), ("d", "b"), ("d", "b" * 9), ("e", ""), ("f", 0), ("a", 2)):
        s.post(path, custom("rulewords", "x", spec={field: value}), dryRun="All")


@case("broken, with a reason and a place")
def _(s: Script) -> None:
    inner = {"type": "object", "properties": {"b": SHORT, "c-d": SHORT}}
    thing = {"type": "object", "properties": {"a": inner, "n": WHOLE}}
    path = _kind(
        s,
        "reasons",
        forbidden={**thing, **_rule("self.n > 1", reason="FieldValueForbidden")},
        required={**thing, **_rule("has(self.a)", reason="FieldValueRequired", fieldPath=".a.b")},
        duplicate={**thing, **_rule("self.n > 1", reason="FieldValueDuplicate", fieldPath=".n", message="twice")},
        invalid={**thing, **_rule("self.n > 1", reason="FieldValueInvalid", fieldPath=".a['c-d']")},
    )
    for field in ("forbidden", "required", "duplicate", "invalid"):
        s.post(path, custom("reasons", "x", spec={field: {"n": 1}}), dryRun="All")


@case("that fail by an error")
def _(s: Script) -> None:
    path = _kind(
        s,
        "rulefaults",
        div={**WHOLE, **_rule("10 / self > 1")},
        key={"type": "object", "additionalProperties": SHORT, **_rule("self['a'] == 'x'")},
        item={"type": "array", "items": SHORT, "maxItems": 5, **_rule("self[0] == 'x'")},
        number={**SHORT, **_rule("int(self) > 1")},
        absent={"type": "object", "properties": {"a": SHORT}, **_rule("self.a == 'x'")},
        quantity={**SHORT, **_rule("quantity(self).isGreaterThan(quantity('1Ki'))")},
        pattern={**SHORT, **_rule("'x'.matches(self)")},
        large={**WHOLE, **_rule("self + 9223372036854775807 > 0")},
    )
    for field, value in (
        ("div", 0), ("key", {"b": "x"}), ("item", []), ("number", "x"), ("absent", {}), ("quantity", "much"),
        ("pattern", "["), ("large", 1),
    ):  # fmt: skip
        s.post(path, custom("rulefaults", "x", spec={field: value}), dryRun="All")


@case("in lists and maps")
def _(s: Script) -> None:
    entry = {"type": "object", "properties": {"n": WHOLE}, **_rule("self.n > 1", fieldPath=".n")}
    path = _kind(
        s,
        "rulelists",
        list={"type": "array", "items": entry, "maxItems": 5},
        map={"type": "object", "additionalProperties": entry, "maxProperties": 5},
        all={"type": "array", "items": WHOLE, "maxItems": 5, **_rule("self.all(x, x > 1)")},
    )
    s.post(path, custom("rulelists", "x", spec={"list": [{"n": 2}, {"n": 1}, {"n": 0}]}), dryRun="All")
    s.post(path, custom("rulelists", "x", spec={"map": {"a": {"n": 1}}}), dryRun="All")
    s.post(path, custom("rulelists", "x", spec={"all": [1, 2]}), dryRun="All")


@case("over the whole object and its metadata")
def _(s: Script) -> None:
    schema = {**of_spec(a=SHORT), **_rule("self.metadata.name.startsWith(self.spec.a)", message="name it after a")}
    schema["required"] = ["spec"]
    s.given(crd("wholes", schema))
    path = custom_path("wholes")
    s.post(path, custom("wholes", "abc", spec={"a": "a"}))
    s.post(path, custom("wholes", "abd", spec={"a": "b"}))
    s.post(path, custom("wholes", "abe", spec={}))
    s.post(path, custom("wholes", "abf"))
    s.patch(f"{path}/abc", {"spec": {"a": "x"}})


@case("beside faults of the schema")
def _(s: Script) -> None:
    path = _kind(s, "besides", a={**SHORT, **_rule("self != 'x'")}, n={**WHOLE, "minimum": 3})
    s.post(path, custom("besides", "x", spec={"a": "x", "n": 1}))
    s.post(path, custom("besides", "x", spec={"a": "x", "n": "1"}))


@case("of transition")
def _(s: Script) -> None:
    path = _kind(
        s,
        "moves",
        fixed={**SHORT, **_rule("self == oldSelf", message="is fixed")},
        up={**WHOLE, **_rule("self >= oldSelf")},
        once={**SHORT, **_rule("!oldSelf.hasValue() || self == oldSelf.value()", optionalOldSelf=True)},
        first={**SHORT, **_rule("oldSelf.hasValue() || self == 'new'", optionalOldSelf=True)},
    )
    s.post(path, custom("moves", "a", spec={"fixed": "x", "up": 2}))
    s.patch(f"{path}/a", {"spec": {"fixed": "y"}})
    s.patch(f"{path}/a", {"spec": {"up": 1}})
    s.patch(f"{path}/a", {"spec": {"up": 3}})
    s.patch(f"{path}/a", {"spec": {"fixed": None}})
    s.patch(f"{path}/a", {"spec": {"fixed": "z"}})
    s.patch(f"{path}/a", {"spec": {"once": "x"}})
    s.patch(f"{path}/a", {"spec": {"once": "y"}})
    s.patch(f"{path}/a", {"spec": {"first": "old"}})
    s.patch(f"{path}/a", {"spec": {"first": "new"}})
    s.patch(f"{path}/a", {"spec": {"first": "old"}})
    s.post(path, custom("moves", "b", spec={"first": "old"}))


@case("of transition in a list by keys")
def _(s: Script) -> None:
    entry = {
        "type": "object",
        "properties": {"k": SHORT, "v": {**WHOLE, **_rule("self >= oldSelf")}},
        "required": ["k"],
    }
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}
    path = _kind(s, "keyeds", l={"type": "array", "items": entry, "maxItems": 9, **keyed})
    s.post(path, custom("keyeds", "a", spec={"l": [{"k": "a", "v": 2}, {"k": "b", "v": 2}]}))
    s.patch(f"{path}/a", {"spec": {"l": [{"k": "b", "v": 3}, {"k": "a", "v": 1}]}})
    s.patch(f"{path}/a", {"spec": {"l": [{"k": "c", "v": 0}, {"k": "a", "v": 2}]}})
    s.apply(f"{path}/a", custom("keyeds", "a", spec={"l": [{"k": "a", "v": 1}]}), force="true")


@case("that what is stored breaks already")
def _(s: Script) -> None:
    numbers = {"type": "array", "items": SHORT, "maxItems": 5}
    path = _kind(s, "ratchets", a=SHORT, b=SHORT, l=numbers)
    at = f"{CRDS}/ratchets.ratchets.example.com"
    s.post(path, custom("ratchets", "a", spec={"a": "wrong", "b": "x"}))
    s.post(path, custom("ratchets", "b", spec={"l": ["wrong"]}))
    strict = of_spec(
        a={**SHORT, **_rule("self == 'right'")},
        b={"type": "string", "maxLength": 1, "default": "d"},
        l={**numbers, "items": {**SHORT, **_rule("self == 'right'")}},
        c={**SHORT, "default": "new"},
    )
    s.patch(at, [{"op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema", "value": strict}], kind="json")
    s.until(f"{path}/a", holding='"c":"new"')
    s.patch(f"{path}/a", {"spec": {"c": "y"}})
    s.patch(f"{path}/a", {"spec": {"a": "also wrong"}})
    s.patch(f"{path}/b", {"spec": {"l": ["wrong", "right"]}})
    s.patch(f"{path}/b", {"spec": {"l": ["wrong", "worse"]}})
    s.patch(f"{path}/a", {"spec": {"b": "xy"}})
    s.patch(f"{path}/a", {"spec": {"a": "right"}})
    # The warnings of a first try on what the real server's watch cache holds stay in the answer, though it is tried
    # again on what is stored. A consistent list waits until the cache has caught up.
    s.get(path)
    s.patch(f"{path}/a", {"spec": {"a": "wrong"}})


@case("on the status alone")
def _(s: Script) -> None:
    schema = of_spec(a={**SHORT, **_rule("self != 'x'")})
    schema["properties"]["status"] = {"type": "object", "properties": {"n": {**WHOLE, **_rule("self >= oldSelf")}}}
    s.given(crd("staterules", schema, subresources={"status": {}}))
    path = custom_path("staterules")
    s.post(path, custom("staterules", "a", spec={"a": "y"}))
    s.patch(f"{path}/a/status", {"status": {"n": 2}})
    s.patch(f"{path}/a/status", {"status": {"n": 1}})
    s.patch(f"{path}/a/status", {"spec": {"a": "x"}})


@case("by Kubernetes' own functions")
def _(s: Script) -> None:
    path = _kind(
        s,
        "functions",
        q={**SHORT, **_rule("isQuantity(self) && quantity(self).compareTo(quantity('1Gi')) < 0")},
        u={**SHORT, **_rule("isURL(self) && url(self).getScheme() == 'https'")},
        i={**SHORT, **_rule("isIP(self) && ip(self).isLoopback()")},
        c={**SHORT, **_rule("isCIDR(self) && cidr(self).prefixLength() > 8")},
        s={**SHORT, **_rule("self.lowerAscii() == self && self.indexOf('b') == 2")},
        t={"type": "string", "format": "date-time", **_rule("self > timestamp('2020-01-01T00:00:00Z')")},
        d={"type": "string", "format": "duration", **_rule("self < duration('1h')")},
        f={**SHORT, **_rule("!format.dns1123Label().validate(self).hasValue()")},
        r={**SHORT, **_rule("self.find('[0-9]+') == '42'")},
        v={**SHORT, **_rule("isSemver(self) && semver(self).major() == 1")},
    )
    for field, right, wrong in (
        ("q", "1Mi", "2Gi"), ("u", "https://a", "http://a"), ("i", "127.0.0.1", "10.0.0.1"),
        ("c", "10.0.0.0/16", "10.0.0.0/8"), ("s", "a,b", "b,a"), ("t", "2024-01-01T00:00:00Z", "2019-01-01T00:00:00Z"),
        ("d", "1m", "2h"), ("f", "a-b", "A"), ("r", "x42", "x43"), ("v", "1.2.3", "2.0.0"),
    ):  # fmt: skip
        s.post(path, custom("functions", "x", spec={field: right}), dryRun="All")
        s.post(path, custom("functions", "x", spec={field: wrong}), dryRun="All")


@case("on int-or-string, null and embedded objects")
def _(s: Script) -> None:
    path = _kind(
        s,
        "oddities",
        e={"x-kubernetes-int-or-string": True, **_rule("type(self) == int ? self < 5 : self == 'five'")},
        n={**SHORT, "nullable": True, **_rule("self == 'x'")},
        o={
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
            **_rule("self.kind == 'Pod' && self.metadata.name == 'a'"),
        },
    )
    inner = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
    for field, value in (
        ("e", 4), ("e", 6), ("e", "five"), ("e", "six"), ("n", None), ("n", "y"), ("o", inner),
        ("o", {**inner, "kind": "Job"}),
    ):  # fmt: skip
        s.post(path, custom("oddities", "x", spec={field: value}), dryRun="All")


@case("several of one field")
def _(s: Script) -> None:
    rules = [{"rule": "self > 1"}, {"rule": "self > 2", "message": "two"}, {"rule": "self > 0"}]
    path = _kind(s, "severals", a={**WHOLE, "x-kubernetes-validations": rules})
    for value in (0, 1, 2, 3):
        s.post(path, custom("severals", "x", spec={"a": value}), dryRun="All")


@case("that cost much")
def _(s: Script) -> None:
    deep = {"type": "array", "items": {"type": "string", "maxLength": 200}, "maxItems": 200}
    path = _kind(s, "dears", l={**deep, **_rule("self.all(x, self.exists(y, x == y))")})
    s.post(path, custom("dears", "x", spec={"l": ["a"] * 200}), dryRun="All")
    s.post(path, custom("dears", "x", spec={"l": [f"item {n}" + "x" * 190 for n in range(200)]}), dryRun="All")
