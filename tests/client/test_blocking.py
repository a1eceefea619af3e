"""The blocking client: the async one's methods, on a real server, from threads, forks and programs that end."""

import importlib.util
import inspect
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import konverge as kv
from konverge.client.blocking import (
    BlockingClient,
    create_or_patch,
    create_or_update,
    ignore_already_exists,
    ignore_not_found,
)
from konverge.client.blocking_subresource import BlockingSubresource
from konverge.client.client import Client
from konverge.client.subresource import Subresource
from konverge.models import apps_v1, autoscaling_v1, core_v1
from konverge.testing import Cluster

PATIENCE = 60  # seconds after which a test fails instead of hanging
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def client(cluster: Cluster) -> Iterator[BlockingClient]:
    """A blocking client of the administrator."""
    with BlockingClient.connect(kv.Config.load(cluster.kubeconfig)) as client:
        yield client


def config_map(name: str, namespace: str, **data: str) -> core_v1.ConfigMap:
    """An object to write."""
    return core_v1.ConfigMap(metadata=kv.ObjectMeta(name=name, namespace=namespace), data=data)


# --- generated ---


def test_the_committed_files_are_what_the_generator_writes() -> None:
    """Nobody has edited the blocking client, and it has kept up with the async one (tools/generate_blocking.py)."""
    spec = importlib.util.spec_from_file_location("generate_blocking", ROOT / "tools" / "generate_blocking.py")
    assert spec
    assert spec.loader
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    for name, source in generator.generate().items():
        assert (ROOT / "src" / "konverge" / "client" / name).read_text(encoding="utf-8") == source


@pytest.mark.parametrize(("blocking", "origin"), [(BlockingClient, Client), (BlockingSubresource, Subresource)])
def test_every_method_is_there_with_the_same_parameters(blocking: type, origin: type) -> None:
    """What the async class offers, the blocking one offers under the same names."""
    for name, method in inspect.getmembers(origin, inspect.isfunction):
        if not name.startswith("_"):
            found = getattr(blocking, name)
            assert not inspect.iscoroutinefunction(found)
            assert inspect.signature(found).parameters == inspect.signature(method).parameters


# --- verbs ---


def test_objects_are_written_read_and_deleted(client: BlockingClient, namespace: str) -> None:
    """The verbs work as their async forms do, the object at hand becoming the server's."""
    obj = client.create(config_map("a", namespace, x="1"))
    assert obj.metadata.uid
    obj.data = {"x": "2"}
    client.update(obj)
    client.patch(obj, kv.JsonPatch([{"op": "add", "path": "/data/y", "value": "3"}]))
    assert client.get(core_v1.ConfigMap, "a", namespace=namespace).data == {"x": "2", "y": "3"}
    client.delete(obj)
    with pytest.raises(kv.errors.NotFound) as caught:
        client.get(core_v1.ConfigMap, "a", namespace=namespace)
    assert caught.traceback[0].name == "test_objects_are_written_read_and_deleted"


def test_apply_and_extract(client: BlockingClient, namespace: str) -> None:
    """What was applied can be extracted and applied again."""
    client.apply(config_map("a", namespace, x="1"))
    mine = client.extract(core_v1.ConfigMap, "a", namespace=namespace)
    assert mine.data == {"x": "1"}
    mine.data["x"] = "2"
    assert client.apply(mine).data == {"x": "2"}


def test_a_list_is_a_list_and_an_iteration_is_paged(client: BlockingClient, namespace: str) -> None:
    """`list` has a length and an index; `iterate` gives the same objects."""
    for name in ("a", "b", "c"):
        client.create(config_map(name, namespace))
    found = client.list(core_v1.ConfigMap, namespace=namespace, page_size=2)
    assert len(found) == 3
    assert found[0].metadata.name == "a"
    assert found.resource_version
    pages = client.iterate(core_v1.ConfigMap, namespace=namespace, page_size=2)
    assert [obj.metadata.name for obj in pages] == ["a", "b", "c"]


def test_an_iteration_over_a_client_that_was_closed_is_an_error(client: BlockingClient, namespace: str) -> None:
    """Half a list must not look like a whole one."""
    for name in ("a", "b", "c"):
        client.create(config_map(name, namespace))
    objects = client.iterate(core_v1.ConfigMap, namespace=namespace, page_size=1)
    assert next(objects).metadata.name == "a"
    client.close()
    with pytest.raises(kv.errors.RequestError, match="closed"):
        next(objects)


def test_a_watch_is_a_plain_iterator(client: BlockingClient, namespace: str) -> None:
    """Events arrive in a `for` loop, and closing the client from another thread ends it."""
    start = client.list(core_v1.ConfigMap, namespace=namespace).resource_version
    client.create(config_map("a", namespace))
    events = client.watch(core_v1.ConfigMap, namespace=namespace, resource_version=start)
    assert next(events).object.metadata.name == "a"
    with ThreadPoolExecutor(1) as pool:
        rest = pool.submit(list, events)
        client.close()
        assert rest.result(PATIENCE) == []


def test_subresources(client: BlockingClient, namespace: str) -> None:
    """Status takes the object itself, scale a body of its own kind."""
    web = apps_v1.Deployment.from_dict(
        {
            "metadata": {"name": "web", "namespace": namespace},
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": {"app": "web"}},
                "template": {
                    "metadata": {"labels": {"app": "web"}},
                    "spec": {"containers": [{"name": "web", "image": "web"}]},
                },
            },
        }
    )
    client.create(web)
    scale = client.subresource("scale").get(web, autoscaling_v1.Scale)
    scale.spec.replicas = 4
    assert client.subresource("scale").update(web, scale).spec.replicas == 4
    web = client.status.get(web)
    web.status.observed_generation = 7
    assert client.status.update(web).status.observed_generation == 7


def test_views_share_the_thread_and_its_end(client: BlockingClient, namespace: str) -> None:
    """A view has other defaults over the same connections, and is closed with the client."""
    view = client.in_namespace(namespace).with_defaults(dry_run=True)
    view.create(config_map("a", namespace))
    assert list(view.list(core_v1.ConfigMap)) == []
    client.close()
    with pytest.raises(kv.errors.RequestError, match="closed"):
        view.list(core_v1.ConfigMap)


def test_upserts_call_mutate_in_the_callers_thread(client: BlockingClient, namespace: str) -> None:
    """`mutate` may use the client itself; the result tells what was done."""

    def mutate(obj: core_v1.ConfigMap) -> None:
        obj.data = {"version": client.version()["minor"]}

    def clear(obj: core_v1.ConfigMap) -> None:
        obj.data = None

    obj = config_map("a", namespace)
    assert create_or_update(client, obj, mutate) is kv.OperationResult.CREATED
    assert create_or_update(client, obj, mutate) is kv.OperationResult.UNCHANGED
    assert create_or_patch(client, obj, mutate) is kv.OperationResult.UNCHANGED
    assert create_or_patch(client, obj, clear) is kv.OperationResult.UPDATED


@pytest.mark.parametrize("function", [kv.create_or_update, kv.create_or_patch])
def test_the_async_functions_refuse_a_blocking_client(client: BlockingClient, function: Any) -> None:
    """They would return a coroutine that nobody awaits, so they say which function is meant."""
    with pytest.raises(kv.errors.RequestError, match=rf"konverge\.client\.blocking\.{function.__name__}"):
        function(client, config_map("a", "x"), lambda _obj: None)


def test_an_async_mutate_is_refused(client: BlockingClient, namespace: str) -> None:
    """A function that would have to be awaited cannot be, and the error says so."""
    import asyncio  # noqa: PLC0415 - nothing else in this file may use it

    async def mutate(_obj: core_v1.ConfigMap) -> None:
        await asyncio.sleep(1)

    with pytest.raises(kv.errors.RequestError, match="calls plain functions"):
        create_or_update(client, config_map("a", namespace), mutate)  # type: ignore[arg-type] # the point


def test_expected_errors_are_ignored(client: BlockingClient, namespace: str) -> None:
    """A call whose object is not there, or there already, gives None; others give their result."""
    assert ignore_not_found(lambda: client.get(core_v1.ConfigMap, "a", namespace=namespace)) is None
    assert ignore_already_exists(lambda: client.create(config_map("a", namespace))) is not None
    assert ignore_already_exists(lambda: client.create(config_map("a", namespace))) is None


def test_many_threads_share_a_client(client: BlockingClient, namespace: str) -> None:
    """Concurrent creates of several threads all succeed."""
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda number: client.create(config_map(f"n{number}", namespace)), range(40)))
    assert len({obj.metadata.uid for obj in made}) == 40


def test_a_timeout_is_for_calls(client: BlockingClient) -> None:
    """A call that outlives the view's time is given up; the client goes on."""
    with pytest.raises(kv.errors.ConnectionFailed, match=r"(Client\.version|get /version): no answer within"):
        client.with_timeout(0).version()
    assert client.with_timeout(PATIENCE).version()


# --- processes ---

FORGETS = """
import konverge as kv
from konverge.client.blocking import BlockingClient
from konverge.models import core_v1
client = BlockingClient.connect()
client.version()
events = client.watch(core_v1.Namespace)
print(next(events).type)
"""

FORKS = """
import os, sys, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of forks beside threads; here it is the point
import konverge as kv
from konverge.client.blocking import BlockingClient
unused, client = BlockingClient.connect(), BlockingClient.connect()
client.version()
child = os.fork()
if child == 0:
    try:
        client.version()
    except kv.errors.RequestError as error:
        print(error, flush=True)
    client.close()
    print("child", unused.version()["major"], flush=True)
    sys.exit()
assert os.waitpid(child, 0)[1] == 0
print("parent", client.version()["major"])
"""


def run(script: str, cluster: Cluster) -> subprocess.CompletedProcess[str]:
    """Run a program in an interpreter of its own that shows every warning."""
    return subprocess.run(
        [sys.executable, "-X", "dev", "-c", script],
        env={"KUBECONFIG": str(cluster.kubeconfig), "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_a_program_that_forgets_to_close_ends(cluster: Cluster) -> None:
    """Neither the thread nor an open watch holds up the interpreter, and nothing is complained about."""
    result = run(FORGETS, cluster)
    assert (result.returncode, result.stdout, result.stderr) == (0, "ADDED\n", "")


def test_a_fork_gets_an_error_and_does_no_harm(cluster: Cluster) -> None:
    """A child cannot use the parent's connections; what was not used yet works in both; the parent goes on."""
    result = run(FORKS, cluster)
    refused, child, parent = result.stdout.splitlines()
    assert "make a new client in the child" in refused
    assert (child, parent) == ("child 1", "parent 1")
    assert (result.returncode, result.stderr) == (0, "")
