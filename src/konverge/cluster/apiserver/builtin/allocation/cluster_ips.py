"""Cluster IPs: drawn from the range of services; the IPAddress objects are the record of those that are given out."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from itertools import chain
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.builtin.allocation.recorder import Recorder
from konverge.cluster.apiserver.failure import Failure, internal, invalid
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject

SERVICE_RANGE: Final = ipaddress.ip_network("10.96.0.0/16")
_FIRST: Final = int(SERVICE_RANGE.network_address) + 1
_LAST: Final = int(SERVICE_RANGE.broadcast_address) - 1
FIRST_ADDRESS: Final = str(ipaddress.ip_address(_FIRST))  # that of the server's own service
# The lowest addresses are left to those who ask for one by its number.
_FIRST_DRAWN: Final = _FIRST + min(max(16, SERVICE_RANGE.num_addresses // 16), 256)
_NONE: Final = "None"


def key_of(address: str) -> str:
    """Return the key of an address's record."""
    return f"/networking.k8s.io/ipaddresses/{address}"


def choose_cluster_ips(admission: Admission, old: JsonObject | None) -> None:
    """Choose the addresses that a service needs and does not have; raise where one that it asks for is not free."""
    spec = admission.spec
    if spec.get("type") == "ExternalName" or _NONE in spec.get("clusterIPs", ()):
        return
    if old is not None and old.get("type") != "ExternalName":
        return  # the first address never changes, and there is no second family
    asked = spec.get("clusterIPs", [])
    if asked:
        _check(admission, asked)
    else:
        spec["clusterIP"] = _draw(admission)
        spec["clusterIPs"] = [spec["clusterIP"]]


def _check(admission: Admission, asked: Sequence[str]) -> None:
    for text in asked:
        if why := _fault(admission, text):
            error = field_error.invalid("spec.clusterIPs", list(asked), f"failed to allocate IP {text}: {why}")
            raise _invalid(admission, error)


def _fault(admission: Admission, text: str) -> str:
    address = ipaddress.ip_address(text)
    if address not in SERVICE_RANGE or not _FIRST <= int(address) <= _LAST:
        return "the provided network does not match the current range"
    return "provided IP is already allocated" if admission.storage.newest(key_of(text)) is not None else ""


def _invalid(admission: Admission, error: field_error.FieldError) -> Failure:
    return invalid("Service", "", admission.value["metadata"].get("name", ""), [error])


def _draw(admission: Admission) -> str:
    """Return a free address, from a place in the range that is drawn on."""
    count = _LAST - _FIRST_DRAWN + 1
    start = admission.ids.below(count)
    drawn = (_FIRST_DRAWN + (start + step) % count for step in range(count))
    for number in chain(drawn, range(_FIRST, _FIRST_DRAWN)):
        address = str(ipaddress.ip_address(number))
        if admission.storage.newest(key_of(address)) is None:
            return address
    name = admission.value["metadata"].get("name", "")
    raise internal(f"failed to allocate a serviceIP for Service {quoted(name)}: range is full")


def record_cluster_ips(recorder: Recorder, old: JsonObject | None, new: JsonObject | None) -> None:
    """Make the records of new addresses, and remove those of addresses that are free again."""
    before, after = _addresses(old), _addresses(new)
    for address in before:
        if address not in after:
            recorder.remove(key_of(address))
    if new is None:
        return
    for address in after:
        if address not in before:
            recorder.add("ipaddresses", _record(address, new["metadata"]))


def _addresses(service: JsonObject | None) -> list[str]:
    found = [] if service is None else service.get("spec", {}).get("clusterIPs", [])
    return [address for address in found if address != _NONE]


def _record(address: str, owner: JsonObject) -> JsonObject:
    labels = {
        "ipaddress.kubernetes.io/ip-family": f"IPv{ipaddress.ip_address(address).version}",
        "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
    }
    parent = {"resource": "services", "namespace": owner["namespace"], "name": owner["name"]}
    return {
        "kind": "IPAddress",
        "apiVersion": "networking.k8s.io/v1",
        "metadata": {"name": address, "labels": labels},
        "spec": {"parentRef": parent},
    }
