"""A machine that walks a text once: the time is linear in its length, whatever the pattern.

It is at several steps of the program at a time, in the order in which a backtracking engine would try them. What it
does next depends on those steps, on what kind of character came before, and on the next one: so each such move is
worked out once and remembered, until there are too many.
"""

from __future__ import annotations

from typing import Final

import msgspec

from konverge.cluster.apiserver.cel.re2.program import MATCH, Fork, Program, Stand, Take
from konverge.cluster.apiserver.cel.re2.syntax import Place

_REMEMBERED: Final = 4096  # moves
_END: Final = ""  # stands for the character after the last, and before the first


class _State(msgspec.Struct):
    """The steps that the machine is at, and where each character leads from there."""

    steps: tuple[int, ...]
    before: str  # the kind of the character before, by an example
    moves: dict[str, _State | None] = msgspec.field(default_factory=dict)  # None: a match is complete


class Machine:
    """Runs one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._states: dict[tuple[tuple[int, ...], str], _State] = {}
        self._moves = 0

    def matches(self, text: str) -> bool:
        """Whether there is a match anywhere."""
        state = self._state((self._program.start,), _END)
        for char in text:
            after = state.moves[char] if char in state.moves else self._move(state, char)
            if after is None:
                return True
            state = after
        return (state.moves[_END] if _END in state.moves else self._move(state, _END)) is None

    def _move(self, state: _State, char: str) -> _State | None:
        """Work out where a character leads; a match may begin anew at each."""
        open_steps, is_match = self._reached(state.steps, before=state.before, after=char)
        after = None
        if not is_match:
            after = self._state((*self._taken(open_steps, char), self._program.start), _kind(char))
        if self._moves >= _REMEMBERED:
            self._states.clear()
            self._moves = 0
            state.moves.clear()
        state.moves[char] = after
        self._moves += 1
        return after

    def _state(self, steps: tuple[int, ...], before: str) -> _State:
        state = self._states.get((steps, before))
        if state is None:
            state = self._states[steps, before] = _State(steps, before)
        return state

    def find(self, text: str, at: int = 0) -> tuple[int, int] | None:
        """Return the span of the first match from a place on: the leftmost, and of those the one tried first."""
        walkers: dict[int, int] = {}  # steps, in the order of trying, with the place where each one's match begins
        best: tuple[int, int] | None = None
        for place in range(at, len(text) + 1):
            if best is None:
                walkers.setdefault(self._program.start, place)
            if not walkers:
                break
            before = _kind(text[place - 1]) if place else _END
            after = text[place] if place < len(text) else _END
            walkers, matched = self._walk(walkers, before=before, after=after)
            if matched is not None:
                best = matched, place
        return best

    def _walk(self, walkers: dict[int, int], *, before: str, after: str) -> tuple[dict[int, int], int | None]:
        """Go over one character; where a walker has a match, those that come after it in the order give up."""
        left: dict[int, int] = {}
        seen: set[int] = set()
        for step, began in walkers.items():
            open_steps, is_match = self._reached((step,), before=before, after=after, seen=seen)
            for taken in self._taken(open_steps, after):
                left.setdefault(taken, began)
            if is_match:
                return left, began
        return left, None

    def _reached(
        self, steps: tuple[int, ...], *, before: str, after: str, seen: set[int] | None = None
    ) -> tuple[list[Take], bool]:
        """Follow what takes no character: return the steps that wait for one, in order, up to a match."""
        program, seen = self._program.steps, set() if seen is None else seen
        found: list[Take] = []
        waiting = list(reversed(steps))
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            if number == MATCH:
                return found, True
            match program[number]:
                case Take() as take:
                    found.append(take)
                case Stand(place, then) if _stands(place, before, after):
                    waiting.append(then)
                case Fork(first, second):
                    waiting += (second, first)
        return found, False

    def _taken(self, steps: list[Take], char: str) -> list[int]:
        if char == _END:
            return []
        return list(dict.fromkeys(step.then for step in steps if step.test(char)))


def _kind(char: str) -> str:
    """Return an example of the characters that edges do not tell from this one."""
    if char in {_END, "\n"}:
        return char
    return "a" if _is_word(char) else " "


def _is_word(char: str) -> bool:
    return char == "_" or (char.isascii() and char.isalnum())


def _stands(place: Place, before: str, after: str) -> bool:
    match place:
        case Place.BEGIN:
            return before == _END
        case Place.END:
            return after == _END
        case Place.LINE_BEGIN:
            return before in {_END, "\n"}
        case Place.LINE_END:
            return after in {_END, "\n"}
        case Place.WORD_EDGE:
            return _is_word(before) != _is_word(after)
        case Place.NO_WORD_EDGE:
            return _is_word(before) == _is_word(after)
