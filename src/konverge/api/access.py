"""Access: which kinds a controller touches and how, as its builder knows it; RBAC rules are made of it."""

from __future__ import annotations

from typing import Any

import msgspec

from konverge.api.form import Form
from konverge.api.rbac import Grant


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """The kinds of one controller, and what its reconciler declares beside them."""

    reconciles: Form[Any] | None = None
    owns: tuple[Form[Any], ...] = ()
    watches: tuple[Form[Any], ...] = ()
    declared: tuple[Grant, ...] = ()
