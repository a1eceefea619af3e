"""Reconcile: the contract between the loop and the author's code.

A reconciler brings the world to what one object asks for. It is told which object (`Request`), never what happened:
it reads the state there is and acts on that, so it can be called at any time, twice, or late. What it gives back
decides what comes next:

- an exception: try again, after a pause that doubles each time; `TerminalError`: do not, until something changes
- `Result(requeue_after=30)`: done for now, look again in 30 s
- `Result(requeue=True)`: try again after a pause that doubles each time
- `None` or `Result()`: done

`async def reconcile(self, ctx, request)` is the first-class form. A plain `def` runs in a worker thread, and its
context has a blocking client of the same methods. Both may be methods of an object or functions of their own.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar, cast

import msgspec

from konverge.api.kind import ObjectKey
from konverge.client.client import Client
from konverge.client.engine import Named
from konverge.controller.recorder import Recorder
from konverge.errors import KonvergeError, RequestError
from konverge.log import Logger
from konverge.queue import Causes

if TYPE_CHECKING:
    from konverge.client.blocking import BlockingClient  # noqa: F401 - used in a string, below

C = TypeVar("C")


class Request(msgspec.Struct, frozen=True, order=True, gc=False):
    """Which object to reconcile; the namespace is empty where the kind has none. `client.get` takes it as a name."""

    namespace: str
    name: str

    @classmethod
    def of(cls, named: Named) -> Self:
        """Return the request for anything that has a namespace and a name: a key, or the metadata of an object."""
        return cls(named.namespace or "", named.name or "")

    @property
    def key(self) -> ObjectKey:
        """The same as an object's key."""
        return ObjectKey(self.namespace, self.name)

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What a reconcile that did not fail asks for."""

    requeue: bool = False  # again, after the backoff of this object; prefer requeue_after
    requeue_after: float | timedelta | None = None  # again after these seconds; 0 and None: only when something happens
    priority: int | None = None  # of what is requeued; None keeps the priority that this run had

    def __post_init__(self) -> None:
        if self.requeue_after is not None and not 0 <= self.after_seconds < math.inf:
            raise RequestError(
                f"Result(requeue_after={self.after_seconds:g}): give seconds from 0 on. For a moment that may be over "
                "by now write max(seconds, 0.001), which runs again at once; 0 means only when something happens"
            )

    @property
    def after_seconds(self) -> float:
        """The delay as seconds; 0 for none."""
        after = self.requeue_after
        return after.total_seconds() if isinstance(after, timedelta) else float(after or 0.0)


class TerminalError(KonvergeError):
    """Trying again would not help: log and count it, and wait until something changes.

    `raise TerminalError(f"{request}: the image name is not valid")`, or `raise TerminalError(error) from error`.
    """


class ReconcileTimeout(KonvergeError):
    """A reconcile took longer than its controller allows and was ended."""


class ReconcileContext(msgspec.Struct, Generic[C], frozen=True, dict=True):
    """What a reconciler works with, apart from what it brings along itself.

    Frozen, but with a `__dict__`: the logger is made when it is first used.
    """

    client: C  # reads from the cache, own writes included; writes to the server as the controller's field manager
    live: C  # reads from the server: for what must not be a moment old
    recorder: Recorder  # tells the user, by events on the object
    request: Request
    causes: Causes  # why this runs; for people, never for decisions
    _log: Callable[[], Logger]

    @cached_property
    def log(self) -> Logger:
        """A logger whose lines carry the controller, the object and the id of this run."""
        return self._log()

    @property
    def reconcile_id(self) -> str:
        """The id of this run, as its log lines have it."""
        return str(self.log.fields["reconcileID"])

    def __repr__(self) -> str:
        return f"{type(self).__name__}(request={self.request!r}, causes={self.causes!r})"


class Context(ReconcileContext[Client], frozen=True):
    """The context of an `async def reconcile`."""


class BlockingContext(ReconcileContext["BlockingClient"], frozen=True):
    """The context of a plain `def reconcile`: the same, with clients that wait."""


class Reconciler(Protocol):
    """The first-class form."""

    async def reconcile(self, ctx: Context, request: Request) -> Result | None:
        """Bring the world to what the object asks for."""
        ...


class BlockingReconciler(Protocol):
    """The form for libraries that block; called in a worker thread."""

    def reconcile(self, ctx: BlockingContext, request: Request) -> Result | None:
        """Bring the world to what the object asks for."""
        ...


AsyncReconcile = Callable[[Context, Request], Awaitable[Result | None]]
BlockingReconcile = Callable[[BlockingContext, Request], Result | None]
ReconcilerLike = Reconciler | BlockingReconciler | AsyncReconcile | BlockingReconcile
"""What `complete` takes: an object with a `reconcile` method, or a function, each async or plain."""


class AsyncForm(msgspec.Struct, frozen=True):
    """A reconciler that is awaited."""

    call: AsyncReconcile


class BlockingForm(msgspec.Struct, frozen=True):
    """A reconciler that is called in a thread."""

    call: BlockingReconcile


def form_of_reconciler(reconciler: ReconcilerLike) -> AsyncForm | BlockingForm:
    """Return how a reconciler is to be called; refuse what is none."""
    if isinstance(reconciler, type):
        raise RequestError(f"{reconciler.__qualname__} is a class: give an instance, {reconciler.__qualname__}(…)")
    call: Any = getattr(reconciler, "reconcile", reconciler)
    if not callable(call):
        raise RequestError(
            f"{reconciler!r} is no reconciler: give an object with `async def reconcile(self, ctx, request)`, "
            "or such a function"
        )
    _check_arguments(call)
    return AsyncForm(call) if _is_async(call) else BlockingForm(cast("BlockingReconcile", call))


def _is_async(call: Any) -> bool:
    while isinstance(call, partial):
        call = call.func
    return inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(getattr(call, "__call__", None))  # noqa: B004 - an object with an async __call__


def _check_arguments(call: Callable[..., Any]) -> None:
    try:
        signature = inspect.signature(call)
    except (TypeError, ValueError):
        return  # a callable that cannot be looked into
    try:
        signature.bind(None, None)
    except TypeError:
        raise RequestError(f"reconcile{signature} does not take (ctx, request): write it with these two") from None


def checked_result(value: object) -> Result:
    """Return what a reconcile gave back; anything but a `Result` or None is the author's mistake."""
    if value is None:
        return DONE
    if isinstance(value, Result):
        return value
    if inspect.iscoroutine(value):
        value.close()
        raise RequestError("a plain `def reconcile` returned a coroutine: write `async def reconcile`")
    raise RequestError(f"reconcile returned {type(value).__name__}: return kv.Result(…), or None for done")


DONE = Result()
"""What a run gives back that asks for nothing."""
