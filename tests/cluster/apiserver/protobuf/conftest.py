"""Pairs of an object as protobuf and as JSON, both by Go's own code; `tools/capture_protobuf.py` made them."""

from __future__ import annotations

import base64
import lzma
from pathlib import Path
from typing import Any

import msgspec
import pytest


@pytest.fixture(scope="session")
def pairs() -> dict[str, list[dict[str, Any]]]:
    """The pairs, by where they come from: `golden` and `zeros`."""
    content = lzma.decompress((Path(__file__).parent / "data" / "pairs.json.xz").read_bytes())
    found: dict[str, list[dict[str, Any]]] = msgspec.json.decode(content)
    for pair in (each for several in found.values() for each in several):
        pair["protobuf"] = base64.b64decode(pair["protobuf"] or "")
    return found
