"""What konverge ships already: generated code imports it instead of defining it a second time."""

from __future__ import annotations

from importlib import import_module

from konverge import models
from konverge.codegen.values import Named
from konverge.models._index import KINDS, PACKAGES


def is_shipped(group: str, version: str) -> bool:
    """Whether `konverge.models` has a module for a group and version."""
    return (group, version) in KINDS


def find(definition: str) -> Named | None:
    """Return the shipped class of a definition of the server's schemas, if there is one."""
    prefix, _, name = definition.rpartition(".")
    if prefix not in PACKAGES:
        return None
    module = f"{models.__name__}.{PACKAGES[prefix]}"
    return Named(name, module) if hasattr(import_module(module), name) else None
