"""What names, label keys and label values may be, in the words of Kubernetes.

Each rule returns what is wrong with a text; an empty list means that it will do. One rule of lengths exists twice in
Kubernetes, once in characters and once in bytes (of label keys and values); the numbers count bytes in both.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_UNDERSCORED: Final = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_UNDERSCORED_SUBDOMAIN: Final = rf"{_UNDERSCORED}(\.{_UNDERSCORED})*"
_LABEL_1035: Final = "[a-z]([-a-z0-9]*[a-z0-9])?"
_KEY: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE: Final = f"({_KEY})?"
_CONFIG_KEY: Final = "[-._a-zA-Z0-9]+"
_FULL_CONFIG_KEY: Final = re.compile(_CONFIG_KEY)
_FULL_LABEL: Final = re.compile(_LABEL)
_FULL_SUBDOMAIN: Final = re.compile(_SUBDOMAIN)
_FULL_UNDERSCORED_SUBDOMAIN: Final = re.compile(_UNDERSCORED_SUBDOMAIN)
_FULL_LABEL_1035: Final = re.compile(_LABEL_1035)
_FULL_KEY: Final = re.compile(_KEY)
_FULL_VALUE: Final = re.compile(_VALUE)

_REMEMBERED: Final = 4096  # keys and values that were judged: most come again and again
_LABEL_LENGTH: Final = 63
_SUBDOMAIN_LENGTH: Final = 253
_LABEL_TEXT: Final = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
    "and must start and end with an alphanumeric character"
)
_SUBDOMAIN_TEXT: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character"
)
_UNDERSCORED_TEXT: Final = _SUBDOMAIN_TEXT.replace("characters, '-'", "characters, '_', '-'")
_LABEL_1035_TEXT: Final = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
    "start with an alphabetic character, and end with an alphanumeric character"
)
_KEY_TEXT: Final = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)
_VALUE_TEXT: Final = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character"
)
_WILDCARD: Final = rf"\*\.{_SUBDOMAIN}"
_FULL_WILDCARD: Final = re.compile(_WILDCARD)
_WILDCARD_TEXT: Final = (
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of "
    "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
)
_CONFIG_KEY_TEXT: Final = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"


def pattern_text(message: str, pattern: str, *examples: str) -> str:
    """Say what a text must look like, with examples and the pattern."""
    if not examples:
        return f"{message} (regex used for validation is '{pattern}')"
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{message} (e.g. {shown}regex used for validation is '{pattern}')"


def _too_long(value: str, most: int, unit: str = "characters") -> list[str]:
    return [f"must be no more than {most} {unit}"] if len(value.encode()) > most else []


def dns_subdomain(value: str, *, unit: str = "characters") -> list[str]:
    """RFC 1123: lower case labels, joined by dots."""
    wrong = _too_long(value, _SUBDOMAIN_LENGTH, unit)
    if not _FULL_SUBDOMAIN.fullmatch(value):
        wrong.append(pattern_text(_SUBDOMAIN_TEXT, _SUBDOMAIN, "example.com"))
    return wrong


def underscored_subdomain(value: str) -> list[str]:
    """RFC 1123, with underscores: where names are looked for, not where they are given."""
    wrong = _too_long(value, _SUBDOMAIN_LENGTH)
    if not _FULL_UNDERSCORED_SUBDOMAIN.fullmatch(value):
        wrong.append(pattern_text(_UNDERSCORED_TEXT, _UNDERSCORED_SUBDOMAIN, "example.com"))
    return wrong


def dns_label(value: str) -> list[str]:
    """RFC 1123: one lower case label."""
    wrong = _too_long(value, _LABEL_LENGTH)
    if not _FULL_LABEL.fullmatch(value):
        if _FULL_SUBDOMAIN.fullmatch(value):
            wrong.append("must not contain dots")
        else:
            wrong.append(pattern_text(_LABEL_TEXT, _LABEL, "my-name", "123-abc"))
    return wrong


def wildcard_subdomain(value: str) -> list[str]:
    """RFC 1123: a subdomain of which the first label is any."""
    wrong = _too_long(value, _SUBDOMAIN_LENGTH)
    if not _FULL_WILDCARD.fullmatch(value):
        wrong.append(pattern_text(_WILDCARD_TEXT, _WILDCARD, "*.example.com"))
    return wrong


def dns_1035_label(value: str) -> list[str]:
    """RFC 1035: one lower case label that starts with a letter."""
    wrong = _too_long(value, _LABEL_LENGTH)
    if not _FULL_LABEL_1035.fullmatch(value):
        wrong.append(pattern_text(_LABEL_1035_TEXT, _LABEL_1035, "my-name", "abc-123"))
    return wrong


def path_segment(value: str, *, is_prefix: bool = False) -> list[str]:
    """What can stand in a URL as one step: the least that is asked of every name."""
    if value in {".", ".."} and not is_prefix:
        return [f"may not be '{value}'"]
    return [f"may not contain '{part}'" for part in ("/", "%") if part in value]


def qualified_name(value: str) -> list[str]:
    """The key of a label, an annotation in lower case, a finalizer: `name` or `example.com/name`."""
    return list(_key_faults(value))


@lru_cache(_REMEMBERED)
def _key_faults(value: str) -> list[str]:
    prefix, slash, name = value.rpartition("/")
    if "/" in prefix:
        shown = pattern_text(_KEY_TEXT, _KEY, "MyName", "my.name", "123-abc")
        return [f"a valid label key {shown} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]
    wrong = [f"prefix part {text}" for text in _prefix_faults(prefix)] if slash else []
    if not name:
        wrong.append("name part must be non-empty")
    wrong += [f"name part {text}" for text in _too_long(name, _LABEL_LENGTH, "bytes")]
    if not _FULL_KEY.fullmatch(name):
        wrong.append(f"name part {pattern_text(_KEY_TEXT, _KEY, 'MyName', 'my.name', '123-abc')}")
    return wrong


def _prefix_faults(prefix: str) -> list[str]:
    return dns_subdomain(prefix, unit="bytes") if prefix else ["must be non-empty"]


def label_value(value: str) -> list[str]:
    """The value of a label."""
    return list(_value_faults(value))


@lru_cache(_REMEMBERED)
def _value_faults(value: str) -> list[str]:
    wrong = _too_long(value, _LABEL_LENGTH, "bytes")
    if not _FULL_VALUE.fullmatch(value):
        wrong.append(pattern_text(_VALUE_TEXT, _VALUE, "MyValue", "my_value", "12345"))
    return wrong


def config_key(value: str) -> list[str]:
    """A key of the data of a ConfigMap or a Secret."""
    wrong = _too_long(value, _SUBDOMAIN_LENGTH)
    if not _FULL_CONFIG_KEY.fullmatch(value):
        wrong.append(pattern_text(_CONFIG_KEY_TEXT, _CONFIG_KEY, "key.name", "KEY_NAME", "key-name"))
    if value in {".", ".."}:
        wrong.append(f"must not be '{value}'")
    elif value.startswith(".."):
        wrong.append("must not start with '..'")
    return wrong


def before_suffix(prefix: str) -> str:
    """Return the beginning of a generated name so that the rules for whole names can judge it.

    A dash at its end is allowed there; Kubernetes puts a letter for its last two characters.
    """
    return f"{prefix[:-2]}a" if len(prefix) > 1 and prefix.endswith("-") else prefix
