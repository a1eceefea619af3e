from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.apply import managed
from konverge.cluster.apiserver.apply.managed import UPDATE, Owned, Owner
from konverge.cluster.apiserver.apply.typed_error import TypedError

ENTRY = {"manager": "m", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:a": {}}}


def test_the_order_of_entries() -> None:
    """Applies come first; then by time (none is oldest), manager, version and subresource."""
    owners = [
        (Owner("b", "Update", "v1"), Owned({"f:a": {}}, "v1", "2026-01-01T00:00:00Z")),
        (Owner("a", "Update", "v1", "status"), Owned({"f:a": {}}, "v1", "2026-01-01T00:00:00Z")),
        (Owner("a", "Update", "v1"), Owned({"f:a": {}}, "v1", "2026-01-01T00:00:00Z")),
        (Owner("z", "Update", "v1"), Owned({"f:a": {}}, "v1")),
        (Owner("z", "Apply", ""), Owned({"f:a": {}}, "v2", "2026-02-01T00:00:00Z")),
    ]
    found = [(entry["manager"], entry["operation"], entry.get("subresource")) for entry in managed.encode(dict(owners))]
    assert found == [
        ("z", "Apply", None),
        ("z", "Update", None),
        ("a", "Update", None),
        ("a", "Update", "status"),
        ("b", "Update", None),
    ]


def test_reading_what_was_written() -> None:
    """Entries come back as they were, those of an apply in the version it was in."""
    entries = [
        {**ENTRY, "operation": "Apply", "apiVersion": "v2"},
        {**ENTRY, "time": "2026-01-01T00:00:00Z", "subresource": "status"},
    ]
    assert managed.encode(managed.decode(entries)) == entries
    assert managed.encode(managed.decode_own(entries)) == entries


def test_times_of_others_are_read_as_utc() -> None:
    """A time in another zone or with a fraction is the same moment, in whole seconds."""
    [entry] = managed.encode(managed.decode([{**ENTRY, "time": "2026-01-01T02:00:00.5+02:00"}]))
    assert entry["time"] == "2026-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"operation": "Patch"}, "operation must be `Apply` or `Update`"),
        ({"apiVersion": ""}, "apiVersion must not be empty"),
        ({"fieldsType": ""}, "missing fieldsType in managed fields entry 0"),
        ({"fieldsType": "V2"}, 'invalid fieldsType "V2" in managed fields entry 0'),
        ({"fieldsV1": {"a": {}}}, "key must be 2 characters long:"),
        ({"time": "yesterday"}, "'yesterday' is not a time"),
    ],
)
def test_malformed_entries(wrong: dict[str, Any], message: str) -> None:
    """What is wrong is said in the real server's words."""
    with pytest.raises(TypedError, match=message.replace("`", ".")):
        managed.decode([{**ENTRY, **wrong}])


def test_the_oldest_updates_are_put_together() -> None:
    """More than ten updaters are too many: the oldest of a version become one, with the newest time among them."""
    owners = {
        Owner(f"m{day}", UPDATE, "v1"): Owned({f"f:{day}": {}}, "v1", f"2026-01-{day:02}T00:00:00Z")
        for day in range(1, 13)
    }
    owners[Owner("a", "Apply", "")] = Owned({"f:a": {}}, "v1")
    capped = managed.capped(owners)
    bucket = capped[Owner("ancient-changes", UPDATE, "v1")]
    assert bucket == Owned({"f:1": {}, "f:2": {}, "f:3": {}}, "v1", "2026-01-03T00:00:00Z")
    assert len(capped) == 11
    assert managed.capped(capped) is capped


def test_updates_of_different_versions_have_buckets_of_their_own() -> None:
    """Fields of one version say nothing in another, so they are not mixed."""
    owners = {
        Owner(f"m{day}", UPDATE, f"v{day % 2}"): Owned({f"f:{day}": {}}, f"v{day % 2}", f"2026-01-{day:02}T00:00:00Z")
        for day in range(1, 13)
    }
    capped = managed.capped(owners)
    assert capped[Owner("ancient-changes", UPDATE, "v0")].fields == {"f:2": {}, "f:4": {}}
    assert capped[Owner("ancient-changes", UPDATE, "v1")].fields == {"f:1": {}, "f:3": {}}
    assert len(capped) == 10
