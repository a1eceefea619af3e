from __future__ import annotations

import asyncio
import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from process_stage import eventually_found, is_ready, main, processes_of, stage, terminated, waits_for

from konverge import Client, ObjectMeta
from konverge.client.config import Config
from konverge.cluster.node.process.disk import Disk
from konverge.cluster.node.process.process_table import MARK, mark_of
from konverge.models import apps_v1, core_v1
from konverge.testing import eventually

# A control plane and a node in one process, as `konverge up` runs them; killed as a whole.
PROGRAM = """
import asyncio, signal, sys
from konverge.cluster import controllers, scheduler
from konverge.cluster.embedded import EmbeddedCluster
from konverge.cluster.node.process import Catalogue, ProcessNode

async def main(folder):
    node = ProcessNode(Catalogue({"sh": ["sh"]}), folder=folder + "/node", server=lambda: cluster.url)
    def add(manager):
        controllers.add_to(manager)
        scheduler.add_to(manager)
        node.add_to(manager)
    cluster = EmbeddedCluster(folder=folder + "/data", listen=True, controllers=add, loopback_endpoints=True)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with cluster:
        print(cluster.kubeconfig, flush=True)
        await stop.wait()

asyncio.run(main(sys.argv[1]))
"""


class Program:
    """A control plane with a node, as a process."""

    def __init__(self, process: asyncio.subprocess.Process, client: Client) -> None:
        self.process = process
        self.client = client

    async def end(self, number: signal.Signals) -> None:
        """End it by a signal."""
        await self.client.close()
        self.process.send_signal(number)
        await self.process.wait()


@asynccontextmanager
async def program(folder: Path) -> AsyncIterator[Program]:
    """Run it; it is gone at the end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, str(folder), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        kubeconfig = (await process.stdout.readline()).decode().strip()
        client = Client.connect(Config.load(kubeconfig)).in_namespace("default")
        made = Program(process, client)
        yield made
        if process.returncode is None:
            await made.end(signal.SIGTERM)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def deployment(version: str) -> apps_v1.Deployment:
    """Return a deployment of three pods that a rollout changes one by one."""
    script = f"trap 'exit 0' TERM; echo {version}; while :; do sleep 0.05; done"
    labels = {"app": "web"}
    return apps_v1.Deployment.from_dict(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {
                "replicas": 3,
                "selector": {"matchLabels": labels},
                "template": {
                    "metadata": {"labels": labels},
                    "spec": {"containers": [{"name": "main", "image": "sh", "args": ["-c", script]}]},
                },
            },
        }
    )


async def rolled_out(client: Client) -> apps_v1.Deployment:
    """Wait until a rollout is over."""

    async def so() -> apps_v1.Deployment | None:
        found = await client.get(apps_v1.Deployment, "web")
        status = found.status
        counts = (status.replicas, status.updated_replicas, status.available_replicas)
        return found if counts == (3, 3, 3) and status.observed_generation == found.metadata.generation else None

    return await eventually_found(so)


def main_processes(folder: Path) -> list[str]:
    """Return the pods whose containers have a process, by the marks of the processes."""
    marks = [mark_of(pid) or "" for pid in processes_of(folder / "node")]
    return sorted({mark.split("/")[3] for mark in marks if mark})


async def test_killed_in_the_middle_of_a_rollout(tmp_path: Path) -> None:
    """The containers of a killed node end with it; the next start brings the rollout to the same end."""
    async with program(tmp_path) as first:
        await first.client.create(deployment("v1"))
        await rolled_out(first.client)
        assert len(main_processes(tmp_path)) == 3
        await first.client.apply(deployment("v2"), force=True)

        async def begun() -> bool:
            return len(await first.client.list(apps_v1.ReplicaSet)) == 2

        await eventually(begun)
        await first.end(signal.SIGKILL)

        async def ended() -> bool:
            return not processes_of(tmp_path / "node")

        await eventually(ended)
    async with program(tmp_path) as second:
        await rolled_out(second.client)

        async def settled() -> list[core_v1.Pod] | None:
            pods = list(await second.client.list(core_v1.Pod))
            return pods if len(pods) == 3 and all(map(is_ready, pods)) else None

        pods = await eventually_found(settled)
        assert all("echo v2" in str(pod.spec.containers[0].args) for pod in pods)
        assert main_processes(tmp_path) == sorted(f"default_{pod.metadata.name}" for pod in pods)
    assert not processes_of(tmp_path / "node")


async def test_what_a_killed_reaper_left_is_ended_by_the_next_start(tmp_path: Path) -> None:
    """A process that carries a node's mark is ended before the node starts anything, and so is what it started."""
    async with stage(tmp_path / "node") as here:
        pod = await here.create("{name: first, main: sleep 300}")
        await here.ready("first")
        (mark,) = {mark_of(pid) for pid in processes_of(tmp_path / "node")}
    orphan = await asyncio.create_subprocess_exec(
        "sh", "-c", "sleep 300 & sleep 300", env={**os.environ, MARK: mark or ""}, start_new_session=True
    )
    async with stage(tmp_path / "node") as here:
        assert pod.metadata.uid
        await here.create("{name: second, main: sleep 300}")
        await here.ready("second")
        assert await orphan.wait() == -signal.SIGKILL
        marks = [mark_of(pid) or "" for pid in processes_of(tmp_path / "node")]
        assert all("default_second" in each for each in marks)


async def test_started_again_with_its_pods(tmp_path: Path) -> None:
    """After a graceful end pods run again, counted as restarts; one that may not run again has failed."""
    async with stage(tmp_path / "node", data=tmp_path / "data") as here:
        await here.create("{name: always, main: sleep 300}")
        await here.create("{name: never, restartPolicy: Never, main: sleep 300}")
        before = await here.ready("always")
        await here.ready("never")
    async with stage(tmp_path / "node", data=tmp_path / "data") as here:
        after = await here.until("always", lambda pod: main(pod).restart_count == 1 and is_ready(pod))
        assert after.metadata.uid == before.metadata.uid
        assert "the node was stopped" in str(terminated(main(after), last=True).message)
        await here.phase("never", "Failed")


class FullDisk(Disk):
    """A disk that has no room while it is full."""

    def __init__(self) -> None:
        self.is_full = False

    def write(self, path: Path, content: bytes, mode: int = 0o644) -> None:
        """Write, if there is room."""
        self._check(path)
        super().write(path, content, mode)

    def append(self, descriptor: int, data: bytes) -> None:
        """Write, if there is room."""
        self._check(None)
        super().append(descriptor, data)

    def _check(self, path: Path | None) -> None:
        if self.is_full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), *([str(path)] if path else []))


async def test_a_full_disk(tmp_path: Path) -> None:
    """What runs goes on without its log, what cannot be made says why, and all is well once there is room."""
    disk = FullDisk()
    async with stage(tmp_path / "node", disk=disk) as here:
        await here.client.create(core_v1.ConfigMap(metadata=ObjectMeta(name="conf"), data={"a": "1"}))
        await here.create("{name: talker, main: 'while :; do echo x; sleep 0.02; done'}")
        await here.said("talker", "x")
        disk.is_full = True
        await here.create("{name: late, automountServiceAccountToken: false, main: sleep 300}")
        await here.create("""
            name: volume
            main: {command: [sleep, '300'], volumeMounts: [{name: conf, mountPath: /conf}]}
            volumes: [{name: conf, configMap: {name: conf}}]
        """)
        late = await here.until("late", waits_for("CreateContainerError"))
        assert "the disk is full: No space left on device" in str(main(late).state)
        volume = await here.until("volume", lambda pod: "the disk is full" in str(main(pod).state))
        assert volume.status.phase == "Pending"
        assert await here.events("FailedLog")
        assert any("free some space" in each for each in here.problems)
        disk.is_full = False
        await here.said("talker", "lines could not be written here")
        assert main(await here.pod("talker")).restart_count == 0
        await here.ready("volume")
        await here.ready("late")


NOBODY = 65534
PART = "replicas or environment or hooks or service_account or every_address or crash_loop or service_proxy"


def test_as_an_ordinary_user() -> None:
    """Node and proxy need no rights: where these tests run as root, a part of them runs again as nobody."""
    if os.getuid() != 0:
        return  # the others have just run as one
    here = Path(__file__)
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are root's alone
        shutil.chown(folder, NOBODY, NOBODY)
        command = [_interpreter(), "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={folder}/base"]
        done = subprocess.run(
            [*command, "-k", PART, str(here.with_name("test_node.py")), str(here.parents[2] / "proxy")],
            env={**_ENVIRONMENT, "HOME": folder},
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "15 passed" in done.stdout


_ENVIRONMENT = {"PATH": os.defpath, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}


def _interpreter() -> str:
    """Return an interpreter of this version that nobody may run: this one may be in a folder of root's."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for path in (sys.executable, f"/usr/local/bin/{name}", f"/usr/bin/{name}"):
        with suppress(OSError):
            subprocess.run([path, "-c", "import msgspec"], env=_ENVIRONMENT, user=NOBODY, group=NOBODY, check=True)
            return path
    raise AssertionError(f"no {name} that user {NOBODY} may run: install one, or run the tests as an ordinary user")
