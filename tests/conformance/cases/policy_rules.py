"""What an admission policy and its binding may not be."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from harness.script import Cases, Script

from cases.policy_objects import GROUP, applying, binding, mutating, patching, plural, rule, validating
from cases.rbac_objects import CLUSTER_ROLES, acting, cluster_bind, role, until_allowed
from cases.rbac_objects import bound as of_rules

case = Cases("policy rules")


def _post(s: Script, value: dict[str, Any]) -> None:
    s.post(f"{GROUP}/{plural(value)}", value, dryRun="All")


def _with_match(**match: Any) -> dict[str, Any]:
    return validating("a", "true", matchConstraints={"resourceRules": [rule()], **match})


@case("a validating policy")
def _(s: Script) -> None:
    _post(s, {**validating("a"), "spec": {}})
    _post(s, validating("a"))
    more: dict[str, Any]
    for more in (
        {"failurePolicy": "Never"},
        {"matchConstraints": None},
        {"matchConstraints": {}},
        {"paramKind": {}},
        {"paramKind": {"apiVersion": "a/b/c", "kind": "X"}},
        {"paramKind": {"apiVersion": "A_/1b", "kind": "x y"}},
        {"paramKind": {"apiVersion": "a/", "kind": "Ab1"}},
        {"paramKind": {"apiVersion": "v1", "kind": "Secret"}},
        {"variables": [{"name": "", "expression": ""}]},
        {"variables": [{"name": "a-b", "expression": "1"}, {"name": "for", "expression": " "}]},
        {"variables": [{"name": "a", "expression": "object.x +"}, {"name": "b", "expression": "variables.a"}]},
        {"variables": [{"name": "b", "expression": "variables.a"}, {"name": "a", "expression": "1"}]},
    ):
        _post(s, validating("a", "true", **more))


@case("expressions of a validating policy")
def _(s: Script) -> None:
    for each in (
        "",
        " ",
        "1",
        "object.",
        "self.x",
        "params.a == 1",
        "variables.x",
        "object.metadata.name == 'x'",
        "'a'",
        "[1, 'a']",
        "request.x",
        "request.kind.group == 1",
        "namespaceObject.metadata.x",
        "authorizer.group('').check('x')",
        "authorizer.group('').resource('x').check('y')",
        "oldObject == null || object.x == oldObject.x",
        "Object{}",
        "request.object == 1",
        "timestamp('x') == timestamp('2020-01-01T00:00:00Z')",
        "'a'.matches('(')",
        "namespaceObject.metadata.creationTimestamp > timestamp('2020-01-01T00:00:00Z')",
    ):
        _post(s, validating("a", each))
    for message in ({"message": " "}, {"message": "a\nb"}, {"reason": "Other"}, {"reason": "Unauthorized"}):
        _post(s, validating("a", {"expression": "true", **message}))
    for each in (" ", "1", "'x' + 1", "authorizer", "object.x", "string(object.x)", "params.x"):
        _post(s, validating("a", {"expression": "true", "messageExpression": each}))
    _post(s, validating("a", "params.x == 1", paramKind={"apiVersion": "v1", "kind": "ConfigMap"}))
    said = {"expression": "true", "messageExpression": "string(params.x)"}
    _post(s, validating("a", said, paramKind={"apiVersion": "v1", "kind": "ConfigMap"}))


@case("match conditions and audit annotations of a policy")
def _(s: Script) -> None:
    for conditions in (
        [{"name": "", "expression": ""}],
        [{"name": "a b", "expression": "1"}],
        [{"name": "a", "expression": "true"}, {"name": "a", "expression": " x "}],
        [{"name": "a", "expression": "variables.x"}],
        [{"name": "a", "expression": "params.x == 1"}],
        [{"name": f"c{index}", "expression": "true"} for index in range(65)],
    ):
        _post(s, validating("a", "true", matchConditions=conditions))
    for notes in (
        [{"key": "", "valueExpression": ""}],
        [{"key": "a b", "valueExpression": "1"}],
        [{"key": "a", "valueExpression": "'x'"}, {"key": "a", "valueExpression": "null"}],
        [{"key": "a", "valueExpression": f"'{'x' * 5200}'"}],
        [{"key": f"k{index}", "valueExpression": "'x'"} for index in range(21)],
    ):
        _post(s, validating("a", auditAnnotations=notes))


@case("constraints of a policy")
def _(s: Script) -> None:
    match: dict[str, Any]
    for match in (
        {"matchPolicy": "Some"},
        {"namespaceSelector": {"matchLabels": {"a b": "c d"}}},
        {"objectSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}},
        {"resourceRules": [{}]},
        {"resourceRules": [{**rule(), "resourceNames": ["a/b", "c", "c"]}]},
        {"resourceRules": [{**rule(), "scope": "Other", "operations": ["GET", "*"]}]},
        {"resourceRules": [{**rule(), "apiGroups": ["*", "a"], "apiVersions": ["*", ""]}]},
        {"resourceRules": [rule("*/*", "pods")]},
        {"resourceRules": [rule("*", "pods")]},
        {"resourceRules": [rule("pods", "*")]},
        {"resourceRules": [rule("pods/*", "pods/log", "*/scale", "x/scale", "")]},
        {"excludeResourceRules": [rule("*", "pods"), {}]},
    ):
        _post(s, _with_match(**match))


@case("a mutating policy")
def _(s: Script) -> None:
    good = applying("Object{}")
    _post(s, mutating("a"))
    for more in (
        {"reinvocationPolicy": ""},
        {"reinvocationPolicy": "Always"},
        {"failurePolicy": "x"},
        {"matchConstraints": {"resourceRules": [rule(operations=("DELETE", "CREATE"))]}},
        {"variables": [{"name": "a", "expression": "Object{}"}]},
        {"matchConditions": [{"name": "a", "expression": "Object{} == Object{}"}]},
    ):
        _post(s, mutating("a", good, **more))
    mutations: list[dict[str, Any]] = [
        {},
        {"patchType": "Merge"},
        {"patchType": "JSONPatch"},
        {"patchType": "ApplyConfiguration", "jsonPatch": {"expression": "[]"}},
        {**good, "jsonPatch": {"expression": "[]"}},
        {**patching("[JSONPatch{op: 'x'}]"), "applyConfiguration": {"expression": "Object{}"}},
        *map(applying, ("", " x ", "{}", "Object.spec{}", "Other{}", "Object{spec: Object.spec{a: 1}}", "variables.a")),
        *map(patching, ("", "1", "[]", "[1]", "JSONPatch{}", "[JSONPatch{op: 1}]", "[JSONPatch{value: Object{}}]")),
        patching("[JSONPatch{op: 'add', path: jsonpatch.escapeKey(1)}]"),
    ]
    for each in mutations:
        _post(s, mutating("a", each))


@case("bindings of policies")
def _(s: Script) -> None:
    both = validating("a", "true"), mutating("a", applying("Object{}"))
    more: dict[str, Any]
    for policy in both:
        _post(s, {**binding(policy), "spec": {}})
        for more in (
            {"policyName": "A b"},
            {"paramRef": {}},
            {"paramRef": {"name": "a", "selector": {}, "parameterNotFoundAction": "Deny"}},
            {"paramRef": {"name": "a/b", "parameterNotFoundAction": "Other"}},
            {"paramRef": {"selector": {"matchLabels": {"a b": "c"}}, "parameterNotFoundAction": "Allow"}},
            {"matchResources": {"resourceRules": [rule(operations=("DELETE",))], "matchPolicy": "x"}},
            {"matchResources": {}},
        ):
            _post(s, binding(policy, **more))
    for actions in ([], ["Other"], ["Deny", "Deny"], ["Deny", "Warn"], ["Warn", "Audit"]):
        _post(s, binding(both[0], validationActions=actions))


@case("changes of a policy")
def _(s: Script) -> None:
    policy = validating("a", "true", matchConditions=[{"name": "a", "expression": "true"}])
    path = f"{GROUP}/{plural(policy)}"
    s.post(path, policy)
    name = f"{path}/{policy['metadata']['name']}"
    s.patch(name, {"spec": {"failurePolicy": "Ignore"}})
    s.patch(name, {"spec": {"validations": [{"expression": "x"}]}})
    s.patch(name, {"spec": {"matchConditions": [{"name": "a", "expression": "x"}]}})
    s.patch(f"{name}/status", {"status": {"observedGeneration": 1, "typeChecking": {"expressionWarnings": [{}]}}})
    s.patch(f"{name}/status", {"status": {"observedGeneration": 1}})
    s.put(name, policy)
    s.delete(name)


@case("parameters that the author may not read")
def _(s: Script) -> None:
    user, group = "author-{ns}", "admissionregistration.k8s.io"
    kinds = [f"{sort}admissionpolic{end}" for sort in ("validating", "mutating") for end in ("ies", "ybindings")]
    rules = [role(kinds, ["create", "update", "patch", "get"], groups=[group]), role(["configmaps"], ["get"])]
    s.post(CLUSTER_ROLES, of_rules("ClusterRole", "author-{ns}", rules=rules))
    cluster_bind(s, "author-{ns}", "author-{ns}", user=user)
    until_allowed(s, user, (), {"verb": "create", "group": group, "resource": kinds[0]})
    own: dict[str, Any] = {"headers": acting(user, ["staff"])}
    references: list[dict[str, Any]] = [{"name": "x"}, {"selector": {}}, {"name": "x", "namespace": "{ns}"}]
    makers: list[Callable[..., dict[str, Any]]] = [
        partial(validating, "a", "true"),
        partial(mutating, "a", applying("Object{}")),
    ]
    for make in makers:
        for api_version, kind in (("v1", "Secret"), ("v1", "ConfigMap"), ("example.com/v1", "Nothing")):
            policy = make(paramKind={"apiVersion": api_version, "kind": kind})
            s.post(f"{GROUP}/{plural(policy)}", policy, dryRun="All", **own)
            for reference in references:
                value = binding(policy, paramRef={**reference, "parameterNotFoundAction": "Deny"})
                s.post(f"{GROUP}/{plural(value)}", value, dryRun="All", **own)
            s.post(f"{GROUP}/{plural(policy)}", policy)
            s.patch(f"{GROUP}/{plural(policy)}/{{ns}}-a", {"spec": {"failurePolicy": "Ignore"}}, **own)
            for reference in references:
                value = binding(policy, paramRef={**reference, "parameterNotFoundAction": "Deny"})
                s.post(f"{GROUP}/{plural(value)}", value, dryRun="All", **own)
            s.delete(f"{GROUP}/{plural(policy)}/{{ns}}-a")
