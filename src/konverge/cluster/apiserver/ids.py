"""Where uids and the ends of generated names come from: a port, so that a run can be repeated exactly."""

from __future__ import annotations

import random
from typing import Final

# No vowels, and no digits that look like one: a generated name spells no word.
_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH: Final = 5
# The bits of a UUID that say that it is a random one, and of which variant; the rest is drawn.
_MARKED: Final = (0xF << 76) | (0b11 << 62)
_MARKS: Final = (4 << 76) | (0b10 << 62)


class Ids:
    """Draws from the source it is given: the system's by default, a seeded one where a run is to be repeated."""

    def __init__(self, source: random.Random | None = None) -> None:
        self._source = source or random.SystemRandom()

    def uid(self) -> str:
        """Return a new uid (a random UUID)."""
        text = f"{self._source.getrandbits(128) & ~_MARKED | _MARKS:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def below(self, limit: int) -> int:
        """Return a number from 0 up to a limit."""
        return self._source.randrange(limit)

    def suffix(self) -> str:
        """Return the five characters that end a generated name."""
        return "".join(self._source.choice(_LETTERS) for _ in range(_SUFFIX_LENGTH))

    def fraction(self) -> float:
        """Return a number from 0 to below 1, for moments that are not to coincide."""
        return self._source.random()
