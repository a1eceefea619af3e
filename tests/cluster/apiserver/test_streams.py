"""Which watches end, and when."""

from __future__ import annotations

import gc

from konverge.cluster.apiserver.resource import Resource, Resources
from konverge.cluster.apiserver.strategy import Strategy
from konverge.cluster.apiserver.streams import Streams


class Watch:
    """A watch that knows whether it was told to end."""

    def __init__(self) -> None:
        self.has_ended = False

    def end(self) -> None:
        """Note it."""
        self.has_ended = True


class Terminating(Strategy):
    """A definition that is being deleted."""

    refuses_create = "it is being deleted"


def resource(plural: str, strategy: Strategy | None = None) -> Resource:
    """Return a resource of a name."""
    return Resource(
        group="g",
        version="v1",
        kind="Thing",
        plural=plural,
        singular="thing",
        namespaced=True,
        storage_version="v1",
        strategy=strategy or Strategy(),
        is_custom=True,
    )


def test_what_changes_ends() -> None:
    """A watch ends when its resource is gone or another; not while that is being deleted."""
    resources, streams = Resources(), Streams()
    watches = {plural: Watch() for plural in ("gone", "changed", "terminating", "same")}
    for plural, watch in watches.items():
        resources.add(resource(plural))
        found = resources.find("g", "v1", plural)
        assert found is not None
        streams.add(watch, found)
    resources.remove("g", "v1", "gone")
    resources.add(resource("changed"))
    resources.add(resource("terminating", Terminating()))
    streams.end_changed(resources)
    assert [plural for plural, watch in watches.items() if watch.has_ended] == ["gone", "changed"]


def test_close_ends_all_that_are_left() -> None:
    """One that nobody holds is forgotten; the others end."""
    streams, kept, lost = Streams(), Watch(), Watch()
    streams.add(kept, resource("a"))
    streams.add(lost, resource("b"))
    del lost
    gc.collect()
    assert len(streams) == 1
    streams.close()
    assert kept.has_ended
