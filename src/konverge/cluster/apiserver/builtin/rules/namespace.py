"""Namespaces: active when they are new, with a finalizer of their own that only `finalize` takes off."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.builtin.defaults.core import default_namespace
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.strategy import JsonObject

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


def _may_end(value: JsonObject) -> bool:
    return not value.get("spec", {}).get("finalizers")


NAMESPACE: Final = KindRules(
    prepare_for_create=_prepare_for_create,
    prepare_for_update=_prepare_for_update,
    canonicalize=default_namespace,
    may_end=_may_end,
)
