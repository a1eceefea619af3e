"""Secrets: one that does not say its type keeps the old one."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.strategy import JsonObject


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:
    if not value.get("type") and not subresource:
        value["type"] = old.get("type", "Opaque")


SECRET: Final = KindRules(prepare_for_update=_prepare_for_update)
