"""What the author of a write must be allowed to beyond the write itself: few kinds ask it."""

from __future__ import annotations

from konverge.cluster.apiserver.access.attempt import attempt_of
from konverge.cluster.apiserver.builtin.rules.author import Author, AuthorRule
from konverge.cluster.apiserver.call import Call
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject


def author_errors(
    context: Context, call: Call, value: JsonObject, *, old: JsonObject | None = None, part: str = ""
) -> list[FieldError]:
    """Judge an object by who writes it."""
    rule: AuthorRule | None = getattr(call.resource.strategy, "author_errors", None)
    if rule is None:
        return []
    author = Author(
        user=call.user,
        attempt=attempt_of(call.request, call.route),
        authorization=context.access.authorization,
        storage=context.storage,
    )
    return list(rule(author, value, old, part))
