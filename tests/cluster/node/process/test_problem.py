from __future__ import annotations

from konverge.cluster.node.process.problem import Problems


def test_what_comes_in_turn_is_told_once() -> None:
    """As with a container that crashes: why, and that it did so again, with each restart."""
    problems, heard = Problems(), list[str]()
    problems.listen(heard.append)
    for _ in range(3):
        problems.tell("pod a/b", "its port is in use")
        problems.tell("pod a/b", "it ends again and again")
    assert heard == ["pod a/b: its port is in use", "pod a/b: it ends again and again"]


def test_what_was_forgotten_is_told_anew() -> None:
    """Of that subject alone; so is what others have taken the place of."""
    problems, heard = Problems(), list[str]()
    for subject in ("a", "b"):
        problems.tell(subject, "0")
    problems.listen(heard.append)
    problems.forget("a")
    problems.tell("a", "0")
    problems.tell("b", "0")
    assert heard == ["a: 0"]
    for sentence in ("1", "2", "3", "4", "0"):
        problems.tell("b", sentence)
    assert heard[1:] == ["b: 1", "b: 2", "b: 3", "b: 4", "b: 0"]
