"""The cache's levels, as the metrics show them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from konverge.cache.cache import Cache
from konverge.cache.informer import Informer
from konverge.metrics import CacheLevels


def cache_levels(cache: Cache) -> list[CacheLevels]:
    """Return the levels of each informer; on the cache's loop."""
    return [_levels(informer) for informer in cache.informers]


def _levels(informer: Informer[Any]) -> CacheLevels:
    resource = informer.resource
    return CacheLevels(
        group=resource.group,
        version=resource.version,
        resource=resource.plural,
        form="metadata" if informer.form.metadata_only else "object",
        objects=sum(feed.store.count for feed in informer.feeds),
        bytes=sum(feed.store.bytes for feed in informer.feeds),
        relists=sum(feed.relists for feed in informer.feeds),
        stalls=sum(feed.stalls for feed in informer.feeds),
        synced=informer.synced,
        last_event_age=max(_ages(informer), default=None),
    )


def _ages(informer: Informer[Any]) -> Iterator[float]:
    """Yield how long ago each feed brought something: the oldest is the one to worry about."""
    now = asyncio.get_running_loop().time()
    for feed in informer.feeds:
        if feed.last_event is not None:
            yield now - feed.last_event
