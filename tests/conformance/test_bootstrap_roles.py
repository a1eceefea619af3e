"""The roles that every cluster has: changed, and the server started again, on both servers."""

from __future__ import annotations

from collections import Counter
from typing import Any

from harness.play import play
from harness.script import Case, Script
from harness.servers import EmbeddedServer, RealServer
from harness.transcript import differences

from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage
from konverge.testing.real_cluster import RealCluster

RBAC = "/apis/rbac.authorization.k8s.io/v1"
ROLES = f"{RBAC}/clusterroles"
BINDINGS = f"{RBAC}/clusterrolebindings"
LABEL = "kubernetes.io/bootstrapping"
OPTION = "rbac.authorization.kubernetes.io/autoupdate"
READ = (
    f"{ROLES}/system:discovery",
    f"{ROLES}/system:basic-user",
    f"{ROLES}/system:public-info-viewer",
    f"{ROLES}/system:node-proxier",
    f"{ROLES}/view",
    f"{ROLES}/edit",
    f"{BINDINGS}/system:discovery",
    f"{BINDINGS}/system:basic-user",
    f"{BINDINGS}/cluster-admin",
    f"{RBAC}/namespaces/kube-system/roles/extension-apiserver-authentication-reader",
)


def changes() -> Script:
    """Return what someone does to the roles before the server starts again."""
    s = Script()
    kept: dict[str, Any] = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
    s.patch(f"{ROLES}/system:discovery", {"rules": [{"nonResourceURLs": ["/api"], "verbs": ["get"]}]})
    s.patch(f"{ROLES}/system:basic-user", {"rules": [kept], "metadata": {"labels": {LABEL: None, "own": "1"}}})
    s.patch(f"{ROLES}/system:public-info-viewer", {"rules": [], "metadata": {"annotations": {OPTION: "false"}}})
    s.delete(f"{ROLES}/system:node-proxier")
    s.patch(f"{ROLES}/view", {"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}})
    s.patch(f"{ROLES}/edit", {"aggregationRule": None, "rules": [kept]})
    s.patch(f"{BINDINGS}/system:discovery", {"subjects": [], "metadata": {"annotations": None}})
    group = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "others"}
    s.patch(f"{BINDINGS}/system:basic-user", {"subjects": [group]})
    s.delete(f"{BINDINGS}/cluster-admin")
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}
    named = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding"}
    s.post(BINDINGS, {**named, "metadata": {"name": "cluster-admin"}, "roleRef": role, "subjects": [group]})
    s.patch(READ[-1], {"rules": None})
    return s


def reading() -> Script:
    """Return a look at all that was changed."""
    s = Script()
    for path in READ:
        s.get(path)
    return s


def test_they_get_back_what_they_lack() -> None:
    """Rules, subjects, labels, aggregation: what was added stays, what was taken comes back, who opted out is left."""
    before, after = (Case(title, tuple(made().steps)) for title, made in (("change", changes), ("read", reading)))
    with RealCluster() as cluster:
        real = RealServer(cluster)
        expected = play(before, real, "changing")
        real.close()
        cluster.restart("kube-apiserver")
        real = RealServer(cluster)
        expected += play(after, real, "reading")
        real.close()
    storage = Storage.in_memory()
    found = []
    for case, namespace in ((before, "changing"), (after, "reading")):
        embedded = EmbeddedServer(lambda: _started(storage), real.signer)
        found += play(case, embedded, namespace)
        embedded.close()
    assert not differences(expected, found, Counter())


async def _started(storage: Storage) -> ApiServer:
    server = ApiServer(storage)
    await server.start()
    return server
