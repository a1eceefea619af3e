import json
from pathlib import Path
from typing import Any

import pytest

from konverge.cluster.apiserver.cel.cost import cost_of
from konverge.cluster.apiserver.cel.declared_type import declared_type
from konverge.cluster.apiserver.cel.environment import kubernetes_environment
from konverge.cluster.apiserver.cel.expression import compile_expression
from konverge.cluster.apiserver.cel.types import Type

DATA = Path(__file__).parent / "data"
# Made by a Go program with cel-go 0.26: Env.Compile and Env.EstimateCost in the environment of Kubernetes 1.36, with
# Kubernetes' library.CostEstimator on the schema of rules.json.
COSTS = json.loads((DATA / "costs.json").read_text())
DECLARED = declared_type(json.loads((DATA / "rules.json").read_text())["schema"], is_resource_root=True)
assert DECLARED is not None
STRUCTS: dict[str, Any] = {}
SELF: Type = DECLARED.named("selfType1", STRUCTS)
ENVIRONMENT = kubernetes_environment().extended({"self": SELF, "oldSelf": SELF}, STRUCTS)


@pytest.mark.parametrize("case", COSTS, ids=lambda case: case["expression"][:60])
def test_cost(case: dict[str, Any]) -> None:
    """An expression has the type and the least and greatest cost that cel-go estimates."""
    checked = compile_expression(case["expression"], ENVIRONMENT)
    assert str(checked.type) == case["type"]
    assert DECLARED is not None
    assert tuple(cost_of(checked, DECLARED.size_of)) == (case["least"], case["most"])
