"""Reads a pattern of RE2 into nodes (`syntax`), or refuses it in RE2's words.

Each atom is written with the flags that hold for it, so the result needs no flags of its own. Groups do not capture:
nothing asks for a part of a match.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from konverge.cluster.apiserver.cel.re2.syntax import Choice, Edge, Node, One, Place, Repeat, Sequence
from konverge.cluster.apiserver.cel.re2.unicode_class import PERL, POSIX, Ranges, named_class, negated, written

_MOST: Final = 1000  # repetitions
_REPEAT: Final = re.compile(r"\{(\d+)(?:(,)(\d*))?\}", re.ASCII)
_NAME: Final = re.compile(r"\(\?P?<([^>]*)>")
_WORD: Final = re.compile(r"\w+", re.ASCII)
_FLAGS: Final = re.compile(r"\(\?([imsU]*)(?:(-)([imsU]*))?([:)])")
_UNREADABLE_FLAGS: Final = re.compile(r"\(\?[imsU]*(?:-[imsU]*)?.?", re.DOTALL)
_CONTROLS: Final = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_PLACES: Final = {"A": Place.BEGIN, "z": Place.END, "b": Place.WORD_EDGE, "B": Place.NO_WORD_EDGE}
_HEX_PAIR: Final = re.compile(r"[0-9a-fA-F]{2}")
_HEX_BRACED: Final = re.compile(r"\{([0-9a-fA-F]+)\}")
_LAST: Final = 0x10FFFF
_ASCII: Final = 0x80


class InvalidPattern(ValueError):
    """A pattern that RE2 does not take; the text is RE2's."""

    def __init__(self, kind: str, part: str) -> None:
        super().__init__(f"error parsing regexp: {kind}: `{part}`")


def read(pattern: str) -> Node:
    """Return the nodes of a pattern, or raise InvalidPattern."""
    return _Reader(pattern).read()


@dataclass(frozen=True, slots=True)
class _Flags:
    folds: bool = False  # i
    is_multiline: bool = False  # m
    dot_is_any: bool = False  # s
    is_lazy: bool = False  # U

    def changed(self, letters: str, *, to: bool) -> _Flags:
        names = {"i": "folds", "m": "is_multiline", "s": "dot_is_any", "U": "is_lazy"}
        values = {name: getattr(self, name) for name in names.values()} | {names[letter]: to for letter in letters}
        return _Flags(**values)


@dataclass(slots=True)
class _Atom:
    """A node, and how often what is in it is repeated."""

    node: Node
    times: int = 1


class _Reader:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._flags = _Flags()

    def read(self) -> Node:
        atom = self._alternatives()
        if self._at < len(self._pattern):
            raise InvalidPattern("unexpected )", self._pattern)
        return atom.node

    def _rest(self) -> str:
        return self._pattern[self._at :]

    def _alternatives(self) -> _Atom:
        """Read up to the end of the group; the flags that are set in it end with it."""
        flags = self._flags
        branches = [self._sequence()]
        while self._pattern.startswith("|", self._at):
            self._at += 1
            branches.append(self._sequence())
        self._flags = flags
        if len(branches) == 1:
            return branches[0]
        return _Atom(Choice(tuple(branch.node for branch in branches)), max(branch.times for branch in branches))

    def _sequence(self) -> _Atom:
        atoms: list[_Atom] = []
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            if self._pattern[self._at] in "*+?" or _REPEAT.match(self._pattern, self._at):
                self._repeat(atoms)
            else:
                atoms.extend(self._atoms())
        if len(atoms) == 1:
            return atoms[0]
        return _Atom(Sequence(tuple(atom.node for atom in atoms)), max((atom.times for atom in atoms), default=1))

    def _repeat(self, atoms: list[_Atom]) -> None:
        start = self._at
        least, most = self._operator()
        operator = self._pattern[start : self._at]
        if not atoms:
            raise InvalidPattern("missing argument to repetition operator", operator)
        if self._at < len(self._pattern):
            self._refuse_nested(start)
        times = atoms[-1].times * max(_copies(least, most), 1)
        if times > _MOST and _copies(least, most) > 1:
            raise InvalidPattern("invalid repeat count", operator)
        is_lazy = (operator.endswith("?") and len(operator) > 1) != self._flags.is_lazy
        atoms[-1] = _Atom(Repeat(atoms[-1].node, least, most, is_lazy=is_lazy), times)

    def _operator(self) -> tuple[int, int | None]:
        """Read a repetition: the least and the most times, None for any number."""
        char = self._pattern[self._at]
        if char != "{":
            self._at += 1
            self._skip_lazy()
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[char]
        match = _REPEAT.match(self._pattern, self._at)
        assert match is not None  # noqa: S101 - the caller has looked
        least = int(match[1])
        most = least if match[2] is None else int(match[3]) if match[3] else None
        if max(least, most or 0) > _MOST or (most is not None and most < least):
            raise InvalidPattern("invalid repeat count", match[0])
        self._at = match.end()
        self._skip_lazy()
        return least, most

    def _skip_lazy(self) -> None:
        if self._pattern.startswith("?", self._at):
            self._at += 1

    def _refuse_nested(self, start: int) -> None:
        if self._pattern[self._at] in "*+?":
            raise InvalidPattern("invalid nested repetition operator", self._pattern[start : self._at + 1])
        match = _REPEAT.match(self._pattern, self._at)
        if match is not None:
            raise InvalidPattern("invalid nested repetition operator", self._pattern[start : match.end()])

    def _atoms(self) -> list[_Atom]:
        char = self._pattern[self._at]
        match char:
            case "(":
                return self._group()
            case "[":
                ranges, is_negated = self._class()
                return [_Atom(self._one(written(ranges, is_negated=is_negated)))]
            case "\\":
                return self._escape()
            case "^":
                node: Node = Edge(Place.LINE_BEGIN if self._flags.is_multiline else Place.BEGIN)
            case "$":
                node = Edge(Place.LINE_END if self._flags.is_multiline else Place.END)
            case ".":
                node = One(r"(?s:.)" if self._flags.dot_is_any else r"[^\n]")
            case _:
                node = self._literal(char)
        self._at += 1
        return [_Atom(node)]

    def _literal(self, char: str) -> One:
        return self._one(re.escape(char)) if char.lower() != char.upper() else One(re.escape(char))

    def _one(self, text: str) -> One:
        return One(f"(?i:{text})" if self._flags.folds else text)

    def _group(self) -> list[_Atom]:
        before = self._flags
        if not self._pattern.startswith("(?", self._at):
            self._at += 1
        elif self._pattern.startswith(("(?P<", "(?<"), self._at):
            self._name()
        elif not self._set_flags():
            return []
        inner = self._alternatives()
        if not self._pattern.startswith(")", self._at):
            raise InvalidPattern("missing closing )", self._pattern)
        self._at += 1
        self._flags = before
        return [inner]

    def _name(self) -> None:
        match = _NAME.match(self._pattern, self._at)
        if match is None:
            raise InvalidPattern("invalid named capture", self._rest())
        if not _WORD.fullmatch(match[1]):
            raise InvalidPattern("invalid named capture", match[0])
        self._at = match.end()

    def _set_flags(self) -> bool:
        """Read `(?flags)` or `(?flags:`; return whether a group is open."""
        match = _FLAGS.match(self._pattern, self._at)
        if match is None or (match[2] and not match[3]):
            part = _UNREADABLE_FLAGS.match(self._pattern, self._at)
            raise InvalidPattern("invalid or unsupported Perl syntax", part[0] if part else self._rest())
        self._flags = self._flags.changed(match[1], to=True).changed(match[3] or "", to=False)
        self._at = match.end()
        return match[4] == ":"

    def _escape(self) -> list[_Atom]:
        letter = self._pattern[self._at + 1 : self._at + 2]
        if letter in _PLACES:
            self._at += 2
            return [_Atom(Edge(_PLACES[letter]))]
        if letter == "Q":
            return self._quoted()
        named = self._escaped_class()
        if named is not None:
            ranges, is_negated = named
            return [_Atom(self._one(written(ranges, is_negated=is_negated)))]
        return [_Atom(self._literal(chr(self._escaped_code())))]

    def _quoted(self) -> list[_Atom]:
        text, _, _ = self._pattern[self._at + 2 :].partition("\\E")
        self._at = min(self._at + 2 + len(text) + 2, len(self._pattern))
        return [_Atom(self._literal(char)) for char in text]

    def _escaped_class(self) -> tuple[Ranges, bool] | None:
        r"""Read `\d`, `\pL` and their kin; None where it is something else."""
        letter = self._pattern[self._at + 1 : self._at + 2]
        if letter.lower() in PERL:
            self._at += 2
            return PERL[letter.lower()], letter.isupper()
        return self._unicode_class() if letter in {"p", "P"} else None

    def _unicode_class(self) -> tuple[Ranges, bool]:
        start = self._at
        name = self._pattern[start + 2 : start + 3]
        end = start + 3
        if name == "{":
            close = self._pattern.find("}", start)
            if close < 0:
                raise InvalidPattern("invalid character class range", self._pattern[start:])
            name, end = self._pattern[start + 3 : close], close + 1
        ranges = named_class(name.removeprefix("^"))
        if not ranges:
            raise InvalidPattern("invalid character class range", self._pattern[start:end])
        self._at = end
        return ranges, (self._pattern[start + 1] == "P") != name.startswith("^")

    def _escaped_code(self) -> int:
        start = self._at
        letter = self._pattern[start + 1 : start + 2]
        if not letter:
            raise InvalidPattern("trailing backslash at end of expression", "")
        self._at += 2
        if letter in _CONTROLS:
            return _CONTROLS[letter]
        if letter == "x":
            return self._hex(start)
        if letter == "0" or (letter in "1234567" and self._pattern[self._at : self._at + 1] in tuple("01234567")):
            return self._octal()
        if ord(letter) < _ASCII and not letter.isalnum():
            return ord(letter)
        raise InvalidPattern("invalid escape sequence", self._pattern[start : self._at])

    def _octal(self) -> int:
        digits = re.compile(r"[0-7]{1,3}").match(self._pattern, self._at - 1)
        assert digits is not None  # noqa: S101 - the caller has seen the first
        self._at = digits.end()
        return int(digits[0], 8)

    def _hex(self, start: int) -> int:
        match = _HEX_BRACED.match(self._pattern, self._at) or _HEX_PAIR.match(self._pattern, self._at)
        code = _LAST + 1 if match is None else int(match[0].strip("{}"), 16)
        if match is None or code > _LAST:
            end = self._at + 1 if match is None else match.end() - 1
            raise InvalidPattern("invalid escape sequence", self._pattern[start:end])
        self._at = match.end()
        return code

    def _class(self) -> tuple[Ranges, bool]:
        start = self._at
        self._at += 1
        is_negated = self._pattern.startswith("^", self._at)
        self._at += is_negated
        found: list[tuple[int, int]] = []
        is_first = True
        while is_first or not self._pattern.startswith("]", self._at):
            if self._at >= len(self._pattern):
                raise InvalidPattern("missing closing ]", self._pattern[start:])
            found.extend(self._class_item(start))
            is_first = False
        self._at += 1
        return tuple(found), is_negated

    def _class_item(self, start: int) -> Ranges:
        if self._pattern.startswith("[:", self._at):
            posix = self._posix()
            if posix is not None:
                return posix
        if self._pattern.startswith("\\", self._at):
            named = self._escaped_class()
            if named is not None:
                return negated(named[0]) if named[1] else named[0]
        item = self._at
        low = high = self._class_code(start)
        if self._pattern.startswith("-", self._at) and not self._pattern.startswith("-]", self._at):
            self._at += 1
            high = self._class_code(start)
            if high < low:
                raise InvalidPattern("invalid character class range", self._pattern[item : self._at])
        return ((low, high),)

    def _class_code(self, start: int) -> int:
        if self._at >= len(self._pattern):
            raise InvalidPattern("missing closing ]", self._pattern[start:])
        if self._pattern[self._at] == "\\":
            return self._escaped_code()
        self._at += 1
        return ord(self._pattern[self._at - 1])

    def _posix(self) -> Ranges | None:
        end = self._pattern.find(":]", self._at + 2)
        if end < 0:
            return None
        name = self._pattern[self._at + 2 : end]
        ranges = POSIX.get(name.removeprefix("^"))
        if ranges is None:
            raise InvalidPattern("invalid character class range", self._pattern[self._at : end + 2])
        self._at = end + 2
        return negated(ranges) if name.startswith("^") else ranges


def _copies(least: int, most: int | None) -> int:
    """Return how often a repetition copies what it repeats: `*` and `+` loop instead."""
    return most if most is not None else least
