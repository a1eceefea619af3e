"""SIGKILL in the middle of a rollout: whoever starts again ends it, with as many pods as asked for and no other."""

from __future__ import annotations

import asyncio
import shlex
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from comparing.stage import Stage
from scenarios.deployment import DEPLOYMENT, deployment, rolled_out, use_image

from konverge import Client, Config

REPLICAS = 12


@asynccontextmanager
async def apiserver(folder: Path) -> AsyncIterator[Stage]:
    """`konverge apiserver --controllers` in a process of its own, which is killed at the end."""
    program = "from konverge.cli import main; main()"
    command = [sys.executable, "-c", program, "apiserver", "--controllers", "--data", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: ASYNC220 - it starts at once
        try:
            assert process.stdout is not None
            line = await asyncio.to_thread(process.stdout.readline)
            kubeconfig = shlex.split(line.partition("=")[2])[0]
            async with Client.connect(Config.load(kubeconfig)) as client:
                yield Stage(client.in_namespace("default"), "default")
        finally:
            process.kill()


async def test_a_rollout_goes_on_after_a_kill(tmp_path: Path) -> None:
    """The same end as without it: all pods are new, none is there twice, and the old ReplicaSet is empty."""
    async with apiserver(tmp_path) as stage:
        await stage.create(deployment(replicas=REPLICAS))
        await rolled_out(stage, REPLICAS)
        await use_image(stage, "example.com/web:2")
        await stage.until(DEPLOYMENT, "web", lambda obj: 0 < obj["status"]["updatedReplicas"] < REPLICAS)
    async with apiserver(tmp_path) as stage:
        await rolled_out(stage, REPLICAS)
        pods = await stage.until_listed("v1 Pod", lambda found: len(found) == REPLICAS)
        assert {pod["spec"]["containers"][0]["image"] for pod in pods} == {"example.com/web:2"}
        assert len({pod["status"]["podIP"] for pod in pods}) == REPLICAS
        sets = await stage.list("apps/v1 ReplicaSet")
        assert sorted(each["spec"]["replicas"] for each in sets) == [0, REPLICAS]
