"""What limit ranges give to pods and claims, and what they refuse."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

case = Cases("limiting")
LIMITS = "/api/v1/namespaces/{ns}/limitranges"
PODS = "/api/v1/namespaces/{ns}/pods"
CLAIMS = "/api/v1/namespaces/{ns}/persistentvolumeclaims"


def _limit(s: Script, *limits: dict[str, Any], name: str = "limits") -> None:
    """Write a limit range; the account first, without which there are no pods."""
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
    s.post("/api/v1/namespaces/{ns}/serviceaccounts", account)
    metadata = {"name": name}
    value = {"apiVersion": "v1", "kind": "LimitRange", "metadata": metadata, "spec": {"limits": [*limits]}}
    s.post(LIMITS, value)


def _taken_up(s: Script, holding: str) -> None:
    s.until(PODS, method="POST", body=_pod("probe", {}), query={"dryRun": "All"}, status=201, holding=holding)


def _pod(name: str, *containers: dict[str, Any], init: tuple[dict[str, Any], ...] = (), **spec: Any) -> dict[str, Any]:
    def named(found: tuple[dict[str, Any], ...], sort: str) -> list[dict[str, Any]]:
        return [{"name": f"{sort}{index}", "image": "i", **each} for index, each in enumerate(found)]

    inside = {"containers": named(containers, "c"), **spec}
    if init:
        inside["initContainers"] = named(init, "i")
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": inside}


def _asks(**amounts: dict[str, str]) -> dict[str, Any]:
    return {"resources": amounts}


def _taken_up_bounds(s: Script) -> None:
    body = _pod("probe", _asks(limits={"cpu": "9"}))
    s.until(PODS, method="POST", body=body, query={"dryRun": "All"}, status=403, holding="usage per")


@case("defaults for containers")
def _(s: Script) -> None:
    amounts = {"default": {"cpu": "500m", "memory": "64Mi"}, "defaultRequest": {"cpu": "100m"}}
    _limit(s, {"type": "Container", **amounts})
    _taken_up(s, "LimitRanger plugin set")
    s.post(PODS, _pod("a", {}))
    s.post(PODS, _pod("b", _asks(requests={"cpu": "200m"}), {}, init=({}, _asks(limits={"cpu": "1"}))))
    s.post(PODS, _pod("c", _asks(limits={"cpu": "1", "memory": "1Gi"}, requests={"cpu": "1", "memory": "1Mi"})))
    s.post(PODS, _pod("d", _asks(requests={"cpu": "1"})))


@case("bounds of containers")
def _(s: Script) -> None:
    bounds = {"min": {"cpu": "100m"}, "max": {"cpu": "1"}, "maxLimitRequestRatio": {"cpu": "2"}}
    _limit(s, {"type": "Container", **bounds})
    _taken_up_bounds(s)
    for requests, limits in (("50m", "100m"), ("200m", "2"), ("100m", "300m"), ("500m", "1"), ("0", "1")):
        s.post(PODS, _pod("a", _asks(requests={"cpu": requests}, limits={"cpu": limits})), dryRun="All")
        s.post(PODS, _pod("a", {}, init=(_asks(requests={"cpu": requests}, limits={"cpu": limits}),)), dryRun="All")
    s.post(PODS, _pod("a", {}))
    s.patch(f"{PODS}/a", {"metadata": {"labels": {"a": "b"}}})


@case("bounds of pods")
def _(s: Script) -> None:
    _limit(s, {"type": "Pod", "max": {"cpu": "2"}, "min": {"memory": "10Mi"}})
    _taken_up_bounds(s)
    one = {"cpu": "1", "memory": "5Mi"}
    for value in (
        _pod("a", {}),
        _pod("a", _asks(requests=one, limits=one)),
        _pod("a", _asks(requests=one, limits=one), _asks(requests=one, limits=one)),
        _pod("a", *[_asks(requests=one, limits=one)] * 3),
        _pod("a", *[_asks(requests=one, limits=one)] * 2, init=(_asks(limits={"cpu": "3"}),)),
        _pod("a", *[_asks(limits=one)] * 2, init=({**_asks(limits=one), "restartPolicy": "Always"},)),
        _pod("a", _asks(limits=one), resources={"limits": {"cpu": "2", "memory": "1Gi"}}),
    ):
        s.post(PODS, value, dryRun="All")


@case("bounds of claims")
def _(s: Script) -> None:
    _limit(s, {"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}, "max": {"storage": "2Gi"}})

    def claim(size: str) -> dict[str, Any]:
        spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
        return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "a"}, "spec": spec}

    s.until(CLAIMS, method="POST", body=claim("9Gi"), query={"dryRun": "All"}, status=403)
    for size in ("500Mi", "3Gi", "1500Mi"):
        s.post(CLAIMS, claim(size))
