"""The pytest plugin: a real Kubernetes for the tests that ask for one.

`cluster` and `cluster_with_controllers` live as long as the session, `namespace` as long as a test. Where the
programs are not on the machine such a test is skipped with the sentence that says how to get them; with CI=true it
fails. pytest loads this file at each start, in every project that has konverge installed, so it imports nothing heavy
before a fixture needs it, and adds no option, which might be the project's own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from konverge.testing.cluster import RealCluster


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
    """The name of a new namespace in `cluster`, which is deleted at the end of the test.

    Nothing runs in `cluster` that would delete what is in it: objects a test leaves behind stay in etcd, as long as
    the session, and a list over all namespaces shows them. Delete them, or look at the test's own namespace alone.
    """
    from konverge.errors import KonvergeError  # noqa: PLC0415 - see the module's promise

    name = cluster.create_namespace()
    yield name
    with suppress(KonvergeError):  # the test may have stopped the server, or deleted the namespace itself
        path = f"/api/v1/namespaces/{name}"
        cluster.call("DELETE", path)
        # No namespace controller is there to say that it is empty, so without this it would be Terminating for ever.
        ended = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {"finalizers": []}}
        cluster.call("PUT", f"{path}/finalize", ended)


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
