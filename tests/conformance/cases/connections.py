"""Connections to pods and services, as far as a server without kubelets goes: who may, and to what."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import PODS, SERVICES
from cases.rbac_objects import BINDINGS, ROLES, binding, bound, role

case = Cases("connection")
_NODES = "/api/v1/nodes"
_SUBRESOURCES = ("exec", "attach", "portforward")


def _pod(name: str, *containers: str, node: str = "", **spec: Any) -> dict[str, Any]:
    more = {"nodeName": node} if node else {}
    listed = [{"name": each, "image": "x"} for each in containers or ("a",)]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": listed, **more, **spec},
    }


@case("to a pod that is not there")
def _(s: Script) -> None:
    for subresource in ("log", *_SUBRESOURCES, "proxy"):
        s.get(f"{PODS}/none/{subresource}")
        s.post(f"{PODS}/none/{subresource}", None)


@case("to a pod that is on no node")
def _(s: Script) -> None:
    s.post(PODS, _pod("a"))
    for subresource in ("log", *_SUBRESOURCES, "proxy"):
        s.get(f"{PODS}/a/{subresource}", command="ls")
    s.post(f"{PODS}/a/exec", None, command="ls")
    s.post(f"{PODS}/a/log", None)


@case("to a container of several")
def _(s: Script) -> None:
    s.post(PODS, _pod("a", "one", "two", initContainers=[{"name": "first", "image": "x"}]))
    for subresource in ("log", "exec", "attach"):
        s.get(f"{PODS}/a/{subresource}")
        s.get(f"{PODS}/a/{subresource}", container="nope")
        s.get(f"{PODS}/a/{subresource}", container="two")
        s.get(f"{PODS}/a/{subresource}", container="first")


@case("to a pod on a node that is not there")
def _(s: Script) -> None:
    s.post(PODS, _pod("a", node="gone"))
    for subresource in ("log", *_SUBRESOURCES):
        s.get(f"{PODS}/a/{subresource}")
        s.get(f"{PODS}/a/{subresource}", container="nope")


@case("to a pod on a node without an address")
def _(s: Script) -> None:
    s.post(_NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "{ns}-bare"}})
    s.post(PODS, _pod("a", node="{ns}-bare"))
    for subresource in ("log", *_SUBRESOURCES):
        s.get(f"{PODS}/a/{subresource}")
    s.delete(f"{_NODES}/{{ns}}-bare")


@case("that is no upgrade")
def _(s: Script) -> None:
    s.post(_NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "{ns}-node"}})
    address = {"type": "InternalIP", "address": "192.0.2.1"}
    s.patch(f"{_NODES}/{{ns}}-node/status", {"status": {"addresses": [address]}})
    s.post(PODS, _pod("a", node="{ns}-node"))
    for subresource in _SUBRESOURCES:
        s.get(f"{PODS}/a/{subresource}", command="ls")
        s.post(f"{PODS}/a/{subresource}", None, command="ls", dryRun="All")
    s.delete(f"{_NODES}/{{ns}}-node")


@case("by someone who may only get")
def _(s: Script) -> None:
    verbs = {"pods/exec": ["get"], "pods/attach": ["create"], "pods/portforward": ["get", "create"]}
    rules = [role([resource], granted) for resource, granted in verbs.items()]
    own: dict[str, Any] = {"headers": {"Impersonate-User": "jane"}}
    s.post(PODS, _pod("a"))
    s.post(ROLES, bound("Role", "connect", rules=rules))
    s.post(BINDINGS, binding("connect", "Role", "connect", user="jane"))
    s.until(f"{PODS}/a/exec", status=403, lacking="cannot", **own)
    for subresource in (*_SUBRESOURCES, "log", "proxy"):
        s.get(f"{PODS}/a/{subresource}", **own)
        s.post(f"{PODS}/a/{subresource}", None, **own)


@case("to a log, with options that are wrong")
def _(s: Script) -> None:
    s.post(PODS, _pod("a"))
    s.get(f"{PODS}/a/log", tailLines=-1)
    s.get(f"{PODS}/a/log", limitBytes=0)
    s.get(f"{PODS}/a/log", sinceSeconds=0)
    s.get(f"{PODS}/a/log", sinceSeconds=-1, tailLines=-1)
    s.get(f"{PODS}/a/log", sinceSeconds=5, sinceTime="2020-01-01T00:00:00Z")
    s.get(f"{PODS}/a/log", sinceTime="2020-01-01T00:00:00Z")
    s.get(f"{PODS}/a/log", sinceTime="yesterday")
    s.get(f"{PODS}/a/log", tailLines="x")
    s.get(f"{PODS}/a/log", limitBytes="99999999999999999999")
    s.get(f"{PODS}/a/log", follow="maybe", previous="", timestamps="0")
    s.get(f"{PODS}/a/log", stream="Stdout", tailLines=3)
    s.get(f"{PODS}/a/log", stream="")
    s.get(f"{PODS}/none/log", tailLines=-1)


@case("to a service")
def _(s: Script) -> None:
    s.get(f"{SERVICES}/none/proxy")
    s.get("/api/v1/nodes/none/proxy")
    s.get("/api/v1/nodes/none:1234/proxy/metrics")
    s.get("/api/v1/nodes/a:b:c:d/proxy/")
    s.post("/api/v1/nodes", {"metadata": {"name": "{ns}"}})
    s.get("/api/v1/nodes/{ns}/proxy/metrics")
    s.get("/api/v1/nodes/https:{ns}:1234/proxy/metrics")
    s.delete("/api/v1/nodes/{ns}")
    s.get(f"{SERVICES}/none:80/proxy/x/y")
    ports = [{"name": "web", "port": 80}, {"name": "other", "port": 81}]
    s.post(SERVICES, {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": {"ports": ports}})
    for name in ("a", "a:80", "a:82", "a:web", "a:none", "http:a:80", "ftp:a:80", "a:b:c:d", ":80", "https:a:"):
        s.get(f"{SERVICES}/{name}/proxy/")
    s.delete(f"{SERVICES}/a:web/proxy/x")
    s.ask("HEAD", f"{SERVICES}/a:web/proxy/x")


@case("to a pod by its address")
def _(s: Script) -> None:
    s.post(PODS, _pod("a"))
    for name in ("a", "a:80", "http:a:80", "ftp:a:80", "a:b:c:d", "none:80"):
        s.get(f"{PODS}/{name}/proxy/x")
