"""What the API server takes as the key and the value of a label; annotation keys follow the same rule as label keys."""

from __future__ import annotations

import re

from konverge.api.invalid import InvalidValue

_LONGEST_PART = 63
_LONGEST_PREFIX = 253
_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?", re.ASCII)
_SUBDOMAIN = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*", re.ASCII)
_RULE = "up to 63 letters, digits, '-', '_' or '.', with a letter or digit at both ends"


def check_label_key(key: object) -> None:
    """Raise unless the key is a name ("app") or a name with a DNS prefix ("app.kubernetes.io/name")."""
    if not isinstance(key, str):
        raise InvalidValue(f"{key!r} is not a label key: it must be a string")
    prefix, slash, name = key.rpartition("/")
    if slash and (len(prefix) > _LONGEST_PREFIX or not _SUBDOMAIN.fullmatch(prefix)):
        raise InvalidValue(f"{key!r} is not a label key: before the '/' stands a DNS name such as example.com")
    if len(name) > _LONGEST_PART or not _NAME.fullmatch(name):
        raise InvalidValue(f"{key!r} is not a label key: its name must be {_RULE}")


def check_label_value(value: object) -> None:
    """Raise unless the value is one a label can have; the empty one is."""
    if not isinstance(value, str):
        raise InvalidValue(f"{value!r} is not a label value: it must be a string, such as '{value}'")
    if value and (len(value) > _LONGEST_PART or not _NAME.fullmatch(value)):
        raise InvalidValue(f"{value!r} is not a label value: it must be empty, or {_RULE}")
