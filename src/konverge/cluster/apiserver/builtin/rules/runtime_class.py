"""Runtime classes: the handler stays; what pods of it need beside their own, and where they can run."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_text
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.label_selector import label_errors
from konverge.cluster.apiserver.builtin.rules.pod.container_resources import resource_errors
from konverge.cluster.apiserver.builtin.rules.pod.scheduling import toleration_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.repeated import repeated
from konverge.cluster.apiserver.strategy import JsonObject

_KEYS: Final = ("key", "operator", "value", "effect")  # what tells tolerations apart


def _validate(value: JsonObject) -> list[FieldError]:
    handler, scheduling = value.get("handler", ""), value.get("scheduling") or {}
    wrongs = name_rules.dns_label(handler) if handler else ()
    errors = [] if handler else [field_error.required("handler")]
    errors += [field_error.invalid("handler", handler, wrong) for wrong in wrongs]
    if (overhead := value.get("overhead")) is not None:
        errors += resource_errors({"limits": overhead.get("podFixed") or {}}, "overhead")
    errors += label_errors(scheduling.get("nodeSelector"), "scheduling.nodeSelector")
    return [*errors, *_toleration_errors(scheduling.get("tolerations") or [])]


def _toleration_errors(tolerations: list[JsonObject]) -> list[FieldError]:
    path = "scheduling.tolerations"
    keys = (tuple(toleration.get(name, "") for name in _KEYS) for toleration in tolerations)
    return [
        *toleration_errors(tolerations, path),
        *(
            field_error.duplicate(f"{path}[{index}]", internal_text("core.Toleration", tolerations[index]))
            for index in sorted(repeated(keys))
        ),
    ]


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    handler = value.get("handler", "")
    changed = [] if handler == old.get("handler") else [field_error.invalid("handler", handler, "field is immutable")]
    return _validate(value) + changed


RUNTIME_CLASS: Final = KindRules(validate=_validate, validate_update=_validate_update)
