"""What a feed tells its owner, and what its readers see."""

from __future__ import annotations

import json
from typing import Any

import pytest

from konverge.api.field_selector import FieldSelector
from konverge.api.form import metadata_only, typed, unstructured
from konverge.api.kind import ObjectKey
from konverge.api.label_selector import LabelSelector
from konverge.cache.feed import Feed, Selection
from konverge.cache.index import Index, values_at, values_by
from konverge.cache.stored import Stored
from konverge.errors import DecodeError
from konverge.models.core_v1 import ConfigMap

A = ObjectKey("shop", "a")


class Owner:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def on_add(self, obj: Stored[Any], *, initial: bool) -> None:
        """Note an addition."""
        self.lines.append(f"add {obj.key}@{obj.entry.version}{' initial' if initial else ''}")

    def on_update(self, old: Stored[Any], new: Stored[Any]) -> None:
        """Note a change."""
        self.lines.append(f"update {old.key}@{old.entry.version} to {new.entry.version}")

    def on_delete(self, obj: Stored[Any], *, known: bool) -> None:
        """Note a deletion."""
        self.lines.append(f"delete {obj.key}@{obj.entry.version}{'' if known else ' missed'}")

    def feed_synced(self) -> None:
        """Note the first list."""
        self.lines.append("synced")

    def feed_waits(self) -> None:
        """Hear of a problem."""

    def take(self) -> list[str]:
        """Return what was told since the last time."""
        lines, self.lines = self.lines, []
        return lines


def cm(name: str, version: int, *, uid: str = "", labels: dict[str, str] | None = None, **data: str) -> bytes:
    """Return a ConfigMap as the server sends it in a list: without its kind, with managedFields."""
    metadata: dict[str, Any] = {
        "name": name,
        "namespace": "shop",
        "uid": uid or f"uid-{name}",
        "resourceVersion": str(version),
        "managedFields": [{"manager": "x"}],
    }
    if labels:
        metadata["labels"] = labels
    return json.dumps({"metadata": metadata, "data": data}).encode()


def feed(selection: Selection[ConfigMap] | None = None, **options: Any) -> tuple[Feed[ConfigMap], Owner]:
    """Return an empty feed."""
    owner = Owner()
    return Feed(typed(ConfigMap), selection or Selection(), owner, **options), owner


def relist(target: Feed[Any], version: int, *objects: bytes) -> None:
    """Bring a whole list."""
    target.list_started()
    for data in objects:
        target.listed(data)
    target.list_finished(str(version))


def shown(target: Feed[Any]) -> dict[str, int]:
    """Return what a list shows: names and versions."""
    return {key.name: entry.version for key, entry in target.items()}


def test_the_first_list_is_told_as_initial_then_synced() -> None:
    """Who listens can tell what was there before from what is new."""
    target, owner = feed()
    relist(target, 5, cm("a", 3), cm("b", 4))
    assert owner.take() == ["add shop/a@3 initial", "add shop/b@4 initial", "synced"]


def test_nothing_of_a_list_is_seen_before_it_is_complete() -> None:
    """A list that breaks half-way has never been."""
    target, owner = feed()
    relist(target, 5, cm("a", 3))
    owner.take()
    target.list_started()
    target.listed(cm("b", 9))
    assert shown(target) == {"a": 3}
    target.list_started()
    target.list_finished("10")
    assert shown(target) == {}
    assert owner.take() == ["delete shop/a@3 missed"]


def test_a_relist_tells_only_what_differs() -> None:
    """What a relist finds changed, new or gone is told; what is as it was is not."""
    target, owner = feed()
    relist(target, 5, cm("a", 1), cm("b", 2), cm("c", 3), cm("d", 4, uid="first"))
    owner.take()
    relist(target, 20, cm("a", 1), cm("b", 12), cm("d", 14, uid="second"), cm("e", 15))
    assert owner.take() == [
        "update shop/b@2 to 12",
        "delete shop/d@4 missed",
        "add shop/d@14",
        "add shop/e@15",
        "delete shop/c@3 missed",
    ]
    assert target.relists == 1


def test_changes_are_told_with_the_old_and_the_new_object() -> None:
    """Events carry both, decoded by whoever wants them."""
    target, owner = feed()
    relist(target, 5, cm("a", 3))
    owner.take()
    assert target.changed(cm("a", 6)) == "6"
    assert target.changed(cm("b", 7)) == "7"
    assert target.deleted(cm("a", 8)) == "8"
    assert owner.take() == ["update shop/a@3 to 6", "add shop/b@7", "delete shop/a@8"]


def test_what_was_seen_is_not_told_twice() -> None:
    """A watch that is resumed may repeat events; a deletion of what is not there is no news either."""
    target, owner = feed()
    relist(target, 5, cm("a", 3))
    target.changed(cm("a", 6))
    owner.take()
    target.changed(cm("a", 6))
    target.changed(cm("a", 4))
    target.deleted(cm("x", 7))
    assert owner.take() == []
    assert shown(target) == {"a": 6}


def test_another_uid_under_the_same_name_is_another_object() -> None:
    """A deletion that the watch did not show is told before the new object."""
    target, owner = feed()
    relist(target, 5, cm("a", 3, uid="first"))
    owner.take()
    target.changed(cm("a", 6, uid="second"))
    assert owner.take() == ["delete shop/a@3 missed", "add shop/a@6"]


def test_stored_objects_have_their_kind_and_no_managed_fields() -> None:
    """Every read decodes a whole object of its own, safe to change."""
    target, _ = feed()
    relist(target, 5, cm("a", 3, colour="blue"))
    entry = target.get(A)
    assert entry is not None
    assert json.loads(entry.data)["kind"] == "ConfigMap"
    stored = Stored(entry, typed(ConfigMap))
    first, second = stored.read(), stored.read()
    assert first.metadata.managed_fields is None
    assert first.data is not None
    first.data["colour"] = "red"
    assert second.data == {"colour": "blue"}


def test_managed_fields_can_be_kept() -> None:
    """Who needs to know the managers asks for them."""
    target, _ = feed(Selection(keep_managed_fields=True))
    relist(target, 5, cm("a", 3))
    entry = target.get(A)
    assert entry is not None
    assert b"managedFields" in entry.data


def test_a_transform_decides_what_is_held() -> None:
    """What no one reads need not be kept; the object keeps its identity."""

    def drop_data(obj: ConfigMap) -> ConfigMap:
        obj.data = None
        return obj

    target, _ = feed(Selection(transform=drop_data))
    relist(target, 5, cm("a", 3, big="x" * 100))
    entry = target.get(A)
    assert entry is not None
    assert b"xxx" not in entry.data
    assert Stored(entry, typed(ConfigMap)).read().metadata.name == "a"


def test_a_transform_that_fails_costs_nothing_but_memory(caplog: pytest.LogCaptureFixture) -> None:
    """A bug of the author's must not end the cache: the object is held as it came, and the log names it."""

    def broken(obj: ConfigMap) -> ConfigMap:
        raise KeyError(obj.metadata.name)

    target, owner = feed(Selection(transform=broken))
    relist(target, 5, cm("a", 3, colour="blue"))
    target.changed(cm("b", 6))
    assert shown(target) == {"a": 3, "b": 6}
    assert owner.take() == ["add shop/a@3 initial", "synced", "add shop/b@6"]
    assert "a transform failed" in caplog.text


def test_metadata_only_objects_have_the_kind_of_what_they_describe() -> None:
    """The envelope's own kind is of no interest."""
    form = metadata_only(ConfigMap)
    target = Feed(form, Selection(), Owner())
    metadata = {"name": "a", "namespace": "shop", "uid": "u", "resourceVersion": "3"}
    body = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata}
    relist(target, 5, json.dumps(body).encode())
    entry = target.get(A)
    assert entry is not None
    obj = Stored(entry, form).read()
    assert (obj.api_version, obj.kind, obj.metadata.name) == ("v1", "ConfigMap", "a")


def test_unstructured_objects_are_held_as_well() -> None:
    """Any kind can be cached."""
    form = unstructured("example.com/v1", "Widget")
    target = Feed(form, Selection(), Owner())
    relist(target, 5, cm("a", 3, colour="blue"))
    entry = target.get(A)
    assert entry is not None
    assert Stored(entry, form).read().data.colour == "blue"


def test_an_object_without_metadata_is_refused() -> None:
    """What is no object does not get into the store."""
    target, _ = feed()
    with pytest.raises(DecodeError, match="ConfigMap cannot be read"):
        target.changed(b'{"data":{}}')


def test_an_object_that_nobody_can_read_takes_nothing_from_the_others(caplog: pytest.LogCaptureFixture) -> None:
    """The server stores objects nested deeper than the interpreter goes; one of them is left out, and logged."""
    deep = cm("deep", 4)[:-1] + b',"x":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}"
    target, _ = feed()
    relist(target, 5, cm("a", 3), deep)
    target.changed(deep)
    target.changed(cm("b", 6))
    assert shown(target) == {"a": 3, "b": 6}
    assert target.unreadable == 2
    assert "left out of the cache" in caplog.text


# --- our own writes ---


def test_a_write_is_seen_at_once_and_told_by_the_watch_alone() -> None:
    """Readers see it before the watch does; handlers hear of it once, with the old object the watch knows."""
    target, owner = feed()
    relist(target, 5, cm("a", 3))
    owner.take()
    target.wrote(cm("a", 7))
    target.wrote(cm("b", 8))
    assert shown(target) == {"a": 7, "b": 8}
    assert owner.take() == []
    target.changed(cm("a", 7))
    target.changed(cm("b", 8))
    assert owner.take() == ["update shop/a@3 to 7", "add shop/b@8"]
    assert len(target.overlay) == 0


def test_a_bookmark_ends_the_wait_for_a_write() -> None:
    """A bookmark says that everything up to a version was shown."""
    target, _ = feed()
    relist(target, 5)
    target.wrote(cm("a", 7))
    target.reached("6")
    assert shown(target) == {"a": 7}
    target.reached("7")
    assert len(target.overlay) == 0


def test_an_answer_that_comes_after_the_watch_is_old_news() -> None:
    """The watch may be faster than the answer to the write itself."""
    target, _ = feed()
    relist(target, 5)
    target.changed(cm("a", 7))
    target.changed(cm("a", 9))
    target.wrote(cm("a", 7))
    assert shown(target) == {"a": 9}
    assert len(target.overlay) == 0


def test_a_write_that_leaves_the_selector_is_no_longer_seen() -> None:
    """An object whose label we took away is outside, for readers at once."""
    target, owner = feed(Selection(labels=LabelSelector.parse("tier=web")))
    relist(target, 5, cm("a", 3, labels={"tier": "web"}))
    owner.take()
    target.wrote(cm("a", 7, labels={"tier": "db"}))
    assert shown(target) == {}
    target.deleted(cm("a", 7))
    assert owner.take() == ["delete shop/a@7"]
    assert len(target.overlay) == 0


def test_a_write_outside_the_selector_is_never_seen() -> None:
    """What the watch would not show, reads do not show either."""
    target, _ = feed(Selection(labels=LabelSelector.parse("tier=web"), fields=FieldSelector.parse("metadata.name=a")))
    relist(target, 5)
    target.wrote(cm("a", 7))
    target.wrote(cm("b", 8, labels={"tier": "web"}))
    assert shown(target) == {}
    target.wrote(cm("a", 9, labels={"tier": "web"}))
    assert shown(target) == {"a": 9}


def test_a_write_in_another_namespace_is_not_this_feeds() -> None:
    """A feed of one namespace holds nothing of another."""
    target, _ = feed(namespace="other")
    relist(target, 5)
    target.wrote(cm("a", 7))
    assert shown(target) == {}


def test_our_own_delete_is_seen_at_once() -> None:
    """Its answer has a uid and no version; the watch's event ends it."""
    target, owner = feed()
    relist(target, 5, cm("a", 3))
    owner.take()
    target.deleted_ourselves(A, "uid-a")
    assert target.get(A) is None
    assert shown(target) == {}
    target.deleted(cm("a", 6))
    assert owner.take() == ["delete shop/a@6"]
    assert len(target.overlay) == 0


def test_our_delete_of_an_object_that_was_replaced_hides_nothing() -> None:
    """A uid that readers do not see is not theirs to lose."""
    target, _ = feed()
    relist(target, 5, cm("a", 3, uid="second"))
    target.deleted_ourselves(A, "first")
    assert shown(target) == {"a": 3}


def test_created_again_after_our_own_delete() -> None:
    """Delete and create by ourselves, faster than the watch."""
    target, owner = feed()
    relist(target, 5, cm("a", 3, uid="first"))
    owner.take()
    target.deleted_ourselves(A, "first")
    target.wrote(cm("a", 8, uid="second"))
    assert shown(target) == {"a": 8}
    target.deleted(cm("a", 7, uid="first"))
    assert shown(target) == {"a": 8}
    target.changed(cm("a", 8, uid="second"))
    assert owner.take() == ["delete shop/a@7", "add shop/a@8"]
    assert shown(target) == {"a": 8}
    assert len(target.overlay) == 0


def test_a_server_with_older_data_leaves_no_wrong_entry_behind() -> None:
    """After a restore the versions start lower; the list that was sent after our write is the truth."""
    target, owner = feed()
    relist(target, 1000, cm("a", 900))
    target.wrote(cm("a", 1001))
    target.wrote(cm("b", 1002))
    owner.take()
    relist(target, 500, cm("a", 400))
    assert shown(target) == {"a": 400}
    assert owner.take() == ["update shop/a@900 to 400"]
    target.changed(cm("a", 501))
    assert shown(target) == {"a": 501}


def test_a_write_during_a_list_outlives_it() -> None:
    """A list that was sent before the write may not have it."""
    target, _ = feed()
    relist(target, 5)
    target.list_started()
    target.wrote(cm("a", 9))
    target.list_finished("8")
    assert shown(target) == {"a": 9}
    target.reached("9")
    assert len(target.overlay) == 0


# --- indexes ---


def indexed() -> Feed[ConfigMap]:
    """Return a feed that finds ConfigMaps by their colour."""
    target, _ = feed()
    target.indexes["colour"] = Index(values_at("data.colour"))
    relist(target, 5, cm("a", 1, colour="blue"), cm("b", 2, colour="red"), cm("c", 3, colour="blue"))
    return target


def found(target: Feed[ConfigMap], colour: str) -> list[str]:
    """Return the names that the index finds."""
    return sorted(key.name for key, _ in target.found("colour", colour))


def test_an_index_follows_the_watch() -> None:
    """Objects are found by their latest value, and not after they are gone."""
    target = indexed()
    assert found(target, "blue") == ["a", "c"]
    target.changed(cm("a", 6, colour="red"))
    target.deleted(cm("c", 7))
    assert (found(target, "blue"), found(target, "red")) == ([], ["a", "b"])
    relist(target, 20, cm("z", 19, colour="blue"))
    assert (found(target, "blue"), found(target, "red")) == (["z"], [])


def test_an_index_sees_our_own_writes() -> None:
    """Reads by index are reads: what we wrote is found, what we deleted or changed is not."""
    target = indexed()
    target.wrote(cm("a", 6, colour="red"))
    target.wrote(cm("n", 7, colour="blue"))
    target.deleted_ourselves(ObjectKey("shop", "c"), "uid-c")
    assert (found(target, "blue"), found(target, "red")) == (["n"], ["a", "b"])


def test_an_index_by_a_function_takes_many_values(caplog: pytest.LogCaptureFixture) -> None:
    """A function of the typed object may return any number of values; a bare string is a mistake that is told."""
    target, _ = feed()
    target.indexes["keys"] = Index(values_by("keys", lambda obj: list(obj.data or {}), typed(ConfigMap)))
    relist(target, 5, cm("a", 1, x="1", y="2"), cm("b", 2, y="3"))
    assert sorted(key.name for key, _ in target.found("keys", "y")) == ["a", "b"]
    wrong = Index(values_by("wrong", lambda obj: obj.metadata.name or "", typed(ConfigMap)))
    wrong.rebuild(target.store.items())
    assert wrong.keys("a") == []
    assert "return a list of strings" in caplog.text


def test_the_store_counts_what_it_holds() -> None:
    """Objects and bytes are what the metrics show."""
    target, _ = feed()
    relist(target, 5, cm("a", 1, x="1"), cm("b", 2))
    size = target.store.bytes
    assert len(target.store) == 2
    target.changed(cm("a", 6, x="12345"))
    assert target.store.bytes == size + 4
    target.deleted(cm("a", 7))
    target.deleted(cm("b", 8))
    assert (len(target.store), target.store.bytes) == (0, 0)
    assert list(target.store.items("shop")) == []
