"""A storage in each of its two modes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from konverge.cluster.apiserver.storage import Storage


@pytest.fixture(params=["memory", "durable"])
async def storage(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Storage]:
    """An empty storage, in memory and in a folder."""
    storage = Storage.in_memory() if request.param == "memory" else await Storage.open(tmp_path / "data")
    yield storage
    await storage.close()
