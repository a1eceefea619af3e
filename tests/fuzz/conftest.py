"""One server behind its edge for all tests that send bytes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from edge import Edge


@pytest.fixture(scope="session")
def edge() -> Iterator[Edge]:
    """A server that listens on loopback."""
    started = Edge()
    yield started
    started.close()
