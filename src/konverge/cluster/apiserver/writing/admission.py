"""Where a write meets what is the server's own: admission, allocation, and the records that are stored beside it.

Each is an attribute that a strategy may have; a kind without one is neither changed nor refused here.
"""

from __future__ import annotations

from collections.abc import Callable

from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.builtin.allocation.recorder import Recorder
from konverge.cluster.apiserver.call import Call
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import JsonObject

_Settle = Callable[[Recorder, JsonObject | None, JsonObject | None], None]


def admit(context: Context, call: Call, value: JsonObject, old: JsonObject | None = None) -> None:
    """Let the server's plugins change an object, or refuse it; nobody gives away rights that they do not have."""
    rule: Callable[[Admission], None] | None = getattr(call.resource.strategy, "admit", None)
    if rule is not None:
        rule(_admission(context, call, value, old))
    context.access.escalation.check(call.user, call.route, value, old)


def begin(context: Context, call: Call, value: JsonObject, old: JsonObject | None = None) -> None:
    """Give an object what the server gives out, before its kind's own rules look at it."""
    rule: Callable[[Admission], None] | None = getattr(call.resource.strategy, "begin", None)
    if rule is not None:
        rule(_admission(context, call, value, old))


def _admission(context: Context, call: Call, value: JsonObject, old: JsonObject | None) -> Admission:
    return Admission(
        storage=context.storage,
        ids=context.ids,
        user=call.user,
        resource=call.resource,
        namespace=call.route.namespace,
        value=value,
        old=old,
        subresource=call.route.subresource,
    )


def settle(context: Context, resource: Resource, old: JsonObject | None, new: JsonObject | None) -> None:
    """Store what goes with a write, in the same step."""
    rule: _Settle | None = getattr(resource.strategy, "settle", None)
    if rule is not None:
        rule(Recorder(context.storage, context.resources, context.ids), old, new)
