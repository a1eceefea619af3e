"""Random scripts on both servers: every step is answered alike, and the watch sees the same.

There are 100 of them, always the same ones, and 1,000 new ones in a soak. A failure prints the shortest script.
"""

from __future__ import annotations

from collections import Counter
from itertools import count

from harness.masks import Mask
from harness.play import play
from harness.script import Case, Step
from harness.servers import EmbeddedServer, RealServer
from harness.transcript import differences
from hypothesis import given, note
from sequences import as_text, scripts

_NUMBERS = count()


@given(steps=scripts())
def test_random_scripts_are_answered_alike(
    steps: tuple[Step, ...], real: RealServer, embedded: EmbeddedServer, used: Counter[Mask]
) -> None:
    """Whatever three managers do to two objects, both servers say the same."""
    case, namespace = Case("a random script", steps), f"sequence-{next(_NUMBERS)}"
    note(as_text(case))
    found = differences(play(case, real, namespace), play(case, embedded, namespace), used)
    assert not found, f"\n{as_text(case)}\n{found}"
