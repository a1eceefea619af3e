"""The messages of the built-in kinds, as `tools/capture_protobuf.py` found them in Go's types; read when needed."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from konverge.cluster.apiserver.protobuf.message import FieldFacts, Messages, Value
from konverge.cluster.apiserver.protobuf.writer import MessageWriter, Writers

_FILE: Final = Path(__file__).with_name("messages.json.gz")


class _Content(msgspec.Struct):
    kinds: dict[str, str]  # `apps/v1/Deployment` to the name of its message
    messages: dict[str, dict[int, FieldFacts]]


class Captured:
    """The kinds that are written as protobuf."""

    def __init__(self, content: _Content) -> None:
        self._kinds = content.kinds
        self._facts = content.messages
        self._messages = Messages(content.messages)
        self._writers = Writers(content.messages)

    def find(self, api_version: str, kind: str) -> Value | None:
        """Return the message of a kind; None where there is no such kind."""
        name = self._kinds.get(f"{api_version}/{kind}")
        return None if name is None else self._messages.find(name)

    def message_name(self, api_version: str, kind: str) -> str:
        """Return the name of a kind's message; empty where there is none."""
        return self._kinds.get(f"{api_version}/{kind}", "")

    def facts(self, name: str) -> Iterable[FieldFacts]:
        """Return what was captured of the fields of a message; nothing of what is none."""
        return self._facts.get(name, {}).values()

    def writer(self, api_version: str, kind: str) -> MessageWriter:
        """Return what writes a kind; one without a message is a fault of ours."""
        name = self._kinds.get(f"{api_version}/{kind}")
        if name is None:
            raise LookupError(f"{api_version} {kind} is served, and its protobuf was not captured")
        return self._writers.message(name)


@cache
def captured() -> Captured:
    """Return the kinds, shared by all servers of this process."""
    return Captured(msgspec.json.decode(gzip.decompress(_FILE.read_bytes()), type=_Content))
