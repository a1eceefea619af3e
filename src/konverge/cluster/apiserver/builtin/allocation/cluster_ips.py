"""Cluster IPs: drawn from the range of services; the IPAddress objects are the record of those that are given out."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Final

import msgspec

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.builtin.allocation.recorder import Recorder
from konverge.cluster.apiserver.failure import Failure, internal, invalid
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject

SERVICE_RANGE: Final = "10.96.0.0/16"  # unless a server is made with another one
_RANGE_KEY: Final = "/networking.k8s.io/servicecidrs/kubernetes"
_NONE: Final = "None"


@dataclass(frozen=True, slots=True)
class _Range:
    """The addresses of services, as numbers; the network's own and its last one are no one's."""

    network: ipaddress.IPv4Network | ipaddress.IPv6Network

    @property
    def first(self) -> int:
        return int(self.network.network_address) + 1

    @property
    def last(self) -> int:
        return int(self.network.broadcast_address) - 1

    @property
    def first_drawn(self) -> int:
        """The lowest addresses are left to those who ask for one by its number."""
        return self.first + min(max(16, self.network.num_addresses // 16), 256)

    def __contains__(self, text: str) -> bool:
        address = ipaddress.ip_address(text)
        return address in self.network and self.first <= int(address) <= self.last


@cache
def _range_of(text: str) -> _Range:
    return _Range(ipaddress.ip_network(text))


def first_address(service_range: str) -> str:
    """Return the address of the server's own service."""
    return str(ipaddress.ip_address(_range_of(service_range).first))


def _range(admission: Admission) -> _Range:
    """Return the range of the cluster, which its ServiceCIDR says; what a server was made with is kept there."""
    stored = admission.storage.newest(_RANGE_KEY)
    return _range_of(SERVICE_RANGE if stored is None else msgspec.json.decode(stored.value)["spec"]["cidrs"][0])


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
    if text not in _range(admission):
        return "the provided network does not match the current range"
    return "provided IP is already allocated" if admission.storage.newest(key_of(text)) is not None else ""


def _invalid(admission: Admission, error: field_error.FieldError) -> Failure:
    return invalid("Service", "", admission.value["metadata"].get("name", ""), [error])


def _draw(admission: Admission) -> str:
    """Return a free address, from a place in the range that is drawn on."""
    addresses = _range(admission)
    count = addresses.last - addresses.first_drawn + 1
    start = admission.ids.below(count)
    drawn = (addresses.first_drawn + (start + step) % count for step in range(count))
    for number in chain(drawn, range(addresses.first, addresses.first_drawn)):
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
