"""Pod templates: whether two ask for the same pods; pure."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from konverge.api.model import encode
from konverge.models import core_v1

_HASH_LABEL: Final = "pod-template-hash"


def same_template(one: core_v1.PodTemplateSpec, other: core_v1.PodTemplateSpec | None) -> bool:
    """Whether two templates are the same, the label with their hash aside; what is empty is as good as absent."""
    return bool(_essence(one) == _essence(other or core_v1.PodTemplateSpec()))


def _essence(template: core_v1.PodTemplateSpec) -> Any:
    shown = msgspec.json.decode(encode(template))
    shown.get("metadata", {}).get("labels", {}).pop(_HASH_LABEL, None)
    return _without_empty(shown)


def _without_empty(value: Any) -> Any:
    """Drop empty lists, maps and nulls in maps; an empty map in a list is an item, and `emptyDir: {}` a choice."""
    if isinstance(value, dict):
        return {key: _without_empty(each) for key, each in value.items() if each not in (None, [])}
    if isinstance(value, list):
        return [_without_empty(each) for each in value]
    return value
