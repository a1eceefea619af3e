"""Tokens in secrets; which are good, and in which words others are refused, `tests/conformance` compares."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from konverge.cluster.apiserver.access import Access
from konverge.cluster.apiserver.access.legacy_tokens import LAST_USED, note_of_use
from konverge.cluster.apiserver.access.tokens import ISSUER, BadToken

Store = Callable[..., Awaitable[None]]
ACCOUNT = "core/serviceaccounts/ns/bot"
SECRET = "core/secrets/ns/s"
PREFIX = "kubernetes.io/serviceaccount"


@pytest.fixture
def token(access: Access) -> str:
    """A token, whose secret is not there yet."""
    claims = {
        "iss": "kubernetes/serviceaccount",
        f"{PREFIX}/namespace": "ns",
        f"{PREFIX}/secret.name": "s",
        f"{PREFIX}/service-account.name": "bot",
        f"{PREFIX}/service-account.uid": "u1",
        "sub": "system:serviceaccount:ns:bot",
    }
    signer = access.tokens.signer
    assert signer is not None
    return signer.token(msgspec.json.encode(claims))


async def make(store: Store, token: str, **labels: str) -> None:
    """Make the account and the secret."""
    await store(ACCOUNT, metadata={"uid": "u1"})
    data = {"token": base64.b64encode(token.encode()).decode()}
    await store(SECRET, metadata={"name": "s", "namespace": "ns", "uid": "u2", "labels": labels}, data=data)


async def test_its_holder_is_the_account(access: Access, store: Store, token: str) -> None:
    """And the secret is to be marked with the day."""
    await make(store, token)
    user, _ = access.holder(token, (ISSUER,))
    assert user.name == "system:serviceaccount:ns:bot"
    [used] = access.tokens.legacy.used
    request = note_of_use(used)
    assert (request.method, request.path) == ("PATCH", "/api/v1/namespaces/ns/secrets/s")
    patch: dict[str, Any] = msgspec.json.decode(request.body)
    assert patch["metadata"]["labels"] == {LAST_USED: used.day}
    assert patch["metadata"]["uid"] == "u2"


async def test_a_day_is_noted_once(access: Access, store: Store, token: str) -> None:
    """However often the token is shown."""
    await make(store, token)
    access.holder(token, (ISSUER,))
    used = access.tokens.legacy.used.pop()
    await make(store, token, **{LAST_USED: used.day})
    access.holder(token, (ISSUER,))
    assert not access.tokens.legacy.used


async def test_it_ends_with_its_secret(access: Access, token: str) -> None:
    """Nothing is noted then."""
    with pytest.raises(BadToken, match="Token has been invalidated"):
        access.holder(token, (ISSUER,))
    assert not access.tokens.legacy.used
