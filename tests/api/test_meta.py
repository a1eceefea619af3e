from __future__ import annotations

from datetime import UTC, datetime

from konverge.api.kind import ObjectKey
from konverge.api.meta import LAST_APPLIED, ListMeta, ManagedFieldsEntry, ObjectMeta, Status
from konverge.api.model import decode, encode


def test_the_key_of_an_object() -> None:
    """The namespace and the name, empty where there are none."""
    assert ObjectMeta(name="a", namespace="b").key == ObjectKey("b", "a")
    assert ObjectMeta().key == ObjectKey("", "")


def test_wire_names_that_are_no_camel_case() -> None:
    """They are spelled as the server has them."""
    assert encode(ListMeta(continue_="t")) == b'{"continue":"t"}'
    assert encode(ManagedFieldsEntry(fields_v1={"f:spec": {}})) == b'{"fieldsV1":{"f:spec":{}}}'


def test_metadata_is_read() -> None:
    """Times are aware, and a null one is unset."""
    found = decode(ObjectMeta, b'{"creationTimestamp":"2026-01-31T12:00:00Z","deletionTimestamp":null}')
    assert found.creation_timestamp == datetime(2026, 1, 31, 12, tzinfo=UTC)
    assert found.deletion_timestamp is None


def test_a_status_is_read() -> None:
    """With its details and causes."""
    found = decode(Status, b'{"status":"Failure","code":409,"details":{"causes":[{"field":"spec","reason":"r"}]}}')
    assert found.details is not None
    assert found.details.causes is not None
    assert (found.code, found.details.causes[0].field) == (409, "spec")


def test_the_manifest_that_kubectl_keeps_is_not_shown() -> None:
    """It may be that of a Secret."""
    shown = repr(ObjectMeta(name="a", annotations={LAST_APPLIED: "hunter2", "other": "seen"}))
    assert "hunter2" not in shown
    assert "'other': 'seen'" in shown
