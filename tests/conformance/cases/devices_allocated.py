"""The status of claims on devices: what was allocated, who uses it, what drivers tell; and who may write which."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.device_objects import CLAIMS, THEN, claim, opaque, request
from cases.rbac_objects import acting, bound, cluster_bind, grant, role, until_allowed
from cases.rules_policies import parts

case = Cases("devices allocated")
ONE: Final = f"{CLAIMS}/a"
STATUS: Final = f"{ONE}/status"
SHARE: Final = "6d3b2f4e-6c1f-4c3e-9a4b-1a2b3c4d5e6f"
RESULT: Final[dict[str, Any]] = {"request": "r", "driver": "a.example.com", "pool": "p", "device": "d"}
DEVICE: Final[dict[str, Any]] = {"driver": "a.example.com", "pool": "p", "device": "d"}
USER: Final = {"resource": "pods", "name": "a", "uid": "u"}
HERE: Final = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}]}


def _allocation(*results: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"devices": {"results": [*results], **more}}


def _claimed(s: Script) -> None:
    sub = {"name": "t", "firstAvailable": [{"name": "x", "deviceClassName": "c"}]}
    s.post(CLAIMS, claim(request(), sub))


def _try(s: Script, *statuses: dict[str, Any], **more: Any) -> None:
    for status in statuses:
        s.patch(STATUS, {"status": status}, dryRun="All", **more)


@case("an allocation")
def _(s: Script) -> None:
    _claimed(s)
    _try(
        s,
        *(
            {"allocation": _allocation({**RESULT, "request": name})}
            for name in ("t/x", "t", "x", "t/y", "r/x", "", "a/b/c")
        ),
        *({"allocation": _allocation({**RESULT, "driver": name})} for name in ("", "A b", "A.b", "a" * 64)),
        *({"allocation": _allocation({**RESULT, "pool": name})} for name in ("", "P", "a/b")),
        *({"allocation": _allocation({**RESULT, "device": name})} for name in ("", "D", "a.b")),
        *(
            {"allocation": _allocation({**RESULT, "shareID": uid})}
            for uid in (SHARE, SHARE.upper(), "", "a", "{" + SHARE + "}")
        ),
        *(
            {"allocation": _allocation({**RESULT, "shareID": uid})}
            for uid in (f"urn:uuid:{SHARE}", f"urn-uuid:{SHARE}")
        ),
        *({"allocation": _allocation({**RESULT, "shareID": uid})} for uid in ("-" * 36, "0" * 32, "g" * 32, "x" * 38)),
        {"allocation": _allocation({**RESULT, "bindingConditions": ["a"], "bindingFailureConditions": ["a b"]})},
        {"allocation": _allocation({**RESULT, "bindingConditions": ["a"]})},
        {"allocation": _allocation({**RESULT, "consumedCapacity": {"b c": "1"}, "tolerations": [{"operator": "X"}]})},
        {"allocation": _allocation(*[RESULT] * 33)},
        {"allocation": _allocation()},
        {"allocation": {}},
        {"allocation": {**_allocation(RESULT), "nodeSelector": {"nodeSelectorTerms": []}}},
        {"allocation": {**_allocation(RESULT), "nodeSelector": HERE, "allocationTimestamp": THEN}},
    )


@case("the configuration of an allocation")
def _(s: Script) -> None:
    _claimed(s)
    for config in parts(
        {"source": "FromClass", **opaque()},
        {"source": "FromClaim", "requests": ["r", "t/x"], **opaque()},
        {"source": "", **opaque()},
        {"source": "Elsewhere", **opaque()},
        {"source": "FromClass", "requests": ["r", "r", "x"], **opaque()},
        {"source": "FromClass"},
        {"source": "FromClass", **opaque(driver="", parameters=1)},
    ):
        _try(s, {"allocation": _allocation(RESULT, config=[config])})
    _try(s, {"allocation": _allocation(RESULT, config=[{"source": "FromClass", **opaque()}] * 65)})


@case("an allocation does not change")
def _(s: Script) -> None:
    _claimed(s)
    config = [{"source": "FromClaim", **opaque()}]
    whole = {**_allocation({**RESULT, "consumedCapacity": {"a": "1"}}, config=config), "nodeSelector": HERE}
    s.patch(STATUS, {"status": {"allocation": whole}})
    s.patch(STATUS, {"status": {"allocation": {"nodeSelector": None}}})
    s.patch(STATUS, {"status": {"allocation": _allocation(RESULT, config=None)}})
    s.patch(STATUS, {"status": {"allocation": {"allocationTimestamp": THEN}}, "metadata": {"labels": {"a": "b"}}})
    s.patch(STATUS, {"status": {"reservedFor": [USER]}})
    s.patch(STATUS, {"status": {"allocation": None}})
    s.patch(STATUS, {"status": {"allocation": None, "reservedFor": None}})
    s.patch(STATUS, {"status": {"allocation": _allocation({**RESULT, "device": "e"})}})
    s.delete(ONE)


@case("who uses a claim")
def _(s: Script) -> None:
    _claimed(s)
    _try(s, {"reservedFor": [USER]})
    s.patch(STATUS, {"status": {"allocation": _allocation(RESULT)}})
    _try(
        s,
        {"reservedFor": [USER, {**USER, "uid": "v"}]},
        {"reservedFor": [USER, USER]},
        {"reservedFor": [{**USER, "uid": "<u>"}] * 2},
        {"reservedFor": [{"resource": "", "name": "", "uid": ""}]},
        {"reservedFor": [{**USER, "uid": f"u{number}"} for number in range(257)]},
    )
    s.patch(STATUS, {"status": {"reservedFor": [USER]}})
    s.patch(ONE, {"metadata": {"finalizers": ["example.com/f"]}})
    s.delete(ONE)
    _try(s, {"reservedFor": [USER, {**USER, "uid": "v"}]}, {"reservedFor": [USER]}, {"reservedFor": []})
    s.patch(ONE, {"metadata": {"finalizers": None}})


@case("what drivers tell of devices")
def _(s: Script) -> None:
    _claimed(s)
    s.patch(STATUS, {"status": {"allocation": _allocation(RESULT, {**RESULT, "device": "e", "shareID": SHARE})}})
    condition = {"type": "Ready", "status": "True", "reason": "R", "message": "", "lastTransitionTime": THEN}
    _try(
        s,
        {"devices": [DEVICE, {**DEVICE, "device": "e", "shareID": SHARE}]},
        {"devices": [DEVICE, DEVICE]},
        {"devices": [{**DEVICE, "device": "e"}]},
        {"devices": [{"driver": "", "pool": "", "device": ""}]},
        {"devices": [{"driver": "A b", "pool": "P", "device": "D", "shareID": "x"}]},
        {"devices": [{**DEVICE, "conditions": [condition]}]},
        {"devices": [{**DEVICE, "conditions": [condition, condition]}]},
        {"devices": [{**DEVICE, "conditions": [{**condition, "type": "a b", "status": "X", "reason": ""}]}]},
        {"devices": [{**DEVICE, "conditions": [{**condition, "type": f"t{number}"} for number in range(9)]}]},
        *({"devices": [{**DEVICE, "data": data}]} for data in parts({"a": 1})),
        {"devices": [{**DEVICE, "data": 5}]},
        {"devices": [{**DEVICE, "data": None}]},
        {"devices": [{**DEVICE, "data": {"a": "b" * 10240}}]},
    )


@case("what drivers tell of networks")
def _(s: Script) -> None:
    _claimed(s)
    s.patch(STATUS, {"status": {"allocation": _allocation(RESULT)}})
    for data in parts(
        {"interfaceName": "eth0", "hardwareAddress": "00:00", "ips": ["10.9.8.7/24", "2001:db8::1/64"]},
        {"interfaceName": "a" * 257, "hardwareAddress": "b" * 129},
        {"ips": ["10.9.8.7/24", "10.9.8.7/24"]},
        {"ips": [f"10.9.8.{number}/24" for number in range(17)]},
        {"ips": ["10.9.8.7"]},
        {"ips": ["10.9.8.7/33"]},
        {"ips": ["10.9.8.07/24"]},
        {"ips": ["10.9.8.7/024"]},
        {"ips": ["2001:DB8::1/64"]},
        {"ips": ["::ffff:192.168.0.1/120"]},
        {"ips": ["::ffff:192.168.0.1/24"]},
        {"ips": ["", "a/b", "1.2.3.4/-1"]},
    ):
        _try(s, {"devices": [{**DEVICE, "networkData": data}]})


@case("devices that are released")
def _(s: Script) -> None:
    _claimed(s)
    s.patch(STATUS, {"status": {"allocation": _allocation(RESULT, {**RESULT, "device": "e"})}})
    s.patch(STATUS, {"status": {"devices": [DEVICE, {**DEVICE, "device": "e"}]}})
    s.patch(STATUS, {"status": {"devices": [DEVICE]}})
    s.patch(STATUS, {"status": {"allocation": None}})
    s.patch(STATUS, {"status": {"devices": [DEVICE]}})


@case("who may write which part of a status")
def _(s: Script) -> None:
    _claimed(s)
    of_devices = {"groups": ("resource.k8s.io",)}
    who, groups = "writer-{ns}", ("system:authenticated",)
    me = acting(who, groups)
    grant(s, "status", [role(["resourceclaims/status"], ["patch", "update"], **of_devices)], user=who)
    until_allowed(
        s,
        who,
        groups,
        {
            "group": "resource.k8s.io",
            "resource": "resourceclaims",
            "subresource": "status",
            "verb": "patch",
            "namespace": "{ns}",
        },
    )
    _try(s, {"allocation": _allocation(RESULT)}, {"reservedFor": [USER]}, {"devices": [DEVICE]}, headers=me)
    s.post(
        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        bound("ClusterRole", "{ns}-bind", rules=[role(["resourceclaims/binding"], ["patch"], **of_devices)]),
    )
    cluster_bind(s, "{ns}-bind", "{ns}-bind", user=who)
    until_allowed(
        s,
        who,
        groups,
        {"group": "resource.k8s.io", "resource": "resourceclaims", "subresource": "binding", "verb": "patch"},
    )
    s.patch(STATUS, {"status": {"allocation": _allocation(RESULT)}}, headers=me)
    _try(s, {"devices": [DEVICE]}, {"devices": [{**DEVICE, "device": "e"}]}, {}, headers=me)
    grant(
        s,
        "driver",
        [role(["resourceclaims/driver"], ["arbitrary-node:patch"], names=["a.example.com"], **of_devices)],
        user=who,
    )
    until_allowed(
        s,
        who,
        groups,
        {
            "group": "resource.k8s.io",
            "resource": "resourceclaims",
            "subresource": "driver",
            "verb": "arbitrary-node:patch",
            "namespace": "{ns}",
            "name": "a.example.com",
        },
    )
    s.patch(STATUS, {"status": {"devices": [DEVICE]}}, headers=me)
    s.patch(STATUS, {"status": {"devices": None}}, headers=me)
    s.delete("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/{ns}-bind")
    s.delete("/apis/rbac.authorization.k8s.io/v1/clusterroles/{ns}-bind")
