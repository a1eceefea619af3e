"""Warnings of addresses and ranges that are written in a way that not everyone reads alike."""

from __future__ import annotations

import ipaddress

from konverge.cluster.apiserver.go_text import quoted


def address_warnings(path: str, text: str) -> list[str]:
    """Warn of an address with leading zeros, one of IPv4 inside IPv6, or one of IPv6 in an unusual form."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return _of_leading_zeros(path, text)
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return [_non_standard(path, text, str(address.ipv4_mapped))]
        if str(address) != text:
            shown = f"should be in RFC 5952 canonical format ({quoted(str(address))})"
            return [f"{path}: IPv6 address {quoted(text)} {shown}"]
    return []


def _of_leading_zeros(path: str, text: str) -> list[str]:
    parts = text.split(".")
    plain = ".".join(part.lstrip("0") or "0" for part in parts)
    is_address = all(part.isascii() and part.isdigit() for part in parts)
    try:
        return [_non_standard(path, text, str(ipaddress.IPv4Address(plain)))] if is_address else []
    except ValueError:
        return []


def _non_standard(path: str, text: str, better: str) -> str:
    return f"{path}: non-standard IP address {quoted(text)} is invalid: use {quoted(better)}"


def range_warnings(path: str, text: str) -> list[str]:
    """Warn of a range whose address has more bits than its prefix, and of one of IPv6 in an unusual form."""
    try:
        found = ipaddress.ip_interface(text)
    except ValueError:
        return []
    if found.ip != found.network.network_address:
        either = f"should be {quoted(str(found.network))} or {quoted(f'{found.ip}/{found.max_prefixlen}')}?"
        return [f"{path}: CIDR value {quoted(text)} is ambiguous in this context ({either})"]
    if found.version == 6 and str(found) != text:  # noqa: PLR2004 - a version of IP
        return [f"{path}: IPv6 CIDR value {quoted(text)} should be in RFC 5952 canonical format ({quoted(str(found))})"]
    return []
