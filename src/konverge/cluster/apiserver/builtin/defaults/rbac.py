"""Defaults of role bindings: the group of what they name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from konverge.cluster.apiserver.builtin.defaults.default import Default
from konverge.cluster.apiserver.strategy import JsonObject

_GROUP: Final = "rbac.authorization.k8s.io"


def _binding(value: JsonObject) -> None:
    role = value.setdefault("roleRef", {})
    if not role.get("apiGroup"):
        role["apiGroup"] = _GROUP


def _subject(value: JsonObject) -> None:
    if not value.get("apiGroup") and value.get("kind") in ("User", "Group"):
        value["apiGroup"] = _GROUP


DEFAULTS: Final[Mapping[str, Default]] = {
    "ClusterRoleBinding": _binding,
    "RoleBinding": _binding,
    "Subject": _subject,
}
