"""Values under schemas, judged as the real server judged them (`tools/capture_crd_answers.py` asked it)."""

import json
from pathlib import Path
from typing import Any

import pytest

from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.schema import apply_defaults, prune, structural, validate
from konverge.cluster.apiserver.schema.embedded import coerce

ANSWERS = json.loads((Path(__file__).parent / "values.json").read_text())


def _ids(cases: list[Any]) -> list[str]:
    return [f"{index}-{case['name']}" for index, case in enumerate(cases)]


def _root(spec: Any) -> Any:
    return structural({"type": "object", "properties": {"spec": spec}})


def _thing(spec: Any) -> dict[str, Any]:
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "one"}, "spec": spec}


def _causes(errors: list[FieldError]) -> list[Any]:
    """Sort causes: the real server walks over maps in no order."""
    causes = [{"reason": error.fault.value, "message": error.body(), "field": error.field} for error in errors]
    return _sorted(causes)


def _sorted(causes: list[Any]) -> list[Any]:
    return sorted(causes, key=lambda cause: (cause["field"], cause["message"]))


@pytest.mark.parametrize("case", ANSWERS["creates"], ids=_ids(ANSWERS["creates"]))
def test_a_new_value_is_read_and_judged_as_by_the_real_server(case: Any) -> None:
    """Unknown fields, defaults and causes are the real server's."""
    name = case["name"]
    node = _root({"type": "object", "properties": {name: case["schema"]}})
    value = _thing({name: case["value"]})
    unknown = prune(value, node) + coerce(value, node)
    apply_defaults(value, node)
    assert _causes(validate(value, node)) == _sorted(case["causes"])
    assert [f'unknown field "{path}"' for path in unknown] == case.get("warnings", [])
    if case["status"] < 300:
        assert (name not in value["spec"]) is case["is_absent"]
        assert value["spec"].get(name) == case["result"]


@pytest.mark.parametrize("case", ANSWERS["updates"], ids=_ids(ANSWERS["updates"]))
def test_what_did_not_change_is_let_pass_as_by_the_real_server(case: Any) -> None:
    """An update is refused only for what it changes."""
    warnings: list[str] = []
    errors = validate(_thing(case["value"]), _root(case["schema"]), old=_thing(case["old"]), warnings=warnings)
    assert _causes(errors) == _sorted(case["causes"])
    assert sorted(warnings) == sorted(case.get("warnings", []))


def test_there_are_enough_cases() -> None:
    """The golden data was not lost."""
    assert len(ANSWERS["creates"]) + len(ANSWERS["updates"]) >= 250
