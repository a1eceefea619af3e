"""Every case on both servers: the same answers, the same events."""

from __future__ import annotations

from collections import Counter

import pytest
from cases import ALL
from harness.masks import MASKS, Mask
from harness.play import play, prepare
from harness.script import Case
from harness.servers import EmbeddedServer, RealServer
from harness.transcript import differences

_PLAYED: list[Case] = []


@pytest.fixture(scope="session", name="_prepared")
def prepared(request: pytest.FixtureRequest, real: RealServer, embedded: EmbeddedServer) -> None:
    """See to it that the CRDs of all cases that will be played are there."""
    params = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    cases = [each["case"] for each in params if isinstance(each.get("case"), Case)]
    for server in (real, embedded):
        prepare(cases, server)


@pytest.mark.usefixtures("_prepared")
@pytest.mark.parametrize("case", ALL, ids=lambda case: case.title)
def test_both_servers_answer_alike(case: Case, real: RealServer, embedded: EmbeddedServer, used: Counter[Mask]) -> None:
    """The transcripts of the two servers are equal."""
    _PLAYED.append(case)
    namespace = f"case-{ALL.index(case)}"
    found = differences(play(case, real, namespace), play(case, embedded, namespace), used)
    assert not found, f"\n{found}"


def test_every_mask_hides_something(used: Counter[Mask]) -> None:
    """A mask that no case needs would hide the next mistake."""
    if len(_PLAYED) == len(ALL):
        assert [mask.pattern for mask in MASKS if not used[mask]] == []
