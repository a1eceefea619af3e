"""Tokens: the service account tokens that the server gives out, and those that it is shown.

They are JWTs with the claims of Kubernetes. A token is good while its signature and times are, it is meant for this
server, and the account and the object that it is bound to are still there with the same uids.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import msgspec

from konverge.api.time import parse_time
from konverge.clock import now
from konverge.cluster.apiserver.access.legacy_tokens import ISSUER as LEGACY_ISSUER
from konverge.cluster.apiserver.access.legacy_tokens import LegacyClaims, LegacyTokens, Unusable
from konverge.cluster.apiserver.access.rule import go_list
from konverge.cluster.apiserver.access.signer import TokenSigner
from konverge.cluster.apiserver.access.user import CREDENTIAL_ID, User, account_groups, account_name
from konverge.cluster.apiserver.failure import not_found
from konverge.cluster.apiserver.storage import Storage

ISSUER: Final = "https://kubernetes.default.svc.cluster.local"
AUDIENCES: Final = (ISSUER,)  # of this server
_LEEWAY: Final = timedelta(minutes=1)  # clocks disagree
_MOST_REMEMBERED: Final = 1000  # tokens whose signature was found good
_INVALIDATED: Final = "service account token has been invalidated"
_EXTRA: Final = "authentication.kubernetes.io/"


class Bound(msgspec.Struct, frozen=True, omit_defaults=True):
    """An object that a token depends on."""

    name: str = ""
    uid: str = ""


class _Kubernetes(msgspec.Struct, frozen=True, omit_defaults=True):
    namespace: str = ""
    node: Bound | None = None
    pod: Bound | None = None
    secret: Bound | None = None
    serviceaccount: Bound = Bound()
    warnafter: int | None = None


class _Claims(msgspec.Struct, frozen=True, omit_defaults=True, rename={"kubernetes": "kubernetes.io"}):
    aud: tuple[str, ...] | str = ()
    exp: int | None = None
    iat: int | None = None
    iss: str = ""
    jti: str = ""
    kubernetes: _Kubernetes = _Kubernetes()
    nbf: int | None = None
    sub: str = ""


class _Header(msgspec.Struct, frozen=True):
    alg: str = ""
    kid: str = ""


_claims: Final = msgspec.json.Decoder(_Claims).decode
_legacy_claims: Final = msgspec.json.Decoder(LegacyClaims).decode
_header: Final = msgspec.json.Decoder(_Header).decode


class BadToken(Exception):
    """A token that proves nothing; the message is what a TokenReview says of it, and has no part of the token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A token that is to be given out."""

    namespace: str
    account: Bound
    audiences: Sequence[str]
    seconds: int
    jti: str
    pod: Bound | None = None
    secret: Bound | None = None
    node: Bound | None = None
    warn_after: int | None = None  # seconds


class Tokens:
    """Gives out tokens, and tells whose one is; the key is looked for when the first one is needed."""

    def __init__(self, storage: Storage, signer: Callable[[], TokenSigner] | None) -> None:
        self._storage = storage
        self._make_signer = signer
        self._made: TokenSigner | None = None
        self.legacy = LegacyTokens(storage)
        # A signature that is good stays good; the rest is asked each time.
        self._verified: dict[str, _Claims | LegacyClaims] = {}

    @property
    def signer(self) -> TokenSigner | None:
        """The key; None where the server has none."""
        if self._made is None and self._make_signer is not None:
            self._made = self._make_signer()
        return self._made

    # --- out ---

    def issue(self, wanted: Wanted) -> str:
        """Return a signed token. Raises `BadToken` where the server has no key."""
        signer = self.signer
        if signer is None:
            raise BadToken("this server was started without a key for tokens")
        start = int(now().timestamp())
        claims = _Claims(
            aud=tuple(wanted.audiences),
            exp=start + wanted.seconds,
            iat=start,
            iss=ISSUER,
            jti=wanted.jti,
            kubernetes=_Kubernetes(
                namespace=wanted.namespace,
                node=wanted.node,
                pod=wanted.pod,
                secret=wanted.secret,
                serviceaccount=wanted.account,
                warnafter=start + wanted.warn_after if wanted.warn_after else None,
            ),
            nbf=start,
            sub=account_name(wanted.namespace, wanted.account.name),
        )
        return signer.token(msgspec.json.encode(claims))

    # --- in ---

    def read(
        self, token: str, audiences: Sequence[str] = AUDIENCES, *, warnings: list[str] | None = None
    ) -> tuple[User, tuple[str, ...]]:
        """Return whose a token is, and for which of the audiences; raise `BadToken`."""
        claims = self._verified.get(token) or self._verify(token)
        meant = (claims.aud,) if isinstance(claims.aud, str) else claims.aud or AUDIENCES
        shared = tuple(each for each in audiences if each in meant)
        if not shared:
            wrong = f"token audiences {go_list(meant)} is invalid for the target audiences {go_list(tuple(audiences))}"
            raise _refusal(wrong)
        if isinstance(claims, LegacyClaims):
            return self._legacy_holder(token, claims, [] if warnings is None else warnings), shared
        if wrong := _untimely(claims) or self._outdated(claims.kubernetes):
            raise _refusal(wrong)
        return _user(claims), shared

    def _legacy_holder(self, token: str, claims: LegacyClaims, warnings: list[str]) -> User:
        try:
            return self.legacy.holder(token, claims, warnings)
        except Unusable as error:
            raise _refusal(str(error)) from None

    def _verify(self, token: str) -> _Claims | LegacyClaims:
        parts = token.split(".")
        try:
            header, body, signature = (_bytes(part) for part in parts)
            claims, named = _claims(body), _header(header)
            legacy = _legacy_claims(body) if claims.iss == LEGACY_ISSUER else None
        except (ValueError, binascii.Error, msgspec.DecodeError):
            raise BadToken("invalid bearer token") from None
        signer = self.signer
        if (claims.iss != ISSUER and legacy is None) or signer is None:
            raise BadToken("invalid bearer token")
        if named.kid not in ("", signer.key_id):
            raise _refusal("invalid signature, no keys found")
        if named.alg != signer.algorithm or not signer.verify(f"{parts[0]}.{parts[1]}".encode(), signature):
            raise _refusal("go-jose/go-jose: error in cryptographic primitive")
        if len(self._verified) >= _MOST_REMEMBERED:
            self._verified.clear()
        self._verified[token] = legacy or claims
        return legacy or claims

    def _outdated(self, claims: _Kubernetes) -> str:
        """Say which object that a token depends on is no longer the same."""
        namespace, account = claims.namespace, claims.serviceaccount
        found = self._find(f"serviceaccounts/{namespace}/{account.name}")
        if found is None:
            return not_found("serviceaccounts", "", account.name).message
        if found.get("uid", "") != account.uid:
            return f"service account UID ({found.get('uid', '')}) does not match claim ({account.uid})"
        if _is_gone(found):
            return f"service account {namespace}/{account.name} has been deleted"
        bound = [("secret", f"secrets/{namespace}", claims.secret), ("pod", f"pods/{namespace}", claims.pod)]
        if claims.pod is None:
            bound.append(("node", "nodes", claims.node))
        return next(filter(None, (self._unbound(*each) for each in bound)), "")

    def _unbound(self, kind: str, folder: str, bound: Bound | None) -> str:
        if bound is None:
            return ""
        found = self._find(f"{folder}/{bound.name}")
        if found is None:
            return _INVALIDATED
        if found.get("uid", "") != bound.uid:
            own = found.get("uid", "")
            return f"{kind} UID ({own}) does not match service account {kind} ref claim ({bound.uid})"
        return _INVALIDATED if _is_gone(found) else ""

    def _find(self, path: str) -> dict[str, Any] | None:
        stored = self._storage.get(f"/core/{path}")
        if stored is None:
            return None
        metadata: dict[str, Any] = msgspec.json.decode(stored.value)["metadata"]
        return metadata


def _bytes(text: str) -> bytes:
    if "=" in text or "+" in text or "/" in text:
        raise ValueError(text)
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _refusal(why: str) -> BadToken:
    return BadToken(f"[invalid bearer token, {why}]")


def _untimely(claims: _Claims) -> str:
    moment = now()
    late, early = (moment - _LEEWAY).timestamp(), (moment + _LEEWAY).timestamp()
    if claims.nbf is not None and early < claims.nbf:
        return "service account token is not valid yet"
    if claims.exp is not None and late > claims.exp:
        return "service account token has expired"
    if claims.iat is not None and early < claims.iat:
        return "service account token is issued in the future"
    return ""


def _is_gone(metadata: dict[str, Any]) -> bool:
    """Whether an object was deleted so long ago that nobody's clock can be behind that."""
    deleted = metadata.get("deletionTimestamp")
    return deleted is not None and parse_time(deleted) < now() - _LEEWAY


def _user(claims: _Claims) -> User:
    own = claims.kubernetes
    namespace, account = own.namespace, own.serviceaccount
    extra = {CREDENTIAL_ID: (f"JTI={claims.jti}",)} if claims.jti else {}
    if own.pod is not None:
        extra |= {f"{_EXTRA}pod-name": (own.pod.name,), f"{_EXTRA}pod-uid": (own.pod.uid,)}
    if own.node is not None:
        extra[f"{_EXTRA}node-name"] = (own.node.name,)
        if own.node.uid:
            extra[f"{_EXTRA}node-uid"] = (own.node.uid,)
    return User(account_name(namespace, account.name), account_groups(namespace), account.uid, extra)
