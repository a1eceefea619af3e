"""Admission policies for the cases: each is about objects with a label of its own, in the namespace of the case.

The real server takes up policies a second or so after they were written, all at once: so a case writes all of its
policies and one more, and waits for that one. Which of several policies says no first is chance there: so no object
here meets two.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from harness.script import Script

GROUP: Final = "/apis/admissionregistration.k8s.io/v1"
MAPS: Final = "/api/v1/namespaces/{ns}/configmaps"


def rule(*resources: str, group: str = "", version: str = "v1", operations: tuple[str, ...] = ("*",)) -> dict[str, Any]:
    """Return a rule about resources."""
    return {
        "apiGroups": [group],
        "apiVersions": [version],
        "operations": [*operations],
        "resources": [*resources] or ["configmaps"],
    }


def constraints(label: str, *rules: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return constraints about objects with a label, in the namespace of the case."""
    return {
        "resourceRules": [*rules] or [rule()],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "{ns}"}},
        "objectSelector": {"matchLabels": {"policy": label}},
        **more,
    }


def validating(label: str, *expressions: str | dict[str, Any], **spec: Any) -> dict[str, Any]:
    """Return a policy with validations."""
    validations = [each if isinstance(each, dict) else {"expression": each} for each in expressions]
    known = {"matchConstraints": constraints(label), "validations": validations}
    return _policy("Validating", label, {**known, **spec})


def mutating(label: str, *mutations: dict[str, Any], **spec: Any) -> dict[str, Any]:
    """Return a policy with mutations."""
    creating = constraints(label, rule(operations=("CREATE", "UPDATE")))
    known = {"matchConstraints": creating, "mutations": [*mutations], "reinvocationPolicy": "Never"}
    return _policy("Mutating", label, {**known, **spec})


def applying(expression: str) -> dict[str, Any]:
    """Return a mutation by an apply configuration."""
    return {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}


def patching(expression: str) -> dict[str, Any]:
    """Return a mutation by a JSON patch."""
    return {"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}


def _policy(sort: str, label: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": f"{sort}AdmissionPolicy",
        "metadata": {"name": f"{{ns}}-{label.lower()}"},
        "spec": spec,
    }


def binding(policy: dict[str, Any], **spec: Any) -> dict[str, Any]:
    """Return the binding of a policy."""
    known: dict[str, Any] = {"policyName": policy["metadata"]["name"]}
    if policy["kind"].startswith("Validating"):
        known["validationActions"] = ["Deny"]
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": f"{policy['kind']}Binding",
        "metadata": {"name": f"{policy['metadata']['name']}-binding"},
        "spec": {**known, **spec},
    }


def labelled(label: str, name: str = "a", **more: Any) -> dict[str, Any]:
    """Return a ConfigMap that a policy is about."""
    metadata = {"name": name, "labels": {"policy": label}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **more}


@contextmanager
def bound(s: Script, *policies: dict[str, Any] | tuple[dict[str, Any], dict[str, Any]]) -> Iterator[None]:
    """Have policies at work, each with its binding, and take them away again."""
    pairs = [each if isinstance(each, tuple) else (each, binding(each)) for each in policies]
    last = validating("last", "false")
    for each in (*pairs, (last, binding(last))):
        for value in each:
            s.post(f"{GROUP}/{plural(value)}", value)
    s.until(MAPS, method="POST", body=labelled("last"), query={"dryRun": "All"}, status=422)
    if any(policy["kind"].startswith("Mutating") for policy, _ in pairs):
        _until_mutating(s)
    yield
    for each in (*pairs, (last, binding(last))):
        for value in each[::-1]:
            s.ask("DELETE", f"{GROUP}/{plural(value)}/{value['metadata']['name']}")


def _until_mutating(s: Script) -> None:
    """Wait for the mutating policies too: they are taken up on their own."""
    first = mutating("first", applying("Object{metadata: Object.metadata{annotations: {'first': 'seen'}}}"))
    for value in (first, binding(first)):
        s.post(f"{GROUP}/{plural(value)}", value)
    s.until(MAPS, method="POST", body=labelled("first"), query={"dryRun": "All"}, status=201, holding="seen")
    for value in (binding(first), first):
        s.ask("DELETE", f"{GROUP}/{plural(value)}/{value['metadata']['name']}")


def plural(value: dict[str, Any]) -> str:
    """Return the plural of a policy or binding."""
    kind = value["kind"].lower()
    return f"{kind}s" if kind.endswith("binding") else f"{kind.removesuffix('y')}ies"
