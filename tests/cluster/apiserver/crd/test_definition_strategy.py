"""How definitions are written: status, generation, stored versions, and the mark of a deletion."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.api.json_value import json_copy
from konverge.cluster.apiserver.crd.definition_strategy import CLEANUP, DefinitionStrategy
from konverge.cluster.apiserver.failure import Failure


def _crd(*names: str) -> dict[str, Any]:
    versions = [{"name": name, "served": True, "storage": not index} for index, name in enumerate(names or ("v1",))]
    spec = {"group": "example.com", "scope": "Cluster", "names": {"plural": "things", "kind": "Thing"}}
    return {"metadata": {"name": "things.example.com"}, "spec": {**spec, "versions": versions}}


def _stored() -> dict[str, Any]:
    crd = _crd("v1", "v2")
    strategy = DefinitionStrategy()
    strategy.default(crd)
    strategy.prepare_for_create(crd)
    return crd


def test_a_new_definition_has_no_status_but_the_stored_version() -> None:
    """What the author wrote as status is dropped."""
    crd = _crd()
    crd["status"] = {"storedVersions": ["v9"], "conditions": [{"type": "Established", "status": "True"}]}
    DefinitionStrategy().prepare_for_create(crd)
    assert crd["status"]["storedVersions"] == ["v1"]
    assert crd["status"]["conditions"] is None
    assert crd["metadata"]["generation"] == 1


def test_a_new_storage_version_is_added_to_the_stored_ones() -> None:
    """Objects may still be stored in the old one."""
    old = _stored()
    new = json_copy(old)
    new["spec"]["versions"][0]["storage"], new["spec"]["versions"][1]["storage"] = False, True
    DefinitionStrategy().prepare_for_update(new, old)
    assert new["status"]["storedVersions"] == ["v1", "v2"]
    assert old["status"]["storedVersions"] == ["v1"]
    assert new["metadata"]["generation"] == 2


def test_a_status_update_leaves_the_spec_alone() -> None:
    """And the finalizers may go with it: so a definition ends."""
    old = _stored()
    new = json_copy(old)
    new["spec"]["names"]["kind"] = "Other"
    new["metadata"]["finalizers"] = []
    strategy = DefinitionStrategy()
    strategy.prepare_for_update(new, old, subresource="status")
    assert new["spec"] == old["spec"]
    assert new["metadata"]["finalizers"] == []
    new["status"]["acceptedNames"] = {"plural": "Bad", "kind": ""}
    (error,) = strategy.validate_update(new, old, subresource="status")
    assert error.field == "status.acceptedNames.plural"


def test_a_deletion_is_marked_with_a_finalizer_and_a_condition() -> None:
    """Once; a second mark changes nothing."""
    crd = _stored()
    strategy = DefinitionStrategy()
    strategy.begin_delete(crd)
    again = json_copy(crd)
    strategy.begin_delete(again)
    assert again == crd
    assert crd["metadata"]["finalizers"] == [CLEANUP]
    assert "deletionTimestamp" in crd["metadata"]
    assert crd["status"]["conditions"][0]["reason"] == "InstanceDeletionPending"


@pytest.mark.parametrize(
    ("field", "text"),
    [
        (
            {"items": {"type": 5}},
            "cannot unmarshal number into Go struct field JSONSchemaProps.{}.items.type of type string",
        ),
        (
            {"items": [{"required": 1}]},
            "cannot unmarshal number into Go struct field JSONSchemaProps.{}.items.required",
        ),
        ({"additionalProperties": "x"}, "boolean or JSON schema expected"),
        ({"not": {"items": {"maxLength": "a"}}}, "JSONSchemaProps.{}.not.items.maxLength of type int64"),
        ({"dependencies": {"a": {"type": 5}}}, "JSONSchemaProps.{}.dependencies.type of type string"),
    ],
)
def test_schemas_are_read_to_their_bottom(field: dict[str, Any], text: str) -> None:
    """A value of the wrong type cannot be read, wherever it stands; the words are Go's."""
    crd = _crd()
    crd["spec"]["versions"][0]["schema"] = {"openAPIV3Schema": field}
    with pytest.raises(Failure) as refused:
        DefinitionStrategy().prune(crd)
    assert refused.value.code == 400
    assert text.format("spec.versions.schema.openAPIV3Schema") in refused.value.message


def test_unknown_fields_below_items_go_without_a_word() -> None:
    """Go's own code for them does not tell."""
    crd = _crd()
    items = {"type": "string", "odd": 1, "title": "", "items": {"nullable": False, "odd": 1}}
    crd["spec"]["versions"][0]["schema"] = {"openAPIV3Schema": {"items": items}}
    assert DefinitionStrategy().prune(crd) == []
    assert items == {"type": "string", "items": {}}
