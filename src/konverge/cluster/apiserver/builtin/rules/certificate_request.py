"""Certificate signing requests: what was asked never changes; approval writes the conditions alone."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.strategy import JsonObject


def _prepare_for_create(value: JsonObject) -> None:
    for name in ("username", "uid", "groups", "extra"):
        value.get("spec", {}).pop(name, None)


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:
    value["spec"] = old.get("spec", {})
    if subresource == "approval":
        conditions = value.get("status", {}).get("conditions")
        status = dict(old.get("status", {}))
        status.pop("conditions", None)
        value["status"] = {**status, "conditions": conditions} if conditions else status


CERTIFICATE_REQUEST: Final = KindRules(prepare_for_create=_prepare_for_create, prepare_for_update=_prepare_for_update)
