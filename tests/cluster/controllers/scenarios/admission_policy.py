"""Admission policies: what the types of their expressions are found to be."""

from __future__ import annotations

import json
import re
from typing import Any

from comparing.scenario import scenario
from comparing.stage import Stage

from scenarios.garbage_collector import CM, owned

POLICY = "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy"
_MADE_UP = re.compile(r"(Deployment|Pod|ConfigMap)\d+")  # a type's name in a message ends with the time of the check

_EXPRESSIONS = (
    "object.spec.replicas > 1",
    "object.spec.replicas > '1'",
    "object.spec.replica > 1",
    "object.spec.template.spec.containers.all(c, c.image > 3)",
    "object.spec.template.spec.containers.all(c, c.resources.requests['cpu'] == '1')",
    "object.metadata.labels['a'] == 1",
    "object.metadata.creationTimestamp > '2026'",
    "oldObject.spec.strategy.rollingUpdate.maxSurge == 'a' || oldObject.spec == 1",
    "object.spec.selector.matchExpressions[0].values.exists(v, v.startsWith(object.spec.replicas))",
    "has(object.status.conditions) && object.status.conditions[0].lastUpdateTime == object.metadata.name",
    "authorizer.requestResource.check('get').allowed()",
    "authorizer.group(object.kind).resource(object.spec.replicas).check('get').allowed()",
    "object == oldObject && object.spec == object.status",
)


def _policy(stage: Stage, name: str, resources: dict[str, list[str]], **spec: Any) -> dict[str, Any]:
    rule = {"operations": ["CREATE"], **resources}
    nowhere = {"matchLabels": {"nowhere": "at-all"}}
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": f"{stage.namespace}-{name}", "namespace": ""},
        "spec": {"matchConstraints": {"resourceRules": [rule], "namespaceSelector": nowhere}, **spec},
    }


async def _note(stage: Stage, policy: dict[str, Any], generation: int = 1) -> None:
    """Put what the status says into an object that is compared."""
    name = policy["metadata"]["name"]
    status = (await stage.until(POLICY, name, lambda obj: obj["status"].get("observedGeneration", 0) >= generation))[
        "status"
    ]
    seen = json.dumps(status, sort_keys=True, indent=1)
    await stage.create(
        {**owned(f"seen-{name.rpartition('-')[2]}-{generation}"), "data": {"status": _MADE_UP.sub(r"\1", seen)}}
    )
    await stage.delete(POLICY, name)


_DEPLOYMENTS = {"apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments", "deployments/scale"]}


@scenario(shows=(CM,))
async def the_types_of_a_policys_expressions_are_checked(stage: Stage) -> None:
    """Each one that does not fit the kind is named, with the place."""
    policy = _policy(stage, "wrong", _DEPLOYMENTS, validations=[{"expression": each} for each in _EXPRESSIONS])
    await stage.create(policy)
    await _note(stage, policy)


@scenario(shows=(CM,))
async def a_policy_without_fault_is_said_to_be_checked(stage: Stage) -> None:
    """By an empty note."""
    right = _policy(stage, "right", _DEPLOYMENTS, validations=[{"expression": "object.spec.replicas > 1"}])
    anything = {"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}
    loose = _policy(stage, "loose", anything, validations=[{"expression": "object.nothing.like == 'this'"}])
    unknown = {"apiGroups": ["none.example.com"], "apiVersions": ["v1"], "resources": ["things"]}
    away = _policy(stage, "away", unknown, validations=[{"expression": "object.nothing.like == 'this'"}])
    await stage.create(right, loose, away)
    for policy in (right, loose, away):
        await _note(stage, policy)


@scenario(shows=(CM,))
async def variables_messages_and_parameters_have_types_too(stage: Stage) -> None:
    """For each kind that the policy is about, in their order."""
    several = {"apiGroups": ["", "apps"], "apiVersions": ["v1"], "resources": ["pods", "deployments", "configmaps"]}
    policy = _policy(
        stage,
        "several",
        several,
        paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
        variables=[
            {"name": "count", "expression": "object.spec.replicas"},
            {"name": "twice", "expression": "variables.count + variables.count"},
            {"name": "names", "expression": "object.metadata.finalizers"},
        ],
        validations=[
            {"expression": "variables.twice > 'a'", "messageExpression": "'at least ' + variables.twice"},
            {"expression": "params.data['a'] == 1"},
            {"expression": "variables.names.exists(n, n == 1)"},
        ],
    )
    await stage.create(policy)
    await _note(stage, policy)
