"""Priority classes start at generation 1, and nothing counts it on."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.strategy import JsonObject


def _prepare_for_create(value: JsonObject) -> None:
    value["metadata"]["generation"] = 1


PRIORITY_CLASS: Final = KindRules(prepare_for_create=_prepare_for_create)
