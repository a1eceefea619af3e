"""Call: one request to a resource on its way through the verbs, and Outcome: what a verb made of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from konverge.cluster.apiserver.access import User
from konverge.cluster.apiserver.exchange import Request
from konverge.cluster.apiserver.negotiate import Form
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.route import Route
from konverge.cluster.apiserver.strategy import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request whose resource is served."""

    request: Request
    user: User  # who asks, and may
    route: Route
    resource: Resource
    form: Form  # in which the answer is wanted; the verbs need not look at it
    deadline: float = float("inf")  # the loop's time: when a write that waits for others must be over
    warnings: list[str] = field(default_factory=list)  # each becomes a `Warning: 299` header; append to it


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a verb answers: an object of the resource, a list of them, a Status, a Scale.

    The frame writes it in the form that was asked for.
    """

    status: int
    value: JsonObject = field(default_factory=dict)  # may be left out where `encoded` is given and `form.is_plain`
    encoded: bytes = b""  # `value` as JSON, where the verb has it already: it is then not encoded again
    is_own_kind: bool = True  # of the call's resource: it can be shown as a row of a Table, or by its metadata
