"""The station where events become reconciles: sources, predicates, handlers and the controller.

The way of an event: `source` → `predicate` → `handler` → queue → `controller` → the author's `reconcile`. What a
reconciler needs beside its client is here too: `owner`, `finalizer`, `children`, `recorder`.
"""

from __future__ import annotations

from konverge.controller.children import Synced, sync_children
from konverge.controller.controller import Controller, Surroundings
from konverge.controller.event import CreateEvent, DeleteEvent, Event, GenericEvent, UpdateEvent
from konverge.controller.every_kind import EveryKindSource
from konverge.controller.finalizer import (
    add_finalizer,
    ensure_finalizer,
    has_finalizer,
    release_finalizer,
    remove_finalizer,
)
from konverge.controller.handler import (
    EnqueueRequestForObject,
    EnqueueRequestForOwner,
    EnqueueRequestsFromMap,
    Handler,
    Scheduled,
)
from konverge.controller.options import ControllerOptions
from konverge.controller.owner import (
    AlreadyOwned,
    NotAdopted,
    has_owner_reference,
    is_controlled_by,
    remove_controller_reference,
    remove_owner_reference,
    set_controller_reference,
    set_owner_reference,
)
from konverge.controller.predicate import (
    AnnotationChanged,
    Functions,
    GenerationChanged,
    LabelChanged,
    LabelSelectorMatches,
    Predicate,
    ResourceVersionChanged,
)
from konverge.controller.reconcile import (
    BlockingContext,
    BlockingReconciler,
    Context,
    Reconciler,
    ReconcileTimeout,
    Request,
    Result,
    TerminalError,
)
from konverge.controller.recorder import Broadcaster, Recorder
from konverge.controller.source import Channel, ChannelSource, IteratorSource, KindSource, Source
from konverge.controller.writes import NotingTransport
from konverge.errors import CacheSyncTimeout

__all__ = [
    "AlreadyOwned",
    "AnnotationChanged",
    "BlockingContext",
    "BlockingReconciler",
    "Broadcaster",
    "CacheSyncTimeout",
    "Channel",
    "ChannelSource",
    "Context",
    "Controller",
    "ControllerOptions",
    "CreateEvent",
    "DeleteEvent",
    "EnqueueRequestForObject",
    "EnqueueRequestForOwner",
    "EnqueueRequestsFromMap",
    "Event",
    "EveryKindSource",
    "Functions",
    "GenerationChanged",
    "GenericEvent",
    "Handler",
    "IteratorSource",
    "KindSource",
    "LabelChanged",
    "LabelSelectorMatches",
    "NotAdopted",
    "NotingTransport",
    "Predicate",
    "ReconcileTimeout",
    "Reconciler",
    "Recorder",
    "Request",
    "ResourceVersionChanged",
    "Result",
    "Scheduled",
    "Source",
    "Surroundings",
    "Synced",
    "TerminalError",
    "UpdateEvent",
    "add_finalizer",
    "ensure_finalizer",
    "has_finalizer",
    "has_owner_reference",
    "is_controlled_by",
    "release_finalizer",
    "remove_controller_reference",
    "remove_finalizer",
    "remove_owner_reference",
    "set_controller_reference",
    "set_owner_reference",
    "sync_children",
]
