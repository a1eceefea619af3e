from __future__ import annotations

from datetime import UTC, datetime

import pytest

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


def test_managed_fields_cannot_be_changed_in_place() -> None:
    """What would be lost is refused: they are decoded anew each time, and assigned to be changed."""
    meta = decode(ObjectMeta, b'{"managedFields":[{"manager":"m","future":1}]}')
    entries = meta.managed_fields
    assert entries == (ManagedFieldsEntry(manager="m"),)
    with pytest.raises(AttributeError):
        entries[0].manager = "other"  # type: ignore[misc]  # that is the point
    meta.managed_fields = [*entries, ManagedFieldsEntry(manager="n")]
    assert encode(meta) == b'{"managedFields":[{"manager":"m"},{"manager":"n"}]}'


def test_a_copy_may_have_other_managed_fields() -> None:
    """They are replaced by the name that the author sees."""
    meta = decode(ObjectMeta, b'{"name":"a","managedFields":[{"manager":"m"}]}')
    assert meta.__replace__(managed_fields=None, name="b") == ObjectMeta(name="b")
    assert meta.__replace__(name="b").managed_fields == meta.managed_fields
