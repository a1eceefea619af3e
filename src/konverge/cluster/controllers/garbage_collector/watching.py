"""Watching: between the watches and the graph: events in, uids for the queue out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from konverge.api.kind import GroupResource, Resource
from konverge.api.meta import ObjectMeta, OwnerReference
from konverge.api.unstructured import PartialObjectMetadata
from konverge.client.served import ServedKind
from konverge.cluster.controllers.garbage_collector.graph import Findings, Graph, Seen, interned
from konverge.cluster.controllers.garbage_collector.identity import Identity, Reference
from konverge.controller import Channel, DeleteEvent, Event, Recorder, Request
from konverge.controller.event import Metadata

# Events are many, own nothing, and go by themselves.
_IGNORED: Final = (GroupResource("", "events"), GroupResource("events.k8s.io", "events"))


def is_collected(kind: ServedKind) -> bool:
    """Whether objects of a kind take part."""
    return kind.allows("delete", "list", "watch") and kind.resource.group_resource not in _IGNORED


def trimmed(obj: PartialObjectMetadata) -> PartialObjectMetadata:
    """Return what has to be held of an object: who it is, whom it names as owner, and how far its deletion is."""
    obj.metadata.labels = obj.metadata.annotations = obj.metadata.generate_name = None
    obj.metadata.creation_timestamp = obj.metadata.generation = None
    return obj


class Watching:
    """Keeps the graph up to date, and puts what follows into the queue."""

    def __init__(self, graph: Graph, again: Channel, recorder: Recorder) -> None:
        self._graph = graph
        self._again = again
        self._recorder = recorder

    def handler_for(self, resource: Resource) -> _KindHandler:
        """Return what takes in the events of one kind."""
        return _KindHandler(self, resource)

    def take_in(self, event: Event[Any], resource: Resource) -> Iterable[Request]:
        """Take in an event; return whom to look at."""
        if isinstance(event, DeleteEvent):
            found = self._graph.forget(identity_of(event.metadata, resource))
        else:
            found = self._graph.observe(seen(event.metadata, resource))
        self._tell(found)
        return tuple(Request("", uid) for uid in found.look_at)

    def report(self, found: Findings) -> None:
        """Have others looked at, because of what a reconcile has found out."""
        self._tell(found)
        for uid in found.look_at:
            self._again.push(Request("", uid))

    def _tell(self, found: Findings) -> None:
        for item, owner in found.misplaced:
            note = f'ownerRef {owner} does not exist in namespace "{item.namespace}"'
            self._recorder.warning(_named(item), "OwnerRefInvalidNamespace", note)


class _KindHandler:
    """The handler of one kind."""

    def __init__(self, watching: Watching, resource: Resource) -> None:
        self._watching = watching
        self._resource = resource

    def requests(self, event: Event[Any]) -> Iterable[Request]:
        """Return whom to look at."""
        return self._watching.take_in(event, self._resource)

    def __repr__(self) -> str:
        return f"the graph of owners ({self._resource.plural})"


def identity_of(metadata: Metadata, resource: Resource) -> Identity:
    """Return who an object is."""
    namespace = interned(metadata.namespace or "")
    return Identity(resource.kind, resource.api_version, namespace, metadata.name or "", metadata.uid or "")


def seen(metadata: Metadata, resource: Resource) -> Seen:
    """Return what counts of an object."""
    return Seen(
        identity_of(metadata, resource),
        tuple(_reference(each) for each in metadata.owner_references or ()),
        tuple(metadata.finalizers or ()),
        metadata.deletion_timestamp is not None,
    )


def _reference(owner: OwnerReference) -> Reference:
    kind, api_version = interned(owner.kind), interned(owner.api_version)
    return Reference(kind, api_version, owner.name, owner.uid, bool(owner.block_owner_deletion))


def _named(item: Identity) -> PartialObjectMetadata:
    metadata = ObjectMeta(name=item.name, namespace=item.namespace or None, uid=item.uid)
    return PartialObjectMetadata(api_version=item.api_version, kind=item.kind, metadata=metadata)
