from konverge.cluster.apiserver.cel.source import NOWHERE, Issue, Source


def test_place() -> None:
    """An issue shows its line with a caret below, and wide characters count as such."""
    source = Source("a &&\n\té + b")
    shown = source.show([Issue(7, "second"), Issue(0, "first"), Issue(NOWHERE, "whole")])
    assert shown.splitlines() == [
        "ERROR: <input>:-1:0: whole",
        "ERROR: <input>:1:1: first",
        " | a &&",
        " | ^",
        "ERROR: <input>:2:3: second",
        " |  é + b",
        " | .\uff0e^",
    ]


def test_too_many_issues() -> None:
    """After a hundred issues only their number is shown."""
    shown = Source("x").show([Issue(0, str(index)) for index in range(103)])
    assert shown.endswith("3 more errors were truncated")


def test_long_lines_are_not_shown() -> None:
    """A very long line is named and not repeated."""
    assert Source("x" * 20_000).show([Issue(3, "m")]) == "ERROR: <input>:1:4: m"
