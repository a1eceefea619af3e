"""What the answers to our own writes tell the cache."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from konverge.api import request
from konverge.api.kind import GroupResource, GroupVersionKind, ObjectKey, Resource
from konverge.api.request import ApiRequest
from konverge.cache.observer import ObservingTransport
from konverge.models.core_v1 import ConfigMap
from konverge.testing.scripted import Answer, ScriptedTransport
from konverge.testing.virtual_time import run

PODS = Resource(group="", version="v1", kind="Pod", plural="pods", namespaced=True)
A = ObjectKey("shop", "a")


class Notes:
    """An observer that writes down what it is shown, and raises where it is told to."""

    def __init__(self, *, fails: bool = False) -> None:
        self.lines: list[str] = []
        self.fails = fails

    def _note(self, line: str) -> None:
        self.lines.append(line)
        if self.fails:
            raise ValueError("a bug in the cache")

    def wrote(self, gvk: GroupVersionKind, data: bytes) -> None:
        """Note an object."""
        assert data
        self._note(f"wrote {gvk.kind}")

    def wrote_metadata(self, resource: GroupResource, data: bytes) -> None:
        """Note metadata."""
        assert data
        self._note(f"wrote metadata of {resource}")

    def deleted(self, resource: GroupResource, key: ObjectKey, uid: str, *, sure: bool = True) -> None:
        """Note a deletion."""
        self._note(f"deleted {resource} {key} {uid}{'' if sure else ' perhaps'}")


def answer(kind: str = "ConfigMap", api_version: str = "v1", **metadata: Any) -> dict[str, Any]:
    """Return an object as a server answers it."""
    common = {"name": "a", "namespace": "shop", "uid": "u", "resourceVersion": "7"}
    return {"kind": kind, "apiVersion": api_version, "metadata": {**common, **metadata}}


def shown(call: ApiRequest, body: dict[str, Any], *, fails: bool = False) -> list[str]:
    """Return what an observer is shown of a call that is answered like this."""
    notes = Notes(fails=fails)

    async def main() -> None:
        await ObservingTransport(ScriptedTransport([Answer(body)]), notes).call(call)

    run(main())
    return notes.lines


def update(resource: Resource = ConfigMap.__resource__, subresource: str = "") -> ApiRequest:
    """Return an update."""
    return request.update(resource, A, b"{}", options=request.WriteOptions(), subresource=subresource)


def delete(resource: Resource = ConfigMap.__resource__, **options: Any) -> ApiRequest:
    """Return a delete."""
    return request.delete(resource, A, request.delete_body(**options))


def delete_many(resource: Resource = ConfigMap.__resource__, **options: Any) -> ApiRequest:
    """Return a delete of many."""
    return request.delete_collection(resource, "shop", request.ListOptions(), request.delete_body(**options))


ENDING = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("metadata", "line"),
    [
        ({}, "wrote ConfigMap"),
        ({**ENDING, "finalizers": ["x/y"]}, "wrote ConfigMap"),
        ({**ENDING, "deletionGracePeriodSeconds": 30}, "wrote ConfigMap"),
        ({**ENDING, "deletionGracePeriodSeconds": 0}, "deleted configmaps shop/a u"),
        (ENDING, "deleted configmaps shop/a u"),
    ],
)
def test_an_update_that_takes_the_last_finalizer_away_is_a_deletion(metadata: dict[str, Any], line: str) -> None:
    """The server removes the object with that write, and answers with it all the same."""
    assert shown(update(), answer(**metadata)) == [line]


@pytest.mark.parametrize(
    ("metadata", "line"),
    [
        ({}, "deleted configmaps shop/a u"),  # some kinds are answered with what they were
        ({**ENDING, "finalizers": ["x/y"]}, "wrote ConfigMap"),
        ({**ENDING, "deletionGracePeriodSeconds": 30}, "wrote ConfigMap"),
    ],
)
def test_a_delete_that_is_answered_with_the_object(metadata: dict[str, Any], line: str) -> None:
    """It has begun if something holds the object, and is complete if nothing does."""
    assert shown(delete(), answer(**metadata)) == [line]


def test_a_delete_that_is_answered_with_a_status() -> None:
    """The uid is what counts: without it the answer tells nothing."""
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
    assert shown(delete(), {**status, "details": {"name": "a", "uid": "u"}}) == ["deleted configmaps shop/a u"]
    assert shown(delete(), status) == []


def test_a_delete_of_many_names_what_was_there() -> None:
    """What a finalizer holds, and what goes on for a while by its nature, is left to the watch."""
    items = [answer(), answer(name="b", finalizers=["x/y"])]
    many = {"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": items}
    assert shown(delete_many(), many) == ["deleted configmaps shop/a u perhaps"]
    assert shown(delete_many(propagation="Background"), many) == ["deleted configmaps shop/a u perhaps"]
    assert shown(delete_many(propagation="Foreground"), many) == []
    assert shown(delete_many(PODS), many) == []


def test_a_dry_run_tells_nothing() -> None:
    """Nothing has happened."""
    assert shown(delete(dry_run=True), answer()) == []
    assert shown(delete_many(dry_run=True), {"kind": "ConfigMapList", "items": [answer()]}) == []


def test_metadata_alone_is_told_as_such() -> None:
    """A write may be answered with no more than was asked for; its subresource is no part of the resource's name."""
    partial = answer("PartialObjectMetadata", "meta.k8s.io/v1")
    assert shown(update(subresource="status"), partial) == ["wrote metadata of configmaps"]


def test_a_write_succeeds_whatever_the_cache_makes_of_its_answer(caplog: pytest.LogCaptureFixture) -> None:
    """What the server has done must not look as if it had failed."""
    assert shown(update(), answer(), fails=True) == ["wrote ConfigMap"]
    assert "the answer to a write was not taken in" in caplog.text


def test_answers_that_are_no_object_are_left_alone() -> None:
    """A token, a plain text, a list of anything."""
    assert shown(update(), {"kind": "TokenRequest", "apiVersion": "v1", "metadata": {}}) == []

    async def main() -> None:
        notes = Notes()
        transport = ObservingTransport(ScriptedTransport([Answer([1, 2])]), notes)
        await asyncio.wait_for(transport.call(update()), 1)
        assert notes.lines == []

    run(main())
