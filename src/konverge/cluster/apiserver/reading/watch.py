"""WATCH: what there is, where it is asked for, and then every change in order, until the time is up.

A watch begins at a version, or with the state (`sendInitialEvents`, or no version at all). What cannot be served once
the request is understood is an ERROR event in a stream of its own, as in the real server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from konverge.cluster.apiserver.call import Call
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.exchange import Stream
from konverge.cluster.apiserver.failure import Failure, expired
from konverge.cluster.apiserver.negotiate import check_stream, stream_type
from konverge.cluster.apiserver.reading import version
from konverge.cluster.apiserver.reading.event import Lines
from konverge.cluster.apiserver.reading.options import ListOptions, list_options, truth
from konverge.cluster.apiserver.reading.scope import namespace_of, prefix_of, single_key
from konverge.cluster.apiserver.reading.selection import Selection, selection
from konverge.cluster.apiserver.reading.watch_stream import Timing, WatchStream
from konverge.cluster.apiserver.storage import Compacted, Storage, Stored, Subscription

_SHORTEST: Final = 1800.0  # seconds that a watch lasts whose client does not say; up to twice that


@dataclass(frozen=True, slots=True)
class _Start:
    """Where a watch begins."""

    subscription: Subscription
    initial: Sequence[Stored]
    revision: int
    ends_initial_events: bool  # with a bookmark that says so


async def watch(context: Context, call: Call) -> Stream:
    """Answer with a stream of events."""
    is_watch = not call.route.is_old_watch or bool(truth(call.request, "watch"))
    options = list_options(call.request, is_watch=is_watch)
    name = call.route.name
    chosen = selection(call.resource, labels=options.label_selector, fields=options.field_selector, name=name)
    since = version.watched(options.resource_version)
    check_stream(call.form)
    content_type = stream_type(call.form)
    if call.form.transform == "PartialObjectMetadataList":  # no event is a list: the real server sends none
        return Stream(status=200, chunks=WatchStream.failed(b""), content_type=content_type)
    lines = Lines(context, call, chosen)
    try:
        start = await _start(context, call, options, chosen=chosen, since=since)
    except Failure as failure:
        return Stream(status=200, chunks=WatchStream.failed(lines.error(failure)), content_type=content_type)
    stream = WatchStream(
        start.subscription,
        lines,
        initial=start.initial,
        since=start.revision,
        timing=_timing(context, options),
        ends_initial_events=start.ends_initial_events,
    )
    context.streams.add(stream, call.resource)
    return Stream(status=200, chunks=stream, content_type=content_type)


def _timing(context: Context, options: ListOptions) -> Timing:
    now = asyncio.get_running_loop().time()
    # Watches that begin together do not all end together.
    lasts = float(options.timeout) or _SHORTEST * (1.0 + context.ids.fraction())
    return Timing(until=now + lasts, sends_bookmarks=options.allows_bookmarks)


async def _start(context: Context, call: Call, options: ListOptions, *, chosen: Selection, since: int) -> _Start:
    resource, storage = call.resource, context.storage
    namespace = namespace_of(resource, call.route, chosen)
    key = single_key(resource, namespace, chosen)
    prefix = key or prefix_of(resource, namespace)
    begins_with_state = options.sends_initial_events or (options.sends_initial_events is None and not since)
    if not begins_with_state:
        return _from_version(storage, prefix, since or storage.revision)
    if options.sends_initial_events:
        await version.reached(storage, since)
    page = storage.range(prefix)
    await resource.strategy.prepare_reading([stored.value for stored in page.items])
    initial = [stored for stored in page.items if not chosen or chosen.takes(resource, stored.value)]
    subscription = storage.watch(prefix, since=page.revision)
    has_end = bool(options.sends_initial_events) and options.allows_bookmarks
    return _Start(subscription, initial, page.revision, has_end)


def _from_version(storage: Storage, prefix: str, since: int) -> _Start:
    try:
        return _Start(storage.watch(prefix, since=since), (), since, ends_initial_events=False)
    except Compacted as error:
        raise expired(f"too old resource version: {since} ({error.compacted})") from error
