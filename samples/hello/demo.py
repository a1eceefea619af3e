"""`make hello`: the embedded API server, the operator of hello.py and one Greeting, in one process.

It plays a short scene and shows what the operator made of each step: a table, and what to try next.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path

import yaml
from hello import Greeting, add_to
from rich.console import Console
from rich.table import Table

import konverge as kv
from konverge.cluster.embedded import EmbeddedCluster
from konverge.models import core_v1

HERE = Path(__file__).parent
PATIENCE = 30.0  # seconds for a step, of which each takes milliseconds

NEXT = """
[bold]Try next:[/] the same with a server that stays, and kubectl (`make kube` builds one)

  [cyan].venv/bin/konverge apiserver --memory[/]              # says how to point kubectl at it
  [cyan]kubectl apply -f samples/hello/greeting-crd.yaml[/]   # in another terminal, from here on
  [cyan].venv/bin/python samples/hello/hello.py &[/]          # the operator
  [cyan]kubectl apply -f samples/hello/greeting.yaml[/]
  [cyan]kubectl get greetings,configmaps[/]

The operator is samples/hello/hello.py: change it, and run `make hello` again.
docs/controllers.md explains it, docs/testing.md shows how to test one.
"""


class Scene:
    """The steps, each with what the operator made of it."""

    def __init__(self, client: kv.Client) -> None:
        self._client = client
        self._seen: str | None = None  # the version of the last step's ConfigMap
        self.table = Table("what happened", "what the operator made of it", "within", title="hello.py at work")

    async def step(self, what: str, done: Awaitable[object], *names: str) -> None:
        """Do something, wait until the operator has greeted these names anew, and note it."""
        began = time.perf_counter()
        await done
        async with asyncio.timeout(PATIENCE):
            while not _is_new(card := await self._card(), self._seen, names):  # noqa: ASYNC110 - as a person would look
                await asyncio.sleep(0.001)
        took = f"{(time.perf_counter() - began) * 1000:.0f} ms"
        self._seen = card.metadata.resource_version
        self.table.add_row(what, _shown(card), took, end_section=True)

    async def _card(self) -> core_v1.ConfigMap:
        nothing = core_v1.ConfigMap(metadata=kv.ObjectMeta())
        return await kv.ignore_not_found(self._client.get(core_v1.ConfigMap, "pioneers")) or nothing


def _is_new(card: core_v1.ConfigMap, seen: str | None, names: tuple[str, ...]) -> bool:
    return card.metadata.resource_version != seen and tuple(card.data or {}) == names


def _shown(card: core_v1.ConfigMap) -> str:
    owner = (card.metadata.owner_references or [])[0]
    lines = [f"  {name}: {text}" for name, text in (card.data or {}).items()]
    return "\n".join([f"ConfigMap {card.metadata.name} of {owner.kind} {owner.name}", *lines])


async def play(client: kv.Client) -> Table:
    """Create a Greeting, take away what the operator made of it, change it."""
    scene = Scene(client)
    await scene.step("a Greeting is created", client.create(read("greeting.yaml")), "Ada", "Grace")
    await scene.step("its ConfigMap is deleted", client.delete(core_v1.ConfigMap, "pioneers"), "Ada", "Grace")
    greeting = await client.get(Greeting, "pioneers")
    greeting.spec.to = ["Barbara"]
    await scene.step("the Greeting is changed", client.update(greeting), "Barbara")
    return scene.table


def read(name: str) -> kv.Unstructured:
    """Return the object of a file."""
    value = yaml.safe_load((HERE / name).read_text(encoding="utf-8"))
    made = kv.Unstructured(api_version=value["apiVersion"], kind=value["kind"])
    made.metadata, made["spec"] = kv.ObjectMeta(**value["metadata"]), value["spec"]
    return made


@asynccontextmanager
async def running(manager: kv.Manager) -> AsyncIterator[None]:
    """Run a manager as long as the block."""
    task = asyncio.create_task(manager.start())
    try:
        yield
    finally:
        manager.stop()
        await task


async def main(console: Console) -> None:
    """Play the scene on a server of its own."""
    began = time.perf_counter()
    async with EmbeddedCluster() as cluster, kv.Client(cluster.transport()) as client:
        console.print(f"An API server is ready, in this process, after {time.perf_counter() - began:.2f} s.")
        await client.create(read("greeting-crd.yaml"))
        manager = add_to(kv.Manager(transport=cluster.transport(), metrics_address=None))
        async with running(manager):
            table = await play(client.in_namespace("default"))
    console.print(table)
    console.print(f"All of it took {time.perf_counter() - began:.2f} s.")
    console.print(NEXT, highlight=False, soft_wrap=True)


if __name__ == "__main__":
    asyncio.run(main(Console()))
