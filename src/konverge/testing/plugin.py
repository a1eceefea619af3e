"""The pytest plugin: a cluster for the tests that ask for one, embedded or real, in real or virtual time.

- `cluster` is a `konverge.testing.Cluster`: by default the embedded server, a fresh one for each test. With
  `--cluster=real` it is a real etcd and kube-apiserver, shared by the session; with `--cluster=embedded,real` each
  test that uses it runs once on each. `namespace` is the name of a new namespace in it.
- `@pytest.mark.cluster("real")` names the servers that a test is for: it runs on those, whatever the option says.
  `@pytest.mark.cluster(controllers=True)` asks for a cluster in which things happen: with the built-in controllers
  (kube-controller-manager on a real one), a scheduler and a simulated node.
- `@pytest.mark.virtual_time` runs an async test, and its async fixtures, on a loop on which sleeping takes no time.
  Time is virtual in process only, so such a test's `cluster` is the embedded server, whatever the option says.
- `--cluster-delays=7` lets what the managers of `cluster` ask for, and what their watches bring, come late at random:
  it finds tests that pass because something was faster than something else. Another number draws other delays.
- `real_cluster` and `cluster_with_controllers` are real ones for fixtures of a wider scope, and for tests that need
  the programs themselves.

Where the programs of a real one are not on the machine a test that needs them is skipped with the sentence that says
how to get them; with CI=true it fails. pytest loads this file at each start, in every project that has konverge
installed, so it imports nothing heavy before a fixture needs it.
"""

from __future__ import annotations

import argparse
import inspect
import os
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest

from konverge.testing import plain_imports

if TYPE_CHECKING:
    from konverge.testing.cluster import Cluster
    from konverge.testing.real_cluster import RealCluster

plain_imports.install()  # now: a conftest.py, which imports konverge, is loaded before any hook is called

SERVERS = ("embedded", "real")
_LOOP_FACTORIES = "pytest_asyncio_loop_factories"


# --- what is asked for ---


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--cluster` and `--cluster-delays`."""
    group = parser.getgroup("konverge")
    group.addoption(
        "--cluster",
        type=_servers,
        default=SERVERS[:1],
        metavar="SERVERS",
        help="what the fixture `cluster` runs on: embedded (the default), real, or embedded,real for both",
    )
    group.addoption(
        "--cluster-delays",
        type=int,
        metavar="SEED",
        help="let what managers ask for and see come late at random, to find tests that rest on timing",
    )


def _servers(text: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    if unknown := [each for each in found if each not in SERVERS]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is no server: choose from {', '.join(SERVERS)}")
    return found


def pytest_configure(config: pytest.Config) -> None:
    """Explain the markers."""
    config.addinivalue_line(
        "markers",
        "cluster(*servers, controllers=False): run on these servers (embedded, real), not on --cluster's; with the "
        "built-in controllers and a simulated node",
    )
    config.addinivalue_line("markers", "virtual_time: run an async test on a loop on which waiting takes no time")


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Generator[None, Any, Any]:
    """Run a test on each server it is for, and one under virtual time on a loop of its own."""
    is_virtual = _is_virtual(metafunc.definition)
    if "_konverge_server" in metafunc.fixturenames:
        servers = _servers_of(metafunc.definition)
        if len(servers) > 1 or servers != metafunc.config.getoption("cluster"):
            metafunc.parametrize("_konverge_server", servers, indirect=True, scope="function")
    if not is_virtual:
        return (yield)
    _check_virtual(metafunc)
    # A hook for all tests would take the place of the project's own, so it is there for this one alone.
    plugins = metafunc.config.pluginmanager
    plugins.register(loop := _VirtualLoop())
    try:
        return (yield)
    finally:
        plugins.unregister(loop)


def _servers_of(item: pytest.Item) -> tuple[str, ...]:
    if _is_virtual(item):
        return SERVERS[:1]
    marker = item.get_closest_marker("cluster")
    if marker is None or not marker.args:
        return tuple(item.config.getoption("cluster"))
    return tuple(server for name in marker.args for server in _servers(name))


def _has_controllers(item: pytest.Item) -> bool:
    marker = item.get_closest_marker("cluster")
    return marker is not None and bool(marker.kwargs.get("controllers"))


def _is_virtual(item: pytest.Item) -> bool:
    return item.get_closest_marker("virtual_time") is not None


def _check_virtual(metafunc: pytest.Metafunc) -> None:
    place = metafunc.definition.nodeid
    if not inspect.iscoroutinefunction(metafunc.function):
        raise pytest.UsageError(f"{place}: virtual_time is for async tests, and this one is not")
    if not hasattr(metafunc.config.hook, _LOOP_FACTORIES):
        raise pytest.UsageError(f"{place}: virtual_time needs pytest-asyncio 1.4 or newer: pip install konverge[test]")


class _VirtualLoop:
    """Tells pytest-asyncio which loop to run a test on."""

    @staticmethod
    def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], Any]]:
        from konverge.testing.virtual_time import VirtualTimeLoop  # noqa: PLC0415 - see the module's promise

        return {"virtual-time": VirtualTimeLoop}


# --- fixtures ---


@pytest.fixture
def _konverge_server(request: pytest.FixtureRequest) -> str:
    server: str = getattr(request, "param", request.config.getoption("cluster")[0])
    return server


@pytest.fixture
def cluster(request: pytest.FixtureRequest, _konverge_server: str) -> Iterator[Cluster]:
    """A cluster: a fresh embedded one, or the session's real one; see `--cluster` and `--cluster-delays`."""
    controllers = _has_controllers(request.node)
    if _konverge_server == "real":
        started = request.getfixturevalue("cluster_with_controllers" if controllers else "real_cluster")
        with _delayed(started, request.config):
            yield started
    elif _is_virtual(request.node):
        from konverge.testing.virtual_cluster import VirtualCluster  # noqa: PLC0415 - see the module's promise

        yield VirtualCluster(controllers=_control_plane() if controllers else None)
    else:
        from konverge.testing.threaded_cluster import ThreadedCluster  # noqa: PLC0415 - see the module's promise

        plane = _control_plane() if controllers else None
        with ThreadedCluster(controllers=plane) as started, _delayed(started, request.config):
            yield started


@contextmanager
def _delayed(cluster: Cluster, config: pytest.Config) -> Iterator[None]:
    """Delay what a test's managers ask for and see, where that is wanted."""
    from konverge.testing.delays import Delays  # noqa: PLC0415 - see the module's promise

    seed = config.getoption("cluster_delays")
    cluster.delays = None if seed is None else Delays(seed)
    try:
        yield
    finally:
        cluster.delays = None


def _control_plane() -> Callable[[Any], None]:
    from konverge.cluster.control_plane import add_control_plane  # noqa: PLC0415 - see the module's promise

    return add_control_plane


@pytest.fixture
def namespace(cluster: Cluster, _konverge_server: str) -> Iterator[str]:
    """The name of a new namespace in `cluster`, which is deleted at the end of the test.

    Nothing runs in `cluster` that would delete what is in it: in a real one, objects that a test leaves behind stay as
    long as the session, and a list over all namespaces shows them. Delete them, or look at the test's own namespace.
    """
    name = cluster.create_namespace()
    yield name
    if _konverge_server == "real":  # the embedded one ends with the test
        _delete_namespace(cluster, name)


def _delete_namespace(cluster: Cluster, name: str) -> None:
    from konverge.errors import KonvergeError  # noqa: PLC0415 - see the module's promise

    with suppress(KonvergeError):  # the test may have stopped the server, or deleted the namespace itself
        path = f"/api/v1/namespaces/{name}"
        cluster.call("DELETE", path)
        # No namespace controller is there to say that it is empty, so without this it would be Terminating for ever.
        ended = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {"finalizers": []}}
        cluster.call("PUT", f"{path}/finalize", ended)


@pytest.fixture(scope="session")
def real_cluster() -> Iterator[RealCluster]:
    """A real etcd and kube-apiserver, shared by the session."""
    with _real_cluster(controllers=False) as started:
        yield started


@pytest.fixture(scope="session")
def cluster_with_controllers() -> Iterator[RealCluster]:
    """A real cluster of its own with kube-controller-manager, a scheduler and a simulated node, for the session."""
    from konverge.cluster.control_plane import add_node  # noqa: PLC0415 - see the module's promise
    from konverge.testing.manager_thread import ManagerThread  # noqa: PLC0415 - see the module's promise

    with _real_cluster(controllers=True) as started, ManagerThread(started.manager, add_node):
        yield started


@contextmanager
def _real_cluster(*, controllers: bool) -> Iterator[RealCluster]:
    from konverge.testing.binaries import MissingBinaries  # noqa: PLC0415 - see the module's promise
    from konverge.testing.real_cluster import RealCluster  # noqa: PLC0415 - see the module's promise

    with ExitStack() as stack:
        try:
            started = stack.enter_context(RealCluster(controllers=controllers))
        except MissingBinaries as error:
            if os.environ.get("CI") == "true":
                pytest.fail(str(error), pytrace=False)
            pytest.skip(str(error))
        yield started
