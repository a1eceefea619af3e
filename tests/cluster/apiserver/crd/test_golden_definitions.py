"""CustomResourceDefinitions, judged as the real server judged them (`tools/capture_crd_answers.py` asked it)."""

import json
from pathlib import Path
from typing import Any

import pytest

from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.builtin.strategy import strategy_of
from konverge.cluster.apiserver.field_error import FieldError, invalid
from konverge.cluster.apiserver.strategy import Strategy

ANSWERS = json.loads((Path(__file__).parent / "definitions.json").read_text())


@pytest.fixture(name="strategy", scope="module")
def _strategy() -> Strategy:
    found = (one for one in catalogue.resources(strategy_of) if one.plural == "customresourcedefinitions")
    return next(found).strategy


def _ids(cases: list[Any]) -> list[str]:
    return [case["name"] for case in cases]


def _sorted(causes: list[Any]) -> list[Any]:
    """Sort causes: the real server walks over maps in no order."""
    return sorted(causes, key=lambda cause: (cause["field"], cause["message"]))


def _causes(errors: list[FieldError]) -> list[Any]:
    return _sorted([{"reason": error.fault.value, "message": error.body(), "field": error.field} for error in errors])


def _name_errors(strategy: Strategy, name: str) -> list[FieldError]:
    return [invalid("metadata.name", name, text) for text in strategy.validate_name(name)]


@pytest.mark.parametrize("case", ANSWERS["creates"], ids=_ids(ANSWERS["creates"]))
def test_a_new_definition_is_judged_as_by_the_real_server(case: Any, strategy: Any) -> None:
    """Causes, warnings and what is filled in are the real server's."""
    crd = json.loads(json.dumps(case["crd"]))
    strategy.prune(crd)
    strategy.default(crd)
    strategy.prepare_for_create(crd)
    errors = _name_errors(strategy, crd["metadata"]["name"]) + strategy.validate(crd)
    assert _causes(errors) == _sorted(case["causes"])
    if case["status"] < 300:
        assert crd["spec"] == case["spec"]
        assert sorted(strategy.warnings(crd)) == sorted(case.get("warnings", []))


@pytest.mark.parametrize("case", ANSWERS["updates"], ids=_ids(ANSWERS["updates"]))
def test_a_changed_definition_is_judged_as_by_the_real_server(case: Any, strategy: Any) -> None:
    """Names are fixed, stored versions stay, and what was wrong before may stay wrong."""
    crd = json.loads(json.dumps(case["crd"]))
    strategy.prune(crd)
    strategy.default(crd)
    strategy.prepare_for_update(crd, case["old"])
    errors = strategy.validate_update(crd, case["old"])
    metadata_rules = ("metadata.resourceVersion",)  # judged for all kinds alike, elsewhere
    assert _causes(errors) == _sorted([one for one in case["causes"] if one["field"] not in metadata_rules])
    if case["status"] < 300:
        assert strategy.update_warnings(crd, case["old"]) == case.get("warnings", [])


def test_there_are_enough_cases() -> None:
    """The golden data was not lost."""
    assert len(ANSWERS["creates"]) + len(ANSWERS["updates"]) >= 150
