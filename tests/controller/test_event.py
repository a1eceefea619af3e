from __future__ import annotations

import json

from konverge.api.form import typed
from konverge.api.kind import ObjectKey
from konverge.cache.stored import Entry, Stored, head_of, parse
from konverge.controller import CreateEvent, DeleteEvent, Event, GenericEvent, UpdateEvent
from konverge.controller.event import verb_of
from konverge.models import core_v1


def stored(version: str = "7", **labels: str) -> Stored[core_v1.ConfigMap]:
    """A ConfigMap as the cache holds it."""
    form = typed(core_v1.ConfigMap)
    metadata = {"name": "web", "namespace": "shop", "resourceVersion": version, "labels": labels}
    _, entry = parse(json.dumps({"metadata": metadata, "data": {"a": "b"}}).encode(), head=head_of(form))
    return Stored(entry, form)


def test_an_object_is_decoded_anew_each_time() -> None:
    """Whoever asks gets a copy of their own."""
    event = CreateEvent(stored())
    assert event.object.data == {"a": "b"}
    assert event.object is not event.object
    assert event.key == ObjectKey("shop", "web")


def test_metadata_is_there_without_decoding() -> None:
    """Labels and versions come from the header."""
    event = UpdateEvent(stored("7", tier="a"), stored("8", tier="b"))
    assert (event.metadata_old.labels, event.metadata.labels) == ({"tier": "a"}, {"tier": "b"})
    assert (event.old.metadata.labels, event.new.metadata.labels) == ({"tier": "a"}, {"tier": "b"})
    assert event.object.metadata.resource_version == "8"


def test_the_key_is_there_without_decoding_anything() -> None:
    """Where the cache knows the key, not even the header is read: this one could not be."""
    unreadable = Stored(Entry(b"{", "uid", 7), typed(core_v1.ConfigMap), key=ObjectKey("shop", "web"))
    assert CreateEvent(unreadable).key == ObjectKey("shop", "web")
    assert UpdateEvent(unreadable, unreadable).key == ObjectKey("shop", "web")


def test_an_event_may_carry_an_object_of_the_authors() -> None:
    """A typed object takes the place of a stored one."""
    mine = core_v1.ConfigMap.from_dict({"metadata": {"name": "mine"}})
    event = GenericEvent(mine)
    assert event.object is mine
    assert repr(event) == "GenericEvent(ConfigMap mine at no version)"


def test_what_happened_in_one_word() -> None:
    """Causes name it so."""
    events: list[Event[core_v1.ConfigMap]] = [
        CreateEvent(stored(), True),
        CreateEvent(stored()),
        UpdateEvent(stored("1"), stored("2")),
        UpdateEvent(stored("2"), stored("2")),
        DeleteEvent(stored()),
        GenericEvent(stored()),
    ]
    assert [verb_of(event) for event in events] == ["initial", "create", "update", "resync", "delete", "generic"]


def test_reprs_name_the_object_and_show_no_content() -> None:
    """The kind, the key and the version are there, the data is not."""
    assert repr(CreateEvent(stored(), True)) == "CreateEvent(ConfigMap shop/web at 7, in the initial list)"
    assert repr(UpdateEvent(stored("7"), stored("8"))) == "UpdateEvent(ConfigMap shop/web at 7 -> 8)"
    assert repr(DeleteEvent(stored(), True)) == "DeleteEvent(ConfigMap shop/web at 7, last state unknown)"
