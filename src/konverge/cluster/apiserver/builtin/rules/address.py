"""Addresses and ranges of them: how they must be written, and which of them an endpoint may have.

What was valid once stays so where it is not changed: `kept` has the values of the old object.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Container
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_NO_ADDRESS: Final = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_NO_RANGE: Final = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
_NO_INTERFACE: Final = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"
IN_LOOPBACK: Final = "may not be in the loopback range (127.0.0.0/8, ::1/128)"
_LINK_MULTICAST: Final = ipaddress.ip_network("224.0.0.0/24")
_LINK_SCOPE: Final = 2  # of an IPv6 multicast address
_MOST_DIGITS: Final = 3  # of a prefix length


def read_address(text: str) -> Address | None:
    """Read an address, leading zeros and all; one of IPv4 inside IPv6 is one of IPv4."""
    address = _read_as_written(text)
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _read_as_written(text: str) -> Address | None:
    try:
        return None if "%" in text else ipaddress.ip_address(_without_zeros(text))
    except ValueError:
        return None


def _without_zeros(text: str) -> str:
    head, colon, tail = text.rpartition(":")
    if "." not in tail:
        return text
    return head + colon + ".".join(part.lstrip("0") or part[-1:] for part in tail.split("."))


def is_ipv6(text: str) -> bool:
    """Whether this is an address of IPv6."""
    return isinstance(read_address(text), ipaddress.IPv6Address)


def address_errors(text: str, path: str, kept: Container[str] = ()) -> list[FieldError]:
    """Judge an address."""
    if text in kept:
        return []
    address = _read_as_written(text)
    if address is None:
        return [field_error.invalid(path, text, _NO_ADDRESS)]
    if _without_zeros(text) != text:
        return [field_error.invalid(path, text, "must not have leading 0s")]
    if address != read_address(text):
        return [field_error.invalid(path, text, "must not be an IPv4-mapped IPv6 address")]
    return []


def canonical_address_fault(text: str) -> str:
    """Say what is wrong with an address of the newer fields, which have one way to be written; empty if nothing."""
    if errors := address_errors(text, ""):
        return errors[0].detail
    canonical = str(read_address(text))
    return "" if text == canonical else f'must be in canonical form ("{canonical}")'


def canonical_range_fault(text: str) -> str:
    """Say what is wrong with a range of the newer fields; empty if nothing."""
    canonical = str(read_range(text))
    return _range_fault(text) or ("" if text == canonical else f'must be in canonical form ("{canonical}")')


def endpoint_errors(text: str, path: str) -> list[FieldError]:
    """Judge an address that others are to reach."""
    address = read_address(text)
    if address is None:
        return [field_error.invalid(path, text, "must be a valid IP address")]
    wrong = []
    if address.is_unspecified:
        wrong.append(f"may not be unspecified ({text})")
    if address.is_loopback:
        wrong.append(IN_LOOPBACK)
    if address.is_link_local:
        wrong.append("may not be in the link-local range (169.254.0.0/16, fe80::/10)")
    if _is_link_multicast(address):
        wrong.append("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")
    return [field_error.invalid(path, text, each) for each in wrong]


def _is_link_multicast(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv4Address):
        return address in _LINK_MULTICAST
    return address.is_multicast and address.packed[1] & 0xF == _LINK_SCOPE


def read_range(text: str) -> Network | None:
    """Read a range, leading zeros and all."""
    address, slash, length = text.partition("/")
    found, digits = _read_as_written(address), length.lstrip("0") or length[-1:]
    if found is None or not slash or not (digits.isascii() and digits.isdigit()) or len(digits) > _MOST_DIGITS:
        return None
    return ipaddress.ip_network((found, int(digits)), strict=False) if int(digits) <= found.max_prefixlen else None


def interface_fault(text: str) -> str:
    """Say what is wrong with an address and the length of its network (`10.9.8.7/24`); empty if nothing."""
    network, address = read_range(text), read_address(text.partition("/")[0])
    if network is None or address is None:
        return _NO_INTERFACE
    is_inside = network.version != address.version and network.prefixlen > address.max_prefixlen  # IPv4 in IPv6
    bits = network.prefixlen - (network.max_prefixlen - address.max_prefixlen if is_inside else 0)
    canonical = f"{address}/{bits}"
    return "" if text == canonical else f'must be in canonical form ("{canonical}")'


def range_errors(text: str, path: str, kept: Container[str] = ()) -> list[FieldError]:
    """Judge a range."""
    wrong = "" if text in kept else _range_fault(text)
    return [field_error.invalid(path, text, wrong)] if wrong else []


def _range_fault(text: str) -> str:
    network, (address, _, length) = read_range(text), text.partition("/")
    if network is None:
        return _NO_RANGE
    if _without_zeros(address) != address or length != str(int(length)):
        return "must not have leading 0s in IP or prefix length"
    if isinstance(written := _read_as_written(address), ipaddress.IPv6Address) and written.ipv4_mapped:
        return "must not have an IPv4-mapped IPv6 address"
    return "must not have bits set beyond the prefix length" if written != network.network_address else ""
