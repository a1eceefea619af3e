"""New CRDs: CEL rules that compile, do not compile, or cost too much."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import CRDS, crd, of_spec

case = Cases("CRD rules")
TEXT = {"type": "string"}
SHORT = {"type": "string", "maxLength": 10}


def _rule(rule: str, **more: Any) -> dict[str, Any]:
    return {"x-kubernetes-validations": [{"rule": rule, **more}]}


def _asked(s: Script, schema: dict[str, Any]) -> None:
    s.post(CRDS, crd("rules", schema), dryRun="All")


def _field(s: Script, *fields: dict[str, Any]) -> None:
    for each in fields:
        _asked(s, of_spec(x=each))


@case("that are taken")
def _(s: Script) -> None:
    _field(
        s,
        {**SHORT, **_rule("self.startsWith('a')", message="must begin with a")},
        {"type": "integer", **_rule("self >= oldSelf", reason="FieldValueForbidden")},
        {"type": "object", "properties": {"a": SHORT}, **_rule("has(self.a)", fieldPath=".a")},
        {"type": "boolean", **_rule("self || !self", messageExpression="'it is ' + string(self)")},
    )


@case("that are empty")
def _(s: Script) -> None:
    _field(s, {**TEXT, **_rule("")}, {**TEXT, **_rule("   ")}, {**TEXT, "x-kubernetes-validations": [{}]})
    _field(s, {**TEXT, "x-kubernetes-validations": []})


@case("that break the grammar")
def _(s: Script) -> None:
    for rule in ("self ==", "self..a", "(self == 'a'", "self === 'a'", "'a", "self == 'a' &&& true", "1 +* 2 == 3"):
        _field(s, {**TEXT, **_rule(rule)})


@case("that name what is not there")
def _(s: Script) -> None:
    thing = {"type": "object", "properties": {"a": SHORT}}
    for rule in ("self.b == 'x'", "other == 1", "self.a.b", "nothing(self)", "self.a.nothing()", "has(self.zzz)"):
        _field(s, {**thing, **_rule(rule)})


@case("of the wrong types")
def _(s: Script) -> None:
    thing = {"type": "object", "properties": {"a": SHORT, "n": {"type": "integer"}}}
    for rule in ("self.a == 1", "self.n + 'x' == 'y'", "self.n.size() > 0", "self.a && true", "self.n > 1.5", "self.a"):
        _field(s, {**thing, **_rule(rule)})


@case("that give no truth")
def _(s: Script) -> None:
    _field(s, {**TEXT, **_rule("self")}, {**TEXT, **_rule("size(self)")}, {**TEXT, **_rule("[self]")})


@case("with messages that are none")
def _(s: Script) -> None:
    _field(s, {**TEXT, **_rule("true", message="")}, {**TEXT, **_rule("true", message="  ")})
    _field(s, {**TEXT, **_rule("true", message="a\nb")})
    _field(s, {**TEXT, **_rule("self\n== 'a'")})
    _field(s, {**TEXT, **_rule("self\n== 'a'", message="must be a")})


@case("with message expressions that are none")
def _(s: Script) -> None:
    for expression in ("", "1", "self +", "self.nope", "size(self)"):
        _field(s, {**SHORT, **_rule("true", messageExpression=expression)})


@case("with reasons known and unknown")
def _(s: Script) -> None:
    for reason in ("FieldValueInvalid", "FieldValueRequired", "FieldValueDuplicate", "FieldValueWeird", ""):
        _field(s, {**SHORT, **_rule("true", reason=reason)})


@case("with field paths")
def _(s: Script) -> None:
    entry = {"type": "object", "properties": {"b": SHORT, "b-c": SHORT}}
    thing = {
        "type": "object",
        "properties": {"a": entry, "l": {"type": "array", "items": entry, "maxItems": 3}, "a.b": SHORT},
    }
    for path in (".a", ".a.b", ".a['b-c']", "['a.b']", ".l", ".l[0]", ".nope", "a", ".", "", ".a.", ".a['nope']", " "):
        _field(s, {**thing, **_rule("true", fieldPath=path)})


@case("that look at the old value where it cannot be told")
def _(s: Script) -> None:
    changed = _rule("self == oldSelf")
    _field(
        s,
        {"type": "array", "items": {**SHORT, **changed}},
        {"type": "array", "items": SHORT, "x-kubernetes-list-type": "set", **changed},
        {"type": "array", "items": {**SHORT, **changed}, "x-kubernetes-list-type": "set", "maxItems": 3},
        {"type": "array", "items": SHORT, "maxItems": 3, **changed},
        {"type": "object", "additionalProperties": {**SHORT, **changed}, "maxProperties": 3},
    )


@case("that look at an old value which may be missing")
def _(s: Script) -> None:
    _field(s, {**SHORT, **_rule("!oldSelf.hasValue() || oldSelf.value() == self", optionalOldSelf=True)})
    _field(s, {**SHORT, **_rule("oldSelf == self", optionalOldSelf=True)})
    _field(s, {**SHORT, **_rule("self == 'a'", optionalOldSelf=True)})
    _field(s, {**SHORT, **_rule("oldSelf.hasValue()", optionalOldSelf=False)})


@case("that cost too much")
def _(s: Script) -> None:
    _field(s, {"type": "array", "items": TEXT, **_rule("self.all(x, self.exists_one(y, x == y))")})
    _field(s, {"type": "array", "items": {"type": "array", "items": {**TEXT, **_rule("self.contains('x')")}}})
    bounded = {"type": "array", "items": SHORT, "maxItems": 10}
    _field(s, {**bounded, **_rule("self.all(x, self.exists_one(y, x == y))")})


@case("that cost too much together")
def _(s: Script) -> None:
    dear = {"type": "array", "maxItems": 1000, "items": {"type": "string", "maxLength": 1000}}
    rule = _rule("self.all(x, x.contains('something'))")
    _asked(s, of_spec(a={**dear, **rule}))
    _field(s, {"type": "array", "items": {**dear, **rule}, "maxItems": 100})


@case("at the root")
def _(s: Script) -> None:
    _asked(s, {**of_spec(a=SHORT), **_rule("self.metadata.name.startsWith('a')")})
    _asked(s, {**of_spec(a=SHORT), **_rule("self.metadata.namespace == 'x'")})
    _asked(s, {**of_spec(a=SHORT), **_rule("self.kind == 'Rule' && self.apiVersion != ''")})
    _asked(s, {**of_spec(a=SHORT), **_rule("has(self.spec) && has(self.spec.a)")})


@case("on metadata")
def _(s: Script) -> None:
    named = {"type": "object", "properties": {"name": SHORT}, **_rule("self.name != 'x'")}
    _asked(s, {"type": "object", "properties": {"metadata": named}})


@case("inside of allOf")
def _(s: Script) -> None:
    _field(s, {**SHORT, "allOf": [_rule("self != 'x'")]}, {**SHORT, "not": _rule("self != 'x'")})


@case("on what may hold anything")
def _(s: Script) -> None:
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    _field(s, {**anything, **_rule("self.a == 1")})
    _field(s, {**anything, "properties": {"a": SHORT}, **_rule("self.a == 'x'")})
    _field(s, {"x-kubernetes-preserve-unknown-fields": True, **_rule("self == self")})


@case("on int-or-string and on formats")
def _(s: Script) -> None:
    _field(s, {"x-kubernetes-int-or-string": True, **_rule("type(self) == int ? self > 1 : self != ''")})
    _field(s, {"type": "string", "format": "date-time", **_rule("self > timestamp('2020-01-01T00:00:00Z')")})
    _field(s, {"type": "string", "format": "duration", **_rule("self > duration('1s')")})
    _field(s, {"type": "string", "format": "byte", **_rule("self == b'abc'")})
    _field(s, {"type": "number", **_rule("self > 1.0 && self > 1")})


@case("with names that must be escaped")
def _(s: Script) -> None:
    odd = {"type": "object", "properties": {"if": SHORT, "a-b": SHORT, "a.b": SHORT, "namespace": SHORT, "x__y": SHORT}}
    for rule in (
        "self.__if__ == 'a'",
        "self.a__dash__b == 'a'",
        "self.a__dot__b == 'a'",
        "self.x__underscores__y == ''",
    ):
        _field(s, {**odd, **_rule(rule)})
    _field(s, {**odd, **_rule("self.namespace == 'a'")}, {**odd, **_rule("self.__namespace__ == 'a'")})
    _field(s, {**odd, **_rule("self.if == 'a'")})


@case("with Kubernetes' own functions")
def _(s: Script) -> None:
    for rule in (
        "quantity(self).isGreaterThan(quantity('1Ki'))",
        "url(self).getHost() == 'example.com'",
        "ip(self).family() == 4 && cidr('10.0.0.0/8').containsIP(self)",
        "self.find('[0-9]+') != '' && self.findAll('x', 2).size() == 0",
        "format.dns1123Label().validate(self).hasValue()",
        "semver(self).isLessThan(semver('1.2.3'))",
        "self.split(',').map(x, x.trim()).isSorted()",
        "sets.contains([self], ['a']) && math.greatest(1, 2) == 2",
        "self.matches('[')",
        "quantity(self) > 1",
    ):
        _field(s, {**SHORT, **_rule(rule)})


@case("twice the same, and many")
def _(s: Script) -> None:
    both = {"x-kubernetes-validations": [{"rule": "self != 'a'"}, {"rule": "self != 'b'"}, {"rule": "self != 'a'"}]}
    _field(s, {**SHORT, **both})
    wrong = {"x-kubernetes-validations": [{"rule": "self != 1"}, {"rule": "self !="}, {"rule": "nope"}]}
    _field(s, {**SHORT, **wrong})


@case("with two faults in one")
def _(s: Script) -> None:
    _field(s, {**SHORT, **_rule("self.nope == 1", message=" ", fieldPath=".x", reason="Strange")})
