"""Kubernetes' IP addresses: `ip('10.0.0.1')`."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from konverge.cluster.apiserver.cel.cel_error import CelError, no_such_overload
from konverge.cluster.apiserver.cel.declarations import Function, function, member, overload
from konverge.cluster.apiserver.cel.library.binding import Bindings
from konverge.cluster.apiserver.cel.library.go_netip import Address, InvalidAddress, parse_address, shown_address
from konverge.cluster.apiserver.cel.types import BOOL, INT, STRING, opaque
from konverge.cluster.apiserver.go_text import quoted

IP: Final = opaque("net.IP")
_TESTS: Final = {
    "isUnspecified": "ip_is_unspecified",
    "isLoopback": "ip_is_loopback",
    "isLinkLocalMulticast": "ip_is_link_local_multicast",
    "isLinkLocalUnicast": "ip_is_link_local_unicast",
    "isGlobalUnicast": "ip_is_global_unicast",
}
FUNCTIONS: Final[tuple[Function, ...]] = (
    function("ip", overload("string_to_ip", [STRING], IP)),
    function("family", member("ip_family", [IP], INT)),
    function("ip.isCanonical", overload("ip_is_canonical", [STRING], BOOL)),
    *(function(name, member(id_, [IP], BOOL)) for name, id_ in _TESTS.items()),
    function("isIP", overload("is_ip", [STRING], BOOL)),
    function("string", overload("ip_to_string", [IP], STRING)),
)
_LOCAL_CONTROL: Final = ipaddress.IPv4Network("224.0.0.0/24")
_LINK_LOCAL_V4: Final = ipaddress.IPv4Network("169.254.0.0/16")
_BROADCAST: Final = ipaddress.IPv4Address("255.255.255.255")


@dataclass(frozen=True, slots=True)
class IpValue:
    """An address without a zone."""

    CEL_TYPE: ClassVar[str] = "net.IP"
    address: Address

    def __len__(self) -> int:
        return self.address.max_prefixlen // 8

    def same(self, other: Any) -> bool:
        """Whether it is the same address."""
        if other.__class__ is not IpValue:
            raise no_such_overload()
        return bool(self.address == other.address)

    def __str__(self) -> str:
        return shown_address(self.address)


def to_ip(text: str) -> IpValue:
    """`ip(text)`."""
    try:
        address = parse_address(text)
    except InvalidAddress as error:
        raise CelError(f"IP Address {quoted(text)} parse error during conversion from string: {error}") from error
    if "%" in text:
        raise CelError(f"IP address {quoted(text)} with zone value is not allowed")
    if getattr(address, "ipv4_mapped", None):
        raise CelError(f"IPv4-mapped IPv6 address {quoted(text)} is not allowed")
    return IpValue(address)


def _is_ip(text: str) -> bool:
    try:
        to_ip(text)
    except CelError:
        return False
    return True


def _is_link_local_multicast(ip: IpValue) -> bool:
    address = ip.address
    if isinstance(address, ipaddress.IPv4Address):
        return address in _LOCAL_CONTROL
    return (int(address) >> 112) & 0xFF0F == 0xFF02  # noqa: PLR2004 - ff02::/16 in any flags


def _is_link_local_unicast(ip: IpValue) -> bool:
    address = ip.address
    return address in _LINK_LOCAL_V4 if isinstance(address, ipaddress.IPv4Address) else address.is_link_local


def _is_global_unicast(ip: IpValue) -> bool:
    address = ip.address
    return not (
        address == _BROADCAST
        or address.is_unspecified
        or address.is_loopback
        or address.is_multicast
        or _is_link_local_unicast(ip)
    )


def _by_address(test: Callable[[Address], bool]) -> Callable[[IpValue], bool]:
    return lambda ip: test(ip.address)


BINDINGS: Final[Bindings] = {
    "string_to_ip": to_ip,
    "ip_family": lambda ip: ip.address.version,
    "ip_is_canonical": lambda text: str(to_ip(text)) == text,
    "ip_is_unspecified": _by_address(lambda address: address.is_unspecified),
    "ip_is_loopback": _by_address(lambda address: address.is_loopback),
    "ip_is_link_local_multicast": _is_link_local_multicast,
    "ip_is_link_local_unicast": _is_link_local_unicast,
    "ip_is_global_unicast": _is_global_unicast,
    "is_ip": _is_ip,
    "ip_to_string": str,
}
