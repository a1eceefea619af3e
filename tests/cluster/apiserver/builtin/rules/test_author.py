"""Rules that ask who writes: a claim may only have its devices watched over where its namespace lets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cluster.apiserver.builtin.conftest import Client

CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
REQUEST = {"name": "r", "exactly": {"deviceClassName": "c", "adminAccess": True}}


async def test_a_rule_may_look_at_the_namespace(client: Client) -> None:
    """It is asked when a claim is made, and not when its labels change."""

    async def label(value: str | None) -> None:
        labels = {"resource.kubernetes.io/admin-access": value}
        await client.patch("/api/v1/namespaces/default", {"metadata": {"labels": labels}})

    spec = {"devices": {"requests": [REQUEST]}}
    code, refused = await client.ask("POST", CLAIMS, {"metadata": {"name": "a"}, "spec": spec})
    assert code == 422
    assert [cause["field"] for cause in refused["details"]["causes"]] == ["spec.devices.requests[0].adminAccess"]
    await label("true")
    await client.make(CLAIMS, "a", spec=spec)
    await label(None)
    await client.patch(f"{CLAIMS}/a", {"metadata": {"labels": {"a": "b"}}})
