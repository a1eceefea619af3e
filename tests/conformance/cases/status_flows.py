"""The flow schemas and priority levels that every cluster has stay as they are."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

case = Cases("status of flows")

FLOWS: Final = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
LEVELS: Final = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations"
_SUBJECTS: Final = [
    {"kind": "User", "user": {"name": "u"}},
    {"kind": "ServiceAccount", "serviceAccount": {"namespace": "n", "name": "*"}},
    {"kind": "Group", "group": {"name": "g"}},
]
_RULE: Final = {
    "subjects": _SUBJECTS,
    "resourceRules": [{"verbs": ["get"], "apiGroups": ["*"], "resources": ["pods"], "namespaces": ["*"]}],
    "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/x"]}],
}


@case("schemas with the names of the mandatory ones")
def _(s: Script) -> None:
    level = {"priorityLevelConfiguration": {"name": "exempt"}}
    specs: tuple[dict[str, Any], ...] = (
        {**level, "matchingPrecedence": 1},
        {**level, "matchingPrecedence": 5, "distinguisherMethod": {"type": "ByNamespace"}, "rules": [_RULE]},
        {"matchingPrecedence": 0, "rules": [{"subjects": []}]},
    )
    for name in ("exempt", "catch-all"):
        for spec in specs:
            s.post(FLOWS, {"metadata": {"name": name}, "spec": spec})


@case("levels with the names of the mandatory ones")
def _(s: Script) -> None:
    queuing = {"queues": 2, "handSize": 1, "queueLengthLimit": 5}
    queued = {"limitResponse": {"type": "Queue", "queuing": queuing}}
    specs: tuple[dict[str, Any], ...] = (
        {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
        {"type": "Limited", "limited": {**queued, "borrowingLimitPercent": 7, "lendablePercent": 3}},
        {"type": "Exempt", "limited": queued, "exempt": {"lendablePercent": 5}},
        {"type": "Odd"},
        {"type": "Limited", "limited": {"nominalConcurrencyShares": -1, "limitResponse": {}, "lendablePercent": 101}},
    )
    for name in ("exempt", "catch-all"):
        for spec in specs:
            s.post(LEVELS, {"metadata": {"name": name}, "spec": spec})


@case("an annotation of old versions")
def _(s: Script) -> None:
    old = {"flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares": ""}
    spec = {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}}
    s.post(LEVELS, {"metadata": {"name": "{ns}", "annotations": old}, "spec": spec})
