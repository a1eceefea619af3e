"""Attempt: one thing that a user wants to do, as the authorizer sees it; and the words in which it is refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from konverge.cluster.apiserver.access.user import User
from konverge.cluster.apiserver.exchange import Request
from konverge.cluster.apiserver.failure import Failure, forbidden
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.name_rules import path_segment
from konverge.cluster.apiserver.route import Route

_BY_NAME: Final = "metadata.name"
# As the real server does it, so that no message looks like HTML.
_SANITIZED: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A verb on a resource, or on a path that is none."""

    verb: str
    is_resource: bool = True
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""  # of what is no resource

    @property
    def combined(self) -> str:
        """The resource with its subresource, as rules name it."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource


def attempt_of(request: Request, where: Route) -> Attempt:
    """Return what a request wants to do."""
    if not where.is_resource:
        return Attempt(verb=where.verb, is_resource=False, path=where.path)
    return Attempt(
        verb=where.verb,
        group=where.group,
        resource=where.plural,
        subresource=where.subresource,
        namespace=where.namespace,
        name=where.name or _selected_name(request, where),
    )


def _selected_name(request: Request, where: Route) -> str:
    """Return the one name that a list asks for by its field selector: a rule may allow just that."""
    if where.verb not in ("list", "watch") or where.is_old_watch:
        return ""
    for term in request.parameter("fieldSelector").split(","):
        key, sign, value = term.partition("=")
        if sign and key == _BY_NAME:
            name = value.removeprefix("=")
            return "" if not name or path_segment(name) else name
    return ""


def refused(user: User, attempt: Attempt, reason: str = "") -> Failure:
    """Return the refusal of an attempt."""
    what = _described(user, attempt).translate(_SANITIZED)
    why = f"{what}: {reason}" if reason else what
    failure = forbidden(attempt.resource, attempt.group, attempt.name, why)
    failure.is_sniffed = False
    return failure


def _described(user: User, attempt: Attempt) -> str:
    who = f"User {quoted(user.name)} cannot {attempt.verb}"
    if not attempt.is_resource:
        return f"{who} path {quoted(attempt.path)}"
    scope = f"in the namespace {quoted(attempt.namespace)}" if attempt.namespace else "at the cluster scope"
    return f"{who} resource {quoted(attempt.combined)} in API group {quoted(attempt.group)} {scope}"


def aggregated(errors: Iterable[str]) -> str:
    """Return several errors as Go's aggregate prints them: each once."""
    found = list(dict.fromkeys(errors))
    return found[0] if len(found) == 1 else f"[{', '.join(found)}]" if found else ""
