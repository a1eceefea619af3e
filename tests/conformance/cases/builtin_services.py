"""Services: what they are given, and what an update keeps of it."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.builtin_objects import lifecycle, of_kind

case = Cases("service")
PATH = "/api/v1/namespaces/{ns}/services"
WEB: dict[str, Any] = {"selector": {"app": "web"}, "ports": [{"port": 80}]}


def _service(name: str = "a", **spec: Any) -> dict[str, Any]:
    return of_kind("v1", "Service", name=name, spec={**WEB, **spec})


@case("its life")
def _(s: Script) -> None:
    full = {
        "spec": {
            **WEB,
            "ports": [{"name": "a", "port": 80, "targetPort": "http"}, {"name": "b", "port": 80, "protocol": "UDP"}],
            "sessionAffinity": "ClientIP",
            "publishNotReadyAddresses": True,
        }
    }
    status = {"loadBalancer": {}, "conditions": [{"type": "x", "status": "True", "reason": "r", "message": "m"}]}
    lifecycle(s, PATH, _service(), full=full, status=None)
    s.post(PATH, _service("c"))
    s.patch(f"{PATH}/c/status", {"status": {**status, "conditions": []}})
    s.get("/apis/networking.k8s.io/v1/ipaddresses", fieldSelector="metadata.name=10.96.255.254")


@case("of each type")
def _(s: Script) -> None:
    s.post(PATH, _service("node", type="NodePort"))
    s.post(PATH, _service("balanced", type="LoadBalancer"))
    s.post(PATH, _service("local", type="LoadBalancer", externalTrafficPolicy="Local"))
    s.post(PATH, _service("portless", type="LoadBalancer", allocateLoadBalancerNodePorts=False))
    s.post(PATH, _service("headless", clusterIP="None"))
    s.post(PATH, of_kind("v1", "Service", name="bare", spec={"clusterIP": "None"}))
    s.post(PATH, of_kind("v1", "Service", name="named", spec={"type": "ExternalName", "externalName": "example.com"}))
    s.get(PATH)


@case("with an address that it asks for")
def _(s: Script) -> None:
    s.post(PATH, _service("a", clusterIP="10.96.0.77"))
    s.post(PATH, _service("b", clusterIP="10.96.0.77"))
    s.post(PATH, _service("c", clusterIP="192.0.2.1"))
    s.post(PATH, _service("d", clusterIP="10.96.0.0"))
    s.get("/apis/networking.k8s.io/v1/ipaddresses/10.96.0.77")
    s.delete(f"{PATH}/a")
    s.get("/apis/networking.k8s.io/v1/ipaddresses/10.96.0.77")
    s.post(PATH, _service("b", clusterIP="10.96.0.77"))
    s.delete(f"{PATH}/b")


@case("with a node port that it asks for")
def _(s: Script) -> None:
    ports = [{"port": 80, "nodePort": 30005}]
    s.post(PATH, _service("a", type="NodePort", ports=ports))
    s.post(PATH, _service("b", type="NodePort", ports=ports))
    s.post(PATH, _service("c", type="NodePort", ports=[{"port": 80, "nodePort": 80}]))
    s.delete(f"{PATH}/a")
    s.post(PATH, _service("b", type="NodePort", ports=ports))
    s.delete(f"{PATH}/b")


@case("of families that are not there")
def _(s: Script) -> None:
    s.post(PATH, _service("a", ipFamilies=["IPv6"]))
    s.post(PATH, _service("b", ipFamilyPolicy="RequireDualStack"))
    s.post(PATH, _service("c", ipFamilyPolicy="PreferDualStack"))


@case("from type to type")
def _(s: Script) -> None:
    s.post(PATH, _service())
    one = f"{PATH}/a"
    s.patch(one, {"spec": {"type": "NodePort"}})
    s.put(one, _service(type="NodePort"))
    s.patch(one, {"spec": {"type": "LoadBalancer"}})
    s.patch(one, {"spec": {"externalTrafficPolicy": "Local"}})
    s.patch(f"{one}/status", {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.9"}]}}})
    s.patch(one, {"spec": {"type": "ClusterIP"}})
    s.patch(one, {"spec": {"type": "ExternalName", "externalName": "example.com"}})
    s.patch(one, {"spec": {"type": "ClusterIP", "externalName": None}})
    s.put(one, _service())


@case("by apply")
def _(s: Script) -> None:
    s.apply(f"{PATH}/a", _service(), manager="one")
    ports = [{"port": 80, "name": "w"}, {"port": 81, "name": "x"}]
    s.apply(f"{PATH}/a", _service(ports=ports), manager="two", force=True)
    s.apply(f"{PATH}/a", _service(), manager="one")


@case("of the server itself")
def _(s: Script) -> None:
    s.get("/apis/networking.k8s.io/v1/servicecidrs/kubernetes")
    s.get("/apis/networking.k8s.io/v1/ipaddresses/10.96.0.1")
    s.get("/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical")
    s.post(PATH, _service(clusterIP="10.96.0.1"))


@case("as a dry run")
def _(s: Script) -> None:
    s.post(PATH, _service(clusterIP="10.96.0.78"), dryRun="All")
    s.get("/apis/networking.k8s.io/v1/ipaddresses/10.96.0.78")


@case("by its endpoints when it is deleted")
def _(s: Script) -> None:
    s.post(PATH, _service())
    s.post("/api/v1/namespaces/{ns}/endpoints", of_kind("v1", "Endpoints"))
    s.delete(f"{PATH}/a")
    s.get("/api/v1/namespaces/{ns}/endpoints/a")
