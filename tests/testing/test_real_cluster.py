"""The real cluster: it is what it says, and it says why where it cannot be."""

import json
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import konverge as kv
from konverge.errors import Conflict, NotFound
from konverge.models import core_v1
from konverge.testing import ClusterError, KubectlError, MissingBinaries, RealCluster, binaries, wait_gone
from konverge.testing.programs import Ports
from konverge.testing.real_cluster import _free_ports

pytestmark = pytest.mark.cluster("real")


def ask(cluster: RealCluster, path: str, *, token: str | None = None, body: Any = None) -> tuple[int, Any]:
    """Send a request with a token, or with nothing at all, and return the code and the answer."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(cluster.server + path, data, headers)
    trust = ssl.create_default_context(cafile=str(cluster.folder / "ca.crt"))
    try:
        with urllib.request.urlopen(request, context=trust, timeout=30) as response:
            return response.status, json.loads(response.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_kubectl_works(cluster: RealCluster) -> None:
    """The real kubectl lists the namespaces of a fresh cluster, and both sides have the version that was built."""
    assert {"namespace/default", "namespace/kube-system"} <= set(cluster.kubectl("get", "ns", "-o", "name").split())
    versions = json.loads(cluster.kubectl("version", "-o", "json"))
    if binaries.find("kubectl")["kubectl"].parent == binaries.cache_folder():
        assert versions["clientVersion"]["gitVersion"] == binaries.KUBERNETES
        assert versions["serverVersion"]["gitVersion"] == binaries.KUBERNETES


def test_kubeconfig_is_private(cluster: RealCluster) -> None:
    """Nobody else on the machine can read the administrator's key."""
    assert cluster.kubeconfig.stat().st_mode & 0o777 == 0o600
    assert cluster.folder.stat().st_mode & 0o777 == 0o700


def test_a_plain_user_is_refused_by_rbac(cluster: RealCluster, namespace: str) -> None:
    """A user known by certificate may do nothing, unless a group of the certificate may."""
    jane = cluster.kubeconfig_for("jane", groups=["dev"])
    assert jane.stat().st_mode & 0o777 == 0o600
    listing = ("get", "configmaps", "--namespace", namespace)
    with pytest.raises(KubectlError, match=r'Forbidden.*"jane" cannot list') as caught:
        cluster.kubectl(*listing, kubeconfig=jane)
    assert str(caught.value).startswith("kubectl get configmaps (exit code 1): ")
    cluster.kubectl(*listing, kubeconfig=cluster.kubeconfig_for("joan", groups=["dev", "system:masters"]))


def test_anonymous_requests_are_as_by_default(cluster: RealCluster) -> None:
    """Anyone may ask for the version and no more; a made-up token is nobody."""
    assert ask(cluster, "/version")[0] == 200
    assert ask(cluster, "/api/v1/namespaces")[0] == 403
    assert ask(cluster, "/version", token="made-up")[0] == 401


def test_service_account_tokens(cluster: RealCluster, namespace: str) -> None:
    """A token of a service account is issued, and accepted as that account."""
    cluster.kubectl("create", "serviceaccount", "robot", "-n", namespace)
    token = cluster.kubectl("create", "token", "robot", "-n", namespace).strip()
    code, answer = ask(cluster, "/apis/authentication.k8s.io/v1/selfsubjectreviews", token=token, body={})
    assert code == 201
    assert answer["status"]["userInfo"]["username"] == f"system:serviceaccount:{namespace}:robot"


def test_pods_can_be_created_without_controllers(cluster: RealCluster, namespace: str) -> None:
    """A namespace has the service account that a pod needs, and kubectl takes its standard input from us."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    pod |= {"spec": {"containers": [{"name": "c", "image": "i"}]}}
    assert "pod/p created" in cluster.kubectl("create", "-n", namespace, "-f", "-", input=json.dumps(pod))


def test_call_raises_what_the_client_raises(cluster: RealCluster, namespace: str) -> None:
    """Errors of the server arrive as konverge's own."""
    with pytest.raises(NotFound, match="nothing"):
        cluster.call("GET", f"/api/v1/namespaces/{namespace}/configmaps/nothing")
    stale = {"metadata": {"name": namespace, "resourceVersion": "1"}}
    with pytest.raises(Conflict):
        cluster.call("PUT", f"/api/v1/namespaces/{namespace}", stale)


def test_programs_can_be_restarted(cluster: RealCluster, namespace: str) -> None:
    """Restarted and killed programs come back as new processes with the same address and data."""
    before, server = cluster.processes, cluster.server
    cluster.restart("kube-apiserver")
    cluster.kill("etcd")
    assert set(cluster.processes) == {"kube-apiserver"}
    cluster.start("etcd")
    assert all(cluster.processes[name] != pid for name, pid in before.items())
    assert cluster.server == server
    assert cluster.kubectl("get", "ns", namespace, "-o", "name").strip() == f"namespace/{namespace}"


def test_controllers_do_their_work(cluster_with_controllers: RealCluster) -> None:
    """With the controller manager namespaces are filled, and finish deleting."""
    cluster = cluster_with_controllers
    assert "kube-controller-manager" in cluster.processes
    name = cluster.create_namespace()
    cluster.kubectl("wait", "-n", name, "--for=create", "serviceaccount/default", "configmap/kube-root-ca.crt")
    cluster.kubectl("delete", "namespace", name, "--timeout=60s")


async def test_what_objects_of_a_new_kind_own_is_collected_at_once(cluster_with_controllers: RealCluster) -> None:
    """By itself kube-controller-manager would ask which kinds there are within 30 seconds."""
    cluster = cluster_with_controllers
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    kind = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "keepers.testing.konverge.dev"},
        "spec": {
            "group": "testing.konverge.dev",
            "scope": "Namespaced",
            "names": {"kind": "Keeper", "plural": "keepers"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }
    await cluster.install(kind)
    before = cluster.processes
    await cluster.install(kind)
    assert cluster.processes == before  # the second time there is nothing new to tell
    async with cluster.client(namespace=cluster.create_namespace()) as client:
        keeper = kv.Unstructured(api_version="testing.konverge.dev/v1", kind="Keeper")
        keeper.metadata = kv.ObjectMeta(name="one")
        await client.create(keeper)
        kept = core_v1.ConfigMap(metadata=kv.ObjectMeta(name="one"))
        kept.metadata.owner_references = [kv.owner_reference(keeper)]
        await client.create(kept)
        await client.delete(keeper)
        await wait_gone(client, kept, within=20)


class Unlucky(RealCluster):
    """A cluster whose first choices of ports lose a race: etcd's, then the API server's, are taken when it binds."""

    taken = 0

    def _port_choices(self) -> Iterator[Ports]:
        free = _free_ports()
        yield Ports(etcd=self.taken, etcd_peer=free.etcd_peer, apiserver=free.apiserver)
        yield Ports(etcd=free.etcd, etcd_peer=free.etcd_peer, apiserver=self.taken)
        yield from super()._port_choices()


@pytest.mark.usefixtures("cluster")  # for its skip rule
def test_taken_ports_are_given_up_for_others() -> None:
    """A port that another process took in between costs a new try, not the session."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        unlucky = Unlucky()
        unlucky.taken = other.getsockname()[1]
        with unlucky:
            assert str(unlucky.taken) not in unlucky.server
            unlucky.kubectl("get", "ns", "default")
        assert not unlucky.folder.exists()


def test_a_program_that_fails_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error of a cluster that does not start names the program and has the end of its log."""
    for name in ("etcd", "kube-apiserver", "kubectl"):
        (tmp_path / name).write_text("#!/bin/sh\nexec cat < /dev/zero > /dev/null\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "etcd").write_text("#!/bin/sh\necho the disk is made of cheese\nexit 3\n")
    monkeypatch.setenv("KONVERGE_KUBE_ASSETS", str(tmp_path))
    cluster = RealCluster()
    with pytest.raises(ClusterError, match=r"etcd ended with exit code 3.*\n.*made of cheese"), cluster:
        pass
    assert not cluster.folder.exists()


def test_missing_programs_start_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are no programs, entering raises before any process is started."""
    monkeypatch.setenv("KONVERGE_KUBE_ASSETS", str(tmp_path))
    with pytest.raises(MissingBinaries, match="has no etcd, kube-apiserver, kubectl"), RealCluster():
        pass
