"""What gnostic's messages for OpenAPI v2 and v3 share: values of any shape, mappings, extensions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec
import yaml

from konverge.cluster.apiserver.openapi.protobuf import Field, Fields, encoded, length_delimited, message, text

JsonObject = Mapping[str, Any]
_EXTENSION: Final = "x-"
_ENTRIES: Final = 1  # messages that are nothing but a list of names and values have it as their first field


class _Dumper(yaml.SafeDumper):
    """Writes texts in Go's style and no aliases: twice quoted is what YAML 1.2 would read as something else."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - as in the base class, whose (YAML 1.1) read "yes" and "1:20" so, too

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the signature is the base class's
        return True


def _shown_text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    is_plain: bool = dumper.resolve(yaml.ScalarNode, value, (True, False)) == f"{_TAG}str"  # type: ignore[no-untyped-call]
    return dumper.represent_scalar(f"{_TAG}str", value, style=None if is_plain else '"')


_TAG: Final = "tag:yaml.org,2002:"
_DIGITS: Final = "-+0123456789"
for _name, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)", list(_DIGITS)),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", list(f"{_DIGITS}.")),
    ("float", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", list("-+.")),
    ("timestamp", r"\d{4}-\d{1,2}-\d{1,2}(?:[Tt ].*)?", list(_DIGITS)),
):
    _Dumper.add_implicit_resolver(f"{_TAG}{_name}", re.compile(rf"^(?:{_pattern})$"), _first)
_Dumper.add_representer(str, _shown_text)


def any_value(value: Any) -> bytes:
    """Return the content of a message that holds any value."""
    return _shown(msgspec.json.encode(value))


@lru_cache(maxsize=1024)
def _shown(value: bytes) -> bytes:
    """Return a value of any shape, which stands there as YAML; the same few come again and again."""
    shown = yaml.dump(msgspec.json.decode(value), Dumper=_Dumper, sort_keys=False, width=1 << 30, allow_unicode=True)
    return text(2, shown.removesuffix("...\n"))


def named(encode: Field) -> Field:
    """Return how a mapping is written: a list of messages with a name and a value."""
    return lambda number, mapping: b"".join(
        length_delimited(number, text(1, name) + encode(2, value)) for name, value in mapping.items()
    )


def extensible(fields: Fields, number: int) -> Field:
    """Return how a message with extensions is written."""

    def encode(value: JsonObject) -> bytes:
        extensions = {name: found for name, found in value.items() if name.startswith(_EXTENSION)}
        return encoded(value, fields) + named(message(any_value))(number, extensions)

    return message(encode)


def mapping(encode: Field) -> Field:
    """Return how a message is written that is nothing but a mapping."""
    return message(lambda found: named(encode)(_ENTRIES, found))
