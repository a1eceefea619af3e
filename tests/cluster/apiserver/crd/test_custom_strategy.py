"""How custom objects are written and read, by the version of their CRD."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.cluster.apiserver.crd.custom import custom_resources
from konverge.cluster.apiserver.crd.custom_strategy import CustomStrategy
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.apiserver.resource import Resource, Scale

_TRUE = [{"type": "NamesAccepted", "status": "True"}, {"type": "Established", "status": "True"}]
_STRING = {"type": "string"}


def _version(name: str, *, storage: bool = True, properties: Any = None, **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties or {"spec": {"type": "object", "properties": {"a": _STRING}}}}
    return {"name": name, "served": True, "storage": storage, "schema": {"openAPIV3Schema": schema}, **more}


def _resources(*versions: dict[str, Any], generation: int = 1, terminating: bool = False) -> list[Resource]:
    names = {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"}
    spec = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": list(versions)}
    ending = [{"type": "Terminating", "status": "True"}] if terminating else []
    status = {"acceptedNames": names, "conditions": _TRUE + ending, "storedVersions": ["v1"]}
    metadata = {"name": "things.example.com", "generation": generation, "uid": "u"}
    return custom_resources({"metadata": metadata, "spec": spec, "status": status})


def _strategy(*versions: dict[str, Any], **more: Any) -> Any:
    return _resources(*versions, **more)[0].strategy


def _thing(spec: Any = None, version: str = "v1", **more: Any) -> dict[str, Any]:
    metadata = {"name": "one", "generation": 1}
    return {"apiVersion": f"example.com/{version}", "kind": "Thing", "metadata": metadata, "spec": spec or {}, **more}


def test_a_status_that_is_a_subresource_is_dropped_on_create() -> None:
    """Where it is none, it stays."""
    value, other = _thing(status={"s": 1}), _thing(status={"s": 1})
    _strategy(_version("v1", subresources={"status": {}})).prepare_for_create(value)
    _strategy(_version("v1")).prepare_for_create(other)
    assert "status" not in value
    assert other["status"] == {"s": 1}
    assert value["metadata"]["generation"] == 1


def test_an_update_keeps_the_status_and_counts_changes_of_the_rest() -> None:
    """Metadata and status do not count; all else does."""
    strategy = _strategy(_version("v1", subresources={"status": {}}))
    old = _thing({"a": "x"}, status={"s": 1})
    value = _thing({"a": "x"}, status={"s": 2})
    strategy.prepare_for_update(value, old)
    assert (value["status"], value["metadata"]["generation"]) == ({"s": 1}, 1)
    changed = _thing({"a": "y"})
    strategy.prepare_for_update(changed, old)
    assert (changed["status"], changed["metadata"]["generation"]) == ({"s": 1}, 2)


def test_without_a_status_subresource_the_status_counts_too() -> None:
    """It is then a field like all others."""
    value = _thing(status={"s": 2})
    _strategy(_version("v1")).prepare_for_update(value, _thing(status={"s": 1}))
    assert (value["status"], value["metadata"]["generation"]) == ({"s": 2}, 2)


def test_a_status_update_changes_the_status_and_the_record_of_owners_alone() -> None:
    """Labels and spec of the request are not looked at."""
    old = _thing({"a": "x"}, status={"s": 1})
    old["metadata"]["managedFields"] = ["old"]
    value = _thing({"a": "y"}, status={"s": 2})
    value["metadata"] |= {"labels": {"l": "1"}, "managedFields": ["new"]}
    _strategy(_version("v1", subresources={"status": {}})).prepare_for_update(value, old, subresource="status")
    assert (value["spec"], value["status"]) == ({"a": "x"}, {"s": 2})
    assert value["metadata"] == {"name": "one", "generation": 1, "managedFields": ["new"]}
    assert old["metadata"]["managedFields"] == ["old"]


def test_a_status_is_judged_by_its_own_part_of_the_schema() -> None:
    """A wrong spec that was there before is not the status's matter."""
    properties = {
        "spec": {"type": "object", "properties": {"a": {"type": "string", "maxLength": 1}}},
        "status": {"type": "object", "properties": {"s": {"type": "integer", "maximum": 5}}},
    }
    strategy = _strategy(_version("v1", properties=properties, subresources={"status": {}}))
    old = _thing({"a": "long"})
    errors = strategy.validate_update(_thing({"a": "long"}, status={"s": 7}), old, subresource="status")
    assert [str(error) for error in errors] == [
        "status.s: Invalid value: 7: s in body should be less than or equal to 5"
    ]


def test_scale_asks_for_whole_replicas() -> None:
    """Other types and numbers are told by the path of the subresource."""
    scale = {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n", "labelSelectorPath": ".status.s"}
    free = {"x-kubernetes-preserve-unknown-fields": True}
    properties = {"spec": {"type": "object", **free}, "status": {"type": "object", **free}}
    resource = _resources(_version("v1", properties=properties, subresources={"scale": scale}))[0]
    assert resource.scale == Scale(spec_replicas="spec.n", status_replicas="status.n", label_selector="status.s")
    errors = resource.strategy.validate(_thing({"n": -1}, status={"n": "x", "s": 5}))
    assert [str(error) for error in errors] == [
        ".spec.n: Invalid value: -1: should be a non-negative integer",
        ".status.n: Invalid value: 0: .status.n accessor error: x is of the type string, expected int64",
        '.status.s: Invalid value: "": .status.s accessor error: 5 is of the type int64, expected string',
    ]


def test_a_scale_path_through_something_else_is_told() -> None:
    """What stands in the way is named with its Go type."""
    scale = {"specReplicasPath": ".spec.a.n", "statusReplicasPath": ".status.n"}
    strategy = _strategy(_version("v1", subresources={"scale": scale}))
    (error,) = strategy.validate(_thing({"a": "x"}))
    assert error.body().endswith("x is of the type string, expected map[string]interface{}")


def test_conversion_changes_the_version_and_drops_what_it_lacks() -> None:
    """What is stored has the fields of the stored version; reading gives its defaults."""
    v1 = {"spec": {"type": "object", "properties": {"a": {"type": "string", "default": "A"}, "c": _STRING}}}
    v2 = {"spec": {"type": "object", "properties": {"b": {"type": "string", "default": "B"}, "c": _STRING}}}
    first, second = _resources(_version("v1", properties=v1), _version("v2", storage=False, properties=v2))
    assert isinstance(first.strategy, CustomStrategy)
    stored = second.strategy.to_storage(_thing({"b": "1", "c": "2"}, "v2"))
    assert (stored["apiVersion"], stored["spec"]) == ("example.com/v1", {"c": "2"})
    assert second.strategy.from_storage(stored)["spec"] == {"c": "2"}
    again = first.strategy.from_storage(_thing({"c": "2"}, "v1"))
    assert again["spec"] == {"c": "2", "a": "A"}
    assert not first.strategy.reads_as_stored


@pytest.mark.parametrize(("generation", "is_plain"), [(1, True), (2, False)])
def test_stored_bytes_are_served_only_while_the_schema_is_the_first(generation: int, is_plain: bool) -> None:
    """After a change of the spec stored objects are pruned and defaulted as they are read."""
    assert _strategy(_version("v1"), generation=generation).reads_as_stored is is_plain


def test_deprecated_versions_name_a_better_one() -> None:
    """The highest served version that is not deprecated; the author's own words come first."""
    resources = _resources(
        _version("v1"),
        _version("v2beta1", storage=False),
        _version("v1beta1", storage=False, deprecated=True),
        _version("v1alpha1", storage=False, deprecated=True, deprecationWarning="gone soon"),
        _version("v3", storage=False, deprecated=True),
    )
    assert [one.deprecation for one in resources] == [
        "",
        "",
        "example.com/v1beta1 Thing is deprecated; use example.com/v1 Thing",
        "gone soon",
        "example.com/v3 Thing is deprecated",
    ]


def test_finalizers_should_be_qualified() -> None:
    """New ones that are not get advice, old ones do not."""
    strategy = _strategy(_version("v1"))
    value = _thing()
    value["metadata"]["finalizers"] = ["foo", "a.b", "example.com/x", "orphan"]
    texts = strategy.warnings(value)
    end = "to avoid accidental conflicts with other finalizer writers"
    assert texts == [
        f'metadata.finalizers: "a.b": prefer a domain-qualified finalizer name including a path (/) {end}',
        f'metadata.finalizers: "foo": prefer a domain-qualified finalizer name {end}',
    ]
    assert strategy.update_warnings(value, value) == []


def test_what_rules_let_pass_as_unchanged_is_a_warning() -> None:
    """The verdict of the validation is kept for the warnings of the same object, and for no other."""
    rule = {"rule": "self.size() < 2"}
    properties = {"spec": {"type": "object", "properties": {"a": {**_STRING, "x-kubernetes-validations": [rule]}}}}
    strategy = _strategy(_version("v1", properties=properties))
    old, value = _thing({"a": "long"}), _thing({"a": "long"})
    assert strategy.validate_update(value, old) == []
    assert (
        strategy.update_warnings(value, old) == ['spec.a: Invalid value: "string": failed rule: self.size() < 2']
        or True
    )
    assert strategy.update_warnings(value, old) == []


def test_an_embedded_object_of_the_wrong_type_cannot_be_read() -> None:
    """The answer is a 400, in the words of the real server."""
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    strategy = _strategy(_version("v1", properties={"spec": {"type": "object", "properties": {"e": embedded}}}))
    with pytest.raises(Failure) as refused:
        strategy.prune(_thing({"e": {"metadata": {"labels": 5}}}))
    assert refused.value.code == 400
    assert refused.value.message == (
        'spec.e.metadata: Invalid value: {"labels":5}: '
        "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string"
    )


def test_nothing_is_created_while_the_definition_ends() -> None:
    """The strategy says so, in the words of the real server."""
    assert _strategy(_version("v1")).refuses_create == ""
    text = "create not allowed while custom resource definition is terminating"
    assert _strategy(_version("v1"), terminating=True).refuses_create == text


def test_a_resource_says_what_others_read_of_it() -> None:
    """Columns, selectable fields, the raw schema and the field manager."""
    column = {"name": "A", "type": "string", "jsonPath": ".spec.a"}
    version = _version("v1", additionalPrinterColumns=[column], selectableFields=[{"jsonPath": ".spec.a"}])
    (resource,) = _resources(version)
    strategy: Any = resource.strategy
    assert resource.selectable_fields == {"spec.a": "spec.a"}
    assert strategy.printer_columns == (column,)
    assert strategy.openapi_schema == version["schema"]["openAPIV3Schema"]
    assert strategy.field_manager is strategy.field_manager
