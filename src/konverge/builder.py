"""Builder: says in one sentence what a controller reconciles and what wakes it, and hands it to a manager.

::

    new_controller(manager).for_(MarkdownView).owns(core_v1.ConfigMap, apps_v1.Deployment).complete(Reconciler())

Mistakes are errors here, before anything runs, and say what to write instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar, Unpack

from msgspec import structs

from konverge.api.access import Access
from konverge.api.form import Form, Kind, form_of, metadata_only
from konverge.api.object import Object
from konverge.api.rbac import grants_of
from konverge.client.client import Client
from konverge.controller.controller import Controller, Surroundings
from konverge.controller.handler import EnqueueRequestForObject, EnqueueRequestForOwner, HandlerLike, handler_of
from konverge.controller.metrics import ControllerMetrics
from konverge.controller.options import ControllerOptions
from konverge.controller.predicate import PredicateLike, Predicates, predicates_of
from konverge.controller.reconcile import ReconcilerLike, form_of_reconciler
from konverge.controller.recorder import Recorder
from konverge.controller.source import Informers, KindSource, Source
from konverge.errors import RequestError
from konverge.queue import QueueMetrics, QueueState

if TYPE_CHECKING:
    from konverge.webhook.conversion import Spoke
    from konverge.webhook.defaulting import Defaulter
    from konverge.webhook.registration import WebhookChanges
    from konverge.webhook.validation import Validator
    from konverge.webhook.webhook_builder import WebhookBuilder, WebhookHost

T = TypeVar("T", bound=Object)


class BuildError(RequestError):
    """A controller was described in a way that cannot work; the message says what to write instead."""


class Metrics(Protocol):
    """Where a manager's controllers report to; `konverge.metrics.Metrics` is one."""

    def controller(self, name: str, *, max_concurrent_reconciles: int = 1) -> ControllerMetrics:
        """Return what a controller reports to."""
        ...

    def queue(self, name: str) -> QueueMetrics:
        """Return what its queue reports to."""
        ...

    def watch_queue(self, name: str, levels: Any) -> None:
        """Ask for a queue's levels (a function that returns them) at each scrape."""
        ...


class Manager(Protocol):
    """What a builder needs of a manager."""

    @property
    def client(self) -> Client:
        """Reads from the cache, writes to the server."""
        ...

    @property
    def live(self) -> Client:
        """Reads from the server."""
        ...

    @property
    def cache(self) -> Informers:
        """Gives informers."""
        ...

    @property
    def metrics(self) -> Metrics:
        """Counts."""
        ...

    @property
    def random(self) -> Random:
        """The source of all chance."""
        ...

    @property
    def controllers(self) -> dict[str, Controller]:
        """The controllers it has, by name; the builder adds to it."""
        ...

    @property
    def webhooks(self) -> WebhookHost:
        """Serves webhooks; asked for only where there are some."""
        ...

    def recorder(self, name: str) -> Recorder:
        """Return what a controller records events with."""
        ...

    def observed(self, controller: str, reconciler: ReconcilerLike) -> ReconcilerLike:
        """Return the reconciler, or one around it that lets the manager know what runs."""
        ...

    def add(self, runnable: Any) -> None:
        """Run something as long as the manager runs."""
        ...


def new_controller(manager: Manager) -> Builder:
    """Begin to describe a controller of this manager."""
    return Builder(manager)


def new_webhook(manager: Manager, kind: Kind[T]) -> WebhookBuilder[T]:
    """Begin to describe the webhooks of a kind, with or without a controller of it in this manager.

    `new_webhook(manager, Page).with_defaulter(…).with_validator(…).with_conversion(…).complete()`
    """
    from konverge.webhook.webhook_builder import WebhookBuilder  # noqa: PLC0415 - most controllers have none

    return WebhookBuilder(manager.webhooks, _checked(kind, "new_webhook"))


class Builder:
    """Collects the description; `complete` makes the controller."""

    def __init__(self, manager: Manager) -> None:
        self._manager = manager
        self._name = ""
        self._for: tuple[Form[Any], tuple[PredicateLike, ...]] | None = None
        self._owned: list[tuple[Form[Any], tuple[PredicateLike, ...], bool]] = []
        self._watched: list[tuple[Form[Any], HandlerLike, tuple[PredicateLike, ...]]] = []
        self._sources: list[Source] = []
        self._filters: list[PredicateLike] = []
        self._options = ControllerOptions()
        self._webhooks: WebhookBuilder[Any] | None = None
        self._done = False

    def named(self, name: str) -> Self:
        """Name the controller in logs, metrics and field ownership; by default, its kind in lower case."""
        if not name:
            raise BuildError("named() needs a name: leave it out to use the kind's")
        self._name = name
        return self

    def for_(self, kind: Kind[Any], *, predicates: Predicates = ()) -> Self:
        """Reconcile the objects of a kind: each event of one of them is a request for it. Exactly one kind."""
        form = form_of(_checked(kind, "for_"))
        if self._for is not None:
            raise BuildError(
                f"for_({form.gvk.kind}) after for_({self._for[0].gvk.kind}): a controller reconciles one kind. "
                f"Write owns({form.gvk.kind}) if its objects belong to the first, watches({form.gvk.kind}, handler) "
                "if they only concern it, or a second controller"
            )
        self._for = (form, predicates_of(predicates))
        return self

    def owns(self, *kinds: Kind[Any], predicates: Predicates = (), every_owner: bool = False) -> Self:
        """Reconcile the owner when an object that belongs to it changes.

        The owner is the controller of the object (`set_controller_reference`); with `every_owner`, any owner.
        """
        if not kinds:
            raise BuildError("owns() needs at least one kind: owns(core_v1.ConfigMap)")
        for kind in kinds:
            self._owned.append((form_of(_checked(kind, "owns")), predicates_of(predicates), every_owner))
        return self

    def watches(self, kind: Kind[Any], handler: HandlerLike, *, predicates: Predicates = ()) -> Self:
        """Reconcile what a handler says when an object of a kind changes; a function of the object will do."""
        form = form_of(_checked(kind, "watches"))
        self._watched.append((form, handler_of(handler), predicates_of(predicates)))
        return self

    def watches_metadata(self, kind: Kind[Any], handler: HandlerLike, *, predicates: Predicates = ()) -> Self:
        """Do as `watches` does and hold only the metadata of the objects: less memory, and handlers get no more."""
        return self.watches(metadata_only(_checked(kind, "watches_metadata")), handler, predicates=predicates)

    def watches_source(self, source: Source) -> Self:
        """Reconcile what a source of any sort brings (`ChannelSource`, `IteratorSource`, your own)."""
        if not hasattr(source, "start"):
            raise BuildError(f"{source!r} is no source: wrap it, as in watches_source(IteratorSource({source!r}))")
        self._sources.append(source)
        return self

    def with_event_filter(self, predicate: PredicateLike) -> Self:
        """Let all events of kinds pass this predicate first; sources of other sorts have their own."""
        self._filters.append(predicate)
        return self

    def with_options(self, options: ControllerOptions | None = None, **changes: Any) -> Self:
        """Change options, all (`ControllerOptions(…)`) or some (`max_concurrent_reconciles=4`)."""
        known = list(ControllerOptions.__struct_fields__)
        unknown = [name for name in changes if name not in known]
        if unknown:
            raise BuildError(f"with_options({unknown[0]}=…): no such option. There are: {', '.join(known)}")
        self._options = structs.replace(options or self._options, **changes)
        return self

    def with_defaulter(self, defaulter: Defaulter[Any], **options: Unpack[WebhookChanges]) -> Self:
        """Serve a defaulter of the kind of `for_`, which comes before; options are those of `WebhookOptions`."""
        self._webhooks_of("with_defaulter").with_defaulter(defaulter, **options)
        return self

    def with_validator(self, validator: Validator[Any], **options: Unpack[WebhookChanges]) -> Self:
        """Serve a validator of the kind of `for_`, which comes before; options are those of `WebhookOptions`."""
        self._webhooks_of("with_validator").with_validator(validator, **options)
        return self

    def with_conversion(self, *spokes: Spoke[Any, Any]) -> Self:
        """Convert between the kind of `for_`, the hub, and other versions of it."""
        self._webhooks_of("with_conversion").with_conversion(*spokes)
        return self

    def _webhooks_of(self, method: str) -> WebhookBuilder[Any]:
        if self._for is None:
            raise BuildError(f"{method}(…) needs its kind: write for_(Kind) before it")
        if self._webhooks is None:
            self._webhooks = new_webhook(self._manager, self._for[0])
        return self._webhooks

    def complete(self, reconciler: ReconcilerLike) -> Controller:
        """Make the controller, give it to the manager, and return it."""
        form_of_reconciler(reconciler)  # its mistakes before those of the rest
        if self._done:
            raise BuildError("complete() was called before: begin another controller with new_controller(manager)")
        self._check()
        name = self._chosen_name()
        made = Controller(
            name,
            self._manager.observed(name, reconciler),
            self._surroundings(name),
            options=self._options,
            kind=None if self._for is None else self._for[0].gvk.group_kind,
            access=self._access(reconciler),
        )
        for source in self._all_sources():
            made.watch(source)
        if self._webhooks is not None:
            self._webhooks.complete()
        self._manager.metrics.watch_queue(name, _levels(made))
        self._manager.controllers[name] = made
        self._manager.add(made)
        self._done = True
        return made

    def _check(self) -> None:
        if self._owned and self._for is None:
            raise BuildError(
                f"owns({self._owned[0][0].gvk.kind}) without for_: name the kind of the owner, for_(Kind), or write "
                "watches(kind, EnqueueRequestForOwner(Kind))"
            )
        if self._for is None and not self._watched and not self._sources:
            raise BuildError(
                "nothing would ever wake this controller: write for_(Kind), watches(…) or watches_source(…)"
            )

    def _chosen_name(self) -> str:
        if not self._name and self._for is None:
            raise BuildError("a controller without for_ has no name of its own: write named(…)")
        name = self._name or (self._for[0].gvk.kind.lower() if self._for else "")
        if name in self._manager.controllers:
            raise BuildError(
                f'this manager has a controller "{name}" already, and their metrics would be mixed up: '
                f'write named("{name}-…") for this one'
            )
        return name

    def _surroundings(self, name: str) -> Surroundings:
        manager = self._manager
        return Surroundings(
            client=manager.client.with_defaults(field_owner=name),
            live=manager.live.with_defaults(field_owner=name),
            recorder=manager.recorder(name),
            metrics=manager.metrics.controller(name, max_concurrent_reconciles=self._options.max_concurrent_reconciles),
            queue_metrics=manager.metrics.queue(name),
            # Its own, so that how much is logged does not change what chance does elsewhere.
            random=Random(manager.random.getrandbits(64)),  # noqa: S311 - names runs in logs, keeps no secret
        )

    def _access(self, reconciler: ReconcilerLike) -> Access:
        given = [source.form for source in self._sources if isinstance(source, KindSource)]
        return Access(
            reconciles=self._for[0] if self._for else None,
            owns=tuple(form for form, _, _ in self._owned),
            watches=(*(form for form, _, _ in self._watched), *given),
            declared=grants_of(reconciler),
        )

    def _all_sources(self) -> Iterable[Source]:
        if self._for is not None:
            form, predicates = self._for
            yield self._kind(form, EnqueueRequestForObject(), predicates)
            for owned, own, every in self._owned:
                yield self._kind(owned, EnqueueRequestForOwner(form, every=every), own)
        for watched, handler, own in self._watched:
            yield self._kind(watched, handler, own)
        yield from self._sources

    def _kind(self, form: Form[Any], handler: HandlerLike, predicates: tuple[PredicateLike, ...]) -> Source:
        return KindSource(self._manager.cache, form, handler, predicates=(*self._filters, *predicates))


def _levels(made: Controller) -> Any:
    def levels() -> QueueState:
        return made.queue.state()

    return levels


def _checked(kind: Any, method: str) -> Kind[Any]:
    """Refuse an object where its kind belongs."""
    if isinstance(kind, Form) or (isinstance(kind, type) and hasattr(kind, "__resource__")):
        return kind
    shown = kind.__name__ if isinstance(kind, type) else repr(kind)
    raise BuildError(
        f"{method}({shown}): give a kind, as in {method}(core_v1.ConfigMap), "
        f'or {method}(unstructured("apps/v1", "Deployment"))'
    )
