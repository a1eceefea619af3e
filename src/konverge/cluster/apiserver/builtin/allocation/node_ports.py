"""NodePorts: the ports that services have on every node, each given out once in the whole cluster."""

from __future__ import annotations

from itertools import chain
from typing import Final

import msgspec

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.builtin.allocation.kept import has_health_port, has_node_ports
from konverge.cluster.apiserver.failure import internal, invalid
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.apiserver.strategy import JsonObject

_RANGE: Final = range(30000, 32768)
# The lowest are left to those who ask for one by its number.
_DRAWN: Final = range(_RANGE.start + min(max(16, len(_RANGE) // 32), 128), _RANGE.stop)
_SMALL: Final = 100
_WITH_PORTS: Final = ("NodePort", "LoadBalancer")


class NodePorts:
    """Knows which ports are in use: read from the stored services when the first is asked for, then kept up."""

    def __init__(self) -> None:
        self._used: dict[int, None] | None = None

    def choose(self, admission: Admission, old: JsonObject | None) -> None:
        """Choose the ports that a service needs and does not have; raise where one that it asks for is in use."""
        spec = admission.spec
        if spec.get("type") not in _WITH_PORTS:
            return
        used = self._known(admission.storage)
        own = dict.fromkeys(_ports_of(old or {}))
        taken = {number: None for number in used if number not in own}
        by_port: dict[int, int] = {}  # one number for all protocols of a port
        given: list[int] = []
        for index, port in enumerate(spec.get("ports", ())):
            if port.get("nodePort") and by_port.get(port["port"]) != port["nodePort"]:
                in_use = taken | _as_keys(by_port) if old is None else taken  # a new service asks for each by itself
                _check(admission, port["nodePort"], in_use, f"spec.ports[{index}].nodePort", own)
                given += [port["nodePort"]] if port["nodePort"] not in own else []
                by_port.setdefault(port["port"], port["nodePort"])
        for port in spec.get("ports", ()):
            if not port.get("nodePort") and has_node_ports(spec):
                number = by_port.get(port["port"]) or _next(admission, {**taken, **own, **_as_keys(by_port)}, given)
                port["nodePort"] = by_port[port["port"]] = number
        if has_health_port(spec) and not spec.get("healthCheckNodePort"):
            spec["healthCheckNodePort"] = _next(admission, {**taken, **own, **_as_keys(by_port)}, given)

    def record(self, old: JsonObject | None, new: JsonObject | None) -> None:
        """Note what a service had and has."""
        if self._used is None:
            return
        for number in _ports_of((old or {}).get("spec", {})):
            self._used.pop(number, None)
        self._used |= dict.fromkeys(_ports_of((new or {}).get("spec", {})))

    def _known(self, storage: Storage) -> dict[int, None]:
        if self._used is None:
            services = (msgspec.json.decode(stored.value) for stored in storage.range("/core/services/").items)
            self._used = {number: None for service in services for number in _ports_of(service.get("spec", {}))}
        return self._used


def _as_keys(by_port: dict[int, int]) -> dict[int, None]:
    return dict.fromkeys(by_port.values())


def _ports_of(spec: JsonObject) -> list[int]:
    found = [port["nodePort"] for port in spec.get("ports", ()) if port.get("nodePort")]
    return [*found, spec["healthCheckNodePort"]] if spec.get("healthCheckNodePort") else found


def _check(admission: Admission, number: int, taken: dict[int, None], path: str, own: dict[int, None]) -> None:
    if number in own:
        return
    why = ""
    if number not in _RANGE and not admission.is_dry_run:
        valid = f"{_RANGE.start}-{_RANGE.stop - 1}"
        why = f"provided port is not in the valid range. The range of valid ports is {valid}"
    elif number in taken:
        why = "provided port is already allocated"
    if why:
        name = admission.value["metadata"].get("name", "")
        raise invalid("Service", "", name, [field_error.invalid(path, number, why)])


def _next(admission: Admission, taken: dict[int, None], given: list[int]) -> int:
    """Return a port for a service that was given some already."""
    number = _dummy(taken, given) if admission.is_dry_run else _draw(admission, taken)
    given.append(number)
    return number


def _dummy(taken: dict[int, None], given: list[int]) -> int:
    """Return what a dry run shows: no port that could be had, but for small ones, and nobody gets it."""
    last = max(given, default=_RANGE.stop)
    return next((number for number in range(last + 1, _SMALL) if number not in taken), last + 1)


def _draw(admission: Admission, taken: dict[int, None]) -> int:
    start = admission.ids.below(len(_DRAWN))
    for number in chain(_DRAWN[start:], _DRAWN[:start], range(_RANGE.start, _DRAWN.start)):
        if number not in taken:
            return number
    raise internal("failed to allocate a nodePort: range is full")
