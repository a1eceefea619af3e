"""An update of a CRD is not refused for what the old one had wrong: such ones are stored since older servers."""

from __future__ import annotations

from typing import Any

import pytest

from konverge.api.json_value import json_copy
from konverge.cluster.apiserver.crd.definition_strategy import DefinitionStrategy

_ESTABLISHED = [{"type": "Established", "status": "True"}]
_STRING = {"type": "string"}


def _crd(field: Any, *, conversion: Any = None, **version: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"x": field}}}}
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **version}]
    crd: dict[str, Any] = {
        "metadata": {"name": "things.example.com", "generation": 1},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": versions,
        },
        "status": {"conditions": _ESTABLISHED, "storedVersions": ["v1"]},
    }
    if conversion is not None:
        crd["spec"]["conversion"] = conversion
    DefinitionStrategy().default(crd)
    return crd


def _update(old: dict[str, Any], **names: Any) -> list[str]:
    """Change the names, which has nothing to do with what is wrong."""
    strategy, new = DefinitionStrategy(), json_copy(old)
    new["spec"]["names"].update(names or {"shortNames": ["th"]})
    strategy.prepare_for_update(new, old)
    return [str(error) for error in strategy.validate_update(new, old)]


def _create(crd: dict[str, Any]) -> list[str]:
    return [str(error) for error in DefinitionStrategy().validate(crd)]


_KEYED = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}


@pytest.mark.parametrize(
    "field",
    [
        {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object"}},
        {**_KEYED, "items": {"type": "object", "properties": {"k": _STRING}}},
        {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string", "nullable": True}},
        {"type": "object", "properties": {"a": _STRING}, "default": {"b": 1}},
    ],
    ids=["set-of-objects", "optional-key", "nullable-item", "unpruned-default"],
)
def test_what_was_wrong_may_stay_wrong(field: Any) -> None:
    """The same schema is refused in a new CRD and let pass in an old one."""
    assert _create(_crd(field))
    assert _update(_crd(field)) == []


def test_an_unknown_type_may_stay() -> None:
    """Its absence from the list of types is forgiven; that defaults need a known type is not asked either."""
    (error,) = _create(_crd({"type": "uuid"}))
    assert error.startswith(
        'spec.validation.openAPIV3Schema.properties[spec].properties[x].type: Unsupported value: "uuid"'
    )
    assert _update(_crd({"type": "uuid"})) == []


def test_too_many_selectable_fields_may_stay_unchanged() -> None:
    """Nine are one too many, unless there were nine before."""
    field = {"type": "object", "properties": {f"f{index}": _STRING for index in range(10)}}
    selectable = [{"jsonPath": f".spec.x.f{index}"} for index in range(9)]
    old = _crd(field, selectableFields=selectable)
    assert _create(old) == ["spec.selectableFields: Too many: 9: must have at most 8 items"]
    assert _update(old) == []
    new = json_copy(old)
    new["spec"]["versions"][0]["selectableFields"].append({"jsonPath": ".spec.x.f9"})
    errors = DefinitionStrategy().validate_update(new, old)
    assert [str(error) for error in errors] == ["spec.selectableFields: Too many: 10: must have at most 8 items"]


def test_an_unknown_review_version_may_stay() -> None:
    """A webhook that spoke nothing the server speaks may go on so."""
    webhook = {"conversionReviewVersions": ["v9"], "clientConfig": {"url": "https://example.com"}}
    old = _crd(_STRING, conversion={"strategy": "Webhook", "webhook": webhook})
    assert _create(old) == [
        'spec.conversion.conversionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1'
    ]
    assert _update(old) == []


def test_a_bad_bundle_may_stay_and_not_come() -> None:
    """One that cannot be read is refused of an established CRD, unless it could not be read before."""

    def with_bundle(bundle: str) -> dict[str, Any]:
        client = {"url": "https://example.com", "caBundle": bundle} if bundle else {"url": "https://example.com"}
        webhook = {"conversionReviewVersions": ["v1"], "clientConfig": client}
        return _crd(_STRING, conversion={"strategy": "Webhook", "webhook": webhook})

    assert _update(with_bundle("YWJj")) == []
    (error,) = DefinitionStrategy().validate_update(with_bundle("YWJj"), with_bundle(""))
    assert error.detail == "unable to load root certificates: unable to parse bytes as PEM block"


def test_a_schema_that_was_missing_is_asked_for_where_it_is_served() -> None:
    """Without one all fields would be pruned."""
    old = _crd(_STRING)
    del old["spec"]["versions"][0]["schema"]
    assert _update(old) == [
        "spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned"
    ]


def test_the_cost_of_rules_is_not_asked_of_an_unchanged_schema() -> None:
    """A rule that was accepted by another server's estimate stays."""
    rule = {"rule": "self.all(x, self.all(y, x.contains(y)))"}
    field = {"type": "array", "items": _STRING, "x-kubernetes-validations": [rule]}
    texts = [one for one in _create(_crd(field)) if "estimated rule cost exceeds" in one]
    assert len(texts) == 1
    assert not [one for one in _update(_crd(field)) if "estimated rule cost exceeds" in one]


def test_preserving_unknown_fields_may_stay_and_not_come() -> None:
    """An old CRD that kept all fields may go on so."""
    old = _crd(_STRING)
    new = json_copy(old)
    new["spec"]["preserveUnknownFields"] = True
    texts = [str(error) for error in DefinitionStrategy().validate_update(new, old)]
    (text,) = texts
    assert text.startswith("spec.preserveUnknownFields: Invalid value: true: cannot set to true")
    assert _update(new) == []
