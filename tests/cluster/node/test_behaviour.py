from __future__ import annotations

import msgspec
import pytest

from konverge import ObjectMeta
from konverge.cluster.node.behaviour import ANNOTATION, Behaviour, read_behaviour


def test_an_annotation_is_read() -> None:
    """In the spelling of the API."""
    found = read_behaviour(
        {ANNOTATION: '{"startAfter": 2, "exitAfter": 1, "exitCodes": [1, null], "readyAfter": null}'}
    )
    assert found == Behaviour(start_after=2.0, exit_after=1.0, exit_codes=(1, None), ready_after=None)
    assert read_behaviour(None) is None


@pytest.mark.parametrize("text", ["{", "[]", '{"exitafter": 1}', '{"exitAfter": "1"}'])
def test_nonsense_is_refused(text: str) -> None:
    """A misspelled behaviour must not look like one that works."""
    with pytest.raises(msgspec.MsgspecError):
        read_behaviour({ANNOTATION: text})


def test_pods_of_an_index_may_do_something_else() -> None:
    """By a Job's or a StatefulSet's index."""
    fails = Behaviour(fail="Evicted")
    behaviour = Behaviour(by_index={"1": fails})
    job = ObjectMeta(annotations={"batch.kubernetes.io/job-completion-index": "1"})
    stateful = ObjectMeta(labels={"apps.kubernetes.io/pod-index": "1"})
    assert behaviour.of(job) is behaviour.of(stateful) is fails
    assert behaviour.of(ObjectMeta()) is behaviour


def test_pods_may_take_turns() -> None:
    """The last behaviour is that of all that follow."""
    first, second = Behaviour(hang=True), Behaviour()
    behaviour = Behaviour(in_turn=(first, second))
    assert [behaviour.at_turn(turn) for turn in range(3)] == [first, second, second]
