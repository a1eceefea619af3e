"""Authentication: from what a request shows to the user who asks.

A client certificate comes first, then a bearer token, which must be a good one; who shows nothing is anonymous.
"""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.access.tokens import BadToken, Tokens
from konverge.cluster.apiserver.access.user import ADMINISTRATOR, ANONYMOUS, AUTHENTICATED, CREDENTIAL_ID, User
from konverge.cluster.apiserver.exchange import Peer, Request
from konverge.cluster.apiserver.failure import unauthorized

_EXTRA_SPACE: Final = "the provided Authorization header contains extra space before the bearer token, and is ignored"


class Authentication:
    """Tells who asks."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def user(self, request: Request, warnings: list[str]) -> User:
        """Return who asks; raise (401) for a credential that proves nothing."""
        peer = request.peer
        if peer.is_trusted:
            return ADMINISTRATOR
        if peer.common_name:
            return _holder(peer)
        token = _bearer(request.header("authorization"), warnings)
        if not token:
            return ANONYMOUS
        try:
            user, _ = self._tokens.read(token, warnings=warnings)
        except BadToken:
            raise unauthorized() from None
        return authenticated(user)


def authenticated(user: User) -> User:
    """Return a user as one who has proved who they are."""
    return User(user.name, (*user.groups, AUTHENTICATED), user.uid, user.extra)


def _holder(peer: Peer) -> User:
    extra = {CREDENTIAL_ID: (f"X509SHA256={peer.fingerprint}",)} if peer.fingerprint else {}
    return authenticated(User(peer.common_name, peer.organizations, extra=extra))


def _bearer(header: str, warnings: list[str]) -> str:
    """Return the token of an Authorization header; empty where there is none."""
    scheme, _, rest = header.strip().partition(" ")
    if scheme.lower() != "bearer":
        return ""
    token, space, _ = rest.partition(" ")
    if not token and space:
        warnings.append(_EXTRA_SPACE)
    return token
