from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from konverge.api.model import decode, encode
from konverge.cluster.controllers.template_hash import template_hash
from konverge.models import core_v1

CASES = list(yaml.safe_load_all((Path(__file__).parent / "data" / "template_hashes.yaml").read_text()))


@pytest.mark.parametrize("case", CASES, ids=[case["hash"] for case in CASES])
def test_a_template_has_the_real_hash(case: dict[str, Any]) -> None:
    """kube-controller-manager 1.36.3 gave these templates these hashes."""
    template = decode(core_v1.PodTemplateSpec, encode(case["template"]))
    assert template_hash(template, case.get("collisionCount")) == case["hash"]


def test_a_collision_changes_the_hash() -> None:
    """Each collision that was met gives another name."""
    template = core_v1.PodTemplateSpec(spec=core_v1.PodSpec(containers=[core_v1.Container(name="main", image="web")]))
    assert len({template_hash(template, count) for count in (None, 0, 1, 2)}) == 4
