"""Names in an archive: `kubectl cp` has `tar` pack a path and looks for that very path in what comes; pure.

`tar` is told the place of a volume on this machine, so it must also be told to write the names that were asked for.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Final

_PACKING: Final = ("tar", "cf", "-")  # as kubectl says it; what follows is the path


def named_as_asked(asked: Sequence[str], mapped: Sequence[str], *, system: str = sys.platform) -> tuple[str, ...]:
    """Return a mapped command; one that packs a mapped path, with its names mapped back."""
    head, paths = tuple(mapped[: len(_PACKING)]), tuple(mapped[len(_PACKING) :])
    if head != _PACKING or len(paths) != 1 or paths[0] == asked[-1]:
        return tuple(mapped)
    rule = f",^/*{_pattern(paths[0].strip('/'))},{_plain(asked[-1].strip('/'))},"
    option = ("-s", rule) if system == "darwin" else (f"--transform=s{rule}",)  # bsdtar's and GNU tar's
    return (*head, *option, *paths)


def _pattern(text: str) -> str:
    return re.sub(r"([.\[\]*^$\\,])", r"\\\1", text)


def _plain(text: str) -> str:
    return re.sub(r"([&\\,])", r"\\\1", text)
