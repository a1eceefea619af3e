"""ServiceAccount tokens in secrets: one of type `kubernetes.io/service-account-token` gets a token of its account.

The token has no end: it is good as long as the secret and the account are there. A secret without its account is
deleted; a secret that is deleted is taken off the account's list. This controller signs, so it needs the key of the
server's tokens, which a manager does not have: whoever has it adds the controller.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

import msgspec

from konverge.builder import new_controller
from konverge.client.ignore import ignore_not_found
from konverge.controller import Context, DeleteEvent, Event, Request
from konverge.errors import Conflict
from konverge.manager import Manager
from konverge.models import core_v1

NAME: Final = "serviceaccount-token-controller"
TYPE: Final = "kubernetes.io/service-account-token"
ACCOUNT_NAME: Final = "kubernetes.io/service-account.name"
ACCOUNT_UID: Final = "kubernetes.io/service-account.uid"
_CLAIM: Final = "kubernetes.io/serviceaccount"
_BY_ACCOUNT: Final = "konverge.dev/token-secrets-of-an-account"


class Signer(Protocol):
    """Who has the key."""

    def token(self, claims: bytes) -> str:
        """Return a signed JSON Web Token of some claims, which are JSON."""
        ...


def add_to(manager: Manager, signer: Callable[[], Signer]) -> None:
    """Register the controller; `signer` is asked when the first token is made."""
    manager.cache.declare_index(core_v1.Secret, _BY_ACCOUNT, _accounts_of)
    reconciler = TokenReconciler(signer, authority=manager.authority)
    (
        new_controller(manager)
        .named(NAME)
        .for_(core_v1.Secret, predicates=[_is_token])
        .watches(core_v1.Secret, reconciler.note_lost, predicates=[_is_lost_token])
        .watches(core_v1.ServiceAccount, Tokens(manager).of_account, predicates=[_is_lost])
        .complete(reconciler)
    )


def _is_token(event: Event[core_v1.Secret]) -> bool:
    """Whether a secret names an account, as every one of the type does; so most are passed over undecoded."""
    return ACCOUNT_NAME in (event.metadata.annotations or {})


def _is_lost(event: Event[core_v1.ServiceAccount]) -> bool:
    return isinstance(event, DeleteEvent)


def _is_lost_token(event: Event[core_v1.Secret]) -> bool:
    return isinstance(event, DeleteEvent) and _is_token(event)


def _accounts_of(secret: core_v1.Secret) -> list[str]:
    return [_account_of(secret).name] if secret.type == TYPE else []


class _Account(NamedTuple):
    """The account that a secret names; without a uid, whichever has the name."""

    name: str
    uid: str


def _account_of(secret: core_v1.Secret) -> _Account:
    annotations = secret.metadata.annotations or {}
    return _Account(annotations.get(ACCOUNT_NAME, ""), annotations.get(ACCOUNT_UID, ""))


class Tokens:
    """Finds the secrets of an account."""

    def __init__(self, manager: Manager) -> None:
        self._client = manager.client

    async def of_account(self, account: core_v1.ServiceAccount) -> list[Request]:
        """Return the secrets that hold its tokens."""
        namespace, name = account.metadata.namespace or "", account.metadata.name or ""
        found = await self._client.list(core_v1.Secret, namespace=namespace, fields={_BY_ACCOUNT: name})
        return [Request(namespace, secret.metadata.name or "") for secret in found]


class TokenReconciler:
    """Keeps one secret of a token."""

    def __init__(self, signer: Callable[[], Signer], *, authority: bytes) -> None:
        self._signer = signer
        self._authority = authority
        self._lost: dict[Request, _Account] = {}  # secrets that are gone, whose accounts may still list them

    def note_lost(self, secret: core_v1.Secret) -> list[Request]:
        """Remember whose a secret was that is gone."""
        request = Request(secret.metadata.namespace or "", secret.metadata.name or "")
        if secret.type == TYPE:
            self._lost[request] = _account_of(secret)
        return [request]

    async def reconcile(self, ctx: Context, request: Request) -> None:
        """Fill the secret, or delete it without its account; take one that is gone off its account's list."""
        if (lost := self._lost.pop(request, None)) is not None:
            await self._forget(ctx, request, lost)
        secret = await ignore_not_found(ctx.client.get(core_v1.Secret, request))
        if secret is None or secret.type != TYPE:
            return
        account = await self._find(ctx, request.namespace, _account_of(secret))
        try:
            if account is None:
                await ignore_not_found(ctx.client.delete(secret, uid=secret.metadata.uid))
            elif self._fill(secret, account):
                await ignore_not_found(ctx.client.update(secret))
        except Conflict:
            return  # someone has changed it, and the watch will say so

    @staticmethod
    async def _find(ctx: Context, namespace: str, named: _Account) -> core_v1.ServiceAccount | None:
        """Ask the cache, and before a no is believed the server."""
        for client in (ctx.client, ctx.live):
            found = await ignore_not_found(client.get(core_v1.ServiceAccount, named.name, namespace=namespace))
            if found is not None and named.uid in ("", found.metadata.uid):
                return found
        return None

    @staticmethod
    async def _forget(ctx: Context, request: Request, named: _Account) -> None:
        asked = ctx.live.get(core_v1.ServiceAccount, named.name, namespace=request.namespace)
        account = await ignore_not_found(asked)
        if account is None or named.uid not in ("", account.metadata.uid):
            return
        kept = [each for each in account.secrets or () if each.name != request.name]
        if len(kept) != len(account.secrets or ()):
            account.secrets = kept
            await ignore_not_found(ctx.client.update(account))

    def _fill(self, secret: core_v1.Secret, account: core_v1.ServiceAccount) -> bool:
        """Put in what the secret lacks; return whether that was anything."""
        lacking: dict[str, bytes] = {}
        data = secret.data or {}
        if self._authority and data.get("ca.crt") != self._authority:
            lacking["ca.crt"] = self._authority
        if not data.get("namespace"):
            lacking["namespace"] = (secret.metadata.namespace or "").encode()
        if not data.get("token"):
            lacking["token"] = self._signer().token(claims(account, secret)).encode()
        if not lacking:
            return False
        secret.data = {**data, **lacking}
        own = {ACCOUNT_NAME: account.metadata.name or "", ACCOUNT_UID: account.metadata.uid or ""}
        secret.metadata.annotations = {**(secret.metadata.annotations or {}), **own}
        return True


def claims(account: core_v1.ServiceAccount, secret: core_v1.Secret) -> bytes:
    """Return what such a token says, as JSON."""
    namespace, name = account.metadata.namespace, account.metadata.name
    return msgspec.json.encode(
        {
            "iss": "kubernetes/serviceaccount",
            f"{_CLAIM}/namespace": namespace,
            f"{_CLAIM}/secret.name": secret.metadata.name,
            f"{_CLAIM}/service-account.name": name,
            f"{_CLAIM}/service-account.uid": account.metadata.uid,
            "sub": f"system:serviceaccount:{namespace}:{name}",
        }
    )
