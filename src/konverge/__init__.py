"""konverge: the reconcile loop for Python.

A tour, in the order of the way of the data::

    API server ──watch──▶ cache ──event──▶ controller ──key──▶ queue ──▶ reconcile ──▶ client ──write──▶ API server

Today the client is there (`Client`): every verb of the API on typed objects (`konverge.models`), on objects of any
kind (`unstructured`) and on metadata alone (`metadata_only`). The rest of the circle arrives with later versions; the
README says what works.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from konverge.version import __version__

if TYPE_CHECKING:
    from konverge import errors
    from konverge.api.conditions import get_condition, is_condition_true, remove_condition, set_condition
    from konverge.api.duration import format_duration, parse_duration
    from konverge.api.field_selector import FieldSelector
    from konverge.api.form import Form, metadata_only, unstructured
    from konverge.api.kind import GroupVersionKind, GroupVersionResource, ObjectKey, Resource
    from konverge.api.label_selector import LabelSelector
    from konverge.api.meta import Condition, ObjectMeta, OwnerReference
    from konverge.api.model import NULL, Model, Required, field
    from konverge.api.object import Object, has_changes, replace
    from konverge.api.owner import controller_of, owner_reference
    from konverge.api.quantity import Quantity
    from konverge.api.scheme import Scheme
    from konverge.api.unstructured import PartialObjectMetadata, Unstructured
    from konverge.client.blocking import BlockingClient
    from konverge.client.client import Client
    from konverge.client.config import Config, Impersonate
    from konverge.client.event import EventType, WatchEvent
    from konverge.client.ignore import ignore_already_exists, ignore_not_found
    from konverge.client.patch import JsonPatch, MergePatch, RawPatch, StrategicMergePatch
    from konverge.client.protocols import Reader, ReaderWriter, Writer
    from konverge.client.retry import RetryPolicy
    from konverge.client.upsert import OperationResult, create_or_patch, create_or_update

# Where each name lives: it is imported when it is first used, so that `import konverge` (which every run of pytest
# with our plugin does) costs next to nothing.
_HOMES = {
    "api.conditions": "get_condition is_condition_true remove_condition set_condition",
    "api.duration": "format_duration parse_duration",
    "api.field_selector": "FieldSelector",
    "api.form": "Form metadata_only unstructured",
    "api.kind": "GroupVersionKind GroupVersionResource ObjectKey Resource",
    "api.label_selector": "LabelSelector",
    "api.meta": "Condition ObjectMeta OwnerReference",
    "api.model": "NULL Model Required field",
    "api.object": "Object has_changes replace",
    "api.owner": "controller_of owner_reference",
    "api.quantity": "Quantity",
    "api.scheme": "Scheme",
    "api.unstructured": "PartialObjectMetadata Unstructured",
    "client.blocking": "BlockingClient",
    "client.client": "Client",
    "client.config": "Config Impersonate",
    "client.event": "EventType WatchEvent",
    "client.ignore": "ignore_already_exists ignore_not_found",
    "client.patch": "JsonPatch MergePatch RawPatch StrategicMergePatch",
    "client.protocols": "Reader ReaderWriter Writer",
    "client.retry": "RetryPolicy",
    "client.upsert": "OperationResult create_or_patch create_or_update",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "NULL",
    "BlockingClient",
    "Client",
    "Condition",
    "Config",
    "EventType",
    "FieldSelector",
    "Form",
    "GroupVersionKind",
    "GroupVersionResource",
    "Impersonate",
    "JsonPatch",
    "LabelSelector",
    "MergePatch",
    "Model",
    "Object",
    "ObjectKey",
    "ObjectMeta",
    "OperationResult",
    "OwnerReference",
    "PartialObjectMetadata",
    "Quantity",
    "RawPatch",
    "Reader",
    "ReaderWriter",
    "Required",
    "Resource",
    "RetryPolicy",
    "Scheme",
    "StrategicMergePatch",
    "Unstructured",
    "WatchEvent",
    "Writer",
    "__version__",
    "controller_of",
    "create_or_patch",
    "create_or_update",
    "errors",
    "field",
    "format_duration",
    "get_condition",
    "has_changes",
    "ignore_already_exists",
    "ignore_not_found",
    "is_condition_true",
    "metadata_only",
    "owner_reference",
    "parse_duration",
    "remove_condition",
    "replace",
    "set_condition",
    "unstructured",
]


def __getattr__(name: str) -> Any:
    if name == "errors":
        return import_module("konverge.errors")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'konverge' has no attribute {name!r}")
    value = getattr(import_module(f"konverge.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
