from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar

import pytest

from konverge import Client, Object, Resource, unstructured
from konverge.api.form import Kind, T, form_of
from konverge.api.rbac import rbac
from konverge.api.request import ApiRequest
from konverge.builder import BuildError, new_controller
from konverge.cache.informer import Informer
from konverge.client.transport import ApiResponse
from konverge.controller import (
    Channel,
    ChannelSource,
    Context,
    Controller,
    ControllerOptions,
    EnqueueRequestForOwner,
    GenerationChanged,
    LabelChanged,
    Recorder,
    Request,
)
from konverge.controller.metrics import ControllerMetrics, NoMetrics
from konverge.controller.reconcile import ReconcilerLike
from konverge.controller.source import KindSource
from konverge.errors import RequestError
from konverge.models import apps_v1, core_v1
from konverge.queue import NoMetrics as NoQueueMetrics
from konverge.queue import QueueMetrics
from konverge.webhook import Conversion, Registration
from konverge.webhook.admission import AdmissionHandler
from konverge.webhook.calling import Call, call


class Widget(Object):
    """A custom resource."""

    __resource__: ClassVar[Resource] = Resource(
        group="test.konverge.dev", version="v1", kind="Widget", plural="widgets", namespaced=True
    )


class Nowhere:
    """A transport and a cache that nothing is asked of."""

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Refuse."""
        raise AssertionError(request)

    def stream(self, request: ApiRequest) -> Any:
        """Refuse."""
        raise AssertionError(request)

    async def close(self) -> None:
        """Close nothing."""

    async def informer(self, kind: Kind[T]) -> Informer[T]:
        """Refuse."""
        raise AssertionError(kind)

    async def resource_of(self, kind: Kind[T]) -> Resource:
        """Refuse."""
        raise AssertionError(kind)


class Counting:
    """Metrics that note who asks for them."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def controller(self, name: str, *, max_concurrent_reconciles: int = 1) -> ControllerMetrics:
        """Note it."""
        self.notes.append(f"{name} {max_concurrent_reconciles}")
        return NoMetrics()

    def queue(self, name: str) -> QueueMetrics:
        """Note it."""
        self.notes.append(f"queue {name}")
        return NoQueueMetrics()

    def watch_queue(self, name: str, levels: Any) -> None:
        """Note it."""
        self.notes.append(f"levels {name} {callable(levels)}")


@dataclass
class Webhooks:
    """What a builder needs of a manager's webhooks."""

    served: list[str] = field(default_factory=list)
    call: Call = call

    def add(self, registration: Registration, handler: AdmissionHandler) -> None:
        """Note it."""
        del handler
        self.served.append(registration.path)

    def add_conversion(self, conversion: Conversion) -> None:
        """Note it."""
        self.served.append(f"convert {conversion.group_kind}")


@dataclass
class Manager:
    """What a builder needs of a manager, and no more."""

    cache: Nowhere = field(default_factory=Nowhere)
    client: Client = field(default_factory=lambda: Client(Nowhere()))
    live: Client = field(default_factory=lambda: Client(Nowhere()))
    metrics: Counting = field(default_factory=Counting)
    random: Random = field(default_factory=lambda: Random(1))
    controllers: dict[str, Controller] = field(default_factory=dict)
    added: list[Any] = field(default_factory=list)
    webhooks: Webhooks = field(default_factory=Webhooks)

    def recorder(self, name: str) -> Recorder:
        """Return one that records nothing."""
        return Recorder(None, name)

    def observed(self, controller: str, reconciler: ReconcilerLike) -> ReconcilerLike:
        """Return it as it is."""
        del controller
        return reconciler

    def add(self, runnable: Any) -> None:
        """Note it."""
        self.added.append(runnable)


async def reconcile(ctx: Context, request: Request) -> None:
    """Do nothing."""


@pytest.fixture
def manager() -> Manager:
    """A manager of the test's own."""
    return Manager()


def sources(made: Controller) -> list[str]:
    """What wakes a controller."""
    return [repr(source) for source in made._sources._sources]


def test_a_controller_is_built_and_handed_over(manager: Manager) -> None:
    """It has its kind's name, a source for each kind, and is what the manager runs."""
    made = (
        new_controller(manager)
        .for_(Widget, predicates=GenerationChanged())
        .owns(core_v1.ConfigMap, apps_v1.Deployment)
        .watches(core_v1.Secret, lambda obj: [Request(obj.metadata.namespace, "all")], predicates=[LabelChanged()])
        .watches_metadata(core_v1.Pod, EnqueueRequestForOwner(Widget))
        .watches(unstructured("example.com/v1", "Thing"), EnqueueRequestForOwner(Widget))
        .watches_source(ChannelSource(Channel(), name="hook"))
        .with_event_filter(LabelChanged())
        .with_options(max_concurrent_reconciles=4, reconcile_timeout=30)
        .complete(reconcile)
    )
    assert manager.added == [made]
    assert manager.controllers == {"widget": made}
    assert made.options == ControllerOptions(max_concurrent_reconciles=4, reconcile_timeout=30)
    assert sources(made) == [
        "KindSource(test.konverge.dev/v1 Widget)",
        "KindSource(v1 ConfigMap)",
        "KindSource(apps/v1 Deployment)",
        "KindSource(v1 Secret)",
        "KindSource(v1 Pod, metadata only)",
        "KindSource(example.com/v1 Thing)",
        "ChannelSource('hook')",
    ]
    assert manager.metrics.notes == ["widget 4", "queue widget", "levels widget True"]
    assert made.needs_leader_election


def test_a_controller_without_a_kind_of_its_own(manager: Manager) -> None:
    """With a name and something to wake it, none is needed."""
    made = (
        new_controller(manager)
        .named("sweeper")
        .watches(core_v1.Pod, lambda _: [Request("", "all")])
        .complete(reconcile)
    )
    assert made.name == "sweeper"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda b: b.for_(Widget).for_(core_v1.Pod), r"a controller reconciles one kind. Write owns\(Pod\)"),
        (lambda b: b.complete(reconcile), r"write for_\(Kind\), watches\(…\) or watches_source\(…\)"),
        (lambda b: b.watches(core_v1.Pod, lambda _: []).complete(reconcile), r"write named\(…\)"),
        (lambda b: b.named("x").owns(core_v1.Pod).complete(reconcile), r"owns\(Pod\) without for_: name the kind"),
        (lambda b: b.owns(), "needs at least one kind"),
        (lambda b: b.named(""), "needs a name"),
        (lambda b: b.for_(Widget()), r"give a kind, as in for_\(core_v1.ConfigMap\)"),
        (lambda b: b.for_(str), r"for_\(str\): give a kind"),
        (lambda b: b.watches_source(3), "is no source: wrap it"),
        (lambda b: b.with_options(workers=3), "no such option. There are: max_concurrent_reconciles"),
    ],
)
def test_misuse_says_what_to_write_instead(manager: Manager, build: Any, message: str) -> None:
    """Each mistake is found before anything runs, and nothing is handed over."""
    with pytest.raises(BuildError, match=message):
        build(new_controller(manager))
    assert manager.added == []


def test_a_name_is_used_once(manager: Manager) -> None:
    """Two controllers of a kind need names of their own; the first stays as it is."""
    new_controller(manager).for_(Widget).complete(reconcile)
    with pytest.raises(BuildError, match=r'has a controller "widget" already.*write named\("widget-…"\)'):
        new_controller(manager).for_(Widget).complete(reconcile)
    new_controller(manager).named("widget-status").for_(Widget).complete(reconcile)
    assert list(manager.controllers) == ["widget", "widget-status"]


def test_a_builder_completes_once(manager: Manager) -> None:
    """It describes one controller."""
    builder = new_controller(manager).for_(Widget)
    builder.complete(reconcile)
    with pytest.raises(BuildError, match="begin another controller"):
        builder.complete(reconcile)


@pytest.mark.parametrize("options", [{"max_concurrent_reconciles": 0}, {"reconcile_timeout": 0}])
def test_options_that_cannot_work(manager: Manager, options: dict[str, Any]) -> None:
    """No workers, or no time, is a mistake."""
    with pytest.raises(RequestError, match=next(iter(options))):
        new_controller(manager).with_options(**options)


def test_options_as_a_whole_and_in_parts(manager: Manager) -> None:
    """Later calls change what they name."""
    made = (
        new_controller(manager)
        .for_(Widget)
        .with_options(ControllerOptions(max_concurrent_reconciles=2, needs_leader_election=False))
        .with_options(reconcile_timeout=5)
        .complete(reconcile)
    )
    assert (made.options.max_concurrent_reconciles, made.options.reconcile_timeout) == (2, 5)
    assert not made.needs_leader_election


def test_what_is_no_reconciler_is_refused(manager: Manager) -> None:
    """A class instead of an instance is the usual slip."""

    class Reconciler:
        async def reconcile(self, ctx: Context, request: Request) -> None:
            """Do nothing."""

    with pytest.raises(RequestError, match=r"is a class: give an instance"):
        new_controller(manager).for_(Widget).complete(Reconciler)  # type: ignore[arg-type]  # the mistake


class Defaults:
    """Changes nothing."""

    async def default(self, widget: Widget) -> None:
        """Leave it as it is."""


def test_webhooks_of_its_kind_are_handed_over_with_the_controller(manager: Manager) -> None:
    """Nothing is served before complete(), and then all of it, at the paths of the kind."""
    built = new_controller(manager).for_(Widget).with_defaulter(Defaults(), failure_policy="Ignore")
    assert manager.webhooks.served == []
    built.complete(reconcile)
    assert manager.webhooks.served == ["/mutate-test-konverge-dev-v1-widget"]


def test_webhooks_need_their_kind_first(manager: Manager) -> None:
    """The error says what to write before it."""
    with pytest.raises(BuildError, match=r"with_defaulter\(…\) needs its kind: write for_\(Kind\) before it"):
        new_controller(manager).with_defaulter(Defaults())


def test_a_controller_knows_which_kinds_it_touches(manager: Manager) -> None:
    """What is reconciled, owned and watched, by whatever source, and what its reconciler declares: for manifests."""

    @rbac("", "nodes", verbs="list")
    async def declaring(ctx: Context, request: Request) -> None: ...

    made = (
        new_controller(manager)
        .for_(Widget)
        .owns(apps_v1.Deployment)
        .watches(core_v1.Secret, lambda _: [])
        .watches_source(KindSource(manager.cache, core_v1.Pod))
        .complete(declaring)
    )
    access = made.access
    assert access.reconciles == form_of(Widget)
    assert access.owns == (form_of(apps_v1.Deployment),)
    assert access.watches == (form_of(core_v1.Secret), form_of(core_v1.Pod))
    assert [grant.resources for grant in access.declared] == [("nodes",)]
