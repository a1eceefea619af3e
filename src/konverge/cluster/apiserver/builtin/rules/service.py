"""Services: what only the old type had goes with it."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.builtin.allocation.kept import drop_of_other_type
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.strategy import JsonObject


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:
    if not subresource:
        drop_of_other_type(value, old)
    if value["spec"]["type"] == "ExternalName":
        value["spec"].pop("internalTrafficPolicy", None)  # never shown, though the old type had it


SERVICE: Final = KindRules(prepare_for_update=_prepare_for_update)
