"""Metadata alone: PartialObjectMetadata and its list, from objects or from their JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from konverge.cluster.apiserver.strategy import JsonObject


class _Metadata(msgspec.Struct):
    metadata: msgspec.Raw = msgspec.Raw(b"{}")


_DECODER: Final = msgspec.json.Decoder(_Metadata)


def partial(value: JsonObject, version: str) -> JsonObject:
    """Return an object's metadata in a version of meta.k8s.io."""
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": value.get("metadata") or {},
    }


def partial_list(values: Sequence[JsonObject], metadata: JsonObject, version: str) -> JsonObject:
    """Return the metadata of a list's objects."""
    return {
        "kind": "PartialObjectMetadataList",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": {name: value for name, value in metadata.items() if value},
        "items": [partial(value, version) for value in values],
    }


def partial_bytes(value: bytes, version: str) -> bytes:
    """Return an object's metadata, from its JSON to JSON."""
    head = f'{{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/{version}","metadata":'.encode()
    return head + bytes(_DECODER.decode(value).metadata) + b"}"
