from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.protobuf.field_order import in_go_order


def test_a_pod_as_go_writes_it() -> None:
    """Fields as they are declared, those of embedded structs in their place, maps sorted, the type first."""
    volume: dict[str, Any] = {"emptyDir": {"sizeLimit": "1", "medium": ""}, "name": "v"}
    container: dict[str, Any] = {"image": "i", "name": "c", "resources": {"requests": {"b": "1", "a": "2"}}}
    value: dict[str, Any] = {
        "spec": {"containers": [container], "volumes": [volume]},
        "apiVersion": "v1",
        "metadata": {"uid": "u", "name": "p", "labels": {"b": "1", "a": "2"}},
        "kind": "Pod",
    }
    found = in_go_order(value, "v1", "Pod")
    assert found == value
    assert list(found) == ["kind", "apiVersion", "metadata", "spec"]
    assert list(found["metadata"]) == ["name", "uid", "labels"]
    assert list(found["metadata"]["labels"]) == ["a", "b"]
    assert list(found["spec"]) == ["volumes", "containers"]
    assert [list(each) for each in found["spec"]["volumes"]] == [["name", "emptyDir"]]
    assert list(found["spec"]["volumes"][0]["emptyDir"]) == ["medium", "sizeLimit"]
    assert list(found["spec"]["containers"][0]) == ["name", "image", "resources"]
    assert list(found["spec"]["containers"][0]["resources"]["requests"]) == ["a", "b"]


def test_schemas_in_schemas() -> None:
    """Where a value is either a schema or something else, too."""
    schema: dict[str, Any] = {"type": "array", "items": {"type": "string", "format": "date"}, "description": "d"}
    value = {"spec": {"versions": [{"schema": {"openAPIV3Schema": schema}, "name": "v1"}]}}
    [version] = in_go_order(value, "apiextensions.k8s.io/v1", "CustomResourceDefinition")["spec"]["versions"]
    assert list(version) == ["name", "schema"]
    assert list(version["schema"]["openAPIV3Schema"]) == ["description", "type", "items"]
    assert list(version["schema"]["openAPIV3Schema"]["items"]) == ["type", "format"]


def test_an_unknown_kind_is_sorted() -> None:
    """There is nothing better to say of it."""
    assert list(in_go_order({"b": 1, "a": 2, "kind": "X"}, "v9", "X")) == ["kind", "a", "b"]
