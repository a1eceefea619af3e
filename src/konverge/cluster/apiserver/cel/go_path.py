"""The path of an expression into the schema, as a Go slice.

cel-go's cost estimate appends to slices that share their array, so a path that is kept may change when another one is
made from the same beginning; the sizes it then finds are part of the costs that the real server reports.
"""

from __future__ import annotations

from typing import Final


class GoPath:
    """A slice of strings: a length and an array that others may share."""

    __slots__ = ("_array", "_length")

    def __init__(self, *names: str) -> None:
        self._array = list(names)
        self._length = len(names)

    def __len__(self) -> int:
        return self._length

    def names(self) -> list[str]:
        """Return what it holds now."""
        return self._array[: self._length]

    def append(self, name: str) -> GoPath:
        """Return the longer path: in the same array where that has room, else in one of twice the size."""
        longer = GoPath()
        longer._length = self._length + 1
        if self._length < len(self._array):
            self._array[self._length] = name
            longer._array = self._array
        else:
            room = max(1, 2 * self._length) - self._length - 1
            longer._array = [*self._array[: self._length], name, *[""] * room]
        return longer

    def copied(self, name: str) -> GoPath:
        """Return a longer path in an array of its own."""
        return GoPath(*self.names(), name)


NO_PATH: Final = GoPath()
