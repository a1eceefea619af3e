from konverge.cluster.apiserver.cel.go_path import GoPath


def test_paths_share_their_array() -> None:
    """As in Go, what is appended to a shared array with room changes what was appended there before."""
    base = GoPath("self").append("list").append("@items")  # three of four places are taken
    first = base.append("a")
    second = base.append("b")
    assert first.names() == second.names() == ["self", "list", "@items", "b"]


def test_full_arrays_are_copied() -> None:
    """Without room each gets an array of its own."""
    base = GoPath("self").append("a")
    assert (base.append("x").names(), base.append("y").names()) == (["self", "a", "x"], ["self", "a", "y"])
    assert base.names() == ["self", "a"]
