"""Tokens: what is in them, and when they are good. The words of refusals were heard from kube-apiserver 1.36.3."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from konverge import clock
from konverge.api.time import format_time
from konverge.certificates import TokenSigner, signing_key
from konverge.cluster.apiserver.access import Access
from konverge.cluster.apiserver.access.tokens import ISSUER, BadToken, Bound, Wanted
from konverge.cluster.apiserver.storage import Storage
from konverge.testing import virtual_time

Store = Callable[..., Awaitable[None]]
ACCOUNT = "core/serviceaccounts/ns/bot"
WANTED = Wanted(namespace="ns", account=Bound("bot", "u1"), audiences=(ISSUER,), seconds=600, jti="j1")


@pytest.fixture
async def account(store: Store) -> None:
    """The account of the tokens."""
    await store(ACCOUNT, metadata={"uid": "u1"})


def claims(token: str) -> dict[str, Any]:
    """Return what a token says."""
    part = token.split(".")[1]
    decoded: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return decoded


def refusal(access: Access, token: str, *audiences: str) -> str:
    """Return why a token is not good."""
    with pytest.raises(BadToken) as caught:
        access.holder(token, audiences or (ISSUER,))
    return str(caught.value)


def test_a_token_has_the_claims_of_kubernetes(access: Access) -> None:
    """As those that the real server writes."""
    found = claims(access.tokens.issue(WANTED))
    start = found["iat"]
    assert found == {
        "aud": [ISSUER],
        "exp": start + 600,
        "iat": start,
        "iss": ISSUER,
        "jti": "j1",
        "kubernetes.io": {"namespace": "ns", "serviceaccount": {"name": "bot", "uid": "u1"}},
        "nbf": start,
        "sub": "system:serviceaccount:ns:bot",
    }


def test_a_bound_token_names_its_object(access: Access) -> None:
    """And when it should be replaced."""
    token = access.tokens.issue(replace(WANTED, pod=Bound("p", "u2"), node=Bound("n"), warn_after=60))
    own = claims(token)["kubernetes.io"]
    assert own["pod"] == {"name": "p", "uid": "u2"}
    assert own["node"] == {"name": "n"}
    assert own["warnafter"] == claims(token)["iat"] + 60


@pytest.mark.usefixtures("account")
def test_a_good_token_tells_who_holds_it(access: Access) -> None:
    """With the groups of service accounts, and the id of the token."""
    user, audiences = access.holder(access.tokens.issue(WANTED), (ISSUER, "other"))
    assert user.info() == {
        "username": "system:serviceaccount:ns:bot",
        "uid": "u1",
        "groups": ["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"],
        "extra": {"authentication.kubernetes.io/credential-id": ["JTI=j1"]},
    }
    assert audiences == (ISSUER,)


@pytest.mark.usefixtures("account")
def test_a_token_is_for_its_audiences(access: Access) -> None:
    """And for nobody else."""
    told = f'[invalid bearer token, token audiences ["{ISSUER}"] is invalid for the target audiences ["a" "b"]]'
    assert refusal(access, access.tokens.issue(WANTED), "a", "b") == told


@pytest.mark.parametrize("token", ["", "x", "x.y.z", "a.b", "..", "e30.e30.e30", "é.e30.x", "e30=.e30.x"])
def test_what_is_no_token(access: Access, token: str) -> None:
    """Or one that nobody here gave out."""
    assert refusal(access, token) == "invalid bearer token"


@pytest.mark.usefixtures("account")
def test_another_ones_signature_is_not_good(access: Access, signer: TokenSigner) -> None:
    """Nor a signature of other claims."""
    token = access.tokens.issue(WANTED)
    foreign = TokenSigner(signing_key()).token(json.dumps(claims(token)).encode())
    assert refusal(access, foreign) == "[invalid bearer token, invalid signature, no keys found]"
    head, _, signature = token.split(".")
    body = base64.urlsafe_b64encode(json.dumps({**claims(token), "exp": 10**10}).encode()).rstrip(b"=").decode()
    primitive = "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]"
    assert refusal(access, f"{head}.{body}.{signature}") == primitive
    assert refusal(access, f"{head}.{token.split('.')[1]}.{signature[:-4]}") == primitive
    none = base64.urlsafe_b64encode(json.dumps({"alg": "none", "kid": signer.key_id}).encode()).rstrip(b"=").decode()
    assert refusal(access, f"{none}.{body}.") == primitive


def test_a_token_ends(signer: TokenSigner) -> None:
    """A minute after its time, as clocks disagree."""

    async def main() -> None:
        storage = Storage.in_memory()
        body = b'{"metadata":{"name":"bot","uid":"u1"}}'
        await storage.put(f"/{ACCOUNT}", lambda _: body, based_on=0)
        access = Access(storage, lambda: signer)
        token = access.tokens.issue(WANTED)
        await asyncio.sleep(659)
        assert access.holder(token, (ISSUER,))
        await asyncio.sleep(2)
        assert refusal(access, token) == "[invalid bearer token, service account token has expired]"

    virtual_time.run(main())


async def test_a_token_ends_with_its_account(access: Access, store: Store, storage: Storage) -> None:
    """Another one of the same name does not bring it back; a deletion counts after a minute."""
    token = access.tokens.issue(WANTED)
    assert refusal(access, token) == '[invalid bearer token, serviceaccounts "bot" not found]'
    await store(ACCOUNT, metadata={"uid": "u1"})
    assert access.holder(token, (ISSUER,))
    await store(ACCOUNT, metadata={"uid": "u2"})
    assert refusal(access, token) == "[invalid bearer token, service account UID (u2) does not match claim (u1)]"
    for ago, is_good in ((30, True), (90, False)):
        moment = format_time(clock.now() - timedelta(seconds=ago))
        await store(ACCOUNT, metadata={"uid": "u1", "deletionTimestamp": moment})
        if is_good:
            assert access.holder(token, (ISSUER,))
        else:
            assert refusal(access, token) == "[invalid bearer token, service account ns/bot has been deleted]"
    assert storage.get(f"/{ACCOUNT}") is not None


@pytest.mark.usefixtures("account")
@pytest.mark.parametrize(
    ("kind", "path"), [("pod", "core/pods/ns/x"), ("secret", "core/secrets/ns/x"), ("node", "core/nodes/x")]
)
async def test_a_token_ends_with_the_object_it_is_bound_to(access: Access, store: Store, kind: str, path: str) -> None:
    """By its uid, whatever has its name later."""
    bound: dict[str, Any] = {kind: Bound("x", "u5")}
    token = access.tokens.issue(replace(WANTED, **bound))
    assert refusal(access, token) == "[invalid bearer token, service account token has been invalidated]"
    await store(path, metadata={"uid": "u5"})
    user, _ = access.holder(token, (ISSUER,))
    assert (f"authentication.kubernetes.io/{kind}-name" in user.extra) is (kind != "secret")
    await store(path, metadata={"uid": "u6"})
    told = f"{kind} UID (u6) does not match service account {kind} ref claim (u5)"
    assert refusal(access, token) == f"[invalid bearer token, {told}]"


def test_a_server_without_a_key_gives_out_no_token() -> None:
    """And takes none."""
    access = Access(Storage.in_memory())
    with pytest.raises(BadToken, match="without a key"):
        access.tokens.issue(WANTED)
    assert refusal(access, "x.y.z") == "invalid bearer token"
