"""Classes, slices and claims as a whole; the words are compared with the real server's in tests/conformance."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.builtin.strategy import BuiltinStrategy

GROUP = "resource.k8s.io"
POOL = {"name": "p", "generation": 1, "resourceSliceCount": 1}


def _made(kind: str, spec: dict[str, Any], **more: Any) -> dict[str, Any]:
    strategy, metadata = BuiltinStrategy(GROUP, "v1", kind), {"name": "a", "uid": "u", "namespace": "n"}
    if kind in ("DeviceClass", "ResourceSlice"):
        del metadata["namespace"]
    value: dict[str, Any] = {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": metadata, "spec": spec, **more}
    strategy.prune(value)
    strategy.default(value)
    return value


def _refused(kind: str, spec: dict[str, Any]) -> list[str]:
    """Return the fields of a new object that are refused."""
    value, strategy = _made(kind, spec), BuiltinStrategy(GROUP, "v1", kind)
    strategy.prepare_for_create(value)
    return [error.field for error in strategy.validate(value)]


def _refused_change(kind: str, spec: dict[str, Any], old: dict[str, Any], *, part: str = "") -> list[str]:
    """Return the fields of a changed object that are refused."""
    value, before, strategy = _made(kind, **spec), _made(kind, **old), BuiltinStrategy(GROUP, "v1", kind)
    strategy.prepare_for_update(value, before, subresource=part)
    return [error.field for error in strategy.validate_update(value, before, subresource=part)]


def _slice(**spec: Any) -> dict[str, Any]:
    return {"driver": "a.example.com", "pool": POOL, "nodeName": "n", **spec}


def _claim(*names: str, **devices: Any) -> dict[str, Any]:
    requests = [{"name": name, "exactly": {"deviceClassName": "c"}} for name in names]
    return {"devices": {"requests": requests, **devices}}


@pytest.mark.parametrize(
    ("device", "refused"),
    [
        ({"attributes": {"a": {"int": 1}, "example.com/b": {"version": "1.2.3"}}}, []),
        ({"attributes": {"1a": {"int": 1}}}, ["attributes"]),
        ({"attributes": {"a": {"int": 1, "bool": True}}}, ["attributes[a]"]),
        ({"capacity": {"a": {"value": "1", "requestPolicy": {}}}}, ["capacity[a].requestPolicy"]),
        ({"consumesCounters": [{"counterSet": "a", "counters": {}}]}, ["consumesCounters[0].counters"]),
        ({"taints": [{"key": "a", "effect": "None"}]}, []),
        ({"taints": [{"key": "a"}]}, ["taints[0].effect"]),
        ({"bindingConditions": ["a"]}, ["bindingFailureConditions"]),
    ],
)
def test_a_device_is_judged_part_by_part(device: dict[str, Any], refused: list[str]) -> None:
    """The path of a fault leads to the part."""
    found = _refused("ResourceSlice", _slice(devices=[{"name": "d", **device}]))
    assert found == [f"spec.devices[0].{field}" for field in refused]


def test_a_long_key_is_shortened_in_a_path() -> None:
    """Both of its ends are shown."""
    key = "a" * 200
    *_, where = _refused("ResourceSlice", _slice(devices=[{"name": "d", "attributes": {key: {}}}]))
    assert where == f"spec.devices[0].attributes[{'a' * 47}...{'a' * 46}]"


def test_a_slice_has_devices_or_counters() -> None:
    """An empty list is one of them, though it is stored as none."""
    assert _refused("ResourceSlice", _slice(devices=[{"name": "d"}], sharedCounters=[])) == ["spec"]
    assert _refused("ResourceSlice", _slice(sharedCounters=[])) == []


def test_what_belongs_to_a_slice_stays() -> None:
    """Its driver, its pool and its node."""
    old = {"spec": _slice()}
    changed = _slice(driver="b", nodeName="m", pool={**POOL, "name": "q"})
    found = _refused_change("ResourceSlice", {"spec": changed}, old)
    assert found == ["spec.pool.name", "spec.driver", "spec.nodeName"]


def test_what_a_feature_that_is_off_would_bring_is_dropped() -> None:
    """Lists of values, and what a device takes of its node."""
    mapped = {"cpu": {"capacityKey": "a"}}
    device = {"name": "d", "attributes": {"a": {"int": 1, "ints": [1]}}, "nodeAllocatableResourceMappings": mapped}
    strategy, value = BuiltinStrategy(GROUP, "v1", "ResourceSlice"), _made("ResourceSlice", _slice(devices=[device]))
    strategy.prepare_for_create(value)
    assert value["spec"]["devices"] == [{"name": "d", "attributes": {"a": {"int": 1}}}]


def test_a_claim_names_its_own_requests() -> None:
    """In constraints and in configuration."""
    constraint = {"matchAttribute": "example.com/a", "requests": ["r", "s", "r/x"]}
    found = _refused("ResourceClaim", _claim("r", constraints=[constraint]))
    assert found == [f"spec.devices.constraints[0].requests[{index}]" for index in (1, 2)]


def test_what_a_claim_asks_for_does_not_change() -> None:
    """No list and an empty one are the same."""
    assert _refused_change("ResourceClaim", {"spec": _claim("s")}, {"spec": _claim("r")}) == ["spec"]
    assert _refused_change("ResourceClaim", {"spec": {"devices": {}}}, {"spec": _claim()}) == []


RESULT = {"request": "r", "driver": "a", "pool": "p", "device": "d"}
DEVICE = {"driver": "a", "pool": "p", "device": "d"}
ALLOCATED = {"allocation": {"devices": {"results": [RESULT]}}}


@pytest.mark.parametrize(
    ("status", "old", "refused"),
    [
        (ALLOCATED, {}, []),
        ({"reservedFor": [{"resource": "pods", "name": "a", "uid": "u"}]}, {}, ["status.reservedFor"]),
        ({**ALLOCATED, "devices": [DEVICE]}, {}, []),
        ({**ALLOCATED, "devices": [{**DEVICE, "device": "e"}]}, {}, ["status.devices[0]"]),
        ({"allocation": {"devices": {"results": []}}}, ALLOCATED, ["status.allocation"]),
        (
            {"allocation": {"devices": {"results": [{**RESULT, "request": "x"}]}}},
            {},
            ["status.allocation.devices.results[0].request"],
        ),
    ],
)
def test_a_status_is_judged(status: dict[str, Any], old: dict[str, Any], refused: list[str]) -> None:
    """What is told of devices is about those that were allocated; an allocation does not change."""
    spec = _claim("r")
    found = _refused_change(
        "ResourceClaim", {"spec": spec, "status": status}, {"spec": spec, "status": old}, part="status"
    )
    assert found == refused


def test_what_was_told_of_released_devices_goes() -> None:
    """With the allocation."""
    spec, strategy = _claim("r"), BuiltinStrategy(GROUP, "v1", "ResourceClaim")
    old = _made("ResourceClaim", spec, status={**ALLOCATED, "devices": [DEVICE]})
    value = _made("ResourceClaim", spec, status={"devices": [DEVICE]})
    strategy.prepare_for_update(value, old, subresource="status")
    assert value["status"] == {}
