"""The addresses in a pod's status, its own and its host's: well formed, and at most one of each family."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.address import address_errors, read_address
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_A_PAIR = 2


def pod_address_errors(status: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    """Judge the addresses of a pod, then those of its host; one that was there before stays."""
    yield from _list_errors(_addresses(status, "podIPs"), "status.podIPs", kept=_addresses(before, "podIPs"))
    hosts = _addresses(status, "hostIPs")
    if hosts and hosts[0] != status.get("hostIP", ""):
        yield field_error.invalid("status.hostIPs[0].ip", hosts[0], "must be equal to `hostIP`")
    yield from _list_errors(hosts, "status.hostIPs", kept=_addresses(before, "hostIPs"))


def _addresses(status: JsonObject, name: str) -> list[str]:
    return [each.get("ip", "") for each in status.get(name) or ()]


def _list_errors(addresses: Sequence[str], path: str, *, kept: Sequence[str]) -> Iterator[FieldError]:
    for index, address in enumerate(addresses):
        yield from address_errors(address, f"{path}[{index}]", kept)
    if len(addresses) < _A_PAIR:
        return
    read = [read_address(address) for address in addresses]
    if None in read:
        place = read.index(None)
        wrong = f"failed to check for dual stack with error:invalid IP[{place}]: {addresses[place]}"
        yield field_error.internal(path, wrong)
    families = {address.version for address in read if address is not None}
    if None in read or len(families) < _A_PAIR or len(addresses) > _A_PAIR:
        shown = [{"IP": address} for address in addresses]  # as Go writes a type without names for JSON
        yield field_error.invalid(path, shown, "may specify no more than one IP for each IP family")
