"""PlainImports: konverge's own modules are imported under pytest as they are anywhere else.

pytest rewrites the asserts of every package that brings a plugin, so all of konverge. That gains nothing, costs a parse
of each module, and is unsafe in threads: CPython 3.11 fails (`SystemError: AST constructor recursion depth mismatch`)
where two of them parse at the same time, as a test and the server beside it do.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Final

_PACKAGE: Final = "konverge."


class PlainImports(MetaPathFinder):
    """Finds konverge's modules before pytest does."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module of konverge is; nothing for all others."""
        return PathFinder.find_spec(fullname, path, target) if fullname.startswith(_PACKAGE) else None


def install() -> None:
    """Be asked first from now on."""
    if not any(isinstance(finder, PlainImports) for finder in sys.meta_path):
        sys.meta_path.insert(0, PlainImports())
