import asyncio
import contextvars
import gc
import signal
import sys
import threading
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, contextmanager

import pytest

import konverge as kv
from konverge.api.request import ApiRequest
from konverge.client.blocking import BlockingClient
from konverge.client.blocking_iterator import BlockingIterator
from konverge.client.loop_thread import LoopThread
from konverge.client.transport import ApiResponse
from konverge.errors import ConnectionFailed, RequestError
from konverge.models import core_v1

PATIENCE = 30  # seconds after which a test fails instead of hanging
NAME: contextvars.ContextVar[str] = contextvars.ContextVar("NAME", default="none")


class Source:
    """Async calls to run, and what became of them."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.cancelled = threading.Event()
        self.closed = threading.Event()

    async def forever(self) -> None:
        """Wait until cancelled."""
        self.entered.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise

    async def close(self) -> None:
        """What the loop does last."""
        self.closed.set()

    async def count(self, end: int | None) -> AsyncGenerator[int]:
        """Yield numbers, then end, or wait for ever where there is no end."""
        try:
            for number in range(3 if end is None else end):
                yield number
            if end is None:
                await self.forever()
        finally:
            self.closed.set()


@pytest.fixture
def source() -> Source:
    """What runs on the loop."""
    return Source()


@pytest.fixture
def thread(source: Source) -> Iterator[LoopThread]:
    """A loop thread, closed in the end."""
    thread = LoopThread(source.close)
    yield thread
    thread.close()


@contextmanager
def signalled(source: Source, number: signal.Signals) -> Iterator[None]:
    """Send this thread a signal as soon as it waits for the source."""
    main = threading.get_ident()

    def send() -> None:
        source.entered.wait(PATIENCE)
        while sys._current_frames()[main].f_code.co_name != "wait":
            pass  # the call is under way, but the thread does not wait for it yet
        signal.pthread_kill(main, number)

    helper = threading.Thread(target=send)
    helper.start()
    yield
    helper.join()


async def answer(value: int) -> int:
    """Return the value, a turn of the loop later."""
    await asyncio.sleep(0)
    return value


async def fail(error: BaseException) -> None:
    """Raise the error."""
    raise error


async def ident() -> int:
    """Tell which thread this is."""
    return threading.get_ident()


def test_a_result_comes_out_and_all_calls_share_one_thread(thread: LoopThread) -> None:
    """A call returns what its coroutine returned; there is one loop, on one other thread."""
    assert thread.run(answer(3)) == 3
    assert thread.run(ident()) == thread.run(ident()) != threading.get_ident()


def test_an_error_keeps_its_type_and_shows_where_it_arose(thread: LoopThread) -> None:
    """The error is the very one that was raised, and its traceback reaches into the coroutine."""
    error = KeyError("x")
    with pytest.raises(KeyError) as caught:
        thread.run(fail(error))
    assert caught.value is error
    assert caught.traceback[-1].name == "fail"


def test_a_timeout_error_of_the_call_itself_is_not_taken_for_ours(thread: LoopThread) -> None:
    """A TimeoutError that the coroutine raises comes out as it is."""
    with pytest.raises(TimeoutError, match="theirs"):
        thread.run(fail(TimeoutError("theirs")), timeout=PATIENCE)


def test_the_calling_threads_context_goes_along(thread: LoopThread) -> None:
    """Context variables of the caller, such as a log's fields, are seen by the coroutine."""

    async def name() -> str:
        return NAME.get()

    NAME.set("caller")
    assert thread.run(name()) == "caller"


def test_many_threads_call_at_once(thread: LoopThread) -> None:
    """Calls of several threads wait for each other's results on the same loop."""
    barrier = asyncio.Barrier(8)

    async def meet(number: int) -> int:
        await barrier.wait()  # passes only when all eight are under way together
        return number

    with ThreadPoolExecutor(8) as pool:
        results = pool.map(lambda number: thread.run(meet(number), timeout=PATIENCE), range(8))
    assert list(results) == list(range(8))


def test_a_timeout_cancels_the_call(thread: LoopThread, source: Source) -> None:
    """A call that takes too long is cancelled on the loop, and the error names it."""
    with pytest.raises(ConnectionFailed, match=r"Source\.forever: no answer within 0\.01 s"):
        thread.run(source.forever(), timeout=0.01)
    assert source.cancelled.wait(PATIENCE)


@pytest.fixture
def _heeds_interrupts() -> Iterator[None]:
    """SIGINT as a terminal's program has it: one that a shell runs in the background is born deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_heeds_interrupts")
def test_an_interrupt_cancels_the_call(thread: LoopThread, source: Source) -> None:
    """Ctrl-C while a call waits raises KeyboardInterrupt, and the call is cancelled."""
    with signalled(source, signal.SIGINT), pytest.raises(KeyboardInterrupt):
        thread.run(source.forever(), timeout=PATIENCE)
    assert source.cancelled.wait(PATIENCE)


async def test_a_call_inside_an_event_loop_is_refused(thread: LoopThread) -> None:
    """Blocking somebody's event loop is an error that says what to do, and leaves no warning behind."""
    with pytest.raises(RequestError, match="running event loop"):
        thread.run(answer(1))
    assert await asyncio.to_thread(lambda: thread.run(answer(1))) == 1


def test_a_call_from_the_loops_own_thread_is_refused(thread: LoopThread) -> None:
    """A callback on the loop that calls back into it gets an error instead of a deadlock."""

    async def again() -> int:
        return thread.run(answer(1))

    with pytest.raises(RequestError, match="wait for itself"):
        thread.run(again(), timeout=PATIENCE)


def test_after_close_a_call_is_an_error(thread: LoopThread, source: Source) -> None:
    """Closing awaits `on_close` and ends the thread; it may be done twice; calls are refused then."""
    thread.run(answer(1))
    (worker,) = [found for found in threading.enumerate() if found.name == "konverge-client"]
    thread.close()
    thread.close()
    assert source.closed.is_set()
    assert not worker.is_alive()
    with pytest.raises(RequestError, match="closed"):
        thread.run(answer(1))


def test_closing_ends_calls_of_other_threads(thread: LoopThread, source: Source) -> None:
    """A call under way in another thread fails, and says why."""
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(thread.run, source.forever())
        assert source.entered.wait(PATIENCE)
        thread.close()
        with pytest.raises(ConnectionFailed, match="closed before the answer came"):
            call.result(PATIENCE)
    assert source.cancelled.is_set()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_loop_that_somebody_ended_is_an_error(thread: LoopThread) -> None:
    """SystemExit on the loop ends it; its caller gets it, and later calls fail with a sentence."""
    with pytest.raises((SystemExit, ConnectionFailed)):
        thread.run(fail(SystemExit(3)), timeout=PATIENCE)
    for worker in threading.enumerate():
        if worker.name == "konverge-client":
            worker.join(PATIENCE)
    with pytest.raises(RequestError, match="loop has ended"):
        thread.run(answer(1))


def test_a_thread_that_nobody_holds_any_more_ends() -> None:
    """Dropping the last reference closes it as `close` does."""
    source = Source()
    thread = LoopThread(source.close)
    thread.run(answer(1))
    gone = weakref.ref(thread)
    del thread
    gc.collect()
    assert gone() is None
    assert source.closed.wait(PATIENCE)


# --- iterators ---


def test_an_iterator_yields_and_ends(thread: LoopThread, source: Source) -> None:
    """Items come in order, and the end of the source is the end."""
    items = BlockingIterator(thread, source.count(3))
    assert list(items) == [0, 1, 2]
    assert list(items) == []


def test_leaving_a_with_block_closes_the_source(thread: LoopThread, source: Source) -> None:
    """The async generator's own clean-up has run when the block is left."""
    with BlockingIterator(thread, source.count(None)) as items:
        assert next(items) == 0
    assert source.closed.is_set()
    assert list(items) == []


@pytest.mark.parametrize("what", ["iterator", "client"])
def test_closing_ends_a_for_loop_in_another_thread(thread: LoopThread, source: Source, what: str) -> None:
    """A thread that waits for the next item sees the end when the iterator, or the client, is closed."""
    items = BlockingIterator(thread, source.count(None))
    with ThreadPoolExecutor(1) as pool:
        loop = pool.submit(list, items)
        assert source.entered.wait(PATIENCE)
        (items if what == "iterator" else thread).close()
        assert loop.result(PATIENCE) == [0, 1, 2]
    assert source.closed.wait(PATIENCE)
    assert list(items) == []


@pytest.mark.parametrize("what", ["iterator", "client"])
def test_a_signal_handler_ends_the_for_loop_it_interrupts(thread: LoopThread, source: Source, what: str) -> None:
    """The usual way to stop a watch on SIGTERM: close it, or the client, in the handler."""
    items = BlockingIterator(thread, source.count(None))
    before = signal.signal(signal.SIGUSR1, lambda *_: (items if what == "iterator" else thread).close())
    try:
        with signalled(source, signal.SIGUSR1):
            assert list(items) == [0, 1, 2]
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert source.closed.is_set()


def test_an_error_of_the_source_comes_out_of_next(thread: LoopThread) -> None:
    """The error has its own type, and the iteration is over after it."""

    async def broken() -> AsyncGenerator[int]:
        yield 1
        raise KeyError("x")

    items = BlockingIterator(thread, broken())
    assert next(items) == 1
    with pytest.raises(KeyError):
        next(items)
    assert list(items) == []


def test_a_dropped_iterator_closes_its_source(thread: LoopThread, source: Source) -> None:
    """Whoever breaks out of a loop and forgets the iterator leaks no connection."""
    items = BlockingIterator(thread, source.count(None))
    assert next(items) == 0
    del items
    gc.collect()
    assert source.closed.wait(PATIENCE)


def test_two_threads_share_one_iterator(thread: LoopThread, source: Source) -> None:
    """Each item goes to one of the threads, none is lost."""
    items = BlockingIterator(thread, source.count(200))
    with ThreadPoolExecutor(2) as pool:
        halves = [pool.submit(list, items) for _ in range(2)]
        found = [item for half in halves for item in half.result(PATIENCE)]
    assert sorted(found) == list(range(200))


class Silent:
    """A transport to a server that never answers."""

    def __init__(self) -> None:
        self.asked = threading.Event()

    async def call(self, _request: ApiRequest) -> ApiResponse:
        """Wait for ever."""
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    def stream(self, _request: ApiRequest) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Not used here."""
        raise NotImplementedError

    async def close(self) -> None:
        """Nothing to close."""


OBJECT = core_v1.ConfigMap(metadata=kv.ObjectMeta(name="a", namespace="x"))


@pytest.mark.parametrize(
    ("verb", "said"),
    [
        ("update", r'update configmaps "x/a": the client was closed .*; the write may have happened: read before'),
        ("get", r'get configmaps "x/a": the client was closed before the answer came$'),
    ],
)
def test_giving_up_names_what_was_asked(verb: str, said: str) -> None:
    """A call that ends without an answer names its operation, and doubts only writes."""
    silent = Silent()
    client = BlockingClient(kv.Client(silent))
    args = (OBJECT,) if verb == "update" else (core_v1.ConfigMap, OBJECT.metadata)
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(getattr(client, verb), *args)
        assert silent.asked.wait(PATIENCE)
        client.close()
        with pytest.raises(kv.errors.ConnectionFailed, match=said):
            call.result(PATIENCE)
