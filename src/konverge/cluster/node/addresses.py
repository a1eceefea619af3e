"""Addresses: one of 10.244/16 for each pod, given once and free again when the pod is gone."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from ipaddress import ip_network
from typing import Final

from konverge.errors import KonvergeError

_FIRST: Final = 2  # .0 is the network, .1 the node's bridge


class Addresses:
    """Gives the addresses of a range to pods, by their uid; an address is given again only after all the others."""

    def __init__(self, range_: str) -> None:
        self._network = ip_network(range_)
        self._next = _FIRST
        self._owners: dict[str, str] = {}  # the uid of each address in use
        self._given: dict[str, str] = {}  # the same, by uid
        self._uids: dict[Hashable, str] = {}  # of the pod that has a name

    def note(self, taken: Iterable[tuple[str, str]]) -> None:
        """Know of the addresses that pods have already, as (uid, address)."""
        for uid, address in taken:
            self._owners[address] = uid
            self._given[uid] = address

    def of(self, uid: str) -> str:
        """Return the address of a pod, a new one if it has none."""
        found = self._given.get(uid)
        if found is None:
            found = self._free()
            self.note([(uid, found)])
        return found

    def follow(self, name: Hashable, uid: str | None) -> None:
        """Know which pod has a name now, if one has; the one before it is gone, though nobody may have seen it go."""
        before = self._uids.pop(name, uid)
        if before is not None and before != uid:
            self.release(before)
        if uid is not None:
            self._uids[name] = uid

    def release(self, uid: str) -> None:
        """Take the address of a pod that is gone."""
        address = self._given.pop(uid, None)
        if address is not None:
            del self._owners[address]

    def _free(self) -> str:
        size = self._network.num_addresses
        for _ in range(size):
            candidate = str(self._network[self._next])
            self._next = self._next + 1 if self._next + 2 < size else _FIRST
            if candidate not in self._owners:
                return candidate
        raise KonvergeError(f"all addresses of {self._network} are in use: delete pods")
