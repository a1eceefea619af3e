"""What a LimitRange and a ResourceQuota may not be."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.builtin_objects import of_kind

case = Cases("quota rules")
LIMITS = "/api/v1/namespaces/{ns}/limitranges"
QUOTAS = "/api/v1/namespaces/{ns}/resourcequotas"


def _range(*limits: dict[str, Any]) -> dict[str, Any]:
    return of_kind("v1", "LimitRange", spec={"limits": [*limits]})


@case("a limit range")
def _(s: Script) -> None:
    s.post(LIMITS, _range({"type": "Other"}))
    s.post(LIMITS, _range({"type": "a b"}))
    s.post(LIMITS, _range({"type": "Container"}, {"type": "Container"}))
    s.post(LIMITS, _range({"type": "PersistentVolumeClaim"}))
    s.post(LIMITS, _range({"type": "Pod", "default": {"cpu": "1"}}))
    s.post(LIMITS, _range({"type": "Pod", "defaultRequest": {"cpu": "1"}}))
    for name in ("a b", "x", "storage", "requests.example.com/a"):
        s.post(LIMITS, _range({"type": "Container", "max": {name: "1"}}))
        s.post(LIMITS, _range({"type": "example.com/a", "min": {name: "1"}}))
        s.delete(f"{LIMITS}/a")


@case("amounts of a limit range")
def _(s: Script) -> None:
    for part in (
        {"min": "2", "max": "1"},
        {"min": "2", "defaultRequest": "1"},
        {"max": "1", "defaultRequest": "2", "default": "1"},
        {"default": "1", "defaultRequest": "2"},
        {"min": "2", "default": "1", "defaultRequest": "2"},
        {"max": "1500m", "default": "2", "defaultRequest": "1"},
        {"maxLimitRequestRatio": "500m"},
        {"min": "1", "max": "1500m", "maxLimitRequestRatio": "2"},
    ):
        s.post(LIMITS, _range({"type": "Container", **{name: {"cpu": amount} for name, amount in part.items()}}))
    huge = {"default": {"hugepages-2Mi": "4Mi"}, "defaultRequest": {"hugepages-2Mi": "2Mi"}}
    s.post(LIMITS, _range({"type": "Container", **huge}))
    s.post(LIMITS, _range({"type": "Container", "max": {"cpu": "1"}}))
    s.patch(f"{LIMITS}/a", {"spec": {"limits": [{"type": "Other"}]}})
    s.patch(f"{LIMITS}/a", {"metadata": {"labels": {"a b": "c"}}})


def _quota(**spec: Any) -> dict[str, Any]:
    return of_kind("v1", "ResourceQuota", spec=spec)


@case("a resource quota")
def _(s: Script) -> None:
    for hard in ({"a b": "1"}, {"x": "1"}, {"storage": "1"}, {"pods": "1500m"}, {"cpu": "-1"}, {"example.com/a": "1m"}):
        s.post(QUOTAS, _quota(hard=hard))
        s.delete(f"{QUOTAS}/a")
    s.post(QUOTAS, _quota(scopes=["Other"]))
    s.post(QUOTAS, _quota(hard={"cpu": "1"}, scopes=["BestEffort"]))
    s.post(QUOTAS, _quota(hard={"pods": "1"}, scopes=["BestEffort", "NotBestEffort"]))
    s.post(QUOTAS, _quota(hard={"pods": "1"}, scopes=["BestEffort"]))
    s.patch(f"{QUOTAS}/a", {"spec": {"scopes": ["NotBestEffort"]}})
    s.patch(f"{QUOTAS}/a", {"spec": {"scopes": None}})
    s.patch(f"{QUOTAS}/a", {"spec": {"hard": {"x": "1"}}})
    s.patch(f"{QUOTAS}/a", {"metadata": {"labels": {"a b": "c"}}})
    s.patch(f"{QUOTAS}/a/status", {"status": {"hard": {"x": "1"}}})
    s.patch(f"{QUOTAS}/a/status", {"status": {"used": {"pods": "-1"}}})


@case("the scopes that a resource quota selects")
def _(s: Script) -> None:
    for expression in (
        {"scopeName": "Other", "operator": "Exists"},
        {"scopeName": "BestEffort", "operator": "In", "values": ["a"]},
        {"scopeName": "PriorityClass", "operator": "In"},
        {"scopeName": "PriorityClass", "operator": "Exists", "values": ["a"]},
        {"scopeName": "PriorityClass", "operator": "Near", "values": ["a"]},
    ):
        s.post(QUOTAS, _quota(hard={"pods": "1"}, scopeSelector={"matchExpressions": [expression]}))
    best = {"scopeName": "BestEffort", "operator": "Exists"}
    s.post(QUOTAS, _quota(hard={"cpu": "1"}, scopeSelector={"matchExpressions": [best]}))
    both = [best, {**best, "scopeName": "NotBestEffort"}]
    s.post(QUOTAS, _quota(hard={"pods": "1"}, scopeSelector={"matchExpressions": both}))
