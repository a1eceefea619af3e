"""A value as the real server holds it by itself: every field under Go's name and in Go's order, the absent ones too.

Messages show values so, and the difference of two. Nothing is loaded until the first such message.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from difflib import unified_diff
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver.builtin.rules.go_order import in_go_order
from konverge.cluster.apiserver.field_error import ESCAPED_IN_JSON
from konverge.cluster.apiserver.strategy import JsonObject

_ZEROS: Final[Mapping[str, Any]] = {
    "string": "",
    "int": 0,
    "bool": False,
    "intstr.IntOrString": 0,
    "metav1.Time": None,
    "runtime.RawExtension": None,
}
# What the published spec of a pod has beside the security context, and the real server inside it.
_MOVED: Final = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers")
_OF_METADATA: Final = (
    *("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp"),
    *("deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations", "ownerReferences", "finalizers"),
    "managedFields",
)
_OF_OWNERS: Final = ("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion")


def internal_text(kind: str, value: Any) -> msgspec.Raw:
    """Return a value of a type (`core.Container`, `[]core.NodeSelectorTerm`) as a message shows it."""
    return in_go_order(_form(kind, value))


def internal_difference(kind: str, old: Any, new: Any) -> str:
    """Return how two values of a type differ, as lines of their forms."""
    lines = unified_diff(_lines(_form(kind, old)), _lines(_form(kind, new)), n=3)
    return "".join(list(lines)[2:])  # the first two would name files


def _lines(form: Any) -> list[str]:
    text = json.dumps(form, indent=1, ensure_ascii=False).translate(ESCAPED_IN_JSON)
    return [f"{line}\n" for line in text.split("\n")]


@cache
def _types() -> Mapping[str, list[tuple[str, str, str]]]:
    found: Mapping[str, list[tuple[str, str, str]]] = json.loads(
        Path(__file__).with_name("internal_types.json").read_bytes()
    )
    return found


def _form(kind: str, value: Any) -> Any:
    if kind.startswith("*"):
        return None if value is None else _form(kind[1:], value)
    if kind.startswith("[]"):
        return None if value is None else [_form(kind[2:], item) for item in value]
    if kind.startswith("{}"):
        return None if value is None else {name: _form(kind[2:], value[name]) for name in sorted(value)}
    if (own := _OWN_FORMS.get(kind)) is not None:
        return own(value)
    if kind in _types():
        return _struct(kind, value or {})
    return _ZEROS[kind] if value is None else value


def _struct(kind: str, value: JsonObject) -> JsonObject:
    given = _moved(value) if kind == "core.PodSpec" else value
    found: JsonObject = {}
    for name, wire, inner in _types()[kind]:
        if name:
            found[name] = _form(inner, given.get(wire))
        else:
            found |= _form(inner, given.get("metadata") if inner == "metav1.ObjectMeta" else given)
    return found


def _moved(spec: JsonObject) -> JsonObject:
    context = {**(spec.get("securityContext") or {}), **{name: spec[name] for name in _MOVED if name in spec}}
    return {**spec, "securityContext": context}


def _quantity(value: Any) -> str:
    return str(Quantity("0" if value is None else value))


def _selector(value: Any) -> JsonObject:
    """Return a selector, which has one form everywhere and leaves out what is empty."""
    found: JsonObject = {}
    if labels := value.get("matchLabels"):
        found["matchLabels"] = dict(sorted(labels.items()))
    if expressions := value.get("matchExpressions"):
        found["matchExpressions"] = [
            {"key": each.get("key", ""), "operator": each.get("operator", "")}
            | ({"values": each["values"]} if each.get("values") else {})
            for each in expressions
        ]
    return found


def _metadata(value: Any) -> JsonObject:
    given = {name: value[name] for name in _OF_METADATA if (value or {}).get(name)}
    for name in ("labels", "annotations"):
        if name in given:
            given[name] = dict(sorted(given[name].items()))
    if "ownerReferences" in given:
        given["ownerReferences"] = [
            {name: owner[name] for name in _OF_OWNERS if name in owner} for owner in given["ownerReferences"]
        ]
    return given


_OWN_FORMS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "metav1.LabelSelector": _selector,
    "metav1.ObjectMeta": _metadata,
    "resource.Quantity": _quantity,
}
