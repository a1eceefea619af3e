"""An asyncio loop on which time passes when nobody has anything to do: a day of sleeps takes as long as its CPU.

`run(main())` is `asyncio.run` on a `VirtualTimeLoop`. Nothing in the program under test knows of it: `asyncio.sleep`,
`asyncio.timeout`, `loop.time()` and `konverge.clock.now()` all follow the loop. What it promises:

- **Time moves only when the program waits.** While a callback or task can run, the clock stands; when none can, it
  jumps to the next timer, exactly. `loop.time()` starts at 0.0 and `wall_time()` at `start`, so two runs see the same
  times.
- **It never hangs on itself.** When no timer is set and nothing can run, `Deadlock` names each task and the line it
  waits at.
- **Time stands still while a thread works** that was started by `asyncio.to_thread` or `run_in_executor`; other threads
  are not waited for. A thread that waits for a coroutine of the loop (`asyncio.run_coroutine_threadsafe`) does not work
  meanwhile, so such a coroutine may sleep.
- **In process only.** A socket, a pipe or a subprocess would answer in real time, so asking for one is a
  `VirtualTimeError`.
"""

from __future__ import annotations

import asyncio
import math
import selectors
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from contextvars import Context
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import PurePath
from types import CoroutineType, GeneratorType
from typing import Any, Final, TypeVar, TypeVarTuple, Unpack

from konverge.errors import KonvergeError

START: Final = datetime(2026, 1, 1, tzinfo=UTC)
_MOMENT: Final = 1e-6  # seconds

_T = TypeVar("_T")
_Ts = TypeVarTuple("_Ts")


class VirtualTimeError(KonvergeError):
    """The program asked for something that only happens in real time."""


class Deadlock(VirtualTimeError):
    """Every task waits and nothing is scheduled that could wake one."""


def run(main: Coroutine[Any, Any, _T], *, start: datetime = START) -> _T:
    """Run a coroutine to its end on a loop of its own, as `asyncio.run` does, with virtual time from `start` on."""
    with asyncio.Runner(loop_factory=lambda: VirtualTimeLoop(start=start)) as runner:
        return runner.run(main)


async def advance(seconds: float = 0.0, **longer: float) -> None:
    """Let virtual time pass, and all happen that is due until then: so many seconds, or `hours=24`.

    The words are those of `timedelta`. In real time it is a `VirtualTimeError`: there, wait for what is to happen.
    """
    if not isinstance(asyncio.get_running_loop(), VirtualTimeLoop):
        raise VirtualTimeError(
            "advance() moves virtual time, and this test's is real: mark it pytest.mark.virtual_time"
        )
    await asyncio.sleep(timedelta(seconds=seconds, **longer).total_seconds())
    await asyncio.sleep(_MOMENT)  # time moves on only when all that is due now has been done


class _Job:
    """One call in an executor's thread."""

    __slots__ = ("questions",)

    def __init__(self) -> None:
        self.questions = 0  # coroutines of the loop that this thread asked for and that have not ended


# Which job the current thread works on; unset in the loop's own thread.
_working: Final = threading.local()


def _work(job: _Job, func: Callable[[], _T]) -> _T:
    _working.job = job
    try:
        return func()
    finally:
        _working.job = None


class _Selector(selectors.DefaultSelector):
    """Asks the loop to move its time where another would wait; knows the loop's wake-up pipe and nothing else."""

    def __init__(self, loop: VirtualTimeLoop) -> None:
        super().__init__()
        self._loop = loop

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        if len(self.get_map()):
            raise VirtualTimeError(_refusal("waiting for a file descriptor"))
        return super().register(fileobj, events, data)

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout <= 0:
            return super().select(0)
        if self._loop.a_thread_works():
            return super().select(None)
        events = super().select(0)
        if not events:
            self._loop.advance()
        return events


def _refusal(what: str) -> str:
    return (
        f"{what} takes real time, and this loop's time is virtual; "
        "use an in-process transport, or run this test on a plain asyncio loop"
    )


def _refused(what: str) -> Any:
    async def refuse(_self: VirtualTimeLoop, *_: Any, **__: Any) -> None:
        raise VirtualTimeError(_refusal(what))

    return refuse


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """The loop; give it to `asyncio.Runner(loop_factory=VirtualTimeLoop)`, or use `run`."""

    def __init__(self, *, start: datetime = START) -> None:
        self._start = start.astimezone(UTC)
        self._now = 0.0
        self._jobs: dict[_Job, None] = {}
        self._asking: _Job | None = None  # the job whose callback runs right now
        self._pool: Executor | None = None
        super().__init__(_Selector(self))
        if start.tzinfo is None:
            self.close()  # a loop that was never whole cannot be collected quietly
            raise VirtualTimeError(f"start={start} has no time zone; write it with tzinfo=UTC")

    def time(self) -> float:
        """Return the seconds of virtual time since the loop was made."""
        return self._now

    def wall_time(self) -> datetime:
        """Return `start` and what has passed since; `konverge.clock.now()` asks for it."""
        return self._start + timedelta(seconds=self._now)

    def advance(self) -> None:
        """Jump to the next timer; called when nothing can run."""
        timers: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]  # asyncio offers no view of it
        if not timers or timers[0].when() == math.inf:
            raise Deadlock(_deadlock(asyncio.all_tasks(self)))
        # Taken from the timer: adding the selector's timeout to the time would be a rounding error off.
        self._now = max(self._now, timers[0].when())

    def a_thread_works(self) -> bool:
        """Whether an executor's thread is busy with something else than waiting for this loop."""
        return any(job.questions == 0 for job in self._jobs)

    def set_default_executor(self, executor: Any) -> None:
        """Choose who runs `run_in_executor(None, ...)`."""
        super().set_default_executor(executor)
        self._pool = executor

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[Unpack[_Ts]], _T], *args: *_Ts
    ) -> asyncio.Future[_T]:
        """Run a function in a thread; time stands still until it returns."""
        if isinstance(executor, ProcessPoolExecutor):
            raise VirtualTimeError(_refusal("a process pool"))
        if executor is None and self._pool is None:
            self.set_default_executor(ThreadPoolExecutor(thread_name_prefix="virtual-time"))
        pool = executor or self._pool
        assert pool is not None  # noqa: S101 - for mypy: set just above
        job = _Job()
        work = pool.submit(_work, job, partial(func, *args))
        self._jobs[job] = None
        answer = asyncio.wrap_future(work, loop=self)
        # After wrap_future's own callback, so the answer is on its way before the job counts as ended.
        work.add_done_callback(partial(self._end_from_thread, job))
        return answer

    def _end_from_thread(self, job: _Job, _work: Future[Any]) -> None:
        with suppress(RuntimeError):  # the loop is closed and counts no more
            self.call_soon_threadsafe(self._jobs.pop, job)

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:  # noqa: ARG002, ASYNC109 - asyncio's
        """Wait for the threads to end; they are waited for in real time, so no virtual timeout applies."""
        joining = _Job()
        self._jobs[joining] = None
        try:
            await super().shutdown_default_executor()
        finally:
            del self._jobs[joining]

    def call_soon_threadsafe(
        self, callback: Callable[[Unpack[_Ts]], object], *args: *_Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """Call back on the loop's thread, remembering which job asked."""
        job = getattr(_working, "job", None)
        if job is None:
            return super().call_soon_threadsafe(callback, *args, context=context)
        return super().call_soon_threadsafe(self._ask, job, partial(callback, *args), context=context)

    def _ask(self, job: _Job, callback: Callable[[], object]) -> None:
        self._asking = job if job in self._jobs else None
        try:
            callback()
        finally:
            self._asking = None

    def create_task(self, coro: Any, **options: Any) -> asyncio.Task[Any]:
        """Start a task; one that a thread asked for lets time pass until it ends."""
        task: asyncio.Task[Any] = super().create_task(coro, **options)
        if self._asking is not None:
            self._asking.questions += 1
            task.add_done_callback(partial(_answered, self._asking))
        return task

    create_connection = _refused("a connection")
    create_server = _refused("a server")
    create_datagram_endpoint = _refused("a datagram socket")
    create_unix_connection = _refused("a connection")
    create_unix_server = _refused("a server")
    connect_accepted_socket = _refused("a connection")
    connect_read_pipe = _refused("a pipe")
    connect_write_pipe = _refused("a pipe")
    getaddrinfo = _refused("a name lookup")
    getnameinfo = _refused("a name lookup")
    sock_accept = _refused("a socket")
    sock_connect = _refused("a socket")
    sock_recv = _refused("a socket")
    sock_recv_into = _refused("a socket")
    sock_recvfrom = _refused("a socket")
    sock_recvfrom_into = _refused("a socket")
    sock_sendall = _refused("a socket")
    sock_sendto = _refused("a socket")
    sock_sendfile = _refused("a socket")
    subprocess_exec = _refused("a subprocess")
    subprocess_shell = _refused("a subprocess")


def _answered(job: _Job, _task: asyncio.Task[Any]) -> None:
    job.questions -= 1


def _deadlock(tasks: set[asyncio.Task[Any]]) -> str:
    lines = sorted(
        (len(task.get_name()), f"  {task.get_name()}: {_where(task.get_coro())}") for task in tasks if not task.done()
    )
    waiting = "\n".join(line for _, line in lines) or "  (no task is left; the loop was told to run until stopped)"
    return f"nothing can run and no timer is set, so these would wait forever:\n{waiting}"


def _where(coro: Any) -> str:
    """The way from a task's coroutine down to the line that waits."""
    names = []
    place = ""
    while isinstance(coro, CoroutineType | GeneratorType):
        frame = coro.cr_frame if isinstance(coro, CoroutineType) else coro.gi_frame
        names.append(coro.__qualname__)
        if frame is not None:
            place = f"{PurePath(frame.f_code.co_filename).name}:{frame.f_lineno}"
        coro = coro.cr_await if isinstance(coro, CoroutineType) else coro.gi_yieldfrom
    return f"{' > '.join(names)} at {place}"
