"""What claims on devices and their templates may not be; that what they ask for does not change."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.builtin_objects import of_kind
from cases.device_objects import CLAIMS, TEMPLATES, VERSION, claim, opaque, request, selector
from cases.rules_policies import parts

case = Cases("devices claimed")
FIRST: Final[dict[str, Any]] = {"name": "r", "firstAvailable": [{"name": "x", "deviceClassName": "c"}]}


def _template(spec: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return of_kind(VERSION, "ResourceClaimTemplate", spec={"metadata": metadata, "spec": spec})


@case("requests")
def _(s: Script) -> None:
    for made in (
        claim(),
        claim(request(), request("s")),
        claim(request(), request()),
        claim(request("")),
        claim(request("R")),
        claim(*(request(f"r{number}") for number in range(33))),
        claim({"name": "r"}),
        claim({**request(), **FIRST}),
        claim({"name": "r", "firstAvailable": []}),
        claim({"name": "r", "exactly": {}}),
    ):
        s.post(CLAIMS, made, dryRun="All")
    s.post(CLAIMS, of_kind(VERSION, "ResourceClaim", spec={}), dryRun="All")


@case("one request")
def _(s: Script) -> None:
    for part in parts(
        {"deviceClassName": ""},
        {"deviceClassName": "C"},
        {"allocationMode": "<Some>"},
        {"allocationMode": "All"},
        {"allocationMode": "All", "count": 1},
        {"count": -1},
        {"count": 0},
        {"allocationMode": "ExactCount", "count": 3},
        {"selectors": [selector("true"), {}, selector("x")]},
        {"selectors": [selector("true")] * 33},
        {"capacity": {"requests": {"a": "1Gi", "b c": "2"}}},
    ):
        s.post(CLAIMS, claim(request(**part)), dryRun="All")


@case("tolerations of taints")
def _(s: Script) -> None:
    for toleration in parts(
        {},
        {"operator": "Exists"},
        {"operator": "Exists", "value": "b"},
        {"operator": "Equal", "key": "a", "value": "b c"},
        {"operator": "Near"},
        {"key": "a b"},
        {"key": "a", "effect": "None", "tolerationSeconds": 5},
        {"effect": "PreferNoSchedule"},
    ):
        s.post(CLAIMS, claim(request(tolerations=[toleration])), dryRun="All")
    s.post(CLAIMS, claim(request(tolerations=[{"key": f"k{number}"} for number in range(20)])), dryRun="All")


@case("alternatives")
def _(s: Script) -> None:
    for each in parts(
        {"name": "x", "deviceClassName": "c", "allocationMode": "All", "tolerations": [{"key": "a b"}]},
        {"name": "X", "deviceClassName": "C"},
        {"name": "", "deviceClassName": ""},
        {"name": "x", "deviceClassName": "c", "count": -2, "selectors": [selector("1")]},
    ):
        s.post(CLAIMS, claim({"name": "r", "firstAvailable": [each]}), dryRun="All")
    twice = [{"name": "x", "deviceClassName": "c"}] * 2
    many = [{"name": f"x{number}", "deviceClassName": "c"} for number in range(9)]
    for listed in (twice, many):
        s.post(CLAIMS, claim({"name": "r", "firstAvailable": listed}), dryRun="All")


@case("constraints")
def _(s: Script) -> None:
    name = "a.example.com/b"
    for constraint in parts(
        {"matchAttribute": name},
        {"distinctAttribute": name},
        {"matchAttribute": name, "distinctAttribute": "x"},
        {},
        *({"matchAttribute": wrong} for wrong in ("", "b", "/b", "a/", "a b/c", "a/b c", "a/b/c", f"{name}{'c' * 40}")),
        *({"distinctAttribute": wrong} for wrong in ("b", "<b>", "a/b c")),
        *({"matchAttribute": name, "requests": names} for names in (["r"], ["t/x"], ["r", "r"], ["x"], ["r/x"])),
        *({"matchAttribute": name, "requests": names} for names in (["t/y"], ["t/x/y"], ["R"], [""], ["t/"], ["/x"])),
        {"matchAttribute": name, "requests": ["r"] * 33},
    ):
        s.post(CLAIMS, claim(request(), {**FIRST, "name": "t"}, constraints=[constraint]), dryRun="All")
    s.post(CLAIMS, claim(request(), constraints=[{"matchAttribute": name}] * 33), dryRun="All")


@case("configuration of claims")
def _(s: Script) -> None:
    for config in parts(
        opaque(),
        {},
        {**opaque(), "requests": ["r", "r"]},
        {**opaque(), "requests": ["x"]},
        opaque(driver="a b", parameters="c"),
        opaque(parameters={"a": "b" * 10240}),
    ):
        s.post(CLAIMS, claim(request(), config=[config]), dryRun="All")
    s.post(CLAIMS, claim(request(), config=[opaque()] * 33), dryRun="All")


@case("a change of a claim")
def _(s: Script) -> None:
    one = f"{CLAIMS}/a"
    full = claim(
        request(
            selectors=[selector("device.driver == '<a>'")],
            tolerations=[{"key": "a", "operator": "Exists"}],
            capacity={"requests": {"b": "1.5Gi", "a": "2"}},
        ),
        {**FIRST, "name": "t"},
        constraints=[{"requests": ["r"], "matchAttribute": "a/b"}],
        config=[{"requests": ["r"], **opaque()}],
    )
    s.post(CLAIMS, full)
    s.patch(one, {"spec": {"devices": {"config": None}}})
    s.patch(one, {"spec": {"devices": {"constraints": None, "requests": [request("R")]}}})
    s.patch(one, {"spec": {"devices": {"requests": []}}})
    s.patch(one, {"metadata": {"labels": {"a": "b"}}, "status": {"reservedFor": [{"name": "a"}]}})
    s.put(one, full)
    s.delete(one)


@case("templates of claims")
def _(s: Script) -> None:
    spec = claim(request())["spec"]
    for made in (
        _template(spec, labels={"a": "b"}, annotations={"c": "d"}),
        _template(spec, labels={"a b": "c"}),
        _template(spec, labels={"a": "b c"}),
        _template(spec, annotations={"a b": "c"}),
        _template(spec, name="a", namespace="b", generateName="c", uid="d", finalizers=["e/f"], generation=5),
        _template(spec, ownerReferences=[], finalizers=[], managedFields=[], labels={}, deletionGracePeriodSeconds=0),
        _template(spec, ownerReferences=[{"apiVersion": "v1", "kind": "K", "name": "n", "uid": "u"}]),
        _template({"devices": {"requests": [request("R")]}}),
        _template({}),
    ):
        s.post(TEMPLATES, made, dryRun="All")


@case("a change of a template")
def _(s: Script) -> None:
    one, spec = f"{TEMPLATES}/a", claim(request(), config=[opaque()])["spec"]
    s.post(TEMPLATES, _template(spec, labels={"a": "b"}))
    s.patch(one, {"spec": {"metadata": {"labels": {"c": "d"}, "annotations": {"e": "f"}}}})
    s.patch(one, {"spec": {"spec": {"devices": {"config": None}}}})
    s.patch(one, {"spec": {"spec": {"devices": {"requests": [request("R")]}}}})
    s.patch(one, {"metadata": {"labels": {"a": "b"}}})
    s.put(one, _template(spec, labels={"a": "b"}))
    s.delete(one)


@case("access as an administrator")
def _(s: Script) -> None:
    asking, spec = request(adminAccess=True), claim(request(), request("s", adminAccess=True))["spec"]
    s.post(CLAIMS, claim(asking))
    s.post(CLAIMS, claim(request(adminAccess=False)), dryRun="All")
    s.post(CLAIMS, claim(asking, request("R")), dryRun="All")
    s.post(TEMPLATES, _template(spec))
    s.patch("/api/v1/namespaces/{ns}", {"metadata": {"labels": {"resource.kubernetes.io/admin-access": "true"}}})
    s.post(CLAIMS, claim(asking))
    s.post(TEMPLATES, _template(spec))
    s.patch("/api/v1/namespaces/{ns}", {"metadata": {"labels": {"resource.kubernetes.io/admin-access": None}}})
    s.patch(f"{CLAIMS}/a", {"metadata": {"labels": {"a": "b"}}})
    s.patch(f"{TEMPLATES}/a", {"metadata": {"labels": {"a": "b"}}})
    s.patch(
        f"{CLAIMS}/a/status",
        {
            "status": {
                "allocation": {
                    "devices": {
                        "results": [{"request": "r", "driver": "a", "pool": "p", "device": "d", "adminAccess": True}]
                    }
                }
            }
        },
    )
