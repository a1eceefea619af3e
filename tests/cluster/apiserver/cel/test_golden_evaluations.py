"""What expressions give and cost, compared with cel-go and Kubernetes' libraries.

The data was made by tools/cel_oracle, which reads data/evaluations.jsonl and writes it back with the real results.
"""

from __future__ import annotations

import base64
import json
import math
from pathlib import Path
from typing import Any

import pytest

from konverge.cluster.apiserver.cel.cel_error import CelError
from konverge.cluster.apiserver.cel.declared_type import declared_type
from konverge.cluster.apiserver.cel.environment import kubernetes_environment
from konverge.cluster.apiserver.cel.expression import compile_expression
from konverge.cluster.apiserver.cel.go_time import shown_moment
from konverge.cluster.apiserver.cel.program import Program
from konverge.cluster.apiserver.cel.schema_value import converter
from konverge.cluster.apiserver.cel.types import Type, optional_of
from konverge.cluster.apiserver.cel.values import (
    NONE,
    Duration,
    Optional,
    Timestamp,
    TypeValue,
    Uint,
    is_list,
    is_map,
    type_name,
)

DATA = Path(__file__).parent / "data"
FIXTURES: dict[str, dict[str, Any]] = json.loads((DATA / "evaluation_fixtures.json").read_text())
CASES: list[dict[str, Any]] = [json.loads(line) for line in (DATA / "evaluations.jsonl").read_text().splitlines()]


def shown(value: Any) -> Any:  # noqa: C901, PLR0911 - a table of types
    """Write a value as the data has it."""
    match value:
        case None | bool() | str():
            return value
        case Uint():
            return {"uint": str(int(value))}
        case int():
            return {"int": str(value)}
        case float():
            return {"double": f"{value:.17g}" if math.isfinite(value) else str(value)}
        case bytes():
            return {"bytes": base64.b64encode(value).decode()}
        case Timestamp():
            return {"timestamp": shown_moment(value)}
        case Duration():
            return {"duration": str(value.nanos)}
        case Optional():
            return {"optional": shown(value.value)} if value.has_value else {"none": True}
        case TypeValue():
            return {"type": value.name}
    if is_list(value):
        return {"list": [shown(item) for item in value]}
    return shown_map(value) if is_map(value) else shown_library(value)


def shown_map(value: Any) -> Any:
    """Write a map as the data has it: pairs, in the order of their keys' JSON."""
    pairs = [[shown(key), shown(value.find(key)[0])] for key in value.keys()]  # noqa: SIM118 - no dict
    return {"map": sorted(pairs, key=lambda pair: json.dumps(pair[0], separators=(",", ":"), ensure_ascii=False))}


def shown_library(value: Any) -> Any:
    """Write a value of one of Kubernetes' libraries."""
    kind = type_name(value).rsplit(".", 1)[-1].lower()
    return {"format": value.name} if kind == "namedformat" else {kind: str(value)}


def variables_of(case: dict[str, Any]) -> tuple[dict[str, Type], dict[str, Any], dict[str, Any]]:
    """Return the types of self and oldSelf, the fields of their objects, and their values."""
    given: dict[str, Any] = {key: case[key] for key in ("schema", "self") if key in case}
    fixture: dict[str, Any] = FIXTURES.get(case.get("fixture", ""), {}) | given
    if not fixture:
        return {}, {}, {}
    if not case.get("withOld"):
        fixture["old"] = case.get("old")
    is_root = case.get("root", False)
    declared = declared_type(fixture["schema"], is_resource_root=is_root)
    assert declared is not None
    structs: dict[str, Any] = {}
    type_ = declared.named("selfType", structs)
    convert = converter(fixture["schema"], is_root=is_root)
    values = {"self": value_or_error(convert, fixture["self"])}
    if fixture["old"] is not None:
        values["oldSelf"] = convert(fixture["old"])
    if case.get("optional"):
        values["oldSelf"] = Optional(values["oldSelf"]) if "oldSelf" in values else NONE
    return {"self": type_, "oldSelf": optional_of(type_) if case.get("optional") else type_}, structs, values


def value_or_error(convert: Any, value: Any) -> Any:
    """Convert a value; an error stands for one that cannot be."""
    try:
        return convert(value)
    except CelError as error:
        return error


def result_of(case: dict[str, Any]) -> dict[str, Any]:
    """Evaluate a case."""
    types, structs, values = variables_of(case)
    checked = compile_expression(case["expr"], kubernetes_environment().extended(types, structs))
    try:
        program = Program(checked)
    except CelError as error:
        return {"program": str(error)}
    outcome = program.evaluate(values)
    if outcome.error is not None:
        return {"error": str(outcome.error), "cost": outcome.cost}
    return {"value": shown(outcome.value), "cost": outcome.cost}


@pytest.mark.parametrize("case", CASES, ids=[case["expr"][:80] for case in CASES])
def test_evaluates_as_the_real_engine(case: Any) -> None:
    """Value, error text and cost are those of cel-go with Kubernetes' libraries."""
    expected = {key: case[key] for key in ("program", "error", "value", "cost") if key in case}
    assert result_of(case) == expected
