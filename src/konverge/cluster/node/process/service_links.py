"""Service links: the variables that tell a container of the Services there are; pure."""

from __future__ import annotations

from collections.abc import Iterable

from konverge.models import core_v1

_MASTER = ("default", "kubernetes")  # told to every pod


def service_links(services: Iterable[core_v1.Service], namespace: str, *, enabled: bool) -> dict[str, str]:
    """Return the variables of a namespace's Services and of the API server's own; where off, of that alone."""
    chosen: dict[str, core_v1.Service] = {}
    for service in services:
        place = (service.metadata.namespace or "", service.metadata.name or "")
        # One of the pod's own namespace comes before the API server's.
        if (enabled and place[0] == namespace) or (place == _MASTER and place[1] not in chosen):
            chosen[place[1]] = service
    found: dict[str, str] = {}
    for name in sorted(chosen):
        found.update(_variables(chosen[name]))
    return found


def _variables(service: core_v1.Service) -> dict[str, str]:
    address, ports = service.spec.cluster_ip, service.spec.ports or []
    if not address or address == "None" or not ports:
        return {}
    prefix = _variable_name(service.metadata.name or "")
    host = f"[{address}]" if ":" in address else address
    found = {f"{prefix}_SERVICE_HOST": address, f"{prefix}_SERVICE_PORT": str(ports[0].port)}
    found |= {f"{prefix}_SERVICE_PORT_{_variable_name(each.name)}": str(each.port) for each in ports if each.name}
    found[f"{prefix}_PORT"] = _url(ports[0], host)
    for each in ports:
        link = f"{prefix}_PORT_{each.port}_{_protocol(each).upper()}"
        found[link] = _url(each, host)
        found |= {f"{link}_PROTO": _protocol(each), f"{link}_PORT": str(each.port), f"{link}_ADDR": address}
    return found


def _url(port: core_v1.ServicePort, host: str) -> str:
    return f"{_protocol(port)}://{host}:{port.port}"


def _protocol(port: core_v1.ServicePort) -> str:
    return (port.protocol or "TCP").lower()


def _variable_name(text: str) -> str:
    return text.upper().replace("-", "_")
