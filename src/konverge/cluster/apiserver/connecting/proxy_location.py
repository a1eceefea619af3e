"""Where the proxies of pods, services and nodes lead: `name`, `name:port` or `scheme:name:port`."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote, urlencode

from konverge.cluster.apiserver.call import Call
from konverge.cluster.apiserver.connecting.connector import Proxied
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.failure import Failure, bad_request, not_found
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.reading.decode import stored_object
from konverge.cluster.apiserver.strategy import JsonObject

_SCHEMES: Final = ("", "http", "https")
_MOST_PARTS: Final = 3
_PORTS: Final = {"http": 80, "https": 443}
_PREFERRED: Final = ("Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP")
_KUBELET: Final = 10250  # the port of one that does not say
_PATH_SAFE: Final = "/:@!$&'()*+,;=~"


def proxied(context: Context, call: Call) -> Proxied:
    """Return where a request is to go on to."""
    kind = call.resource.singular
    scheme, name, port = _split(kind, call.route.name)
    if kind == "node" and not port:
        scheme = "https"  # a kubelet's; another port of a node is as plain as a pod's
    find = {"pod": _pod_address, "service": _service_address, "node": _node_address}[kind]
    host, number = find(context, call, name, port)
    scheme = scheme or "http"
    return Proxied(scheme=scheme, host=host, port=number or _PORTS[scheme], path=_path(call))


def _split(kind: str, text: str) -> tuple[str, str, str]:
    parts = text.split(":")
    scheme, name, port = ("", *parts, "")[:_MOST_PARTS] if len(parts) < _MOST_PARTS else (*parts,)[:_MOST_PARTS]
    if len(parts) > _MOST_PARTS or not name or scheme not in _SCHEMES:
        raise bad_request(f"invalid {kind} request {quoted(text)}")
    return scheme, name, port


def _path(call: Call) -> str:
    path = "/" + "/".join(call.route.rest)
    if call.route.rest and call.request.path.endswith("/"):
        path += "/"
    query = urlencode(call.request.query)
    return quote(path, safe=_PATH_SAFE) + (f"?{query}" if query else "")


def _stored(context: Context, call: Call, plural: str, name: str, *, shown: str = "") -> JsonObject:
    resource = context.resources.find("", "v1", plural)
    stored = None if resource is None else context.storage.get(resource.key(call.route.namespace, name))
    if resource is None or stored is None:
        raise not_found(shown or plural, "", name)
    return stored_object(resource, stored.value)


# --- pods ---


def _pod_address(context: Context, call: Call, name: str, port: str) -> tuple[str, int]:
    pod = _stored(context, call, "pods", name)
    address = (pod.get("status") or {}).get("podIP", "")
    if not address:
        raise bad_request("address not allowed")
    return address, _number(port) or _first_port(pod)


def _first_port(pod: JsonObject) -> int:
    ports = [port for each in pod["spec"]["containers"] for port in each.get("ports") or ()]
    return int(ports[0]["containerPort"]) if ports else 0


def _number(port: str) -> int:
    return int(port) if port.isascii() and port.isdigit() else 0


# --- nodes ---


def _node_address(context: Context, call: Call, name: str, port: str) -> tuple[str, int]:
    """Return where the kubelet of a node listens, or another port of the node."""
    status = _stored(context, call, "nodes", name).get("status") or {}
    addresses = {each["type"]: each["address"] for each in reversed(status.get("addresses") or [])}
    host = next((addresses[kind] for kind in _PREFERRED if addresses.get(kind)), "")
    if not host:
        known = " ".join(f"{{{each['type']} {each['address']}}}" for each in status.get("addresses") or ())
        raise Failure(500, "", f"no preferred addresses found; known addresses: [{known}]")
    own = ((status.get("daemonEndpoints") or {}).get("kubeletEndpoint") or {}).get("Port") or _KUBELET
    return host, _number(port) or own


# --- services ---


def _service_address(context: Context, call: Call, name: str, port: str) -> tuple[str, int]:
    if _number(port):
        port = _port_name(_stored(context, call, "services", name), _number(port))
    endpoints = _stored(context, call, "endpoints", name, shown="services")
    found = _candidates(endpoints.get("subsets") or [], port)
    if not found:
        raise _unavailable(f"no endpoints available for service {quoted(call.route.name)}")
    return found[context.ids.below(len(found))]


def _port_name(service: JsonObject, number: int) -> str:
    for port in service["spec"].get("ports") or ():
        if port["port"] == number:
            return str(port.get("name", ""))
    name = service["metadata"]["name"]
    raise _unavailable(f"no service port {number} found for service {quoted(name)}")


def _candidates(subsets: list[dict[str, Any]], port: str) -> list[tuple[str, int]]:
    return [
        (address["ip"], each["port"])
        for subset in subsets
        for each in subset.get("ports") or ()
        if each.get("name", "") == port
        for address in subset.get("addresses") or ()
        if (address.get("targetRef") or {}).get("kind") == "Pod"
    ]


def _unavailable(message: str) -> Failure:
    return Failure(503, "ServiceUnavailable", message)
