"""LIST: a collection at one version, whole or in pages.

Without selectors and transforms nothing is decoded: the stored bytes are joined.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import msgspec

from konverge.cluster.apiserver.call import Call
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.exchange import Response
from konverge.cluster.apiserver.failure import bad_request, expired
from konverge.cluster.apiserver.negotiate import PROTOBUF
from konverge.cluster.apiserver.reading import component_statuses, continuation, version
from konverge.cluster.apiserver.reading.continuation import LATEST, Continuation, ExpiredContinuation
from konverge.cluster.apiserver.reading.decode import item_writer, stored_object
from konverge.cluster.apiserver.reading.options import EXACT, ListOptions, list_options
from konverge.cluster.apiserver.reading.scope import namespace_of, prefix_of, single_key
from konverge.cluster.apiserver.reading.selection import Selection, selection
from konverge.cluster.apiserver.reply import list_response
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.storage import Compacted, Page, Storage, Stored
from konverge.cluster.apiserver.strategy import JsonObject

_Made = TypeVar("_Made")
_AT_ONCE: Final = 500  # objects that are decoded without a pause
_TOO_OLD: Final = "The resourceVersion for the provided list is too old."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listed:
    items: Sequence[Stored]
    revision: int
    has_more: bool = False
    remaining: int | None = None  # None: not known, for a selector would have to look at each


async def read_list(context: Context, call: Call) -> Response:
    """Answer with a collection."""
    if component_statuses.are_meant(call.resource):
        return list_response(call, component_statuses.chosen(call), {})
    items, metadata = await find_list(context, wanted_list(call))
    if call.resource.strategy.asks_webhook:
        await call.resource.strategy.prepare_reading([stored.value for stored in items])
    if call.form.is_plain:
        written = await _each(items, item_writer(call.resource))
        return Response(status=200, body=_joined(call.resource, metadata, written))
    if call.form.media_type == PROTOBUF and not call.form.transform:
        return await _in_protobuf(call.resource, items, metadata)
    objects = await _each(items, partial(stored_object, call.resource))
    return list_response(call, objects, metadata)


async def _in_protobuf(resource: Resource, items: Sequence[Stored], metadata: JsonObject) -> Response:
    # Loaded by the first such list: most servers never see one.
    from konverge.cluster.apiserver.protobuf.answer import item_writer as protobuf_item_writer  # noqa: PLC0415
    from konverge.cluster.apiserver.protobuf.answer import list_body  # noqa: PLC0415

    write = protobuf_item_writer(resource.api_version, resource.kind)
    written = await _each(items, lambda value: write(stored_object(resource, value)))
    body = list_body({**_head(resource), "metadata": metadata}, written)
    return Response(status=200, body=body, content_type=PROTOBUF)


def wanted_list(call: Call) -> WantedList:
    """Read which objects a request is about; raises what is wrong with its query."""
    resource = call.resource
    options = list_options(call.request)
    chosen = selection(resource, labels=options.label_selector, fields=options.field_selector)
    return WantedList(call, options, chosen, prefix_of(resource, namespace_of(resource, call.route, chosen)))


async def find_list(context: Context, wanted: WantedList) -> tuple[Sequence[Stored], JsonObject]:
    """Return the objects, and the metadata of their list."""
    listed = await _listed(context.storage, wanted)
    return listed.items, _metadata(wanted.call.resource, listed, wanted.prefix)


@dataclass(frozen=True, slots=True)
class WantedList:
    """What is to be listed."""

    call: Call
    options: ListOptions
    chosen: Selection
    prefix: str


async def _each(items: Sequence[Stored], make: Callable[[bytes], _Made]) -> list[_Made]:
    """Make something of each item; where that is work, others get their turn in between."""
    made = []
    for begin in range(0, len(items), _AT_ONCE):
        if begin:
            await asyncio.sleep(0)
        made += [make(stored.value) for stored in items[begin : begin + _AT_ONCE]]
    return made


def _joined(resource: Resource, metadata: JsonObject, items: list[bytes]) -> bytes:
    begin = msgspec.json.encode({**_head(resource), "metadata": metadata})[:-1] + b',"items":['
    if not items:
        return begin + b"]}"
    items[0] = begin + items[0]
    items[-1] += b"]}"
    return b",".join(items)  # the one copy of what may be megabytes


def _head(resource: Resource) -> JsonObject:
    return {"kind": resource.list_kind or f"{resource.kind}List", "apiVersion": resource.api_version}


def _metadata(resource: Resource, listed: _Listed, prefix: str) -> JsonObject:
    metadata: JsonObject = {"resourceVersion": str(listed.revision)}
    if listed.has_more:
        place = Continuation(listed.items[-1].key, listed.revision)
        metadata["continue"] = continuation.written(prefix, place)
        if listed.remaining is not None:
            metadata["remainingItemCount"] = listed.remaining
    elif resource.is_custom:
        metadata["continue"] = ""  # so does the real server, which knows no type for these lists
    return metadata


async def _listed(storage: Storage, wanted: WantedList) -> _Listed:
    options, chosen = wanted.options, wanted.chosen
    if options.continue_from:
        return await _continued(storage, wanted)
    revision = version.listed(options.resource_version)
    await version.reached(storage, revision)
    key = single_key(wanted.call.resource, namespace_of(wanted.call.resource, wanted.call.route, chosen), chosen)
    is_exact = options.match == EXACT or (not options.match and options.limit > 0 and revision > 0)
    at = revision if is_exact else 0
    if key:
        return await _single(storage, wanted, key, at)
    limit = 0 if options.resource_version == "0" else options.limit
    return await _page(storage, wanted, at=at, limit=limit)


async def _continued(storage: Storage, wanted: WantedList) -> _Listed:
    options = wanted.options
    place = continuation.read(wanted.prefix, options.continue_from)
    if options.resource_version not in {"", "0"}:
        raise bad_request("specifying resource version is not allowed when using continue")
    at = max(place.revision, 0)
    await version.reached(storage, at)
    limit = 0 if options.resource_version == "0" else options.limit
    return await _page(storage, wanted, at=at, limit=limit, after=place.after)


async def _single(storage: Storage, wanted: WantedList, key: str, at: int) -> _Listed:
    """List the one object that the selector can be about."""
    page = await _range(storage, key, at=at)
    resource, chosen = wanted.call.resource, wanted.chosen
    items = [stored for stored in page.items if stored.key == key and chosen.takes(resource, stored.value)]
    return _Listed(items=items, revision=page.revision)


async def _page(storage: Storage, wanted: WantedList, *, at: int, limit: int, after: str = "") -> _Listed:
    try:
        if not wanted.chosen:
            page = await _range(storage, wanted.prefix, at=at, limit=max(limit, 0), after=after)
            return _Listed(
                items=page.items, revision=page.revision, has_more=page.remaining > 0, remaining=page.remaining
            )
        found = await _range(storage, wanted.prefix, at=at, after=after)
        if wanted.chosen.fields:
            await wanted.call.resource.strategy.prepare_reading([stored.value for stored in found.items])
        return _selected(found, wanted, limit)
    except Compacted as error:
        if after:
            token = continuation.written(wanted.prefix, Continuation(after, LATEST))
            raise ExpiredContinuation(token) from error
        raise expired(_TOO_OLD) from error


def _selected(page: Page, wanted: WantedList, limit: int) -> _Listed:
    resource, chosen, items = wanted.call.resource, wanted.chosen, []
    for index, stored in enumerate(page.items):
        if chosen.takes(resource, stored.value):
            items.append(stored)
            if 0 < limit <= len(items):
                return _Listed(items=items, revision=page.revision, has_more=index < len(page.items) - 1)
    return _Listed(items=items, revision=page.revision)


async def _range(storage: Storage, prefix: str, *, at: int = 0, limit: int = 0, after: str = "") -> Page:
    if not at or at == storage.revision:
        return storage.range(prefix, after=after, limit=limit)
    return await storage.range_at(prefix, at, after=after, limit=limit)
