"""CacheOptions: what a manager's cache holds, and how long its first list may take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from konverge.api.kind import GroupKind
from konverge.api.object import Object
from konverge.cache.feed import Selection, Transform
from konverge.cache.watcher import Limits


class CacheOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the cache holds, and how long its first list may take."""

    namespaces: tuple[str, ...] = ()  # none: all
    selections: Mapping[type[Object] | GroupKind, Selection[Any]] = msgspec.field(default_factory=dict)
    transform: Transform[Any] | None = None  # of the kinds that no selection is for: what is stored of an object
    resync: float = 36_000.0  # seconds; 0 for none
    limits: Limits = msgspec.field(default_factory=Limits)  # how long the server may be silent
    sync_timeout: float | None = None  # seconds after which a kind that cannot be listed is fatal; None: keep waiting
