"""Daemon sets count the changes of their template, beside the generation."""

from __future__ import annotations

from typing import Any, Final

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver.builtin.defaults.apps import TEMPLATE_COUNT
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.strategy import JsonObject


def _prepare_for_create(value: JsonObject) -> None:
    _set(value, max(_count(value), 1))


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:
    if subresource:
        return
    is_same = json_equal(_template(value), _template(old))
    _set(value, _count(old) if is_same else _count(old) + 1)


def _template(value: JsonObject) -> Any:
    return value.get("spec", {}).get("template")


def _count(value: JsonObject) -> int:
    text = value["metadata"].get("annotations", {}).get(TEMPLATE_COUNT, "")
    return int(text) if text.isdigit() else 0


def _set(value: JsonObject, count: int) -> None:
    metadata = value["metadata"]
    metadata["annotations"] = {**metadata.get("annotations", {}), TEMPLATE_COUNT: str(count)}


DAEMON_SET: Final = KindRules(prepare_for_create=_prepare_for_create, prepare_for_update=_prepare_for_update)
