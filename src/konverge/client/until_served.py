"""`until_served`: wait until a server serves what a CustomResourceDefinition defines.

A server says `Established` a moment before it does, so it is asked for a list of each version: of a namespace that
nobody has, where the kind has namespaces, since no stored object should have to be read. Where one is, and needs a
conversion that nobody serves as yet, the answer tells as well that the kind is served.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any, Final

from konverge.client.client import Client
from konverge.errors import InternalError, NotFound, TooManyRequests

_LOOK_EVERY: Final = 0.02  # seconds; a real server takes half a second
_NOWHERE: Final = "konverge-nowhere"
_CONVERTING: Final = "conversion webhook for "


async def until_served(client: Client, definition: Mapping[str, Any], *, within: float = 30.0) -> None:
    """Return when each served version can be listed; raise NotFound, which names one that cannot, when it is late."""
    loop = asyncio.get_running_loop()
    end = loop.time() + within
    for path in _paths(definition["spec"]):
        while True:
            try:
                await client.get_raw(path)
                break
            except (InternalError, TooManyRequests) as error:
                if _CONVERTING in error.message:
                    break  # whoever waits here is often who serves it, later
                raise
            except NotFound:
                if loop.time() >= end:
                    raise
            await asyncio.sleep(_LOOK_EVERY)


def _paths(spec: Mapping[str, Any]) -> Iterator[str]:
    place = f"namespaces/{_NOWHERE}/" if spec["scope"] == "Namespaced" else ""
    for version in spec["versions"]:
        if version["served"]:
            yield f"/apis/{spec['group']}/{version['name']}/{place}{spec['names']['plural']}"
