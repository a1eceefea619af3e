"""KindRules: the places where a built-in kind can say something of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from konverge.cluster.apiserver.builtin.rules.author import AuthorRule
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

# Where an empty list stands that is refused for being there: reading would drop it, as Go writes none.
EmptyPath: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRules:
    """A kind's own rules; None where it has none. Objects are changed in place; a third argument is the subresource."""

    refused_empties: Callable[[JsonObject], list[EmptyPath]] | None = None
    outdated: Callable[[JsonObject], list[str]] | None = None
    prepare_for_create: Callable[[JsonObject], None] | None = None
    prepare_for_update: Callable[[JsonObject, JsonObject, str], None] | None = None
    canonicalize: Callable[[JsonObject], None] | None = None
    author_errors: AuthorRule | None = None
    validate: Callable[[JsonObject], list[FieldError]] | None = None
    validate_update: Callable[[JsonObject, JsonObject, str], list[FieldError]] | None = None
    grace: Callable[[JsonObject, int | None], int | None] | None = None
    may_end: Callable[[JsonObject], bool] | None = None
