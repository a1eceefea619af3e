"""Names that devices, their pools, their attributes and the requests for them may have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.driver_name import driver_name_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.go_text import quoted

LONGEST_QUALIFIED_NAME: Final = 63 + 1 + 32
_LONGEST_ID: Final = 32
_LONGEST_POOL_NAME: Final = 253
_IDENTIFIER: Final = "[A-Za-z_][A-Za-z0-9_]*"
_FULL_IDENTIFIER: Final = re.compile(_IDENTIFIER)
_IDENTIFIER_TEXT: Final = (
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric "
    "characters or '_'"
)
_UID: Final = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_UID_WITHOUT_DASHES: Final = re.compile("[0-9a-f]{32}", re.IGNORECASE | re.ASCII)
_UID_LENGTH: Final = 36
_URN: Final = "urn:uuid:"
_UID_TEXT: Final = (
    "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal "
    "characters"
)
_TWO: Final = 2


def label_errors(name: str, path: str) -> Iterator[FieldError]:
    """Judge the name of a device, of a request or of a counter."""
    yield from (field_error.invalid(path, name, wrong) for wrong in name_rules.dns_label(name))


def subdomain_errors(name: str, path: str) -> Iterator[FieldError]:
    """Judge the name of a class or of a node."""
    yield from (field_error.invalid(path, name, wrong) for wrong in name_rules.dns_subdomain(name))


def pool_name_errors(name: str, path: str) -> Iterator[FieldError]:
    """Judge the name of a pool: subdomains, joined by slashes."""
    if not name:
        yield field_error.required(path)
        return
    if len(name.encode()) > _LONGEST_POOL_NAME:
        yield field_error.too_long(path, _LONGEST_POOL_NAME)
    for part in name.split("/"):
        yield from subdomain_errors(part, path)


def qualified_name_errors(name: str, path: str) -> Iterator[FieldError]:
    """Judge the name of an attribute or a capacity; without a domain it is one of the driver's own."""
    parts = name.split("/")
    if len(parts) == 1:
        yield from _identifier_errors(name, path)
    elif len(parts) == _TWO:  # what has more slashes is taken as it is
        yield from _domain_errors(parts[0], path)
        if not parts[1]:
            yield field_error.invalid(path, "", "the name must not be empty")
        else:
            yield from _identifier_errors(parts[1], path)


def _domain_errors(domain: str, path: str) -> Iterator[FieldError]:
    if not domain:
        yield field_error.invalid(path, "", "the domain must not be empty")
    else:
        yield from driver_name_errors(domain, path)


def _identifier_errors(name: str, path: str) -> Iterator[FieldError]:
    if len(name.encode()) > _LONGEST_ID:
        yield field_error.too_long(path, _LONGEST_ID)
    if not _FULL_IDENTIFIER.fullmatch(name):
        wrong = name_rules.pattern_text(_IDENTIFIER_TEXT, _IDENTIFIER, "my_name", "MY_NAME", "MyName")
        yield field_error.invalid(path, name, wrong)


def full_name_errors(name: str, path: str) -> Iterator[FieldError]:
    """Judge the name of an attribute of any driver."""
    yield from qualified_name_errors(name, path)
    if "/" not in name:
        wrong = "a fully qualified name must be a domain and a name separated by a slash"
        yield field_error.invalid(path, field_error.named(name), wrong)


def uid_errors(uid: str, path: str) -> Iterator[FieldError]:
    """Judge the id of a share."""
    if wrong := _unreadable(uid):
        yield field_error.invalid(path, uid, f"error validating uid: {wrong}")
    elif len(uid) != _UID_LENGTH or uid != uid.lower():
        yield field_error.invalid(path, uid, _UID_TEXT)


def _unreadable(uid: str) -> str:
    """Say why a text is no UUID in any of the ways in which Go's library reads one."""
    length = len(uid.encode())
    if length == _UID_LENGTH + len(_URN):
        prefix, uid = uid[: len(_URN)], uid[len(_URN) :]
        if prefix.lower() != _URN:
            return f"invalid urn prefix: {quoted(prefix)}"
    elif length == _UID_LENGTH + 2:
        if uid[0] + uid[-1] != "{}":
            return "invalid bracketed UUID format"
        uid = uid[1:-1]
    elif length == _UID_LENGTH - 4:
        return "" if _UID_WITHOUT_DASHES.fullmatch(uid) else "invalid UUID format"
    elif length != _UID_LENGTH:
        return f"invalid UUID length: {length}"
    return "" if _UID.fullmatch(uid) else "invalid UUID format"
