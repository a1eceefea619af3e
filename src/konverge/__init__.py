"""konverge: the reconcile loop for Python.

A tour, in the order of the way of the data::

    API server ──watch──▶ cache ──event──▶ controller ──key──▶ queue ──▶ reconcile ──▶ client ──write──▶ API server

- `Manager` runs everything; `new_controller(manager).for_(Kind).owns(Kind).complete(reconciler)` says what to run.
- A reconciler gets a `Context` (client, log, recorder, the causes) and a `Request` (namespace and name), and returns
  a `Result` or None. Its client reads from the cache, never behind its own writes, and writes to the server.
- `Client` is that client without a cache; `BlockingClient` the same for threads and scripts. Objects are typed
  (`konverge.models`, or classes of your own), of any kind (`unstructured`), or metadata alone (`metadata_only`).
- `konverge.errors` has every error by what to do about it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from konverge.version import __version__

if TYPE_CHECKING:
    from konverge import errors
    from konverge.api.bounds import (
        Maximum,
        MaxItems,
        MaxLength,
        MaxProperties,
        Minimum,
        MinItems,
        MinLength,
        MinProperties,
        MultipleOf,
        Pattern,
        UniqueItems,
    )
    from konverge.api.choice import Choices
    from konverge.api.conditions import get_condition, is_condition_true, remove_condition, set_condition
    from konverge.api.custom_resource import CustomResource, Spec, Status, resource
    from konverge.api.definition import Column, Scale
    from konverge.api.duration import DurationText, format_duration, parse_duration
    from konverge.api.field_selector import FieldSelector
    from konverge.api.form import Form, metadata_only, unstructured
    from konverge.api.int_or_string import IntOrString
    from konverge.api.kind import GroupVersionKind, GroupVersionResource, ObjectKey, Resource
    from konverge.api.label_selector import LabelSelector
    from konverge.api.markers import ListAtomic, ListMap, ListSet, MapAtomic, MapGranular, Sensitive
    from konverge.api.meta import Condition, ObjectMeta, OwnerReference, QuantityText
    from konverge.api.model import NULL, Model, Required, field
    from konverge.api.object import Object, has_changes, replace
    from konverge.api.owner import controller_of, owner_reference
    from konverge.api.quantity import Quantity
    from konverge.api.rbac import ALL, rbac
    from konverge.api.rule import AtLeastOneOf, AtMostOneOf, ExactlyOneOf, Immutable, Rule
    from konverge.api.schema_marker import (
        Doc,
        EmbeddedResource,
        Example,
        ExternalDocs,
        Format,
        Int32,
        Int64,
        Nullable,
        PreserveUnknownFields,
        Schemaless,
        Title,
        Type,
        schema,
    )
    from konverge.api.scheme import Scheme
    from konverge.api.unstructured import PartialObjectMetadata, Unstructured
    from konverge.builder import new_controller, new_webhook
    from konverge.cache.cache import Cache
    from konverge.cache.cached_client import CachedClient
    from konverge.cache.feed import Selection
    from konverge.client.blocking import BlockingClient
    from konverge.client.client import Client
    from konverge.client.config import Config, Impersonate
    from konverge.client.event import EventType, WatchEvent
    from konverge.client.ignore import ignore_already_exists, ignore_not_found
    from konverge.client.patch import JsonPatch, MergePatch, RawPatch, StrategicMergePatch
    from konverge.client.protocols import Reader, ReaderWriter, Writer
    from konverge.client.retry import RetryPolicy
    from konverge.client.upsert import OperationResult, create_or_patch, create_or_update
    from konverge.controller.children import sync_children
    from konverge.controller.event import CreateEvent, DeleteEvent, GenericEvent, UpdateEvent
    from konverge.controller.finalizer import add_finalizer, has_finalizer, remove_finalizer
    from konverge.controller.handler import EnqueueRequestForObject, EnqueueRequestForOwner, EnqueueRequestsFromMap
    from konverge.controller.owner import set_controller_reference, set_owner_reference
    from konverge.controller.predicate import (
        AnnotationChanged,
        GenerationChanged,
        LabelChanged,
        LabelSelectorMatches,
        Predicate,
        ResourceVersionChanged,
    )
    from konverge.controller.reconcile import BlockingContext, Context, Reconciler, Request, Result, TerminalError
    from konverge.controller.recorder import Recorder
    from konverge.controller.run import Run
    from konverge.controller.source import Channel, ChannelSource, IteratorSource
    from konverge.manager.cache_options import CacheOptions
    from konverge.manager.leader_election import LeaderElection
    from konverge.manager.manager import Manager
    from konverge.queue.cause import Cause
    from konverge.webhook.admission import Denied
    from konverge.webhook.conversion import Spoke
    from konverge.webhook.field_errors import FieldErrors
    from konverge.webhook.registration import MatchCondition, WebhookService, webhook_options
    from konverge.webhook.serving import WebhookServing

# Where each name lives: it is imported when it is first used, so that `import konverge` (which every run of pytest
# with our plugin does) costs next to nothing.
_HOMES = {
    "api.bounds": (
        "MaxItems MaxLength MaxProperties Maximum MinItems MinLength MinProperties Minimum MultipleOf "
        "Pattern UniqueItems"
    ),
    "api.choice": "Choices",
    "api.conditions": "get_condition is_condition_true remove_condition set_condition",
    "api.custom_resource": "CustomResource Spec Status resource",
    "api.definition": "Column Scale",
    "api.duration": "DurationText format_duration parse_duration",
    "api.field_selector": "FieldSelector",
    "api.form": "Form metadata_only unstructured",
    "api.int_or_string": "IntOrString",
    "api.kind": "GroupVersionKind GroupVersionResource ObjectKey Resource",
    "api.label_selector": "LabelSelector",
    "api.markers": "ListAtomic ListMap ListSet MapAtomic MapGranular Sensitive",
    "api.meta": "Condition ObjectMeta OwnerReference QuantityText",
    "api.model": "NULL Model Required field",
    "api.object": "Object has_changes replace",
    "api.owner": "controller_of owner_reference",
    "api.quantity": "Quantity",
    "api.rbac": "ALL rbac",
    "api.rule": "AtLeastOneOf AtMostOneOf ExactlyOneOf Immutable Rule",
    "api.schema_marker": (
        "Doc EmbeddedResource Example ExternalDocs Format Int32 Int64 Nullable PreserveUnknownFields "
        "Schemaless Title Type schema"
    ),
    "api.scheme": "Scheme",
    "api.unstructured": "PartialObjectMetadata Unstructured",
    "builder": "new_controller new_webhook",
    "cache.cache": "Cache",
    "cache.cached_client": "CachedClient",
    "cache.feed": "Selection",
    "client.blocking": "BlockingClient",
    "client.client": "Client",
    "client.config": "Config Impersonate",
    "client.event": "EventType WatchEvent",
    "client.ignore": "ignore_already_exists ignore_not_found",
    "client.patch": "JsonPatch MergePatch RawPatch StrategicMergePatch",
    "client.protocols": "Reader ReaderWriter Writer",
    "client.retry": "RetryPolicy",
    "client.upsert": "OperationResult create_or_patch create_or_update",
    "controller.children": "sync_children",
    "controller.event": "CreateEvent DeleteEvent GenericEvent UpdateEvent",
    "controller.finalizer": "add_finalizer has_finalizer remove_finalizer",
    "controller.handler": "EnqueueRequestForObject EnqueueRequestForOwner EnqueueRequestsFromMap",
    "controller.owner": "set_controller_reference set_owner_reference",
    "controller.predicate": (
        "AnnotationChanged GenerationChanged LabelChanged LabelSelectorMatches Predicate ResourceVersionChanged"
    ),
    "controller.reconcile": "BlockingContext Context Reconciler Request Result TerminalError",
    "controller.recorder": "Recorder",
    "controller.run": "Run",
    "controller.source": "Channel ChannelSource IteratorSource",
    "manager.cache_options": "CacheOptions",
    "manager.leader_election": "LeaderElection",
    "manager.manager": "Manager",
    "queue.cause": "Cause",
    "webhook.admission": "Denied",
    "webhook.conversion": "Spoke",
    "webhook.field_errors": "FieldErrors",
    "webhook.registration": "MatchCondition WebhookService webhook_options",
    "webhook.serving": "WebhookServing",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "ALL",
    "NULL",
    "AnnotationChanged",
    "AtLeastOneOf",
    "AtMostOneOf",
    "BlockingClient",
    "BlockingContext",
    "Cache",
    "CacheOptions",
    "CachedClient",
    "Cause",
    "Channel",
    "ChannelSource",
    "Choices",
    "Client",
    "Column",
    "Condition",
    "Config",
    "Context",
    "CreateEvent",
    "CustomResource",
    "DeleteEvent",
    "Denied",
    "Doc",
    "DurationText",
    "EmbeddedResource",
    "EnqueueRequestForObject",
    "EnqueueRequestForOwner",
    "EnqueueRequestsFromMap",
    "EventType",
    "ExactlyOneOf",
    "Example",
    "ExternalDocs",
    "FieldErrors",
    "FieldSelector",
    "Form",
    "Format",
    "GenerationChanged",
    "GenericEvent",
    "GroupVersionKind",
    "GroupVersionResource",
    "Immutable",
    "Impersonate",
    "Int32",
    "Int64",
    "IntOrString",
    "IteratorSource",
    "JsonPatch",
    "LabelChanged",
    "LabelSelector",
    "LabelSelectorMatches",
    "LeaderElection",
    "ListAtomic",
    "ListMap",
    "ListSet",
    "Manager",
    "MapAtomic",
    "MapGranular",
    "MatchCondition",
    "MaxItems",
    "MaxLength",
    "MaxProperties",
    "Maximum",
    "MergePatch",
    "MinItems",
    "MinLength",
    "MinProperties",
    "Minimum",
    "Model",
    "MultipleOf",
    "Nullable",
    "Object",
    "ObjectKey",
    "ObjectMeta",
    "OperationResult",
    "OwnerReference",
    "PartialObjectMetadata",
    "Pattern",
    "Predicate",
    "PreserveUnknownFields",
    "Quantity",
    "QuantityText",
    "RawPatch",
    "Reader",
    "ReaderWriter",
    "Reconciler",
    "Recorder",
    "Request",
    "Required",
    "Resource",
    "ResourceVersionChanged",
    "Result",
    "RetryPolicy",
    "Rule",
    "Run",
    "Scale",
    "Schemaless",
    "Scheme",
    "Selection",
    "Sensitive",
    "Spec",
    "Spoke",
    "Status",
    "StrategicMergePatch",
    "TerminalError",
    "Title",
    "Type",
    "UniqueItems",
    "Unstructured",
    "UpdateEvent",
    "WatchEvent",
    "WebhookService",
    "WebhookServing",
    "Writer",
    "__version__",
    "add_finalizer",
    "controller_of",
    "create_or_patch",
    "create_or_update",
    "errors",
    "field",
    "format_duration",
    "get_condition",
    "has_changes",
    "has_finalizer",
    "ignore_already_exists",
    "ignore_not_found",
    "is_condition_true",
    "metadata_only",
    "new_controller",
    "new_webhook",
    "owner_reference",
    "parse_duration",
    "rbac",
    "remove_condition",
    "remove_finalizer",
    "replace",
    "resource",
    "schema",
    "set_condition",
    "set_controller_reference",
    "set_owner_reference",
    "sync_children",
    "unstructured",
    "webhook_options",
]


if not TYPE_CHECKING:  # a type checker that saw it would take a misspelt name for one that may be there

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
