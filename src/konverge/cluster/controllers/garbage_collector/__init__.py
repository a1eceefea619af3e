"""The garbage collector: what nobody owns any more goes, and what an owner waits for goes first.

    watches of every kind ──▶ graph (who owns whom) ──uids to look at──▶ queue ──▶ collector (live reads, then writes)

It keeps a graph from the metadata of all objects (`graph`, pure). An object whose owner is gone, an owner that waits
for its dependents, an owner that nothing has shown yet: each is a uid in the queue. The reconciler (`collector`) reads
the object and its owners live, decides (`decision`, pure), and writes with what it read as preconditions.
"""

from __future__ import annotations

from msgspec.structs import replace

from konverge.builder import new_controller
from konverge.cache.cached_client import CachedClient
from konverge.cluster.controllers.garbage_collector.absent import AbsentOwners
from konverge.cluster.controllers.garbage_collector.collector import Collector
from konverge.cluster.controllers.garbage_collector.graph import Graph
from konverge.cluster.controllers.garbage_collector.watching import Watching, is_collected, trimmed
from konverge.controller import Channel, ChannelSource, EveryKindSource
from konverge.manager import Manager

NAME = "garbage-collector-controller"
_WORKERS = 20


def add_to(manager: Manager) -> None:
    """Register the controller."""
    absent = AbsentOwners()
    graph = Graph(absent)
    # A cache of its own: it holds every object there is, so it holds no more of each than it needs.
    cache = manager.add_cache(replace(manager.cache_options, selections={}, transform=trimmed))
    again = Channel()
    watching = Watching(graph, again, manager.recorder(NAME))
    everything = EveryKindSource(cache, manager.live, watching.handler_for, kinds=is_collected)
    (
        new_controller(manager)
        .named(NAME)
        .watches_source(everything)
        .watches_source(ChannelSource(again, name="dependents and owners"))
        .with_options(max_concurrent_reconciles=_WORKERS)
        .complete(Collector(graph, absent, cached=CachedClient(cache), report=watching.report))
    )
