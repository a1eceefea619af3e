"""Finalizers and default classes of what is stored and served outside the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cluster.apiserver.builtin.conftest import Client

CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims"
DEFAULT = {"storageclass.kubernetes.io/is-default-class": "true"}
CLAIM: dict[str, Any] = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


async def test_a_claim_is_protected_and_goes_when_its_finalizer_is_gone(client: Client) -> None:
    """Deleting it only marks it."""
    claim = await client.make(CLAIMS, "c", spec=CLAIM)
    assert claim["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
    await client.ask("DELETE", f"{CLAIMS}/c")
    await client.patch(f"{CLAIMS}/c", {"metadata": {"finalizers": None}})
    assert (await client.ask("GET", f"{CLAIMS}/c"))[0] == 404


async def test_a_claim_without_class_gets_the_default_one(client: Client) -> None:
    """Of several the newest, by name within a second; one that names a class keeps it, an empty one too."""
    for name in ("b", "a"):
        body = {"metadata": {"name": name, "annotations": DEFAULT}, "provisioner": "example.com/p"}
        assert (await client.ask("POST", CLASSES, body))[0] == 201
    assert (await client.make(CLAIMS, "c", spec=CLAIM))["spec"]["storageClassName"] == "a"
    assert (await client.make(CLAIMS, "d", spec={**CLAIM, "storageClassName": ""}))["spec"]["storageClassName"] == ""


@pytest.mark.parametrize("annotated", [False, True])
async def test_an_ingress_without_class_gets_the_default_one(client: Client, *, annotated: bool) -> None:
    """The old annotation names a class too."""
    mark = {"ingressclass.kubernetes.io/is-default-class": "true"}
    classes = "/apis/networking.k8s.io/v1/ingressclasses"
    body = {"metadata": {"name": "usual", "annotations": mark}, "spec": {"controller": "example.com/c"}}
    assert (await client.ask("POST", classes, body))[0] == 201
    own = {"annotations": {"kubernetes.io/ingress.class": "x"}} if annotated else {}
    backend = {"service": {"name": "s", "port": {"number": 80}}}
    ingress = {"metadata": {"name": "i", **own}, "spec": {"defaultBackend": backend}}
    _, made = await client.ask("POST", "/apis/networking.k8s.io/v1/namespaces/default/ingresses", ingress)
    assert made["spec"].get("ingressClassName") == (None if annotated else "usual")


async def test_a_new_node_is_tainted_until_it_is_ready(client: Client) -> None:
    """Once: an update may take the taint off."""
    node = await client.make("/api/v1/nodes", "n")
    assert node["spec"]["taints"] == [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]
    changed = await client.patch("/api/v1/nodes/n", {"spec": {"taints": None}})
    assert "taints" not in changed["spec"]
