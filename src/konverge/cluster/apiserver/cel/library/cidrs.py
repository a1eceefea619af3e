"""Kubernetes' networks: `cidr('10.0.0.0/8')`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from konverge.cluster.apiserver.cel.cel_error import CelError, no_such_overload
from konverge.cluster.apiserver.cel.declarations import Function, function, member, overload
from konverge.cluster.apiserver.cel.library.binding import Bindings
from konverge.cluster.apiserver.cel.library.go_netip import Address, InvalidAddress, parse_prefix, shown_address
from konverge.cluster.apiserver.cel.library.ips import IP, IpValue, to_ip
from konverge.cluster.apiserver.cel.types import BOOL, INT, STRING, opaque
from konverge.cluster.apiserver.go_text import quoted

CIDR: Final = opaque("net.CIDR")
FUNCTIONS: Final[tuple[Function, ...]] = (
    function("cidr", overload("string_to_cidr", [STRING], CIDR)),
    function(
        "containsIP",
        member("cidr_contains_ip_string", [CIDR, STRING], BOOL),
        member("cidr_contains_ip_ip", [CIDR, IP], BOOL),
    ),
    function(
        "containsCIDR",
        member("cidr_contains_cidr_string", [CIDR, STRING], BOOL),
        member("cidr_contains_cidr", [CIDR, CIDR], BOOL),
    ),
    function("ip", member("cidr_ip", [CIDR], IP)),
    function("prefixLength", member("cidr_prefix_length", [CIDR], INT)),
    function("masked", member("cidr_masked", [CIDR], CIDR)),
    function("isCIDR", overload("is_cidr", [STRING], BOOL)),
    function("string", overload("cidr_to_string", [CIDR], STRING)),
)
_PARSE_ERROR: Final = "network address parse error during conversion from string: "


@dataclass(frozen=True, slots=True)
class CidrValue:
    """A network: an address with all its bits, and how many of them count."""

    CEL_TYPE: ClassVar[str] = "net.CIDR"
    address: Address
    bits: int

    def __len__(self) -> int:
        return math.ceil(self.bits / 8)

    def same(self, other: Any) -> bool:
        """Whether it is the same network, written with the same address."""
        if other.__class__ is not CidrValue:
            raise no_such_overload()
        return bool(self.address == other.address and self.bits == other.bits)

    def holds(self, address: Address, bits: int) -> bool:
        """Whether an address agrees in as many of the bits as both count."""
        if address.version != self.address.version:
            return False
        shift = address.max_prefixlen - min(bits, self.bits)
        return int(address) >> shift == int(self.address) >> shift

    def masked(self) -> CidrValue:
        """Return the network with the bits that do not count set to zero."""
        shift = self.address.max_prefixlen - self.bits
        return CidrValue(self.address.__class__(int(self.address) >> shift << shift), self.bits)

    def __str__(self) -> str:
        return f"{shown_address(self.address)}/{self.bits}"


def _parse(text: str) -> CidrValue:
    try:
        address, bits = parse_prefix(text)
    except InvalidAddress as error:
        raise CelError(f"{_PARSE_ERROR}{error}") from error
    if getattr(address, "ipv4_mapped", None):
        raise CelError(f"IPv4-mapped IPv6 address {quoted(text)} is not allowed")
    return CidrValue(address, bits)


def _to_cidr(text: str) -> CidrValue:
    try:
        return _parse(text)
    except CelError as error:
        raise CelError(f"{_PARSE_ERROR}{error}") from error


def _is_cidr(text: str) -> bool:
    try:
        _parse(text)
    except CelError:
        return False
    return True


def _contains_ip(cidr: CidrValue, ip: IpValue) -> bool:
    return cidr.holds(ip.address, ip.address.max_prefixlen)


def _contains_ip_text(cidr: CidrValue, text: str) -> bool:
    try:
        return _contains_ip(cidr, to_ip(text))
    except CelError:
        raise no_such_overload() from None  # the real server hides what is wrong with the address


def _contains_cidr(cidr: CidrValue, other: CidrValue) -> bool:
    return cidr.bits <= other.bits and cidr.holds(other.address, other.bits)


BINDINGS: Final[Bindings] = {
    "string_to_cidr": _to_cidr,
    "cidr_contains_ip_string": _contains_ip_text,
    "cidr_contains_ip_ip": _contains_ip,
    "cidr_contains_cidr_string": lambda cidr, text: _contains_cidr(cidr, _to_cidr(text)),
    "cidr_contains_cidr": _contains_cidr,
    "cidr_ip": lambda cidr: IpValue(cidr.address),
    "cidr_prefix_length": lambda cidr: cidr.bits,
    "cidr_masked": CidrValue.masked,
    "is_cidr": _is_cidr,
    "cidr_to_string": str,
}
