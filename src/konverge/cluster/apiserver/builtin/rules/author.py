"""Author: who writes an object, for the few rules that ask what else they may do, or look at another object."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

import msgspec

from konverge.cluster.apiserver.access.attempt import Attempt, refused
from konverge.cluster.apiserver.access.authorization import Authorization
from konverge.cluster.apiserver.access.user import User
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.apiserver.strategy import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """A user at one write."""

    user: User
    attempt: Attempt  # what the write is
    authorization: Authorization
    storage: Storage

    def refusal(self, *, verb: str, subresource: str, namespace: str, name: str) -> str:
        """Say why they may not do something else to the same kind; empty where they may."""
        wanted = replace(self.attempt, verb=verb, subresource=subresource, namespace=namespace, name=name)
        decision = self.authorization.decide(self.user, wanted)
        return "" if decision.is_allowed else refused(self.user, wanted, decision.reason).message

    def namespace(self) -> JsonObject:
        """Return the namespace of the object."""
        stored = self.storage.newest(f"/core/namespaces/{self.attempt.namespace}")
        found: JsonObject = {} if stored is None else msgspec.json.decode(stored.value)
        return found


AuthorRule: TypeAlias = Callable[[Author, JsonObject, JsonObject | None, str], Iterable[FieldError]]
