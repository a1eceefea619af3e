"""Authorization: whether a user may do what they attempt; and whether they may give rights away.

Administrators (`system:masters`) pass before any role is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from konverge.cluster.apiserver.access.attempt import Attempt, aggregated, refused
from konverge.cluster.apiserver.access.roles import Roles
from konverge.cluster.apiserver.access.user import User


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether something is allowed, and why."""

    is_allowed: bool
    reason: str = ""


_ALLOWED: Final = Decision(is_allowed=True)


class Authorization:
    """Decides by the stored roles."""

    def __init__(self, roles: Roles) -> None:
        self.roles = roles

    def decide(self, user: User, attempt: Attempt) -> Decision:
        """Return whether a user may do something."""
        if user.is_administrator:
            return _ALLOWED
        grants = self.roles.grants(user, attempt.namespace)
        grant = grants.allowing(attempt)
        if grant is not None:
            return Decision(is_allowed=True, reason=f"RBAC: allowed by {grant.source}")
        missing = aggregated(str(role) for role in grants.missing)
        return Decision(is_allowed=False, reason=f"RBAC: {missing}" if missing else "")

    def check(self, user: User, attempt: Attempt) -> None:
        """Raise (403) where a user may not do something."""
        decision = self.decide(user, attempt)
        if not decision.is_allowed:
            raise refused(user, attempt, decision.reason)
