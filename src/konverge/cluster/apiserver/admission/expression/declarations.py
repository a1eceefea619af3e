"""What expressions of admission may name: `object`, `oldObject`, `request`, `namespaceObject`, and more by the place.

`object`, `oldObject` and `params` are of any type: an expression is for all kinds that its policy matches.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from konverge.cluster.apiserver.cel.environment import Environment, kubernetes_environment
from konverge.cluster.apiserver.cel.library.authorizers import AUTHORIZER, RESOURCE_CHECK
from konverge.cluster.apiserver.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    UINT,
    Kind,
    Type,
    list_of,
    map_of,
    struct,
)

REQUEST_RESOURCE: Final = "authorizer.requestResource"
VARIABLES: Final = "variables"
NAMES: Final = (
    *("object", "oldObject", "params", "request", "namespaceObject"),
    *("authorizer", REQUEST_RESOURCE, VARIABLES),
)
_VARIABLES_TYPE: Final = "kubernetes.variables"
_TEXTS: Final = list_of(STRING)
_TEXT_MAP: Final = map_of(STRING, STRING)
_PLAIN: Final = frozenset({BOOL, BYTES, DOUBLE, DURATION, INT, NULL, STRING, TIMESTAMP, UINT})


def _texts(*names: str) -> dict[str, Type]:
    return dict.fromkeys(names, STRING)


_STRUCTS: Final[Mapping[str, Mapping[str, Type]]] = {
    "kubernetes.GroupVersionKind": _texts("group", "version", "kind"),
    "kubernetes.GroupVersionResource": _texts("group", "version", "resource"),
    "kubernetes.UserInfo": {**_texts("username", "uid"), "groups": _TEXTS, "extra": map_of(STRING, _TEXTS)},
    "kubernetes.AdmissionRequest": {
        **dict.fromkeys(("kind", "requestKind"), struct("kubernetes.GroupVersionKind")),
        **dict.fromkeys(("resource", "requestResource"), struct("kubernetes.GroupVersionResource")),
        **_texts("subResource", "requestSubResource", "name", "namespace", "operation"),
        "userInfo": struct("kubernetes.UserInfo"),
        "dryRun": BOOL,
        "options": DYN,
    },
    "kubernetes.NamespaceSpec": {"finalizers": _TEXTS},
    "kubernetes.NamespaceCondition": {
        **_texts("status", "type", "message", "reason"),
        "lastTransitionTime": TIMESTAMP,
    },
    "kubernetes.NamespaceStatus": {
        "conditions": list_of(struct("kubernetes.NamespaceCondition")),
        "phase": STRING,
    },
    "kubernetes.NamespaceMetadata": {
        **_texts("name", "generateName", "namespace", "UID", "resourceVersion"),
        **dict.fromkeys(("labels", "annotations"), _TEXT_MAP),
        **dict.fromkeys(("creationTimestamp", "deletionTimestamp"), TIMESTAMP),
        **dict.fromkeys(("deletionGracePeriodSeconds", "generation"), INT),
        "finalizers": _TEXTS,
    },
    "kubernetes.Namespace": {
        "metadata": struct("kubernetes.NamespaceMetadata"),
        "spec": struct("kubernetes.NamespaceSpec"),
        "status": struct("kubernetes.NamespaceStatus"),
    },
}


@cache
def declared(*, has_params: bool, has_authorizer: bool, has_patches: bool) -> Environment:
    """Return what an expression may name; policies that have no parameters cannot name them."""
    variables: dict[str, Type] = {
        "object": DYN,
        "oldObject": DYN,
        "namespaceObject": struct("kubernetes.Namespace"),
        "request": struct("kubernetes.AdmissionRequest"),
    }
    if has_params:
        variables["params"] = DYN
    if has_authorizer:
        variables |= {"authorizer": AUTHORIZER, REQUEST_RESOURCE: RESOURCE_CHECK}
    environment = kubernetes_environment().extended(variables, _STRUCTS)
    return environment.with_patches() if has_patches else environment


def with_variables(environment: Environment, types: Mapping[str, Type]) -> Environment:
    """Return an environment with the variables that a policy defines."""
    return environment.extended({VARIABLES: struct(_VARIABLES_TYPE)}, {_VARIABLES_TYPE: types})


def variable_type(type_: Type | None) -> Type:
    """Return the type that a variable has for later expressions: only plain ones, lists and maps stay known."""
    if type_ is None:
        return DYN
    if type_ in _PLAIN and not type_.is_wrapper:
        return type_
    if type_.kind in (Kind.LIST, Kind.MAP):
        parts = [variable_type(each) for each in type_.parameters]
        return list_of(parts[0]) if type_.kind is Kind.LIST else map_of(parts[0], parts[1])
    return DYN
