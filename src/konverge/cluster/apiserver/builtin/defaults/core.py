"""Defaults of small kinds of the core group."""

from __future__ import annotations

import base64
from typing import Final

from konverge.cluster.apiserver.strategy import JsonObject

NAME_LABEL: Final = "kubernetes.io/metadata.name"


def default_namespace(value: JsonObject) -> None:
    """A namespace carries its name as a label."""
    metadata = value["metadata"]
    if name := metadata.get("name"):
        metadata["labels"] = {**metadata.get("labels", {}), NAME_LABEL: name}


def default_secret(value: JsonObject) -> None:
    """A secret's type; texts that were given in the clear become data, and are not kept as such."""
    for name, text in value.pop("stringData", {}).items():
        value.setdefault("data", {})[name] = base64.b64encode(text.encode()).decode()
    if not value.get("type"):
        value["type"] = "Opaque"


def default_persistent_volume_claim(value: JsonObject) -> None:
    """A claim waits, and asks for a file system."""
    if not value.setdefault("status", {}).get("phase"):
        value["status"]["phase"] = "Pending"
    spec = value.setdefault("spec", {})
    if not spec.get("volumeMode"):
        spec["volumeMode"] = "Filesystem"
