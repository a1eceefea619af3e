"""LegacyTokens: the tokens that stand in secrets (`kubernetes.io/service-account-token`), which have no end.

One is good while its secret and its account are there, and the secret holds this very token. The day of its use is to
be noted on the secret; who checks a token cannot write, so what is to be noted is collected in `used`.
"""

from __future__ import annotations

import base64
import hmac
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import msgspec

from konverge.clock import now
from konverge.cluster.apiserver.access.user import User, account_groups, account_name, split_account
from konverge.cluster.apiserver.exchange import Peer, Request
from konverge.cluster.apiserver.failure import not_found
from konverge.cluster.apiserver.storage import Storage

ISSUER: Final = "kubernetes/serviceaccount"
LAST_USED: Final = "kubernetes.io/legacy-token-last-used"
_INVALID_SINCE: Final = "kubernetes.io/legacy-token-invalid-since"
_CLAIM: Final = "kubernetes.io/serviceaccount/"
_INVALIDATED: Final = "Token has been invalidated"
_ADVICE: Final = "Use tokens from the TokenRequest API or manually created secret-based tokens"


class LegacyClaims(
    msgspec.Struct,
    frozen=True,
    rename={
        "account": f"{_CLAIM}service-account.name",
        "uid": f"{_CLAIM}service-account.uid",
        "secret": f"{_CLAIM}secret.name",
        "namespace": f"{_CLAIM}namespace",
    },
):
    """What such a token says."""

    account: str = ""
    uid: str = ""
    secret: str = ""
    namespace: str = ""
    sub: str = ""
    aud: tuple[str, ...] | str = ()


class Used(NamedTuple):
    """A secret whose token was shown, on a day that is not yet noted on it."""

    namespace: str
    name: str
    uid: str
    day: str


class Unusable(Exception):
    """A token that proves nothing; the message says why, in the real server's words."""


class LegacyTokens:
    """Tells whose a token is, once its signature was found good."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self.used: list[Used] = []  # to be written to the secrets, by whoever can

    def holder(self, token: str, claims: LegacyClaims, warnings: list[str]) -> User:
        """Return whose it is; raise `Unusable`."""
        _check_claims(claims)
        secret = self._find("secrets", claims.namespace, claims.secret)
        if secret is None or secret["metadata"].get("deletionTimestamp"):
            raise Unusable(_INVALIDATED)
        if not hmac.compare_digest(_stored_token(secret), token.encode()):
            raise Unusable("Token does not match server's copy")
        account = self._account(claims)
        self._note_use(secret["metadata"])
        self._check_mark(secret["metadata"], claims)
        if any(each.get("name") == claims.secret for each in account.get("secrets") or ()):
            warnings.append(f"{_ADVICE} instead of auto-generated secret-based tokens.")
        name = account_name(claims.namespace, claims.account)
        return User(name, account_groups(claims.namespace), claims.uid)

    def _account(self, claims: LegacyClaims) -> dict[str, Any]:
        account = self._find("serviceaccounts", claims.namespace, claims.account)
        if account is None:
            raise Unusable(not_found("serviceaccounts", "", claims.account).message)
        metadata = account["metadata"]
        if metadata.get("deletionTimestamp"):
            raise Unusable(f"ServiceAccount {claims.namespace}/{claims.account} has been deleted")
        if metadata["uid"] != claims.uid:
            raise Unusable(f"ServiceAccount UID ({metadata['uid']}) does not match claim ({claims.uid})")
        return account

    @staticmethod
    def _check_mark(metadata: dict[str, Any], claims: LegacyClaims) -> None:
        if (metadata.get("labels") or {}).get(_INVALID_SINCE):
            raise Unusable(
                f"the token in secret {claims.namespace}/{claims.secret} for service account "
                f"{claims.namespace}/{claims.account} has been marked invalid. {_ADVICE}, or remove the "
                f"'{_INVALID_SINCE}' label from the secret to temporarily allow use of this token"
            )

    def _note_use(self, metadata: dict[str, Any]) -> None:
        moment = now()
        noted = (metadata.get("labels") or {}).get(LAST_USED)
        if noted not in (_day(moment), _day(moment + timedelta(days=1))):  # another server's clock may be ahead
            self.used.append(Used(metadata["namespace"], metadata["name"], metadata["uid"], _day(moment)))

    def _find(self, plural: str, namespace: str, name: str) -> dict[str, Any] | None:
        stored = self._storage.get(f"/core/{plural}/{namespace}/{name}")
        found: dict[str, Any] | None = None if stored is None else msgspec.json.decode(stored.value)
        return found


def note_of_use(used: Used) -> Request:
    """Return the request that notes it: a secret that is gone, or is another one by now, is left alone."""
    metadata = {"name": used.name, "namespace": used.namespace, "uid": used.uid, "labels": {LAST_USED: used.day}}
    return Request(
        method="PATCH",
        path=f"/api/v1/namespaces/{used.namespace}/secrets/{used.name}",
        headers={"content-type": "application/merge-patch+json", "user-agent": "kube-apiserver"},
        body=msgspec.json.encode({"kind": "Secret", "apiVersion": "v1", "metadata": metadata}),
        peer=Peer(is_trusted=True),
    )


def _check_claims(claims: LegacyClaims) -> None:
    named = {
        "sub": claims.sub,
        "namespace": claims.namespace,
        "secretName": claims.secret,
        "serviceAccountName": claims.account,
        "serviceAccountUID": claims.uid,
    }
    missing = next((name for name, value in named.items() if not value), "")
    if missing:
        raise Unusable(f"{missing} claim is missing")
    if split_account(claims.sub) != (claims.namespace, claims.account):
        raise Unusable("sub claim is invalid")


def _stored_token(secret: dict[str, Any]) -> bytes:
    return base64.b64decode((secret.get("data") or {}).get("token") or "")


def _day(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d")
