"""The pytest plugin: a real Kubernetes for the tests that ask for one.

`cluster` and `cluster_with_controllers` live as long as the session, `namespace` as long as a test. Where the
programs are not on the machine such a test is skipped with the sentence that says how to get them; with CI=true it
fails. Long suites take `share` of their work, all of it with `--soak`. pytest loads this file at each start, in every
project that has konverge installed, so it imports nothing heavy before a fixture needs it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from konverge.testing.cluster import RealCluster

_TENTH = 0.1


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--soak`."""
    group = parser.getgroup("konverge")
    group.addoption("--soak", action="store_true", help="run the long suites in full instead of a tenth of each")


@pytest.fixture(scope="session")
def soak(request: pytest.FixtureRequest) -> bool:
    """Whether the long suites run in full."""
    return bool(request.config.getoption("--soak"))


@pytest.fixture(scope="session")
def share(soak: bool) -> float:  # noqa: FBT001 - pytest passes fixtures by name
    """The part of a long suite to run: all of it with `--soak`, else a tenth."""
    return 1.0 if soak else _TENTH


@pytest.fixture(scope="session")
def cluster() -> Iterator[RealCluster]:
    """A real etcd and kube-apiserver, shared by the session."""
    with _real_cluster(controllers=False) as started:
        yield started


@pytest.fixture(scope="session")
def cluster_with_controllers() -> Iterator[RealCluster]:
    """A real cluster of its own that also has kube-controller-manager, shared by the session."""
    with _real_cluster(controllers=True) as started:
        yield started


@pytest.fixture
def namespace(cluster: RealCluster) -> Iterator[str]:
    """The name of a new namespace in `cluster`; its deletion is asked for at the end of the test, not awaited."""
    from konverge.errors import KonvergeError  # noqa: PLC0415 - see the module's promise

    name = cluster.create_namespace()
    yield name
    with suppress(KonvergeError):  # the test may have stopped the server, or deleted the namespace itself
        cluster.call("DELETE", f"/api/v1/namespaces/{name}")


@contextmanager
def _real_cluster(*, controllers: bool) -> Iterator[RealCluster]:
    from konverge.testing.binaries import MissingBinaries  # noqa: PLC0415 - see the module's promise
    from konverge.testing.cluster import RealCluster  # noqa: PLC0415 - see the module's promise

    with ExitStack() as stack:
        try:
            started = stack.enter_context(RealCluster(controllers=controllers))
        except MissingBinaries as error:
            if os.environ.get("CI") == "true":
                pytest.fail(str(error), pytrace=False)
            pytest.skip(str(error))
        yield started
