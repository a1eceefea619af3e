"""Attempt: one call of the author's code, whichever form it has, with everything it may do turned into an outcome.

Whatever is raised becomes a value; only the cancelling of the worker itself goes through. An async reconcile runs in
its worker's task (one of its own would cost as much as all the rest of a run), and is kept to itself all the same: the
context variables that it sets, and a cancellation that it asks for or swallows, end with it and do not reach the next
object's run. A timeout ends it where it waits. A thread cannot be ended: its client stops working, and the worker
waits for it all the same, since a key must never have two.
"""

from __future__ import annotations

import asyncio
import contextvars
import types
from collections.abc import Awaitable, Callable, Coroutine, Generator
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, TypeVar

from konverge.controller.reconcile import ReconcileTimeout, Request, Result, checked_result
from konverge.errors import KonvergeError

if TYPE_CHECKING:
    from konverge.controller.host_loop import HostLoop

C = TypeVar("C")
T = TypeVar("T")


class Cancelled(KonvergeError):
    """A reconcile raised CancelledError although nobody had cancelled it: a task it waited for was cancelled."""


class Worker:
    """The task that reconciles run in, and how to tell its own being cancelled from what a reconcile did to it."""

    __slots__ = ("_is_stopping", "_task")

    def __init__(self, is_stopping: Callable[[], bool]) -> None:
        self._task = asyncio.current_task()
        self._is_stopping = is_stopping  # nobody cancels a worker before its controller stops

    @property
    def is_cancelled(self) -> bool:
        """Whether it was asked to end, by whomever."""
        return self._task is not None and self._task.cancelling() > 0

    @property
    def must_end(self) -> bool:
        """Whether its controller asked it to."""
        return self.is_cancelled and self._is_stopping()

    async def recover(self) -> bool:
        """Undo what a reconcile did to the task; return whether a cancellation was still to be raised."""
        while self._task is not None and self._task.cancelling():
            self._task.uncancel()
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            if self.must_end:
                raise
            return True
        return False


async def attempt(
    call: Callable[[C, Request], Awaitable[Result | None]],
    context: C,
    request: Request,
    *,
    worker: Worker,
    timeout: float | None,  # noqa: ASYNC109 - measured here
) -> Result | BaseException:
    """Await an async reconcile and return what came of it."""
    try:
        outcome = await _within(contextvars.copy_context(), _awaited(call, context, request, timeout))
    except asyncio.CancelledError as error:
        if worker.must_end:
            raise
        await worker.recover()
        return _cancelled(request, error)
    if worker.is_cancelled and not worker.must_end and await worker.recover():
        return _cancelled(request, None)
    return outcome


@types.coroutine
def _within(context: contextvars.Context, coroutine: Coroutine[Any, Any, T]) -> Generator[Any, Any, T]:
    """Await a coroutine whose every step sees, and changes, the variables of this context."""
    step: Callable[[Any], Any] = coroutine.send
    argument: Any = None
    while True:
        try:
            waited_for = context.run(step, argument)
        except StopIteration as end:
            result: T = end.value
            return result
        try:
            step, argument = coroutine.send, (yield waited_for)
        except BaseException as error:  # noqa: BLE001 - thrown into the coroutine, which decides about it
            step, argument = coroutine.throw, error


async def _awaited(
    call: Callable[[C, Request], Awaitable[Result | None]],
    context: C,
    request: Request,
    timeout: float | None,  # noqa: ASYNC109 - measured here
) -> Result | Exception:
    limit = None if timeout is None else asyncio.timeout(timeout)
    try:
        if limit is None:
            return checked_result(await call(context, request))
        async with limit:
            return checked_result(await call(context, request))
    except TimeoutError as error:
        return error if limit is None or not limit.expired() else _caused(_too_long(request, timeout), error)
    except Exception as error:  # noqa: BLE001 - the author's code: anything may come
        return error


async def attempt_in_thread(
    call: Callable[[C, Request], Result | None],
    context: C,
    request: Request,
    *,
    host: HostLoop,
    threads: Executor,
    timeout: float | None,  # noqa: ASYNC109 - measured here
) -> Result | BaseException:
    """Call a plain reconcile in a thread and return what came of it."""
    run = contextvars.copy_context().run
    future = asyncio.get_running_loop().run_in_executor(threads, run, _called, call, context, request)
    try:
        done, _ = await asyncio.wait((future,), timeout=timeout)
        if done:
            return future.result()
        error = _too_long(request, timeout)
        host.end(str(error))
        await asyncio.wait((future,))
        return error
    finally:
        host.end(f"{request}: this reconcile has ended, and its client with it")


def _called(call: Callable[[C, Request], Result | None], context: C, request: Request) -> Result | Exception:
    try:
        return checked_result(call(context, request))
    except Exception as error:  # noqa: BLE001 - the author's code; as a value, since a future refuses some errors
        return error


def _cancelled(request: Request, cause: BaseException | None) -> KonvergeError:
    return _caused(Cancelled(f"{request}: the reconcile ended in a cancelled task"), cause)


def _too_long(request: Request, timeout: float | None) -> ReconcileTimeout:
    return ReconcileTimeout(
        f"{request}: the reconcile took longer than {timeout:g} s; find what it waits for, or raise reconcile_timeout"
    )


def _caused(error: KonvergeError, cause: BaseException | None) -> KonvergeError:
    error.__cause__ = cause
    return error
