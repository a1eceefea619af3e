"""Access: the first station of every request, and what the access reviews ask.

From what is shown (`authentication`), by way of whom one wants to be (`impersonation`), to whether they may do it
(`authorization`, by the stored `roles`). Roles and bindings are data; that a ClusterRole with an `aggregationRule` gets
the rules of others is a controller's work, here as in the real server.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from konverge.cluster.apiserver.access.attempt import attempt_of
from konverge.cluster.apiserver.access.authentication import Authentication, authenticated
from konverge.cluster.apiserver.access.authorization import Authorization
from konverge.cluster.apiserver.access.escalation import Escalation
from konverge.cluster.apiserver.access.impersonation import Impersonation, wanted_user
from konverge.cluster.apiserver.access.roles import GROUP, Roles
from konverge.cluster.apiserver.access.signer import TokenSigner
from konverge.cluster.apiserver.access.tokens import Tokens
from konverge.cluster.apiserver.access.user import User
from konverge.cluster.apiserver.exchange import Request
from konverge.cluster.apiserver.route import Route
from konverge.cluster.apiserver.storage import Storage


class Access:
    """Tells who asks and what they may do."""

    def __init__(self, storage: Storage, signer: Callable[[], TokenSigner] | None = None) -> None:
        self.tokens = Tokens(storage, signer)
        self._roles = Roles(storage)
        self.authorization = Authorization(self._roles)
        self.escalation = Escalation(self.authorization)
        self._authentication = Authentication(self.tokens)
        self._impersonation = Impersonation(self.authorization)

    def check(self, request: Request, where: Route, warnings: list[str]) -> User:
        """Return as whom a request is made; raise 401 for a bad credential, 403 for what they may not do."""
        user = self._authentication.user(request, warnings)
        wanted = wanted_user(request)
        if wanted is None and user.is_administrator:
            return user
        attempt = attempt_of(request, where)
        if wanted is not None:
            user = self._impersonation.user(user, wanted, attempt)
        self.authorization.check(user, attempt)
        return user

    def holder(self, token: str, audiences: Sequence[str]) -> tuple[User, tuple[str, ...]]:
        """Return whose a token is, and for which of the audiences; raise `BadToken`."""
        user, shared = self.tokens.read(token, audiences)
        return authenticated(user), shared

    def changed(self, group: str) -> None:
        """Take note that an object of a group was written."""
        if group == GROUP:
            self._roles.changed()
