"""Playing: each scenario on our control plane under virtual time, then all of them at once on the real one.

Ours comes first, since it takes milliseconds: its end is what the real one is waited for, so that no time has to be
guessed after which a real cluster has come to rest. What differs when patience ends is the finding.
"""

from __future__ import annotations

import asyncio
import difflib
import gc
import json
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

import konverge as kv
from comparing.normal import normal
from comparing.noting_writes import NotingWrites
from comparing.scenario import Scenario
from comparing.stage import Stage
from konverge.cluster.control_plane import add_control_plane
from konverge.cluster.controller_run import ControllerRun
from konverge.errors import NotFound
from konverge.models import core_v1
from konverge.testing import Cluster, VirtualCluster, eventually
from konverge.testing.virtual_time import run

State = dict[str, list[dict[str, Any]]]

_REST = 60.0  # virtual seconds after the last step: whatever ours would still do is done by then
_SECOND_LOOK = 5.0  # virtual seconds
_PATIENCE = 45.0  # seconds for the real one to come to the same end
_LOOK_EVERY = 0.5
_AT_ONCE = 24


@dataclass
class Outcome:
    """What became of a scenario."""

    ours: State | None = None
    theirs: State | None = None
    writes: list[str] = field(default_factory=list)  # of ours, when it is started anew and nothing has changed
    error: BaseException | None = None

    def difference(self) -> str:
        """Return how the real end differs from ours, as a diff; nothing where it does not."""
        if self.error is not None:
            return f"{type(self.error).__name__}: {self.error}"
        real, ours = (_lines(state or {}) for state in (self.theirs, self.ours))
        return "\n".join(difflib.unified_diff(real, ours, "real", "ours", lineterm="", n=6))


def play_ours(scenario: Scenario) -> tuple[State, list[str]]:
    """Play a scenario on our control plane, let it come to rest, and return the end.

    Then the control plane is started anew, and what it writes although nothing has changed is returned, too.
    """
    return run(_ours(scenario))


async def _ours(scenario: Scenario) -> tuple[State, list[str]]:
    cluster = VirtualCluster()
    namespace = cluster.create_namespace()
    async with cluster.client(namespace=namespace) as client:
        stage = Stage(client, namespace)
        async with _control_plane(cluster, seed=1):
            await eventually(lambda: _node_is_there(client))
            await scenario.play(stage)
            await asyncio.sleep(_REST)
        state = await _state(stage, scenario)
        async with _control_plane(cluster, seed=2) as writes:
            await asyncio.sleep(_SECOND_LOOK)
        return state, writes if scenario.rests else []


@asynccontextmanager
async def _control_plane(cluster: VirtualCluster, *, seed: int) -> AsyncIterator[list[str]]:
    """Run it in the block, and note what it writes."""
    noting = NotingWrites(cluster.transport())
    control_plane = ControllerRun(noting, add_control_plane, random=Random(seed))
    await control_plane.start()
    try:
        yield noting.writes
    finally:
        await control_plane.stop()


async def _node_is_there(client: kv.Client) -> bool:
    return bool(await client.list(core_v1.Node))


async def play_both(cluster: Cluster, scenarios: Iterable[Scenario]) -> dict[str, Outcome]:
    """Play scenarios on both sides, the real one's all at once; return what became of each."""
    with _seldom_collecting():
        return await _play_both(cluster, scenarios)


@contextmanager
def _seldom_collecting() -> Iterator[None]:
    """Spare what is there, and look seldom: each cluster is much and lives briefly, and half of the time went there."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


async def _play_both(cluster: Cluster, scenarios: Iterable[Scenario]) -> dict[str, Outcome]:
    outcomes: dict[str, Outcome] = {}
    turns = asyncio.Semaphore(_AT_ONCE)
    async with asyncio.TaskGroup() as group:
        for scenario in scenarios:
            outcome = outcomes[scenario.name] = Outcome()
            try:
                # A loop must be the only one of its thread; and the real ones go on meanwhile.
                outcome.ours, outcome.writes = await asyncio.to_thread(play_ours, scenario)
            except Exception as error:  # noqa: BLE001 - one scenario's failure is not another's
                outcome.error = error
            else:
                group.create_task(_play_in_turn(cluster, scenario, outcome, turns))
    return outcomes


async def _play_in_turn(cluster: Cluster, scenario: Scenario, outcome: Outcome, turns: asyncio.Semaphore) -> None:
    async with turns:
        try:
            await _theirs(cluster, scenario, outcome)
        except Exception as error:  # noqa: BLE001 - as above
            outcome.error = error


async def _theirs(cluster: Cluster, scenario: Scenario, outcome: Outcome) -> None:
    namespace = await asyncio.to_thread(cluster.create_namespace)
    async with cluster.client(namespace=namespace) as client:
        await eventually(lambda: _account_is_there(client))
        stage = Stage(client, namespace)
        await scenario.play(stage)
        end = asyncio.get_running_loop().time() + _PATIENCE
        while True:
            outcome.theirs = await _state(stage, scenario)
            if outcome.theirs == outcome.ours or asyncio.get_running_loop().time() > end:
                return
            await asyncio.sleep(_LOOK_EVERY)


async def _account_is_there(client: kv.Client) -> bool:
    """Whether pods can be created: without its account the first try would fail, and leave an event."""
    try:
        await client.get(core_v1.ServiceAccount, "default")
    except NotFound:
        return False
    return True


async def _state(stage: Stage, scenario: Scenario) -> State:
    objects = {kind: await stage.list(kind) for kind in scenario.shows}
    return normal(objects, stage.namespace)


def _lines(state: State) -> list[str]:
    return json.dumps(state, indent=1, sort_keys=True).splitlines()
