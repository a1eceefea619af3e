from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from konverge import ObjectMeta
from konverge.controller import (
    BlockingContext,
    CacheSyncTimeout,
    Channel,
    ChannelSource,
    Context,
    KindSource,
    Request,
    Result,
    TerminalError,
)
from konverge.errors import Conflict, ConnectionFailed, NotFound, RequestError
from konverge.models import core_v1
from konverge.queue import Queue

if TYPE_CHECKING:
    from tests.controller.conftest import World

A = Request("shop", "a")


@dataclass
class Script:
    """A reconciler that does one thing after the other and notes when it was called, for whom and why."""

    outcomes: list[Any]
    notes: list[str] = field(default_factory=list)

    async def reconcile(self, ctx: Context, request: Request) -> Result | None:
        """Do the next thing."""
        self.notes.append(f"{asyncio.get_running_loop().time():g} {request} ({ctx.causes})")
        outcome = self.outcomes.pop(0) if self.outcomes else None
        if isinstance(outcome, BaseException):
            raise outcome
        if callable(outcome):
            outcome = await outcome(ctx)
        return outcome


def test_every_object_is_reconciled_once_the_cache_is_in_sync(world: World) -> None:
    """Workers wait for the sync; the initial list, a change and a deletion each lead to a run, with their cause."""
    script = Script([])

    async def main() -> None:
        made = world.controller(script)
        made.watch(KindSource(world.informers, world.Widget))
        async with world.running(made):
            await asyncio.sleep(1)
            await world.informers.synced(world.Widget, world.widget("a"), world.widget("b"))
            await asyncio.sleep(1)
            world.informers.changed(world.widget("a", resourceVersion="2"))
            await asyncio.sleep(1)
            world.informers.deleted(world.widget("b", resourceVersion="3"))
            await asyncio.sleep(1)

    world.play(main())
    assert script.notes == [
        "1 shop/a (initial Widget shop/a)",
        "1 shop/b (initial Widget shop/b)",
        "2 shop/a (update Widget shop/a)",
        "3 shop/b (delete Widget shop/b)",
    ]
    assert world.counts.heard == ["success 0"] * 4


def test_a_failure_is_tried_again_with_backoff_until_it_succeeds(world: World) -> None:
    """The pause doubles with each failure, and starts over after a success."""
    script = Script([ConnectionFailed("x"), ConnectionFailed("x"), ConnectionFailed("x"), None, ConnectionFailed("x")])

    async def main() -> None:
        made = await world.watching(script, world.widget("a"))
        async with world.running(made):
            await asyncio.sleep(1)
            world.informers.changed(world.widget("a", resourceVersion="2"))
            await asyncio.sleep(1)

    world.play(main())
    assert script.notes == [
        "0 shop/a (initial Widget shop/a)",
        "0.005 shop/a (retry)",
        "0.015 shop/a (retry)",
        "0.035 shop/a (retry)",
        "1 shop/a (update Widget shop/a)",
        "1.005 shop/a (retry)",
    ]
    assert world.counts.heard.count("error") == 4
    assert "panic" not in world.counts.heard


def test_requeue_after_ends_the_backoff_and_requeue_does_not(world: World) -> None:
    """The rules of the outcome, seen from outside: delays as asked, and the backoff where it belongs."""
    script = Script([Result(requeue=True), Result(requeue=True), Result(requeue_after=timedelta(seconds=30))])
    script.outcomes += [Result(requeue=True), Result(requeue_after=0)]

    async def main() -> None:
        made = await world.watching(script, world.widget("a"))
        async with world.running(made):
            await asyncio.sleep(60)

    world.play(main())
    assert script.notes == [
        "0 shop/a (initial Widget shop/a)",
        "0.005 shop/a (requeue)",
        "0.015 shop/a (requeue)",
        "30.015 shop/a (requeue after 30 s)",
        "30.02 shop/a (requeue)",
    ]
    results = [line.split()[0] for line in world.counts.heard]
    assert results == ["requeue", "requeue", "requeue_after", "requeue", "success"]


def test_a_terminal_error_waits_for_the_next_event(world: World) -> None:
    """Nothing is tried again until something changes."""
    script = Script([TerminalError("the image name is not valid")])

    async def main() -> None:
        made = await world.watching(script, world.widget("a"))
        async with world.running(made):
            await asyncio.sleep(3600)
            world.informers.changed(world.widget("a", resourceVersion="2"))
            await asyncio.sleep(1)

    world.play(main())
    assert [note.split()[0] for note in script.notes] == ["0", "3600"]
    assert world.counts.heard == ["error 0", "error", "terminal", "success 0"]


@pytest.mark.parametrize("error", [KeyError("x"), TypeError("x"), ZeroDivisionError("x"), asyncio.CancelledError()])
def test_a_bug_ends_no_worker(world: World, lines: list[dict[str, Any]], error: BaseException) -> None:
    """Whatever is raised is logged with object and stack and tried again; bugs are counted as panics."""
    script = Script([error])

    async def main() -> None:
        made = await world.watching(script, world.widget("a"))
        async with world.running(made):
            await asyncio.sleep(1)

    world.play(main())
    assert [note.split()[0] for note in script.notes] == ["0", "0.005"]
    (line,) = [line for line in lines if line["msg"] == "Reconciler error"]
    assert (line["controller"], line["controllerKind"], line["name"]) == ("test", "Widget", "a")
    assert "test_controller.py" in line["stacktrace"]
    assert ("panic" in world.counts.heard) is (not isinstance(error, asyncio.CancelledError))


def test_a_reconcile_that_takes_too_long_is_ended(world: World) -> None:
    """The timeout is an error like any other, counted apart; a TimeoutError of the author's own is not one."""

    async def forever(_ctx: Context) -> None:
        await asyncio.sleep(1000)

    script = Script([forever, TimeoutError("the author's")])

    async def main() -> None:
        made = await world.watching(script, world.widget("a"), reconcile_timeout=5)
        async with world.running(made):
            await asyncio.sleep(100)

    world.play(main())
    assert [note.split()[0] for note in script.notes] == ["0", "5.005", "5.015"]
    assert world.counts.heard == ["error 5", "error", "timeout", "error 0", "error", "success 0"]


def test_returning_something_else_is_an_error(world: World, lines: list[dict[str, Any]]) -> None:
    """A reconcile that returns what is no Result is told so."""
    script = Script([30])

    async def main() -> None:
        made = await world.watching(script, world.widget("a"))
        async with world.running(made):
            await asyncio.sleep(1)

    world.play(main())
    (line,) = [line for line in lines if line["msg"] == "Reconciler error"]
    assert line["error"] == "reconcile returned int: return kv.Result(…), or None for done"


def test_no_object_has_two_workers(world: World) -> None:
    """With many workers, different objects are reconciled at the same time and one object never is."""
    busy: list[str] = []
    most = 0

    async def reconcile(_ctx: Context, request: Request) -> None:
        nonlocal most
        assert request.name not in busy
        busy.append(request.name)
        most = max(most, len(busy))
        await asyncio.sleep(1)
        busy.remove(request.name)

    async def main() -> None:
        names = [world.widget(name) for name in "abcdef"]
        made = await world.watching(reconcile, *names, max_concurrent_reconciles=4)
        async with world.running(made):
            for version in range(2, 30):
                world.informers.changed(world.widget("a", resourceVersion=str(version)))
                await asyncio.sleep(0.3)

    world.play(main())
    assert most == 4
    assert not any("error" in line for line in world.counts.heard)


def test_a_worker_that_never_waits_gives_way_all_the_same(world: World) -> None:
    """However many objects there are, everything else gets its turns, even where the clock stands still."""
    runs = 0
    between: list[int] = []

    async def reconcile(_ctx: Context, _request: Request) -> None:
        nonlocal runs
        runs += 1

    async def main() -> None:
        made = await world.watching(reconcile, *(world.widget(f"w{number}") for number in range(1000)))
        async with world.running(made):
            while runs < 1000:
                between.append(-runs)
                await asyncio.sleep(0)
                between[-1] += runs

    world.play(main())
    assert max(between) <= 128


def test_stopping_lets_work_under_way_end_and_takes_no_more(world: World) -> None:
    """After stop, the run in flight finishes; what waits is not begun."""
    notes: list[str] = []

    async def reconcile(_ctx: Context, request: Request) -> None:
        notes.append(f"begin {request}")
        await asyncio.sleep(10)
        notes.append(f"end {request}")

    async def main() -> float:
        made = await world.watching(reconcile, world.widget("a"), world.widget("b"))
        async with world.running(made):
            await asyncio.sleep(1)
        world.informers.changed(world.widget("c"))
        return asyncio.get_running_loop().time()

    assert world.play(main()) == 10
    assert notes == ["begin shop/a", "end shop/a"]


def test_cancelling_ends_it_at_once(world: World) -> None:
    """A cancelled run ends the reconcile under way where it waits."""

    async def reconcile(_ctx: Context, _request: Request) -> None:
        await asyncio.sleep(1000)

    async def main() -> float:
        made = await world.watching(reconcile, world.widget("a"))
        task = asyncio.create_task(made.run())
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return asyncio.get_running_loop().time()

    assert world.play(main()) == 1


def test_stopping_before_the_sync(world: World) -> None:
    """A controller whose cache never comes in sync can be stopped, and says meanwhile what it waits for."""

    async def main() -> None:
        made = world.controller(Script([]))
        made.watch(KindSource(world.informers, world.Widget))
        async with world.running(made):
            await asyncio.sleep(100)

    world.play(main())


def test_a_source_that_is_waited_for_is_named(world: World, lines: list[dict[str, Any]]) -> None:
    """The log names the source that is not in sync, less and less often; with a limit, the controller ends."""

    async def main() -> None:
        made = world.controller(Script([]), cache_sync_timeout=100)
        made.watch(KindSource(world.informers, world.Widget))
        with pytest.raises(CacheSyncTimeout, match=r'controller "test": KindSource\(test.konverge.dev/v1 Widget\)'):
            await made.run()

    world.play(main())
    waits = [line for line in lines if line["msg"] == "waiting for a source"]
    assert len(waits) == 3
    assert waits[0]["source"] == "KindSource(test.konverge.dev/v1 Widget)"


def test_resyncs_and_the_initial_list_give_way_to_news(world: World) -> None:
    """A change passes the initial list that still waits; a resync comes after it."""
    script = Script([])

    async def slowly(_ctx: Context) -> None:
        await asyncio.sleep(1)

    async def main() -> None:
        script.outcomes = [slowly] * 20
        made = await world.watching(script, *(world.widget(name) for name in "abcd"))
        async with world.running(made):
            await asyncio.sleep(0.5)
            world.informers.resync("Widget")
            world.informers.changed(world.widget("new", resourceVersion="2"))
            await asyncio.sleep(20)

    world.play(main())
    order = [note.split("/")[1].split()[0] for note in script.notes]
    assert order == ["a", "new", "b", "c", "d", "a"]
    assert script.notes[-1] == "5 shop/a (resync Widget shop/a)"


def test_the_log_says_what_was_written_and_why(world: World, lines: list[dict[str, Any]]) -> None:
    """A run that wrote is logged with its writes, its time and its causes; the lines of the author carry its id."""

    async def reconcile(ctx: Context, request: Request) -> None:
        ctx.log.info("at work")
        made = core_v1.ConfigMap(metadata=ObjectMeta(name=request.name, namespace="shop"))
        await ctx.client.create(made)
        await ctx.client.create(core_v1.ConfigMap(metadata=ObjectMeta(name="dry", namespace="shop")), dry_run=True)
        await asyncio.sleep(2)

    async def main() -> None:
        made = await world.watching(reconcile, world.widget("a"))
        async with world.running(made):
            await asyncio.sleep(5)

    world.play(main())
    (line,) = [line for line in lines if line["msg"] == "reconciled"]
    assert line["written"] == ["create configmaps shop/a"]
    assert (line["took"], line["causes"], line["level"]) == (2.0, "initial Widget shop/a", "info")
    (own,) = [line for line in lines if line["msg"] == "at work"]
    assert own["reconcileID"] == line["reconcileID"]
    assert len(own["reconcileID"]) == 36


def test_a_plain_def_works_in_a_thread_with_a_blocking_client(world: World, lines: list[dict[str, Any]]) -> None:
    """The same verbs without await, and its writes are noted too."""

    def reconcile(ctx: BlockingContext, request: Request) -> Result:
        ctx.client.create(core_v1.ConfigMap(metadata=ObjectMeta(name=request.name, namespace="shop")))
        found = ctx.live.get(core_v1.ConfigMap, request)
        assert found.metadata.uid
        return Result(requeue_after=10)

    async def main() -> None:
        world.server.delay = 1.0
        made = await world.watching(reconcile, world.widget("a"))
        async with world.running(made):
            await asyncio.sleep(5)

    world.play(main())
    assert world.counts.heard == ["requeue_after 2"]
    (line,) = [line for line in lines if line["msg"] == "reconciled"]
    assert line["written"] == ["create configmaps shop/a"]


def test_a_plain_def_that_fails(world: World) -> None:
    """Errors of the server and the author's own come out of the thread as they are."""
    outcomes: list[Exception] = [StopIteration(), KeyError("x")]

    def reconcile(ctx: BlockingContext, request: Request) -> None:
        if outcomes:
            raise outcomes.pop()
        with pytest.raises(Conflict):
            ctx.client.create(core_v1.ConfigMap(metadata=ObjectMeta(name=request.name, namespace="shop")))

    async def main() -> None:
        world.server.refusals = [(409, "Conflict")]
        made = await world.watching(reconcile, world.widget("a"))
        async with world.running(made):
            await asyncio.sleep(5)

    world.play(main())
    assert world.counts.heard == ["error 0", "error", "panic", "error 0", "error", "success 0"]


def test_a_thread_past_its_time_can_do_no_more(world: World) -> None:
    """After the timeout the client refuses, and the key stays locked until the thread has ended."""
    notes: list[str] = []

    def reconcile(ctx: BlockingContext, request: Request) -> None:
        for attempt in range(2):
            try:
                ctx.client.create(core_v1.ConfigMap(metadata=ObjectMeta(name=request.name, namespace="shop")))
            except ConnectionFailed as error:
                notes.append(f"{attempt} {'took longer than 5 s' in str(error) or 'closed' in str(error)}")

    async def main() -> None:
        world.server.delay = 60.0
        made = await world.watching(reconcile, world.widget("a"), reconcile_timeout=5)
        async with world.running(made):
            await asyncio.sleep(5.001)

    world.play(main())
    assert notes == ["0 True", "1 True"]
    assert world.counts.heard == ["error 5", "error", "timeout"]
    assert world.server.objects == {}


@pytest.mark.parametrize(
    ("reconciler", "message"),
    [
        (Script, "Script is a class: give an instance"),
        (object(), "is no reconciler"),
        (lambda ctx: None, "does not take"),  # noqa: ARG005 - wrong on purpose
    ],
)
def test_what_is_no_reconciler_is_refused(world: World, reconciler: Any, message: str) -> None:
    """A mistake is named when the controller is made."""
    with pytest.raises(RequestError, match=message):
        world.controller(reconciler)


def test_a_result_may_ask_for_another_priority(world: World) -> None:
    """What is requeued keeps the priority of its run, unless the result says otherwise."""
    priorities: list[int] = []

    async def main() -> None:
        script = Script([Result(requeue_after=1), Result(requeue_after=1, priority=7), None])
        made = await world.watching(script, world.widget("a"))
        async with world.running(made):
            for _ in range(3):
                await asyncio.sleep(0.5)
                priorities.extend(made.queue.state().depth)
                await asyncio.sleep(0.5)

    world.play(main())
    assert set(priorities) <= {-100, 7}
    assert len(world.counts.heard) == 3


class Shy:
    """A source that cannot start at first."""

    problems = ()

    def __init__(self) -> None:
        self.faults: list[Exception] = [NotFound("the server does not serve kind Widget"), ConnectionFailed("away")]
        self.stopped = False

    async def start(self, queue: Queue[Request], group: asyncio.TaskGroup) -> None:
        """Fail, or bring one request."""
        del group
        if self.faults:
            raise self.faults.pop(0)
        queue.add(A)

    async def wait_for_sync(self) -> None:
        """Be in sync."""

    def stop(self) -> None:
        """Note it."""
        self.stopped = True


def test_a_source_that_cannot_start_is_tried_again(world: World, lines: list[dict[str, Any]]) -> None:
    """A kind that is not served yet keeps its controller waiting, and is named with its reason."""
    script, shy = Script([]), Shy()

    async def main() -> None:
        made = world.controller(script)
        made.watch(shy)
        async with world.running(made):
            await asyncio.sleep(10)

    world.play(main())
    assert [note.split()[0] for note in script.notes] == ["2.4"]
    assert [line["cause"] for line in lines if "cannot start" in line["msg"]][1] == "away"
    assert shy.stopped


def test_a_source_with_a_bug_ends_the_controller(world: World) -> None:
    """What trying again would not mend is raised, as it is."""

    async def main() -> None:
        made, shy = world.controller(Script([])), Shy()
        shy.faults = [KeyError("bug")]
        made.watch(shy)
        with pytest.raises(KeyError, match="bug"):
            await made.run()

    world.play(main())


def test_a_blocking_client_on_the_loop_is_refused(world: World, lines: list[dict[str, Any]]) -> None:
    """A blocking context that leaks to the loop's own thread says what to do, instead of waiting for ever."""
    kept: list[BlockingContext] = []

    def reconcile(ctx: BlockingContext, _request: Request) -> None:
        kept.append(ctx)
        looked.wait(5)

    looked = threading.Event()

    async def main() -> None:
        made = await world.watching(reconcile, world.widget("a"))
        async with world.running(made):
            while not kept:  # noqa: ASYNC110 - the thread has no event of the loop to set
                await asyncio.sleep(0)
            with pytest.raises(RequestError, match="await a Client instead"):
                kept[0].client.get(core_v1.ConfigMap, A)
            looked.set()

    world.play(main())
    assert not [line for line in lines if line["level"] == "error"]


def test_watches_come_and_go_while_it_runs(world: World) -> None:
    """A source that is added starts at once, and one that is removed brings nothing more."""
    script = Script([])
    channel = Channel()

    async def main() -> None:
        made = await world.watching(script, world.widget("a"))
        source = ChannelSource(channel, name="outside")
        async with world.running(made):
            await asyncio.sleep(1)
            channel.push(A)  # kept until someone listens
            made.watch(source)
            await asyncio.sleep(1)
            made.unwatch(source)
            channel.push(A)
            await asyncio.sleep(1)

    world.play(main())
    assert script.notes == ["0 shop/a (initial Widget shop/a)", "1 shop/a (generic outside shop/a)"]


def test_warming_up_fills_the_queue_before_it_runs(world: World) -> None:
    """Sources start with the warm-up; nothing is reconciled before `run`."""
    script = Script([])

    async def main() -> None:
        made = await world.watching(script, world.widget("a"), enable_warmup=True)
        await made.warm_up()
        assert len(made.queue) == 1
        await asyncio.sleep(7)
        async with world.running(made):
            await asyncio.sleep(1)

    world.play(main())
    assert script.notes == ["7 shop/a (initial Widget shop/a)"]


def test_a_warm_controller_that_never_leads_can_be_stopped(world: World) -> None:
    """Its sources end with it."""

    async def main() -> None:
        made = await world.watching(Script([]), enable_warmup=True)
        await made.warm_up()
        made.stop()
        await asyncio.sleep(0.1)
        assert (await world.informers.informer(world.Widget)).handlers == 0

    world.play(main())


def test_it_runs_once(world: World) -> None:
    """A second run is refused."""

    async def main() -> None:
        made = await world.watching(Script([]))
        async with world.running(made):
            await asyncio.sleep(1)
        with pytest.raises(RequestError, match="make a new one"):
            await made.run()

    world.play(main())


def test_its_repr_shows_its_state(world: World) -> None:
    """The name, the sources and the queue are in it."""

    async def main() -> str:
        return repr(await world.watching(Script([])))

    assert world.play(main()) == (
        "<Controller 'test': 1 sources, not in sync, <Queue 'test': 0 ready, 0 delayed, 0 in flight>>"
    )
