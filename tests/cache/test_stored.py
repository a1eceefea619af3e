"""Objects are taken in as the server writes them, whatever they look like, and lose their managedFields alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import Raw

from konverge.api.form import form_of, unstructured
from konverge.cache.stored import head_of, parse
from konverge.models.core_v1 import ConfigMap

HEAD = head_of(unstructured("example.com/v1", "Widget"))
MANAGED = [{"manager": "someone", "fieldsV1": {"f:spec": {"f:colour": {}}}, "time": "2024-01-01T00:00:00Z"}]


def widget(metadata: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a widget with these fields, in this order."""
    return {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": metadata, **more}


def compact(obj: object) -> bytes:
    """Return JSON as the server writes it, without spaces."""
    return json.dumps(obj, separators=(",", ":")).encode()


def taken(data: bytes | Raw, *, keep_managed_fields: bool = False) -> Any:
    """Return what is stored of an object."""
    return json.loads(parse(data, head=HEAD, keep_managed_fields=keep_managed_fields)[1].data)


@pytest.mark.parametrize(
    "metadata",
    [
        {"labels": {"a": "b"}, "managedFields": MANAGED, "name": "w", "resourceVersion": "7", "uid": "u"},
        {"managedFields": MANAGED, "name": "w"},
        {"name": "w", "managedFields": MANAGED},
        {"labels": {"x": "y", "managedFields": "no"}, "managedFields": MANAGED, "name": "w"},
        {"annotations": {"x": '{"a":1,"managedFields":[]}'}, "managedFields": MANAGED, "name": "w"},
        {"name": "w", "managedFields": []},
        {"name": "w", "managedFields": None},
        {"name": "w"},
    ],
)
@pytest.mark.parametrize("spec", [{"colour": "red"}, {"x": 1, "managedFields": MANAGED}])
def test_managed_fields_are_dropped_and_nothing_else(metadata: dict[str, Any], spec: dict[str, Any]) -> None:
    """Wherever they stand, and whatever else bears their name."""
    expected = {name: value for name, value in metadata.items() if name != "managedFields"}
    for data in (compact(widget(metadata, spec=spec)), json.dumps(widget(metadata, spec=spec), indent=1).encode()):
        assert taken(data) == widget(expected, spec=spec)
        assert taken(Raw(data)) == widget(expected, spec=spec)


def test_managed_fields_can_be_kept() -> None:
    """Whoever asks for them has them."""
    obj = widget({"name": "w", "managedFields": MANAGED})
    assert taken(compact(obj), keep_managed_fields=True) == obj


def test_an_item_of_a_list_is_given_its_kind() -> None:
    """Items of built-in lists carry none."""
    entry = parse(compact({"metadata": {"name": "a"}, "data": {}}), head=head_of(form_of(ConfigMap)))[1]
    assert json.loads(entry.data) == {"metadata": {"name": "a"}, "data": {}, "apiVersion": "v1", "kind": "ConfigMap"}


def test_an_object_keeps_nothing_of_what_it_came_with() -> None:
    """A header that held on to the managed fields would hold on to all of the data."""
    header, entry = parse(compact(widget({"name": "w", "managedFields": MANAGED, "uid": "u"})), head=HEAD)
    assert (entry.uid, header.name) == ("u", "w")
    assert not bytes(getattr(header, "managed_fields", b""))
