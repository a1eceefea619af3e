"""Tokens in secrets, as kube-controller-manager makes them: on both servers, with their own controllers."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from konverge import Client, ObjectMeta
from konverge.client.ignore import ignore_not_found
from konverge.cluster.control_plane import add_control_plane
from konverge.cluster.controllers.service_account_token import ACCOUNT_NAME, ACCOUNT_UID, TYPE
from konverge.cluster.embedded import EmbeddedCluster
from konverge.models import authentication_v1, core_v1
from konverge.testing import Cluster, eventually

pytestmark = pytest.mark.cluster(controllers=True)


@pytest.fixture
async def client(cluster: Cluster, namespace: str) -> AsyncIterator[Client]:
    """A client in the test's namespace."""
    async with cluster.client(namespace=namespace) as client:
        yield client


def secret(name: str = "token", *, account: str = "bot", **more: Any) -> core_v1.Secret:
    """Return a secret that asks for a token."""
    return core_v1.Secret(metadata=ObjectMeta(name=name, annotations={ACCOUNT_NAME: account}), type=TYPE, **more)


async def make_account(client: Client, **more: Any) -> core_v1.ServiceAccount:
    """Make the account."""
    account = core_v1.ServiceAccount(metadata=ObjectMeta(name="bot"), **more)
    await client.create(account)
    return account


async def filled(client: Client, name: str = "token") -> core_v1.Secret:
    """Wait for the token."""

    async def so() -> core_v1.Secret | None:
        found = await client.get(core_v1.Secret, name)
        return found if (found.data or {}).get("token") else None

    found = await eventually(so)
    assert found is not None
    return found


async def gone(client: Client, name: str) -> None:
    """Wait until a secret is no more."""

    async def so() -> bool:
        return await ignore_not_found(client.get(core_v1.Secret, name)) is None

    await eventually(so)


async def review(client: Client, token: str) -> authentication_v1.TokenReviewStatus:
    """Ask whose a token is."""
    asked = authentication_v1.TokenReview(spec=authentication_v1.TokenReviewSpec(token=token))
    await client.create(asked)
    return asked.status


async def test_a_secret_is_filled(client: Client, cluster: Cluster, namespace: str) -> None:
    """With the token and the namespace; the token says whose it is, is good, and its use is noted."""
    account = await make_account(client)
    await client.create(secret())
    found = await filled(client)
    data = found.data or {}
    assert data["namespace"].decode() == namespace
    if "ca.crt" in data:  # not of a server that nobody has yet asked to listen
        assert data["ca.crt"] == cluster.config().tls.authority
    assert (found.metadata.annotations or {})[ACCOUNT_UID] == account.metadata.uid
    token = data["token"].decode()
    assert json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "==")) == {
        "iss": "kubernetes/serviceaccount",
        "kubernetes.io/serviceaccount/namespace": namespace,
        "kubernetes.io/serviceaccount/secret.name": "token",
        "kubernetes.io/serviceaccount/service-account.name": "bot",
        "kubernetes.io/serviceaccount/service-account.uid": account.metadata.uid,
        "sub": f"system:serviceaccount:{namespace}:bot",
    }
    status = await review(client, token)
    assert status.authenticated
    assert status.user is not None
    assert status.user.username == f"system:serviceaccount:{namespace}:bot"
    labels = (await client.get(core_v1.Secret, "token")).metadata.labels or {}
    assert list(labels) == ["kubernetes.io/legacy-token-last-used"]


async def test_the_ca_is_the_one_of_the_server() -> None:
    """Where it listens, and so shows a certificate."""
    async with EmbeddedCluster(listen=True, controllers=add_control_plane) as cluster:
        client = Client(cluster.transport()).with_defaults(namespace="default")
        await make_account(client)
        await client.create(secret())
        data = (await filled(client)).data or {}
        assert data["ca.crt"] == cluster.transport().authority


async def test_what_is_taken_out_comes_back(client: Client) -> None:
    """A new token: the old one is no longer good."""
    await make_account(client)
    await client.create(secret())
    first = await filled(client)
    old = (first.data or {})["token"]
    first.data = {"own": b"x"}
    await client.update(first)
    second = (await filled(client)).data or {}
    assert second["own"] == b"x"
    assert second["token"] != old


async def test_a_secret_without_its_account_is_deleted(client: Client) -> None:
    """At once, or when the account goes."""
    await client.create(secret("lost", account="absent"))
    await gone(client, "lost")
    account = await make_account(client)
    await client.create(secret())
    await filled(client)
    await client.delete(account)
    await gone(client, "token")


async def test_a_secret_that_is_deleted_is_taken_off_the_list(client: Client) -> None:
    """Of its account, which may name others."""
    names = [core_v1.ObjectReference(name=name) for name in ("token", "other")]
    await make_account(client, secrets=names)
    await client.create(secret())
    await filled(client)
    await client.delete(core_v1.Secret, "token")

    async def so() -> bool:
        account = await client.get(core_v1.ServiceAccount, "bot")
        return [each.name for each in account.secrets or ()] == ["other"]

    await eventually(so)


async def test_other_secrets_are_left_alone(client: Client) -> None:
    """An annotation alone asks for nothing."""
    await make_account(client)
    other = core_v1.Secret(metadata=ObjectMeta(name="other", annotations={ACCOUNT_NAME: "bot"}))
    await client.create(other)
    await client.create(secret())
    await filled(client)
    assert (await client.get(core_v1.Secret, "other")).metadata.resource_version == other.metadata.resource_version
