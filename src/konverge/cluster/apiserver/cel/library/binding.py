"""How a library names what its functions do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

# By the id of an overload, or by the name of a function that decides over all its overloads itself.
Bindings: TypeAlias = Mapping[str, Callable[..., Any]]
