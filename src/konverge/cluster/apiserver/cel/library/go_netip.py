"""IP addresses and prefixes as Go's net/netip reads them, with its complaints."""

from __future__ import annotations

import ipaddress
import re
from typing import Final, TypeAlias

from konverge.cluster.apiserver.go_text import quoted

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_GROUP: Final = re.compile(r"[0-9a-fA-F]*")
_BITS: Final = re.compile(r"0|[1-9][0-9]*", re.ASCII)
_OCTET: Final = 255
_OCTETS: Final = 4
_DIGITS: Final = 4
_BYTES: Final = 16


class InvalidAddress(ValueError):
    """A text that is no address; the text is Go's."""


def _wrong(text: str, message: str, at: str = "") -> InvalidAddress:
    return InvalidAddress(f"ParseAddr({quoted(text)}): {message}" + (f" (at {quoted(at)})" if at else ""))


def parse_address(text: str) -> Address:
    """Read an address; an IPv6 one may have a zone, which is left out."""
    for char in text:
        if char == ".":
            return ipaddress.IPv4Address(_octets(text, text))
        if char == ":":
            return _parse_v6(text)
        if char == "%":
            raise _wrong(text, "missing IPv6 address")
    raise _wrong(text, "unable to parse IP")


def _octets(text: str, part: str) -> bytes:
    """Read four octets out of a part of a text."""
    fields: list[int] = []
    value, digits = 0, 0
    for index, char in enumerate(part):
        if "0" <= char <= "9":
            if digits == 1 and value == 0:
                raise _wrong(text, "IPv4 field has octet with leading zero")
            value, digits = value * 10 + int(char), digits + 1
            if value > _OCTET:
                raise _wrong(text, "IPv4 field has value >255")
        elif char == ".":
            _check_dot(text, part, index=index, fields=fields)
            fields.append(value)
            value = digits = 0
        else:
            raise _wrong(text, "unexpected character", part[index:])
    if len(fields) < _OCTETS - 1:
        raise _wrong(text, "IPv4 address too short")
    return bytes([*fields, value])


def _check_dot(text: str, part: str, *, index: int, fields: list[int]) -> None:
    if index == 0 or index == len(part) - 1 or part[index - 1] == ".":
        raise _wrong(text, "IPv4 field must have at least one digit", part[index:])
    if len(fields) == _OCTETS - 1:
        raise _wrong(text, "IPv4 address too long")


def _parse_v6(text: str) -> ipaddress.IPv6Address:
    part, mark, zone = text.partition("%")
    if mark and not zone:
        raise _wrong(text, "zone must be a non-empty string")
    return ipaddress.IPv6Address(_Groups(text, part).read())


class _Groups:
    """Reads the groups of an IPv6 address."""

    def __init__(self, text: str, part: str) -> None:
        self._text = text
        self._rest = part
        self._bytes = bytearray()
        self._ellipsis = -1

    def read(self) -> bytes:
        if self._rest.startswith("::"):
            self._ellipsis = 0
            self._rest = self._rest[2:]
            if not self._rest:
                return bytes(_BYTES)
        while len(self._bytes) < _BYTES and self._read_group():
            pass
        if self._rest:
            raise _wrong(self._text, "trailing garbage after address", self._rest)
        return self._expanded()

    def _read_group(self) -> bool:
        """Read one group and what separates it from the next; return whether there is one."""
        group = _GROUP.match(self._rest)
        digits = group[0] if group else ""
        if len(digits) > _DIGITS:
            raise _wrong(self._text, "each group must have 4 or less digits", self._rest)
        if not digits:
            raise _wrong(self._text, "each colon-separated field must have at least one digit", self._rest)
        if self._rest.startswith(".", len(digits)):
            self._read_v4()
            return False
        self._bytes += int(digits, 16).to_bytes(2, "big")
        self._rest = self._rest[len(digits) :]
        return bool(self._rest) and self._read_colon()

    def _read_colon(self) -> bool:
        if not self._rest.startswith(":"):
            raise _wrong(self._text, "unexpected character, want colon", self._rest)
        if self._rest == ":":
            raise _wrong(self._text, "colon must be followed by more characters", self._rest)
        self._rest = self._rest[1:]
        if self._rest.startswith(":"):
            if self._ellipsis >= 0:
                raise _wrong(self._text, "multiple :: in address", self._rest)
            self._ellipsis = len(self._bytes)
            self._rest = self._rest[1:]
        return bool(self._rest)

    def _read_v4(self) -> None:
        if self._ellipsis < 0 and len(self._bytes) != _BYTES - _OCTETS:
            message = "embedded IPv4 address must replace the final 2 fields of the address"
            raise _wrong(self._text, message, self._rest)
        if len(self._bytes) + _OCTETS > _BYTES:
            message = "too many hex fields to fit an embedded IPv4 at the end of the address"
            raise _wrong(self._text, message, self._rest)
        self._bytes += _octets(self._text, self._rest)
        self._rest = ""

    def _expanded(self) -> bytes:
        missing = _BYTES - len(self._bytes)
        if missing and self._ellipsis < 0:
            raise _wrong(self._text, "address string too short")
        if not missing and self._ellipsis >= 0:
            raise _wrong(self._text, "the :: must expand to at least one field of zeros")
        at = max(self._ellipsis, 0)
        return bytes(self._bytes[:at]) + bytes(missing) + bytes(self._bytes[at:])


def parse_prefix(text: str) -> tuple[Address, int]:
    """Read `address/bits`; the address keeps all its bits."""
    host, slash, bits = text.rpartition("/")
    if not slash:
        raise _wrong_prefix(text, "no '/'")
    try:
        address = parse_address(host)
    except InvalidAddress as error:
        raise _wrong_prefix(text, str(error)) from error
    if "%" in host:
        raise _wrong_prefix(text, "IPv6 zones cannot be present in a prefix")
    if not _BITS.fullmatch(bits):
        raise _wrong_prefix(text, f"bad bits after slash: {quoted(bits)}")
    if int(bits) > address.max_prefixlen:
        raise _wrong_prefix(text, "prefix length out of range")
    return address, int(bits)


def _wrong_prefix(text: str, message: str) -> InvalidAddress:
    return InvalidAddress(f"netip.ParsePrefix({quoted(text)}): {message}")


def shown_address(address: Address) -> str:
    """Write an address in its canonical form: IPv4 within IPv6 is written as such."""
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return f"::ffff:{address.ipv4_mapped}"
    return str(address)
