"""Namespaces: active when they are new, with a finalizer of their own that only `finalize` takes off."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.defaults.core import default_namespace
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import STANDARD_FINALIZERS

_FINALIZER: Final = "kubernetes"


def _prepare_for_create(value: JsonObject) -> None:
    value["status"] = {"phase": "Active"}
    finalizers = value.setdefault("spec", {}).setdefault("finalizers", [])
    if _FINALIZER not in finalizers:
        finalizers.append(_FINALIZER)


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:
    if subresource == "finalize":
        value["status"] = old.get("status", {})
    elif not subresource:
        spec, kept = value.setdefault("spec", {}), old.get("spec", {}).get("finalizers")
        spec.pop("finalizers", None)
        if kept:
            spec["finalizers"] = kept


def _validate(value: JsonObject) -> list[FieldError]:
    names = value.get("spec", {}).get("finalizers") or ()
    return [error for name in names for error in _finalizer_errors(name, "spec.finalizers")]


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - as other kinds' rules
    if subresource == "status":
        return _phase_errors(value)
    names = (value.get("spec", {}).get("finalizers") or ()) if subresource == "finalize" else ()
    return [error for index, name in enumerate(names) for error in _finalizer_errors(name, f"spec.finalizers[{index}]")]


def _phase_errors(value: JsonObject) -> list[FieldError]:
    phase, is_ending = value.get("status", {}).get("phase", ""), "deletionTimestamp" in value["metadata"]
    if is_ending and phase != "Terminating":
        text = "may only be 'Terminating' if `deletionTimestamp` is not empty"
    elif not is_ending and phase != "Active":
        text = "may only be 'Active' if `deletionTimestamp` is empty"
    else:
        return []
    return [field_error.invalid("status.Phase", phase, text)]


def _finalizer_errors(name: str, path: str) -> list[FieldError]:
    wrong = name_rules.qualified_name(name)
    if "/" not in name and name not in STANDARD_FINALIZERS:
        wrong.append("name is neither a standard finalizer name nor is it fully qualified")
    return [field_error.invalid(path, name, text) for text in wrong]


def _may_end(value: JsonObject) -> bool:
    return not value.get("spec", {}).get("finalizers")


NAMESPACE: Final = KindRules(
    prepare_for_create=_prepare_for_create,
    prepare_for_update=_prepare_for_update,
    canonicalize=default_namespace,
    may_end=_may_end,
    validate=_validate,
    validate_update=_validate_update,
)
