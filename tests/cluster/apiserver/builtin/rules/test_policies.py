"""What policies, autoscalers, claims and quotas may be; the words are compared in tests/conformance."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.builtin import rules
from konverge.cluster.apiserver.builtin.rules.number_rules import above_whole

BACKEND = {"service": {"name": "s", "port": {"number": 80}}}
TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}
CLAIM: dict[str, Any] = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


def fields(group: str, kind: str, spec: dict[str, Any], old: dict[str, Any] | None = None, **more: Any) -> list[str]:
    """Return the fields of an object that are refused."""
    own = rules.of(group, kind)
    assert own.validate is not None
    assert own.validate_update is not None
    version = "autoscaling/v2" if group == "autoscaling" else f"{group}/v1".lstrip("/")
    value = {"apiVersion": version, "kind": kind, "metadata": {"name": "a", "namespace": "n"}, **more}
    new = {**value, "spec": spec}
    errors = own.validate(new) if old is None else own.validate_update(new, {**value, "spec": old}, "")
    return [error.field for error in errors]


@pytest.mark.parametrize(
    ("spec", "refused"),
    [
        ({"minAvailable": 1}, []),
        ({"minAvailable": 1, "maxUnavailable": 1}, ["spec"]),
        ({"maxUnavailable": "101%"}, ["spec.maxUnavailable"]),
        ({"minAvailable": -1}, ["spec.minAvailable"]),
    ],
)
def test_a_budget_has_one_bound(spec: dict[str, Any], refused: list[str]) -> None:
    """A count, or a share of no more than all."""
    assert fields("policy", "PodDisruptionBudget", spec) == refused


def test_a_share_of_many_digits_is_more_than_all() -> None:
    """However many there are."""
    assert len(list(above_whole(f"{'9' * 10_000}%", "a"))) == 1
    assert list(above_whole(f"{'0' * 10_000}%", "a")) == []


def test_an_ingress_leads_somewhere() -> None:
    """By a default or by rules, each of which has a backend of one kind."""
    kind = ("networking.k8s.io", "Ingress")
    assert fields(*kind, {"defaultBackend": BACKEND}) == []
    assert fields(*kind, {}) == ["spec"]
    assert fields(*kind, {"defaultBackend": {}}) == ["spec.defaultBackend"]
    rule = {"host": "192.0.2.1", "http": {"paths": [{"pathType": "Exact", "path": "a", "backend": BACKEND}]}}
    assert fields(*kind, {"rules": [rule]}) == ["spec.rules[0].host", "spec.rules[0].http.paths[0].path"]


def test_a_network_policy_has_peers_of_one_kind() -> None:
    """Selected ones, or a range with strictly smaller ones cut out."""
    kind = ("networking.k8s.io", "NetworkPolicy")
    block = {"cidr": "10.0.0.0/8", "except": ["10.0.0.0/8"]}
    assert fields(*kind, {"ingress": [{"from": [{"podSelector": {}}]}]}) == []
    assert fields(*kind, {"ingress": [{"from": [{}]}]}) == ["spec.ingress[0].from[0]"]
    assert fields(*kind, {"egress": [{"to": [{"ipBlock": block}]}]}) == ["spec.egress[0].to[0].ipBlock.except[0]"]
    kept = {"egress": [{"to": [{"ipBlock": {"cidr": "10.0.0.1/8"}}]}]}
    assert fields(*kind, kept) == ["spec.egress[0].to[0].ipBlock.cidr"]
    assert fields(*kind, kept, old=kept) == []


def test_an_autoscaler_has_bounds_in_order() -> None:
    """And a target whose kind is known."""
    kind = ("autoscaling", "HorizontalPodAutoscaler")
    assert fields(*kind, {"scaleTargetRef": TARGET, "maxReplicas": 1}) == []
    assert fields(*kind, {"scaleTargetRef": TARGET, "minReplicas": 2, "maxReplicas": 1}) == ["spec.maxReplicas"]
    core = {**TARGET, "apiVersion": "v1"}
    assert fields(*kind, {"scaleTargetRef": core, "maxReplicas": 1}) == ["spec.scaleTargetRef.apiVersion"]
    assert fields(*kind, {"scaleTargetRef": core, "maxReplicas": 2}, old={"scaleTargetRef": core}) == []


def test_a_claim_is_fixed_but_for_the_size_of_a_bound_one() -> None:
    """It grows, but only once it has a volume."""
    larger = {**CLAIM, "resources": {"requests": {"storage": "2Gi"}}}
    assert fields("", "PersistentVolumeClaim", CLAIM) == []
    assert fields("", "PersistentVolumeClaim", larger, old=CLAIM) == ["spec"]
    assert fields("", "PersistentVolumeClaim", larger, old=CLAIM, status={"phase": "Bound"}) == []


def test_limits_do_not_contradict_each_other() -> None:
    """The least is no more than the most, and a pod has no defaults."""
    limit = {"type": "Pod", "min": {"cpu": "2"}, "max": {"cpu": "1"}, "default": {"cpu": "1"}}
    refused = ["spec.limits[0].default", "spec.limits[0].min[cpu]"]
    assert fields("", "LimitRange", {"limits": [limit]}) == refused


def test_a_quota_limits_what_is_known() -> None:
    """Counted resources whole, and scopes that fit."""
    assert fields("", "ResourceQuota", {"hard": {"pods": "1"}, "scopes": ["BestEffort"]}) == []
    assert fields("", "ResourceQuota", {"hard": {"pods": "500m"}}) == ["spec.hard[pods]"]
    assert fields("", "ResourceQuota", {"hard": {"cpu": "1"}, "scopes": ["BestEffort"]}) == ["spec.scopes"]
    assert fields("", "ResourceQuota", {"scopes": []}, old={"scopes": ["BestEffort"]}) == ["spec.scopes"]
