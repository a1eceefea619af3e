"""Context: what the verbs work with, the same for every request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from konverge.cluster.apiserver.access import Access
from konverge.cluster.apiserver.admission import AdmissionChain
from konverge.cluster.apiserver.connecting.connector import Connector, NoConnector
from konverge.cluster.apiserver.encodings import Encodings
from konverge.cluster.apiserver.ids import Ids
from konverge.cluster.apiserver.resource import Resource, Resources
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.streams import Streams

AfterWrite = Callable[[Resource, JsonObject | None, JsonObject | None], Awaitable[None]]


async def _nothing(resource: Resource, old: JsonObject | None, new: JsonObject | None) -> None:
    """Follow no write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The ports and what is served."""

    storage: Storage
    resources: Resources
    ids: Ids
    access: Access
    admission: AdmissionChain = field(default_factory=AdmissionChain)
    connector: Connector = field(default_factory=NoConnector)
    after_write: AfterWrite = _nothing  # awaited once a write is durable, with the old object and the new one
    encodings: Encodings = field(default_factory=Encodings)
    streams: Streams = field(default_factory=Streams)
