"""The text of an expression, and what is wrong with it at which place, laid out as cel-go does.

Offsets count characters from 0. A line counts from 1 and a column from 0; messages show the column from 1.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

_MOST_SHOWN: Final = 16_384  # bytes of a line, in a snippet
_MOST_ISSUES: Final = 100
NOWHERE: Final = -1  # the offset of an issue with the expression as a whole
UNPLACED: Final = -2  # the offset of what could not be read: before the first character
_ASCII: Final = 0x80


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing that is wrong."""

    offset: int
    message: str


class Source:
    """An expression's text with its lines."""

    __slots__ = ("_starts", "lines", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self._starts = [0]
        for line in self.lines[:-1]:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def location(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset."""
        if offset == NOWHERE:
            return -1, -1
        if offset == UNPLACED or not self.text:
            return 1, -1
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1]

    def show(self, issues: list[Issue]) -> str:
        """Lay out what is wrong, by place, each with its line and a caret below."""
        placed = sorted(issues, key=lambda issue: self.location(issue.offset))
        shown = [self._show(issue) for issue in placed[:_MOST_ISSUES]]
        if len(issues) > _MOST_ISSUES:
            shown.append(f"{len(issues) - _MOST_ISSUES} more errors were truncated")
        return "\n".join(shown)

    def _show(self, issue: Issue) -> str:
        line, column = self.location(issue.offset)
        text = f"ERROR: <input>:{line}:{column + 1}: {issue.message}"
        if not self.text or not 0 < line <= len(self.lines):
            return text
        snippet = self.lines[line - 1].replace("\t", " ")
        if len(snippet.encode()) > _MOST_SHOWN:
            return text
        dots = "".join("\uff0e" if ord(char) >= _ASCII else "." for char in snippet[: max(column, 0)])
        is_wide = 0 <= column < len(snippet) and ord(snippet[column]) >= _ASCII
        caret = "\uff3e" if is_wide else "^"
        return f"{text}\n | {snippet}\n | {dots}{caret}"


class BadExpression(Exception):
    """An expression that does not parse or does not check; the text is cel-go's."""

    def __init__(self, source: Source, issues: list[Issue]) -> None:
        super().__init__(source.show(issues))
        self.issues = issues
