"""The formats of texts that Kubernetes checks; all others mean nothing. A dash in a name makes no difference."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Callable
from datetime import date
from functools import cache
from typing import Final

from konverge.cluster.apiserver.schema.go_url import is_email, is_request_uri

_UUID: Final = r"[0-9a-f]{8}-?[0-9a-f]{4}-?%s-?%s-?[0-9a-f]{12}"
_HEX4: Final = "[0-9a-f]{4}"
_VARIANT: Final = "[89ab][0-9a-f]{3}"
_CARD: Final = (
    r"4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}"
    r"|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11}"
)
_SHADE: Final = r"\s*(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*"
_NAME: Final = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_TIME: Final = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})", re.DOTALL)
# Times as programs write them, on a day that every month has: no further look is needed.
_USUAL_TIME: Final = re.compile(
    r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_GO_DURATION: Final = re.compile(r"[-+]?(?:0|(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)")
_LOOSE_DURATION: Final = re.compile(r"\d+\s*([A-Za-zµ]+)", re.ASCII)
_UNITS: Final = {
    *("ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"),
}
_UNIT_STEMS: Final = ("nano", "micro", "milli", "sec", "min", "hour", "day", "week")
_MAC_BYTES: Final = (6, 8, 20)


def _whole(pattern: str, *, flags: int = 0) -> Callable[[str], bool]:
    found = re.compile(pattern, re.ASCII | flags)
    return lambda text: found.fullmatch(text) is not None


def _uuid(third: str, fourth: str) -> Callable[[str], bool]:
    return _whole(_UUID % (third, fourth), flags=re.IGNORECASE)


def _is_host_char(char: str) -> bool:
    """Letters, digits, and symbols such as emoji."""
    return (char.isascii() and char.isalnum()) or unicodedata.category(char)[0] in "SL"


def _is_host(text: str) -> bool:
    """One label, or labels and a domain of letters; in a label that stands alone only the second may be a dash."""
    *labels, last = text.split(".")
    if len(text.encode()) > 255 or any(len(label.encode()) > 63 for label in (*labels, last)):  # noqa: PLR2004 - RFC 1035
        return False
    if not labels:
        rest = last[1:].removeprefix("-")
        return bool(last) and _is_host_char(last[0]) and len(rest) <= 62 and all(map(_is_host_char, rest))  # noqa: PLR2004
    is_domain = len(last) >= 2 and all(unicodedata.category(char)[0] == "L" for char in last)  # noqa: PLR2004
    return is_domain and all(map(_is_host_label, labels))


def _is_host_label(label: str) -> bool:
    if not label or label[0] == "-" or label[-1] == "-":
        return False
    return all(char == "-" or _is_host_char(char) for char in label)


def _is_ip(text: str, *, version: int) -> bool:
    """Take what Go's parsers take: no zones, and in IPv4 leading zeros."""
    if "%" in text:
        return False
    try:
        if ":" in text:
            ipaddress.IPv6Address(text)
        else:
            parts = text.split(".")
            return version == 4 and len(parts) == 4 and all(_is_octet(part) for part in parts)  # noqa: PLR2004
    except ValueError:
        return False
    return version == 6 or "." in text  # noqa: PLR2004 - the version of IP


def _is_octet(part: str) -> bool:
    return part.isascii() and part.isdigit() and int(part) < 256  # noqa: PLR2004 - eight bits


def _is_cidr(text: str) -> bool:
    address, slash, size = text.partition("/")
    is_four = "." in address and ":" not in address
    if not slash or not _is_ip(address, version=4 if is_four else 6):
        return False
    return size.isascii() and size.isdigit() and int(size) <= (32 if is_four else 128)


def _is_mac(text: str) -> bool:
    if re.fullmatch(r"[0-9A-Fa-f]{4}(\.[0-9A-Fa-f]{4})+", text):
        return len(text.replace(".", "")) // 2 in _MAC_BYTES
    found = re.fullmatch(r"[0-9A-Fa-f]{2}([:-])[0-9A-Fa-f]{2}(?:\1[0-9A-Fa-f]{2})*", text)
    return found is not None and (len(text) + 1) // 3 in _MAC_BYTES


def _is_isbn10(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if not re.fullmatch(r"[0-9]{9}[0-9X]", digits):
        return False
    return sum((at + 1) * (10 if digit == "X" else int(digit)) for at, digit in enumerate(digits)) % 11 == 0


def _is_isbn13(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if not re.fullmatch(r"[0-9]{13}", digits):
        return False
    return sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(digits)) % 10 == 0


def _is_card(text: str) -> bool:
    digits = re.sub(r"[^0-9]+", "", text)
    if not re.fullmatch(_CARD, digits, re.ASCII):
        return False
    doubled = [int(digit) * (2 if at % 2 else 1) for at, digit in enumerate(reversed(digits))]
    return sum(one - 9 if one > 9 else one for one in doubled) % 10 == 0  # noqa: PLR2004 - Luhn's rule


def _is_date(text: str) -> bool:
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text, re.ASCII):
        return False
    year, month, day = int(text[:4]), int(text[5:7]), int(text[8:])
    try:
        date(year or 2000, month, day)  # Go knows a year 0, a leap year
    except ValueError:
        return False
    return True


def _is_date_time(text: str) -> bool:
    if _USUAL_TIME.fullmatch(text):
        return True
    day, separator, rest = text.lower().partition("t")
    if not separator or not _is_date(day):
        return False
    found = _TIME.fullmatch(rest.partition("t")[0])
    return found is not None and found[1] <= "23" and found[2] <= "59" and found[3] <= "59"


def _is_duration(text: str) -> bool:
    if _GO_DURATION.fullmatch(text):
        return True
    units = [unit.lower() for unit in _LOOSE_DURATION.findall(text)]
    return any(unit in _UNITS or unit.startswith(_UNIT_STEMS) for unit in units)


_TESTS: Final[dict[str, Callable[[str], bool]]] = {
    "bsonobjectid": _whole("[0-9A-Fa-f]{24}"),
    "uri": is_request_uri,
    "email": is_email,
    "hostname": _is_host,
    "ipv4": lambda text: _is_ip(text, version=4),
    "ipv6": lambda text: _is_ip(text, version=6),
    "cidr": _is_cidr,
    "mac": _is_mac,
    "uuid": _uuid(_HEX4, _HEX4),
    "uuid3": _uuid("3[0-9a-f]{3}", _HEX4),
    "uuid4": _uuid("4[0-9a-f]{3}", _VARIANT),
    "uuid5": _uuid("5[0-9a-f]{3}", _VARIANT),
    "isbn": lambda text: _is_isbn10(text) or _is_isbn13(text),
    "isbn10": _is_isbn10,
    "isbn13": _is_isbn13,
    "creditcard": _is_card,
    "ssn": lambda text: len(text) == 11 and re.fullmatch(r"\d{3}[- ]?\d{2}[- ]?\d{4}", text, re.ASCII) is not None,  # noqa: PLR2004
    "hexcolor": _whole("#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "rgbcolor": _whole(rf"rgb\({_SHADE},{_SHADE},{_SHADE}\)"),
    "byte": _whole(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"),
    "password": lambda _: True,
    "date": _is_date,
    "duration": _is_duration,
    "datetime": _is_date_time,
    "k8sshortname": lambda text: len(text) <= 63 and re.fullmatch(_NAME, text) is not None,  # noqa: PLR2004
    "k8slongname": lambda text: len(text) <= 253 and re.fullmatch(rf"{_NAME}(?:\.{_NAME})*", text) is not None,  # noqa: PLR2004
}


@cache
def format_test(name: str) -> Callable[[str], bool] | None:
    """Return the test of a format; None where there is no such format for texts."""
    return _TESTS.get(name.replace("-", ""))


def known_format(name: str, types: tuple[str, ...]) -> bool:
    """Whether a format means something for values of these types."""
    kind = types[0] if len(types) == 1 else ""
    if kind in ("", "string"):
        return bool(name) and format_test(name) is not None
    return name in {"integer": ("int32", "int64"), "number": ("float", "double")}.get(kind, ())
