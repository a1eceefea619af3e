"""Evictions and the budgets that forbid them."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.objects import PODS

case = Cases("eviction")
BUDGETS: Final = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets"
LABELS: Final = {"app": "web"}
EVICTION: Final = {"metadata": {"name": "p"}}


def _running(s: Script, *, ready: bool = True) -> None:
    spec = {"nodeName": "nowhere", "containers": [{"name": "c", "image": "c:1"}]}
    s.post(PODS, {"metadata": {"name": "p", "labels": LABELS}, "spec": spec})
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
    s.patch(f"{PODS}/p/status", {"status": {"phase": "Running", "conditions": conditions}})


def _budget(s: Script, name: str = "b", *, status: dict[str, Any] | None = None, **spec: Any) -> None:
    s.post(BUDGETS, {"metadata": {"name": name}, "spec": {"selector": {"matchLabels": LABELS}, **spec}})
    if status is not None:
        s.patch(f"{BUDGETS}/{name}/status", {"status": {"observedGeneration": 1, **status}})


def _counts(allowed: int, current: int, desired: int) -> dict[str, int]:
    return {
        "disruptionsAllowed": allowed,
        "currentHealthy": current,
        "desiredHealthy": desired,
        "expectedPods": current,
    }


@case("of a running pod that no budget speaks of")
def _(s: Script) -> None:
    _running(s)
    _budget(s, minAvailable=1, selector={"matchLabels": {"app": "other"}})
    s.post(f"{PODS}/p/eviction", EVICTION)
    s.get(f"{PODS}/p")


@case("before the budget was looked at")
def _(s: Script) -> None:
    _running(s)
    _budget(s, minAvailable=1)
    s.post(f"{PODS}/p/eviction", EVICTION)


@case("that the budget does not allow")
def _(s: Script) -> None:
    _running(s)
    _budget(s, minAvailable=1, status=_counts(0, 1, 1))
    s.post(f"{PODS}/p/eviction", EVICTION)
    s.get(f"{PODS}/p")


@case("that the budget allows, and the next one")
def _(s: Script) -> None:
    _running(s)
    _budget(s, minAvailable=1, status=_counts(1, 2, 1))
    s.post(f"{PODS}/p/eviction", EVICTION, dryRun="All")
    s.post(f"{PODS}/p/eviction", EVICTION)
    s.get(f"{BUDGETS}/b")


@case("of a pod that is not ready")
def _(s: Script) -> None:
    _running(s, ready=False)
    _budget(s, minAvailable=1, status=_counts(0, 0, 1))
    s.post(f"{PODS}/p/eviction", EVICTION)
    s.patch(f"{BUDGETS}/b/status", {"status": _counts(0, 1, 1)})
    s.post(f"{PODS}/p/eviction", EVICTION)


@case("of a pod that is not ready and may always go")
def _(s: Script) -> None:
    _running(s, ready=False)
    _budget(s, minAvailable=1, unhealthyPodEvictionPolicy="AlwaysAllow", status=_counts(0, 0, 1))
    s.post(f"{PODS}/p/eviction", EVICTION)


@case("of a pod with two budgets")
def _(s: Script) -> None:
    _running(s)
    _budget(s, "a", minAvailable=1)
    _budget(s, "b", maxUnavailable=1)
    s.post(f"{PODS}/p/eviction", EVICTION)


@case("of a pod that has ended")
def _(s: Script) -> None:
    _running(s)
    _budget(s, minAvailable=1, status=_counts(0, 1, 1))
    s.patch(f"{PODS}/p/status", {"status": {"phase": "Succeeded"}})
    s.post(f"{PODS}/p/eviction", EVICTION)


@case("with a budget that failed")
def _(s: Script) -> None:
    _running(s)
    failed = {
        "type": "DisruptionAllowed",
        "status": "False",
        "reason": "SyncFailed",
        "message": "no such scale",
        "lastTransitionTime": "2020-01-01T00:00:00Z",
        "observedGeneration": 1,
    }
    _budget(s, minAvailable=1, status={**_counts(0, 3, 1), "conditions": [failed]})
    s.post(f"{PODS}/p/eviction", EVICTION)
