"""How deep Python may recurse while it walks a syntax tree.

CEL allows 250 levels of nesting, and each takes several Python calls: more than Python's default of a thousand frames.
Calls from Python to Python use no C stack, so a higher limit is safe; it is put back when the walk is over.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_FRAMES: Final = 20_000


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Allow deep recursion within the block."""
    before = sys.getrecursionlimit()
    if before >= _FRAMES:
        yield
        return
    sys.setrecursionlimit(_FRAMES)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
