"""What the server holds: the definition of the kind, and as many objects of it as a work needs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import sample
import yaml

from konverge import Client, Config, Unstructured, errors, unstructured
from konverge.models import core_v1

_WRITERS = 32
_TIMEOUT = 600.0  # seconds: one call deletes all objects
R = TypeVar("R")
_GADGETS = unstructured("bench.konverge.dev/v1", "Gadget")


class Content:
    """Knows how many objects the server holds, and changes that."""

    def __init__(self, kubeconfig: Path) -> None:
        self._config = Config.load(kubeconfig)
        self._count = 0

    def define(self, path: Path) -> None:
        """Create the definition of the kind, and wait until it is served."""
        definition: dict[str, Any] = yaml.safe_load(path.read_text())
        asyncio.run(self._with_client(lambda client: _define(client, definition)))

    def fill(self, count: int) -> None:
        """Let there be exactly so many objects."""
        if count < self._count:
            self.clear()
        numbers = range(self._count, count)
        asyncio.run(self._with_client(lambda client: _create(client, numbers)))
        self._count = count

    def clear(self) -> None:
        """Delete all objects and all that the programs made for them."""
        asyncio.run(self._with_client(_clear))
        self._count = 0

    def ready(self) -> tuple[int, int]:
        """Return how many objects have a status, and how many have a child."""
        return asyncio.run(self._with_client(_ready))

    async def _with_client(self, action: Callable[[Client], Awaitable[R]]) -> R:
        async with Client.connect(self._config, timeout=_TIMEOUT) as client:
            return await action(client)


async def _define(client: Client, definition: dict[str, Any]) -> None:
    await client.create(Unstructured.from_dict(definition))
    while True:
        try:
            await client.list(_GADGETS, namespace=sample.NAMESPACE, limit=1)
        except errors.NotFound:
            await asyncio.sleep(0.1)
        else:
            return


async def _create(client: Client, numbers: range) -> None:
    remaining = iter(numbers)

    async def work() -> None:
        for number in remaining:
            await client.create(Unstructured.from_dict(sample.gadget(number)))

    await asyncio.gather(*(work() for _ in range(_WRITERS)))


async def _clear(client: Client) -> None:
    await client.delete_all_of(core_v1.ConfigMap, namespace=sample.NAMESPACE)
    await client.delete_all_of(_GADGETS, namespace=sample.NAMESPACE)


async def _ready(client: Client) -> tuple[int, int]:
    gadgets = [item async for item in client.list(_GADGETS, namespace=sample.NAMESPACE)]
    children = [item async for item in client.list(core_v1.ConfigMap, namespace=sample.NAMESPACE)]
    with_status = sum((gadget.to_dict().get("status") or {}).get("phase") == "Ready" for gadget in gadgets)
    owned = sum(bool(child.metadata.owner_references) for child in children)
    return with_status, owned
