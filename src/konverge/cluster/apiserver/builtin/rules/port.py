"""Ports: their numbers, and the names that can stand for them."""

from __future__ import annotations

import re
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError

PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
_LAST: Final = 65535
_LONGEST_NAME: Final = 15
_CHARACTERS: Final = re.compile("[-a-z0-9]+")
_LETTER: Final = re.compile("[a-z]")


def port_number(number: int) -> list[str]:
    """Say what is wrong with a number."""
    return [] if 1 <= number <= _LAST else [f"must be between 1 and {_LAST}, inclusive"]


def port_name(name: str) -> list[str]:
    """Say what is wrong with a name."""
    wrong = []
    if len(name.encode()) > _LONGEST_NAME:
        wrong.append(f"must be no more than {_LONGEST_NAME} characters")
    if not _CHARACTERS.fullmatch(name):
        wrong.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not _LETTER.search(name):
        wrong.append("must contain at least one letter (a-z)")
    if "--" in name:
        wrong.append("must not contain consecutive hyphens")
    if name.startswith("-") or name.endswith("-"):
        wrong.append("must not begin or end with a hyphen")
    return wrong


def port_errors(port: int | str, path: str) -> list[FieldError]:
    """Judge what is a number or a name."""
    wrong = port_name(port) if isinstance(port, str) else port_number(port)
    return [field_error.invalid(path, port, text) for text in wrong]
