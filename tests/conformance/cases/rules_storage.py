"""What claims, classes, endpoint slices, config maps and secrets may not be."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.builtin_objects import of_kind
from cases.rules_policies import WRONG_SELECTORS, parts

case = Cases("storage rules")
CLAIMS = "/api/v1/namespaces/{ns}/persistentvolumeclaims"
STORAGE_CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
PRIORITY_CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
SLICES = "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices"
SECRETS = "/api/v1/namespaces/{ns}/secrets"
ASKED: dict[str, Any] = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


def _claim(name: str = "a", **spec: Any) -> dict[str, Any]:
    return of_kind("v1", "PersistentVolumeClaim", name=name, spec={**ASKED, **spec})


def _storage_class(name: str = "{ns}", **more: Any) -> dict[str, Any]:
    return {**of_kind("storage.k8s.io/v1", "StorageClass", name=name), "provisioner": "example.com/p", **more}


@case("a claim")
def _(s: Script) -> None:
    for part in parts(
        {"accessModes": []},
        {"accessModes": ["Other"]},
        {"accessModes": ["ReadWriteOncePod", "ReadWriteOnce"]},
        {"resources": {}},
        {"resources": {"requests": {"storage": "0"}}},
        {"resources": {"requests": {"storage": "-1Gi"}}},
        {"storageClassName": "A"},
        {"volumeAttributesClassName": "A"},
        {"volumeMode": "Other"},
        *({"selector": selector} for selector in WRONG_SELECTORS),
    ):
        s.post(CLAIMS, _claim(**part))


@case("the source of a claim")
def _(s: Script) -> None:
    source = {"kind": "PersistentVolumeClaim", "name": "b"}
    for part in parts(
        {"dataSource": {"kind": "PersistentVolumeClaim", "name": ""}},
        {"dataSourceRef": {"kind": "", "name": "b"}},
        {"dataSourceRef": {"kind": "Other", "name": "b"}},
        {"dataSourceRef": {"kind": "K", "name": "b", "apiGroup": "A"}},
        {"dataSource": source, "dataSourceRef": {**source, "name": "c"}},
    ):
        s.post(CLAIMS, _claim(**part))


@case("a change of a claim")
def _(s: Script) -> None:
    s.post(STORAGE_CLASSES, _storage_class("grows", allowVolumeExpansion=True))
    s.post(CLAIMS, _claim(storageClassName="grows", selector={"matchLabels": {"a": "b"}}))
    one = f"{CLAIMS}/a"
    s.patch(one, {"spec": {"accessModes": ["ReadOnlyMany"]}})
    s.patch(one, {"spec": {"storageClassName": "c"}})
    s.patch(one, {"spec": {"resources": {"requests": {"storage": "2Gi"}}}})
    s.patch(one, {"spec": {"resources": {"limits": {"storage": "2Gi"}}}})
    s.patch(one, {"spec": {"volumeMode": "Block"}})
    s.patch(one, {"spec": {"dataSource": {"kind": "PersistentVolumeClaim", "name": "b"}}})
    s.patch(one, {"metadata": {"labels": {"a b": "c"}}})
    s.patch(one, {"spec": {"volumeName": "v"}})
    s.patch(one, {"spec": {"volumeName": "w"}})
    s.patch(f"{one}/status", {"status": {"phase": "Bound", "capacity": {"storage": "1Gi"}}})
    s.patch(one, {"spec": {"resources": {"requests": {"storage": "2Gi"}}}})
    s.patch(one, {"spec": {"resources": {"requests": {"storage": "512Mi"}}}})
    s.patch(one, {"spec": {"resources": {"requests": {"storage": "1536Mi"}}}})
    s.patch(one, {"spec": {"volumeMode": "Block"}})
    s.delete(f"{STORAGE_CLASSES}/grows")


@case("a storage class")
def _(s: Script) -> None:
    zone = {"key": "zone", "values": ["a"]}
    for part in parts(
        {"provisioner": ""},
        {"provisioner": "a b"},
        {"parameters": {"": "a"}},
        {"parameters": {str(number): "" for number in range(513)}},
        {"reclaimPolicy": "Recycle"},
        {"volumeBindingMode": "Late"},
        {"allowedTopologies": [{"matchLabelExpressions": [{"key": "zone", "values": []}]}]},
        {"allowedTopologies": [{"matchLabelExpressions": [{"key": "a b", "values": ["a"]}]}]},
        {"allowedTopologies": [{"matchLabelExpressions": [{"key": "zone", "values": ["a", "a"]}]}]},
        {"allowedTopologies": [{"matchLabelExpressions": [zone, zone]}]},
        {"allowedTopologies": [{"matchLabelExpressions": [zone]}, {"matchLabelExpressions": [zone]}]},
        {"allowedTopologies": [{}]},
        {
            "allowedTopologies": [
                {"matchLabelExpressions": [{"key": "zone", "values": list(text)}]} for text in ("ab", "bab")
            ]
        },
    ):
        s.post(STORAGE_CLASSES, _storage_class(**part))
    s.post(STORAGE_CLASSES, _storage_class(parameters={"a": "b"}))
    s.patch(f"{STORAGE_CLASSES}/{{ns}}", {"metadata": {"labels": {"a b": "c"}}})
    for part in parts(
        {"provisioner": "example.com/q"},
        {"parameters": {"a": "c"}},
        {"parameters": None},
        {"reclaimPolicy": "Retain"},
        {"volumeBindingMode": "WaitForFirstConsumer"},
        {"allowVolumeExpansion": True},
    ):
        s.patch(f"{STORAGE_CLASSES}/{{ns}}", part)
    s.delete(f"{STORAGE_CLASSES}/{{ns}}")


@case("a priority class")
def _(s: Script) -> None:
    def made(name: str = "{ns}", **more: Any) -> dict[str, Any]:
        return {**of_kind("scheduling.k8s.io/v1", "PriorityClass", name=name), "value": 1, **more}

    s.post(PRIORITY_CLASSES, made(value=1_000_000_001))
    s.post(PRIORITY_CLASSES, made("system-x"))
    s.post(PRIORITY_CLASSES, made(preemptionPolicy="Other"))
    s.post(PRIORITY_CLASSES, made())
    s.patch(f"{PRIORITY_CLASSES}/{{ns}}", {"value": 2})
    s.patch(f"{PRIORITY_CLASSES}/{{ns}}", {"metadata": {"labels": {"a b": "c"}}})
    s.patch(f"{PRIORITY_CLASSES}/{{ns}}", {"preemptionPolicy": "Never"})
    s.patch(f"{PRIORITY_CLASSES}/{{ns}}", {"description": "d"})
    s.delete(f"{PRIORITY_CLASSES}/{{ns}}")


def _slice(**more: Any) -> dict[str, Any]:
    return {**of_kind("discovery.k8s.io/v1", "EndpointSlice"), "addressType": "IPv4", "endpoints": [], **more}


@case("an endpoint slice")
def _(s: Script) -> None:
    s.post(SLICES, _slice(addressType=""))
    s.post(SLICES, _slice(addressType="IPv5"))
    for kind, addresses in (
        ("IPv4", ("x", "fd00::1", "127.0.0.1", "0.0.0.0", "10.0.0.01")),
        ("IPv6", ("x", "10.0.0.1", "::1", "fd00::0001", "fe80::1")),
        ("FQDN", ("", "a", "A.b", "a_b.c")),
    ):
        for text in addresses:
            s.post(SLICES, _slice(addressType=kind, endpoints=[{"addresses": [text]}]))
    for part in parts(
        {"addresses": []},
        {"nodeName": "A"},
        {"hostname": "a.b"},
        {"deprecatedTopology": {"a b": "c"}},
        {"hints": {"forZones": [{"name": "a b"}]}},
        {"hints": {"forZones": [{"name": "a"}, {"name": "a"}]}},
        {"hints": {"forNodes": [{"name": "A"}]}},
    ):
        s.post(SLICES, _slice(endpoints=[{"addresses": ["10.0.0.1"], **part}]))


@case("the ports of an endpoint slice")
def _(s: Script) -> None:
    for ports in (
        [{"name": "A", "port": 80}],
        [{"port": 80}, {"port": 81}],
        [{"name": "a", "protocol": "ICMP"}],
        [{"name": "a", "appProtocol": "a b"}],
    ):
        s.post(SLICES, _slice(ports=ports))
    s.post(SLICES, _slice())
    s.patch(f"{SLICES}/a", {"addressType": "IPv6"})
    s.patch(f"{SLICES}/a", {"metadata": {"labels": {"a b": "c"}}})
    s.patch(f"{SLICES}/a", {"endpoints": [{"addresses": ["x"]}]})


@case("secrets of each type")
def _(s: Script) -> None:
    for kind, data in (
        ("kubernetes.io/tls", {"tls.crt": "YQ=="}),
        ("kubernetes.io/basic-auth", {}),
        ("kubernetes.io/ssh-auth", {"ssh-privatekey": ""}),
        ("kubernetes.io/dockerconfigjson", {".dockerconfigjson": "YQ=="}),
        ("kubernetes.io/dockercfg", {}),
        ("kubernetes.io/service-account-token", {}),
        ("Opaque", {"a b": ""}),
    ):
        s.post(SECRETS, {**of_kind("v1", "Secret"), "type": kind, "data": data})
    s.post(SECRETS, {**of_kind("v1", "Secret"), "immutable": True})
    s.patch(f"{SECRETS}/a", {"type": "other"})
    s.patch(f"{SECRETS}/a", {"data": {"a": "YQ=="}})
    s.patch(f"{SECRETS}/a", {"immutable": False})
