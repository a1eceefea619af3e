"""What a MutatingAdmissionPolicy makes of a write."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import crd, custom, custom_path
from cases.policy_objects import MAPS, applying, binding, bound, constraints, labelled, mutating, patching, rule

case = Cases("mutating policies")
_ITEM = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "value": {"type": "string"}},
    "required": ["name"],
}
_SPEC = {
    "size": {"type": "integer"},
    "list": {"type": "array", "items": {"type": "string"}},
    "items": {
        "type": "array",
        "items": _ITEM,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
    },
}
CUSTOM = crd("changing", {"type": "object", "properties": {"spec": {"type": "object", "properties": _SPEC}}})


def _labels(expression: str) -> str:
    return f"Object{{metadata: Object.metadata{{labels: {expression}}}}}"


@case("apply configurations")
def _(s: Script) -> None:
    with bound(
        s,
        mutating("adds", applying(_labels("{'a': 'b', 'n': object.metadata.name}"))),
        mutating("twice", applying(_labels("{'a': 'b'}")), applying(_labels("{'c': object.metadata.labels['a']}"))),
        mutating("data", applying("Object{data: {'x': 'y'}}")),
        mutating(
            "maybe", applying("Object{?data: object.?data.a.hasValue() ? optional.of({'x': 'y'}) : optional.none()}")
        ),
        mutating("unknown", applying("Object{spec: Object.spec{a: 1}}")),
        mutating("type", applying("Object{metadata: Object.metadata{labels: {'a': 1}}}")),
        mutating("named", applying("Object{metadata: Object.other{name: 'x'}}")),
        mutating("error", applying(_labels("{'a': object.data.absent}"))),
        mutating("ignored", applying(_labels("{'a': object.data.absent}")), failurePolicy="Ignore"),
        mutating("empty", applying("Object{}")),
        mutating("whole", applying("Object{metadata: Object.metadata{ownerReferences: []}}")),
        mutating("where", applying(_labels("{'a': namespaceObject.metadata.name, 'b': request.operation}"))),
    ):
        labels = ("adds", "twice", "data", "maybe", "unknown", "type", "named", "error", "ignored", "empty", "whole")
        for label in (*labels, "where"):
            s.post(MAPS, labelled(label, data={"a": "v"}))
            s.patch(f"{MAPS}/a", {"data": {"a": "w"}})
            s.delete(f"{MAPS}/a")
        s.apply(f"{MAPS}/b", labelled("adds", "b"))
        s.apply(f"{MAPS}/b", labelled("adds", "b"), manager="other")
        s.post(MAPS, labelled("adds", "c"), dryRun="All")


@case("JSON patches")
def _(s: Script) -> None:
    def patch(*operations: str) -> dict[str, Any]:
        return patching(f"[{', '.join(f'JSONPatch{{{each}}}' for each in operations)}]")

    with bound(
        s,
        mutating("add", patch("op: 'add', path: '/data', value: {'x': 'y'}")),
        mutating("object", patch("op: 'add', path: '/metadata/annotations', value: {'a': 'b'}")),
        mutating("escape", patch("op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: 'c'")),
        mutating("test", patch("op: 'test', path: '/data/a', value: 'other'", "op: 'remove', path: '/data'")),
        mutating("passes", patch("op: 'test', path: '/data/a', value: 'v'", "op: 'remove', path: '/data'")),
        mutating("replace", patch("op: 'replace', path: '/data/a', value: 'z'")),
        mutating("copy", patch("op: 'copy', from: '/data/a', path: '/data/b'")),
        mutating("none", patching("object.data.a == 'v' ? [] : [JSONPatch{op: 'remove', path: '/data'}]")),
        mutating("missing", patch("op: 'remove', path: '/data/absent'")),
        mutating("lost", patch("op: 'add', path: '/absent/x', value: 1")),
        mutating("operation", patch("op: 'improve', path: '/data'")),
        mutating("place", patch("op: 'add', path: '/metadata/finalizers/7', value: 'x'")),
        mutating("extra", patch("op: 'add', path: '/spec', value: {'a': 'b'}")),
        mutating("number", patch("op: 'add', path: '/data/n', value: 3")),
        mutating("typed", patch("op: 'add', path: '/data', value: Object.data{a: 'b'}")),
    ):
        labels = ("add", "object", "escape", "test", "passes", "replace", "copy", "none", "typed", "missing", "lost")
        for label in (*labels, "operation", "place", "extra", "number"):
            s.post(MAPS, labelled(label, data={"a": "v"}))
            s.delete(f"{MAPS}/a")


@case("conditions, variables and parameters of changes")
def _(s: Script) -> None:
    variables = [{"name": "v", "expression": "object.data.a + '!'"}]
    conditions = [{"name": "only", "expression": "object.data.a == 'v'"}]
    # A kind of its own: the real server stops to watch a built-in one for good once a policy with it is gone.
    s.given(crd("tunings"))
    kind = {"apiVersion": "tunings.example.com/v1", "kind": "Tuning"}
    using = mutating("params", applying("Object{data: {'p': params.data.a}}"), paramKind=kind)
    lacking = mutating("lacking", applying("Object{data: {'p': params.data.a}}"), paramKind=kind)
    s.post(custom_path("tunings"), custom("tunings", "p", data={"a": "1"}))
    with bound(
        s,
        mutating("variable", applying("Object{data: {'x': variables.v}}"), variables=variables),
        mutating("condition", applying("Object{data: {'x': 'y'}}"), matchConditions=conditions),
        (using, binding(using, paramRef={"name": "p", "parameterNotFoundAction": "Deny"})),
        (lacking, binding(lacking, paramRef={"name": "x", "parameterNotFoundAction": "Deny"})),
    ):
        s.until(MAPS, method="POST", body=labelled("params"), query={"dryRun": "All"}, status=201, holding='"p":"1"')
        s.until(MAPS, method="POST", body=labelled("lacking"), query={"dryRun": "All"}, status=403, holding="no params")
        for label in ("variable", "condition", "params", "lacking"):
            for name, value in (("a", "v"), ("b", "w")):
                s.post(MAPS, labelled(label, name, data={"a": value}))
                s.delete(f"{MAPS}/{name}")


@case("changes of structured objects")
def _(s: Script) -> None:
    path = "/apis/apps/v1/namespaces/{ns}/deployments"

    def about(label: str, *mutations: dict[str, Any]) -> dict[str, Any]:
        creating = rule("deployments", group="apps", operations=("CREATE", "UPDATE"))
        return mutating(label, *mutations, matchConstraints=constraints(label, creating))

    def spec(inner: str) -> str:
        pod = f"Object.spec.template{{spec: Object.spec.template.spec{{{inner}}}}}"
        return f"Object{{spec: Object.spec{{template: {pod}}}}}"

    container = "Object.spec.template.spec.containers"
    with bound(
        s,
        about("replicas", applying("Object{spec: Object.spec{replicas: 4}}")),
        about("sidecar", applying(spec(f"containers: [{container}{{name: 'side', image: 'x'}}]"))),
        about(
            "env",
            applying(
                spec(
                    f"containers: object.spec.template.spec.containers.map(c, {container}{{name: c.name, "
                    f"env: [{container}.env{{name: 'A', value: 'b'}}]}})"
                )
            ),
        ),
        about("atomic", applying(spec(f"containers: [{container}{{name: 'c', args: ['x']}}]"))),
        about("invalid", applying("Object{spec: Object.spec{replicas: -1}}")),
        about(
            "patch",
            patching(
                "[JSONPatch{op: 'add', path: '/spec/template/spec/containers/-', "
                "value: Object.spec.template.spec.containers{name: 'd', image: 'y'}}]"
            ),
        ),
    ):
        for label in ("replicas", "sidecar", "env", "atomic", "invalid", "patch"):
            deployment = {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": {"name": label, "labels": {"policy": label}},
                "spec": {
                    "selector": {"matchLabels": {"a": "b"}},
                    "template": {
                        "metadata": {"labels": {"a": "b"}},
                        "spec": {"containers": [{"name": "c", "image": "i"}]},
                    },
                },
            }
            s.post(path, deployment)
            s.patch(f"{path}/{label}", {"spec": {"paused": True}})


@case("policies that get another turn")
def _(s: Script) -> None:
    about = constraints("turns", rule(operations=("CREATE",)))

    def counting(label: str, again: str) -> dict[str, Any]:
        seen = f"Object{{data: {{'{label}': object.?data['{label}'].orValue('') + 'x'}}}}"
        return mutating(label, applying(seen), matchConstraints=about, reinvocationPolicy=again)

    with bound(s, counting("never", "Never"), counting("if-needed", "IfNeeded")):
        s.post(MAPS, labelled("turns"))


@case("changes of custom resources")
def _(s: Script) -> None:
    s.given(CUSTOM)
    path = custom_path("changing")

    def about(label: str, *mutations: dict[str, Any]) -> dict[str, Any]:
        creating = rule("changing", group="changing.example.com", operations=("CREATE", "UPDATE"))
        return mutating(label, *mutations, matchConstraints=constraints(label, creating))

    def made(label: str, name: str = "a", **spec: Any) -> dict[str, Any]:
        return custom("changing", name, metadata={"labels": {"policy": label}}, spec=spec)

    with bound(
        s,
        about("sets", applying("Object{spec: Object.spec{size: 4}}")),
        about("items", applying("Object{spec: Object.spec{items: [Object.spec.items{name: 'n', value: 'w'}]}}")),
        about("whole", applying("Object{spec: Object.spec{list: ['a']}}")),
        about("unknown", applying("Object{spec: Object.spec{other: 1}}")),
        about("type", applying("Object{spec: Object.spec{size: 'x'}}")),
        about("patch", patching("[JSONPatch{op: 'add', path: '/spec/list', value: ['a', 'b']}]")),
        about("extra", patching("[JSONPatch{op: 'add', path: '/spec/other', value: 'b'}]")),
    ):
        body = made("sets", "probe")
        s.until(path, method="POST", body=body, query={"dryRun": "All"}, status=201, holding='"size":4')
        for label in ("sets", "items", "whole", "unknown", "type", "patch", "extra"):
            s.post(path, made(label, items=[{"name": "m", "value": "v"}]))
            s.patch(f"{path}/a", {"spec": {"list": ["z"]}})
            s.delete(f"{path}/a")
