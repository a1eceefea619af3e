from __future__ import annotations

import base64
from typing import Any

from konverge.api.kind import Resource
from konverge.clock import now
from konverge.models import core_v1
from konverge.testing import Cluster
from konverge.webhook import WebhookOptions, configurations, conversion_config
from konverge.webhook.ca_bundle import CaBundle, holds, with_bundle, with_conversion_bundle
from konverge.webhook.certificate import renewed
from konverge.webhook.registration import register

URL = "https://127.0.0.1:9443"
POD = register(core_v1.Pod, mutating=False, operations=("DELETE",), options=WebhookOptions(failure_policy="Ignore"))


def bundle() -> bytes:
    """Return a certificate that a server takes for one."""
    return renewed(None, ("127.0.0.1",), now=now()).ca_bundle


def test_the_bundle_goes_into_our_webhooks_only() -> None:
    """By path, of a service or a URL; what is there already is no change."""
    hooks: list[dict[str, Any]] = [
        {"name": "a", "clientConfig": {"service": {"path": "/ours", "name": "s"}}},
        {"name": "b", "clientConfig": {"url": "https://h/ours"}},
        {"name": "c", "clientConfig": {"url": "https://h/theirs", "caBundle": "x"}},
    ]
    changed = with_bundle(hooks, ["/ours"], b"PEM")
    assert changed is not None
    assert [hook["clientConfig"].get("caBundle") for hook in changed] == ["UEVN", "UEVN", "x"]
    assert with_bundle(changed, ["/ours"], b"PEM") is None


def test_a_conversion_that_is_not_ours_stays() -> None:
    """None at all, or one at another path."""
    assert with_conversion_bundle({"strategy": "None"}, b"PEM") is None
    assert with_conversion_bundle({}, b"PEM") is None
    changed = with_conversion_bundle(conversion_config(URL), b"PEM")
    assert changed is not None
    assert changed["webhook"]["clientConfig"]["caBundle"] == "UEVN"


def test_what_a_server_adds_makes_no_difference() -> None:
    """Fields of its own are no change; a missing field, another value and another length are."""
    wanted = {"webhooks": [{"name": "a", "rules": [{"resources": ["pods"]}]}]}
    assert holds({"webhooks": [{"name": "a", "rules": [{"resources": ["pods"], "scope": "*"}]}], "kind": "K"}, wanted)
    assert not holds({"webhooks": [{"name": "a", "rules": [{"resources": ["nodes"]}]}]}, wanted)
    assert not holds({"webhooks": [{"name": "a"}]}, wanted)
    assert not holds({"webhooks": []}, wanted)
    assert not holds({"webhooks": None}, wanted)


async def test_a_configuration_is_brought_up_to_date(cluster: Cluster) -> None:
    """One that is not there yet is reported; one that is gets the bundle, once, and keeps the rest."""
    path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    trusted = bundle()
    async with cluster.client() as client:
        injector = CaBundle(client, name="bundle-test")
        assert not await injector.inject([POD], [], bundle=trusted)
        (manifest,) = configurations([POD], name="bundle-test", target=URL)
        cluster.call("POST", path, manifest)
        assert await injector.inject([POD], [], bundle=trusted)
        found = cluster.call("GET", f"{path}/bundle-test-validating-webhook-configuration")
        assert base64.b64decode(found["webhooks"][0]["clientConfig"]["caBundle"]) == trusted
        assert await injector.inject([POD], [], bundle=trusted)
        again = cluster.call("GET", f"{path}/bundle-test-validating-webhook-configuration")
        assert again["metadata"]["resourceVersion"] == found["metadata"]["resourceVersion"]
        cluster.call("DELETE", f"{path}/bundle-test-validating-webhook-configuration")


async def test_a_conversion_gets_the_bundle_too(cluster: Cluster) -> None:
    """Of a CRD that names our path; one that is not there is reported."""
    path, trusted = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", bundle()
    schema = {"openAPIV3Schema": {"type": "object"}}
    versions = [{"name": name, "served": True, "storage": name == "v1", "schema": schema} for name in ("v1", "v2")]
    names = {"plural": "leaves", "singular": "leaf", "kind": "Leaf", "listKind": "LeafList"}
    spec = {"group": "bundle.konverge.dev", "names": names, "scope": "Cluster", "versions": versions}
    spec["conversion"] = conversion_config(URL, ca_bundle=bundle())
    leaf = Resource(group="bundle.konverge.dev", version="v1", kind="Leaf", plural="leaves", namespaced=False)
    async with cluster.client() as client:
        injector = CaBundle(client, name="bundle-test")
        assert not await injector.inject([], [leaf], bundle=trusted)
        cluster.call("POST", path, {"metadata": {"name": "leaves.bundle.konverge.dev"}, "spec": spec})
        assert await injector.inject([], [leaf], bundle=trusted)
        found = cluster.call("GET", f"{path}/leaves.bundle.konverge.dev")["spec"]["conversion"]["webhook"]
        assert base64.b64decode(found["clientConfig"]["caBundle"]) == trusted
        cluster.call("DELETE", f"{path}/leaves.bundle.konverge.dev")
