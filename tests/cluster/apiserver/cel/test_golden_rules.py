import json
from pathlib import Path
from typing import Any

import pytest

from konverge.cluster.apiserver.cel.definition_rules import RuleScope
from konverge.cluster.apiserver.field_error import FieldError

DATA = Path(__file__).parent / "data"  # made by tools/capture_cel_rules.py
PATH = "spec.validation.openAPIV3Schema"
RULES = json.loads((DATA / "rules.json").read_text())
DEFINITIONS = json.loads((DATA / "definitions.json").read_text())


def faults_of(scope: RuleScope, path: str, uncorrelatable: str = "") -> list[FieldError]:
    """Walk over a schema as the validation of a definition does, for its rules alone."""
    schema = scope.schema
    faults = []
    for name, child in (schema.get("properties") or {}).items():
        faults += faults_of(scope.of_property(child, name), f"{path}.properties[{name}]", uncorrelatable)
    if "items" in schema:
        is_map = schema.get("x-kubernetes-list-type") == "map"
        within = uncorrelatable if is_map else uncorrelatable or path
        faults += faults_of(scope.of_items(schema["items"]), f"{path}.items", within)
    if "additionalProperties" in schema:
        child = schema["additionalProperties"]
        faults += faults_of(scope.of_additional(child), f"{path}.additionalProperties", uncorrelatable)
    if schema.get("x-kubernetes-validations"):
        faults += scope.compile(path, uncorrelatable=uncorrelatable)
    return faults


def said(fault: FieldError, prefix: str) -> list[str]:
    """Return a fault as its cause on the wire, below a path."""
    return [fault.field.removeprefix(prefix), str(fault.fault), fault.body()]


@pytest.mark.parametrize("outcome", RULES["outcomes"], ids=lambda outcome: outcome["rule"]["rule"][:60])
def test_rule(outcome: dict[str, Any]) -> None:
    """Each rule is accepted, or refused in the words of the real server."""
    schema = {**RULES["schema"], "x-kubernetes-validations": [outcome["rule"]]}
    faults = RuleScope.root(schema).compile(PATH)
    assert [said(fault, f"{PATH}.x-kubernetes-validations[0].") for fault in faults] == outcome["causes"]


@pytest.mark.parametrize("case", DEFINITIONS, ids=lambda case: case["about"])
def test_definition(case: dict[str, Any]) -> None:
    """The rules of a whole schema are refused as the real server refuses them, their total cost included."""
    scope = RuleScope.root(case["schema"])
    faults = [*faults_of(scope, PATH), *scope.total_faults(PATH)]
    assert sorted(said(fault, PATH) for fault in faults) == case["causes"]
