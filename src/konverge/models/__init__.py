"""Typed kinds: every built-in group and version of Kubernetes 1.36, a module each, imported when it is asked for.

::

    from konverge.models import apps_v1, core_v1

A module is named after the first label of its group and the version: apps_v1, networking_v1, rbac_v1; the core group
is core_v1; what kinds of all groups are made of is in meta_v1. All but that and this file is written by the generator
(`make generate`).
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from konverge.api.kind import GroupVersionKind
from konverge.api.object import Object


def find(gvk: GroupVersionKind) -> type[Object] | None:
    """Return the class of a built-in kind, importing its module if need be; None for any other kind."""
    module, names = _by_group_version().get((gvk.group, gvk.version), ("", ()))
    if gvk.kind not in names:
        return None
    found: type[Object] = getattr(import_module(f"{__name__}.{module}"), gvk.kind)
    return found


def kinds() -> Iterator[GroupVersionKind]:
    """Yield every built-in kind, ordered by group, version and kind; imports none of their modules."""
    return (
        GroupVersionKind(group, version, kind)
        for (group, version), (_, names) in sorted(_by_group_version().items())
        for kind in names
    )


def _by_group_version() -> dict[tuple[str, str], tuple[str, tuple[str, ...]]]:
    from konverge.models._index import KINDS  # as lazy as the rest

    return KINDS
