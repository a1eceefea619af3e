"""The causes that travel with a key."""

from __future__ import annotations

from konverge.queue import Cause, Causes, Queue
from konverge.testing.virtual_time import run


def config_map(name: str) -> Cause:
    """Return an update of a ConfigMap."""
    return Cause("update", "ConfigMap", "default", name)


def causes_of(*causes: Cause | None) -> Causes:
    """Return what a worker sees after one add with each cause."""

    async def main() -> Causes:
        queue: Queue[str] = Queue()
        for cause in causes:
            queue.add("a", cause=cause)
        return (await queue.get()).causes

    return run(main())


def test_causes_are_merged_in_order() -> None:
    """Each different cause is named once; the count is of all adds that had one."""
    one, two = config_map("one"), config_map("two")
    assert causes_of(one, None, two, one) == Causes((one, two), 3)
    assert causes_of(None) == Causes()


def test_causes_are_bounded() -> None:
    """A key that thousands of events ask for carries eight and a number."""
    causes = causes_of(*(config_map(str(i)) for i in range(5000)))
    assert causes == Causes(tuple(config_map(str(i)) for i in range(8)), 5000)
    assert str(causes).endswith("update ConfigMap default/7 and 4992 more")


def test_causes_read_as_a_sentence() -> None:
    """Whatever is not known is left out."""
    assert str(config_map("settings")) == "update ConfigMap default/settings"
    assert str(Cause("create", "Namespace", name="default")) == "create Namespace default"
    assert str(Cause("retry")) == "retry"
    assert str(Causes((Cause("retry"), config_map("a")), 2)) == "retry, update ConfigMap default/a"
    assert str(Causes()) == ""


def test_causes_belong_to_one_run() -> None:
    """What is added while a key is in flight is a cause of the next run, not of this one."""

    async def main() -> list[str]:
        queue: Queue[str] = Queue()
        queue.add("a", cause=Cause("create"))
        first = await queue.get()
        queue.add("a", after=5, cause=Cause("requeue"))
        queue.add_rate_limited("a", cause=Cause("retry"))
        queue.done(first)
        second = await queue.get()
        return [str(first.causes), str(second.causes)]

    assert run(main()) == ["create", "requeue, retry"]
