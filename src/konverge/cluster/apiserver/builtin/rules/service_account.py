"""Service accounts: of a secret that one names, only the name is kept."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.strategy import JsonObject


def _prepare_for_create(value: JsonObject) -> None:
    if value.get("secrets"):
        value["secrets"] = [{"name": each["name"]} if each.get("name") else {} for each in value["secrets"]]


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:  # noqa: ARG001 - as every kind's
    _prepare_for_create(value)


SERVICE_ACCOUNT: Final = KindRules(prepare_for_create=_prepare_for_create, prepare_for_update=_prepare_for_update)
