"""What a Service may not be: ports, types, addresses, affinity, policies and status."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.builtin_objects import of_kind

case = Cases("service rules")
PATH = "/api/v1/namespaces/{ns}/services"


def _refused(s: Script, *specs: dict[str, Any]) -> None:
    for spec in specs:
        s.post(PATH, of_kind("v1", "Service", spec={"ports": [{"port": 80}], **spec}))


def _ports(s: Script, *ports: dict[str, Any] | list[dict[str, Any]]) -> None:
    _refused(s, *({"ports": port if isinstance(port, list) else [port]} for port in ports))


@case("ports")
def _(s: Script) -> None:
    _ports(s, [], {}, {"port": 0}, {"port": 65536}, {"port": -1})
    _ports(s, {"port": 80, "name": "B!"}, {"port": 80, "name": "a" * 64}, {"port": 80, "name": "a.b"})
    _ports(s, {"port": 80, "protocol": "ICMP"}, {"port": 80, "appProtocol": "a b"}, {"port": 80, "nodePort": 30001})
    _ports(s, {"port": 80, "targetPort": "a_b"}, {"port": 80, "targetPort": 70000}, {"port": 80, "targetPort": "1-1"})
    _ports(s, {"port": 80, "targetPort": "far-too-long-name"}, {"port": 80, "targetPort": "-a--b"})


@case("several ports")
def _(s: Script) -> None:
    _ports(s, [{"port": 80}, {"port": 81}])
    _ports(s, [{"port": 80, "name": "a"}, {"port": 81, "name": "a"}])
    _ports(s, [{"port": 80, "name": "a"}, {"port": 80, "name": "b"}])
    _ports(s, [{"port": 0}, {"port": 80, "name": "B!"}])
    several = [{"port": 80, "name": "a", "nodePort": 30002}, {"port": 81, "name": "b", "nodePort": 30002}]
    _refused(s, {"type": "NodePort", "ports": several})


@case("types")
def _(s: Script) -> None:
    _refused(s, {"type": "Other"}, {"type": "ExternalName"}, {"type": "ExternalName", "externalName": "a_b"})
    named = {"type": "ExternalName", "externalName": "example.com."}
    _refused(s, {**named, "clusterIP": "10.96.0.91"}, {**named, "ipFamilies": ["IPv4"]})
    _refused(s, {**named, "ipFamilyPolicy": "SingleStack"})
    _refused(s, {"type": "NodePort", "clusterIP": "None"}, {"type": "LoadBalancer", "clusterIP": "None"})


@case("addresses that are none")
def _(s: Script) -> None:
    _refused(s, {"clusterIP": "x"}, {"clusterIP": "10.96.0.091"}, {"clusterIP": "::ffff:10.96.0.91"})
    _refused(s, {"clusterIP": "10.96.0.256"}, {"clusterIP": "fe80::1%a"}, {"clusterIP": "10.96..1"})
    _refused(s, {"clusterIPs": ["10.96.0.91"]}, {"clusterIP": "10.96.0.91", "clusterIPs": ["10.96.0.92"]})
    _refused(s, {"clusterIP": "None", "clusterIPs": ["None", "10.96.0.91"]})
    _refused(s, {"clusterIP": "10.96.0.91", "clusterIPs": ["10.96.0.91", "None"]})
    _refused(s, {"clusterIP": "10.96.0.91", "clusterIPs": ["10.96.0.91", "10.96.0.92"]})
    _refused(s, {"clusterIP": "10.96.0.91", "clusterIPs": ["10.96.0.91", "fd00::1", "10.96.0.92"]})
    _refused(s, {"clusterIP": "10.96.0.91", "ipFamilies": ["IPv6"]}, {"clusterIP": "fd00::1", "ipFamilies": ["IPv4"]})
    _refused(s, {"ipFamilies": ["IPv5"]}, {"ipFamilies": ["IPv4", "IPv4"]}, {"ipFamilyPolicy": "Both"})


@case("addresses of two families")
def _(s: Script) -> None:
    both = {"clusterIP": "10.96.0.91", "clusterIPs": ["10.96.0.91", "fd00::1"]}
    _refused(s, {"clusterIP": "fd00::1"}, both, {"ipFamilies": ["IPv4", "IPv6"]})
    _refused(s, {**both, "ipFamilyPolicy": "PreferDualStack"}, {**both, "ipFamilyPolicy": "RequireDualStack"})


@case("external addresses")
def _(s: Script) -> None:
    for text in ("x", "0.0.0.0", "127.0.0.1", "169.254.0.1", "224.0.0.1", "ff02::1", "::", "192.0.2.010"):
        _refused(s, {"externalIPs": [text]})


@case("an affinity")
def _(s: Script) -> None:
    _refused(s, {"sessionAffinity": "Some"}, {"sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 1}}})
    for seconds in (0, 86401):
        config = {"clientIP": {"timeoutSeconds": seconds}}
        _refused(s, {"sessionAffinity": "ClientIP", "sessionAffinityConfig": config})


@case("a load balancer")
def _(s: Script) -> None:
    balanced = {"type": "LoadBalancer"}
    _refused(s, {"loadBalancerSourceRanges": ["10.0.0.0/8"]}, {**balanced, "loadBalancerSourceRanges": ["x"]})
    for text in ("10.0.0.1/8", "10.0.0.0/33", "010.0.0.0/8", "10.0.0.0/08", "::ffff:10.0.0.0/104", "10.0.0.0"):
        _refused(s, {**balanced, "loadBalancerSourceRanges": [text]})
    _refused(s, {"allocateLoadBalancerNodePorts": True}, {"loadBalancerClass": "a/b"})
    _refused(s, {**balanced, "loadBalancerClass": "a b"})


@case("traffic")
def _(s: Script) -> None:
    _refused(s, {"externalTrafficPolicy": "Local"}, {"type": "NodePort", "externalTrafficPolicy": "Far"})
    _refused(s, {"internalTrafficPolicy": "Near"}, {"trafficDistribution": "Best"}, {"healthCheckNodePort": 30003})
    _refused(s, {"selector": {"a b": "c"}}, {"selector": {"a": "c d"}})


@case("annotations")
def _(s: Script) -> None:
    ranges = "service.beta.kubernetes.io/load-balancer-source-ranges"
    for notes, kind in (
        ({"service.kubernetes.io/topology-mode": "a", "service.kubernetes.io/topology-aware-hints": "b"}, "ClusterIP"),
        ({ranges: "10.0.0.0/8"}, "ClusterIP"),
        ({ranges: "10.0.0.0/8, x"}, "LoadBalancer"),
    ):
        made = of_kind("v1", "Service", spec={"type": kind, "ports": [{"port": 80}]})
        s.post(PATH, {**made, "metadata": {"name": "a", "annotations": notes}})


@case("what an update may not change")
def _(s: Script) -> None:
    s.post(PATH, of_kind("v1", "Service", spec={"ports": [{"port": 80}], "clusterIP": "10.96.0.93"}))
    one = f"{PATH}/a"
    s.patch(one, {"spec": {"clusterIP": "10.96.0.94"}})
    s.patch(one, {"spec": {"clusterIP": "x"}})
    s.patch(one, {"spec": {"clusterIP": "None"}})
    s.patch(one, {"spec": {"clusterIP": "10.96.0.94", "clusterIPs": ["10.96.0.94"]}})
    s.patch(one, {"spec": {"ports": []}})
    s.patch(one, {"metadata": {"labels": {"a b": "c"}}})
    s.patch(one, {"spec": {"ports": [{"port": 0}]}})
    s.patch(one, {"spec": {"type": "Other"}})
    s.patch(one, {"spec": {"ipFamilies": ["IPv6"]}})
    s.patch(one, {"spec": {"type": "LoadBalancer", "loadBalancerClass": "a/b"}})
    s.patch(one, {"spec": {"loadBalancerClass": "a/c"}})
    s.patch(one, {"spec": {"loadBalancerClass": None}})
    s.patch(one, {"spec": {"type": "ExternalName"}})


@case("its status")
def _(s: Script) -> None:
    s.post(PATH, of_kind("v1", "Service", spec={"ports": [{"port": 80}]}))
    s.post(PATH, of_kind("v1", "Service", name="b", spec={"type": "LoadBalancer", "ports": [{"port": 80}]}))
    s.patch(f"{PATH}/a/status", {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}})
    for point in (
        {"ip": "x"},
        {"ip": "192.0.2.1", "ipMode": "Far"},
        {"ipMode": "VIP"},
        {"hostname": "a_b"},
        {"hostname": "192.0.2.1"},
        {"ip": "192.0.2.1"},
    ):
        s.patch(f"{PATH}/b/status", {"status": {"loadBalancer": {"ingress": [point]}}})
