"""What `konverge up` shows."""

from __future__ import annotations

import io
import logging
from pathlib import Path

import pytest
from rich.console import Console

from konverge.cli.up_status import (
    Facts,
    LineView,
    LiveView,
    Place,
    duration,
    is_worth_a_line,
    one_line,
    picture,
    usage,
    view_of,
)
from konverge.errors import Conflict, Forbidden, NotFound

PLACE = Place(url="https://127.0.0.1:1", kubeconfig=Path("/my data/kubeconfig"), data="/my data", node="runs pods")
PICTURE = """\
konverge    up for 0:01:05
API server  https://127.0.0.1:1
kubectl     export KUBECONFIG='/my data/kubeconfig'
            kubectl get pods -A
data        /my data
node        runs pods
objects     143
pods        2 of 3 running
problem     12:00:00 pod a/b: [red]no such image
            Ctrl-C stops it
"""


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """It is."""
        return True


def shown(facts: Facts) -> str:
    """Return the picture of some facts, without colours."""
    out = io.StringIO()
    Console(file=out, width=80, color_system=None).print(picture(PLACE, facts))
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def test_the_picture_has_what_one_wants_to_know() -> None:
    """What is in a name is never read as markup."""
    facts = Facts(up_for=65.2, objects=143, pods=(2, 3), problem="12:00:00 pod a/b: [red]no such image")
    assert shown(facts) == PICTURE


def test_no_pods_and_no_problem_are_told_as_such() -> None:
    """And that it is on its way down."""
    text = shown(Facts(up_for=1, objects=1, pods=(0, 0), is_stopping=True))
    assert "pods        none\nproblem     none\n" in text
    assert text.startswith("konverge    stopping, and its pods with it\n")


def test_plain_lines_for_programs() -> None:
    """How to use it, then each problem in a line of its own."""
    out = io.StringIO()
    view = view_of(PLACE, out)
    assert isinstance(view, LineView)
    with view:
        view.problem("pod a/b: first\nsecond\x1b[2J")
        view.show(Facts(up_for=1, objects=1, pods=(0, 0)))
    assert out.getvalue() == (
        "export KUBECONFIG='/my data/kubeconfig'\nkubectl get pods -A\nproblem: pod a/b: first second [2J\n"
    )


def test_a_terminal_gets_the_picture_with_problems_above_it() -> None:
    """Once more in each turn, and logs do not write across it."""
    out = Terminal()
    view = view_of(PLACE, out)
    assert isinstance(view, LiveView)
    with view:
        view.problem("pod a/b: [bold]no such image")
        view.show(Facts(up_for=1, objects=7, pods=(1, 1)))
    text = out.getvalue()
    assert "pod a/b: [bold]no such image" in text
    assert "1 of 1 running" in text


def test_with_a_context_there_is_no_file_to_name() -> None:
    """The user's own kubeconfig has it."""
    place = Place(url="", kubeconfig=Path("/k"), data="", node="", context="konverge")
    assert usage(place) == ("kubectl config use-context konverge", "kubectl get pods -A")


@pytest.mark.parametrize(("seconds", "expected"), [(0.9, "0:00:00"), (61, "0:01:01"), (90_061, "25:01:01")])
def test_a_span_is_shown_as_by_a_clock(seconds: float, expected: str) -> None:
    """Hours go on beyond a day."""
    assert duration(seconds) == expected


def test_a_line_is_one_line() -> None:
    """Whatever a pod is called, the terminal stays as it is."""
    assert one_line("a\r\nb\tc\x07") == "a  b c "


def test_problems_are_told_once() -> None:
    """By the view, and not by the log as well; what the server advises our own controllers is nobody's problem."""
    record = logging.LogRecord("konverge.node", logging.WARNING, "", 0, "x", (), None)
    assert is_worth_a_line(record)
    record.fields = {"subject": "pod a/b"}
    assert not is_worth_a_line(record)
    record.levelno = logging.ERROR
    assert is_worth_a_line(record)
    for name in ("konverge.client", "konverge.watchdog"):
        assert not is_worth_a_line(logging.LogRecord(name, logging.WARNING, "", 0, "x", (), None))


@pytest.mark.parametrize(
    ("error", "expected"), [(NotFound("gone"), False), (Conflict("changed"), False), (Forbidden("no"), True)]
)
def test_an_object_that_was_deleted_meanwhile_is_no_error(error: Exception, *, expected: bool) -> None:
    """A controller that was about to write to it looks again by itself; any other failure of one is told."""
    info = (type(error), error, None)
    record = logging.LogRecord("konverge.controller", logging.ERROR, "", 0, "Reconciler error", (), info)
    assert is_worth_a_line(record) is expected
    record.name = "konverge.node"
    assert is_worth_a_line(record)
