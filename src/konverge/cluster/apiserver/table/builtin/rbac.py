"""Kinds of the group rbac.authorization.k8s.io; roles have no printer of their own."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.builtin.parts import Cells, Printer, age_of, below, listed, name_of


def _binding(value: JsonObject) -> Cells:
    role = below(value, "roleRef")
    subjects = listed(value, "subjects")
    accounts = [
        f"{subject.get('namespace', '')}/{subject.get('name', '')}"
        for subject in subjects
        if subject.get("kind") == "ServiceAccount"
    ]
    shown = (_named(subjects, "User"), _named(subjects, "Group"), ", ".join(accounts))
    return [name_of(value), f"{role.get('kind', '')}/{role.get('name', '')}", age_of(value), *shown]


def _named(subjects: list[JsonObject], kind: str) -> str:
    return ", ".join(subject.get("name", "") for subject in subjects if subject.get("kind") == kind)


PRINTERS: Final[dict[str, Printer]] = {"ClusterRoleBinding": _binding, "RoleBinding": _binding}
