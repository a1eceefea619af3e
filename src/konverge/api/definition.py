"""Definition: what a CRD says of a kind beside its schema. `resource` makes it, `manifest.crd` reads it."""

from __future__ import annotations

from typing import Literal

import msgspec

from konverge.api.rule import Rule

Scope = Literal["Namespaced", "Cluster"]
ColumnType = Literal["string", "integer", "number", "boolean", "date"]


class Column(msgspec.Struct, frozen=True):
    """A column of `kubectl get`: its name and the JSON path of its value.

    The type is that of the field at the path, unless it is given. Columns with a `priority` above 0 show with
    `-o wide` alone.
    """

    name: str
    path: str
    type: ColumnType | None = None
    format: str | None = None
    description: str | None = None
    priority: int = 0


class Scale(msgspec.Struct, frozen=True, kw_only=True):
    """The scale subresource: where the replicas stand that are wanted and that are there, and the pods' selector."""

    spec_replicas: str = ".spec.replicas"
    status_replicas: str = ".status.replicas"
    label_selector: str | None = None


class Definition(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a kind, and the names that it shares with the others."""

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    scope: Scope = "Namespaced"
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    status: bool = False
    scale: Scale | None = None
    selectable_fields: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    served: bool = True
    storage: bool | None = None  # None: where it is the only version
    deprecated: bool | str = False  # a text is the warning
    labels: tuple[tuple[str, str], ...] = ()
    annotations: tuple[tuple[str, str], ...] = ()
