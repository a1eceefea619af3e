"""`until_served`: wait until a server serves what a CustomResourceDefinition defines.

A server says `Established` a moment before it does, so it is asked for a list of each version: of a namespace that
nobody has, where the kind has namespaces, since no stored object should have to be read. Where one is, and needs a
conversion that nobody serves as yet, the answer tells as well that the kind is served. And discovery must tell of it,
which a server fills in its own time: clients look there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

import msgspec

from konverge.client.client import Client
from konverge.errors import InternalError, NotFound, TooManyRequests

_LOOK_EVERY: Final = 0.02  # seconds; a real server takes half a second
_NOWHERE: Final = "konverge-nowhere"
_CONVERTING: Final = "conversion webhook for "


async def until_served(client: Client, definition: Mapping[str, Any], *, within: float = 30.0) -> None:
    """Return when each served version can be found and listed; raise NotFound, which names one, when it is late."""
    loop = asyncio.get_running_loop()
    end = loop.time() + within
    for look in _looks(client, definition["spec"]):
        while True:
            try:
                await look()
                break
            except NotFound:
                if loop.time() >= end:
                    raise
            await asyncio.sleep(_LOOK_EVERY)


def _looks(client: Client, spec: Mapping[str, Any]) -> Iterator[Callable[[], Awaitable[None]]]:
    place = f"namespaces/{_NOWHERE}/" if spec["scope"] == "Namespaced" else ""
    for version in spec["versions"]:
        if version["served"]:
            path = f"/apis/{spec['group']}/{version['name']}"
            yield partial(_list, client, f"{path}/{place}{spec['names']['plural']}")
            yield partial(_find, client, path, spec["names"]["plural"])


async def _list(client: Client, path: str) -> None:
    try:
        await client.get_raw(path)
    except (InternalError, TooManyRequests) as error:
        if _CONVERTING not in error.message:  # else: whoever waits here is often who serves it, later
            raise


async def _find(client: Client, path: str, plural: str) -> None:
    found = msgspec.json.decode(await client.get_raw(path), type=_Discovered)
    if plural not in [resource.name for resource in found.resources]:
        raise NotFound(f"{path} does not tell of {plural} yet")


class _Named(msgspec.Struct):
    name: str


class _Discovered(msgspec.Struct):
    resources: list[_Named]
