"""Defaults of flow schemas and priority levels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from konverge.cluster.apiserver.builtin.defaults.default import Default, constants
from konverge.cluster.apiserver.strategy import JsonObject

_QUEUES: Final = {"handSize": 8, "queues": 64, "queueLengthLimit": 50}


def _flow_schema(value: JsonObject) -> None:
    if not value.get("matchingPrecedence"):
        value["matchingPrecedence"] = 1000


def _queuing(value: JsonObject) -> None:
    for name, number in _QUEUES.items():
        if not value.get(name):
            value[name] = number


DEFAULTS: Final[Mapping[str, Default]] = {
    "ExemptPriorityLevelConfiguration": constants(nominalConcurrencyShares=0, lendablePercent=0),
    "FlowSchemaSpec": _flow_schema,
    "LimitedPriorityLevelConfiguration": constants(nominalConcurrencyShares=30, lendablePercent=0),
    "QueuingConfiguration": _queuing,
}
