"""Encodings: the lines of recent watch events, so that a change is encoded once for all who watch it in one form."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final

_MOST_BYTES: Final = 2 * 1024 * 1024  # of lines that are kept of one form


class Encoded:
    """The lines of one form, by change; the oldest are forgotten first."""

    def __init__(self) -> None:
        self._lines: OrderedDict[Hashable, bytes] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._lines)

    def line(self, change: Hashable, encode: Callable[[], bytes]) -> bytes:
        """Return the line of a change, encoded when it is first asked for."""
        line = self._lines.get(change)
        if line is None:
            line = self._lines[change] = encode()
            self._bytes += len(line)
            while self._bytes > _MOST_BYTES:
                self._bytes -= len(self._lines.popitem(last=False)[1])
        return line


class Encodings:
    """The lines of every form that someone watches."""

    def __init__(self) -> None:
        self._forms: weakref.WeakValueDictionary[Hashable, Encoded] = weakref.WeakValueDictionary()

    def of(self, form: Hashable) -> Encoded:
        """Return the lines of a form; they are kept as long as someone holds them."""
        found = self._forms.get(form)
        if found is None:
            found = self._forms[form] = Encoded()
        return found
