"""What gnostic's messages for OpenAPI v2 and v3 share: values of any shape, mappings, extensions."""

from __future__ import annotations

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
    """Writes an empty text with double quotes, as Go does, and no aliases."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the signature is the base class's
        return True


def _shown_text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=None if value else '"')


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
