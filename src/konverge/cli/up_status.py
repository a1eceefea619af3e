"""What `konverge up` shows while it runs: a few facts, kept current on a terminal, and plain lines elsewhere.

`Facts` are what is known at one moment, `picture` is how a terminal shows them; both are pure. A `View` begins when the
cluster is ready, is told of each problem, and is given the facts once a second if it is one that shows them.
"""

from __future__ import annotations

import logging
import shlex
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, Self, TextIO

import msgspec

from konverge import clock, log
from konverge.errors import Conflict, NotFound

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live


PROBLEM_FIELD: Final = "subject"  # of a log line that the node's listeners hear of, too

# What these warn of is for the authors of controllers, who are we: what the server says of their calls, and that one is
# slow, which on a busy machine all are.
_FOR_AUTHORS: Final = ("konverge.client", "konverge.watchdog")


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """What stays the same of a run: where all of it is."""

    url: str
    kubeconfig: Path
    data: str  # a folder, or that there is none
    node: str
    context: str = ""  # of the user's own kubeconfig


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What changes."""

    up_for: float  # seconds
    objects: int
    pods: tuple[int, int]  # how many run, of how many
    problem: str = ""  # the latest, with its time
    is_stopping: bool = False


def usage(place: Place) -> tuple[str, str]:
    """Return the two lines that a shell needs."""
    if place.context:
        return f"kubectl config use-context {place.context}", "kubectl get pods -A"
    return f"export KUBECONFIG={shlex.quote(str(place.kubeconfig))}", "kubectl get pods -A"


class View(Protocol):
    """Where a run tells of itself; a context manager for as long as it does."""

    is_live: bool  # whether it wants facts

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

    def problem(self, sentence: str) -> None:
        """Tell of something that is wrong."""
        ...

    def show(self, facts: Facts) -> None:
        """Show what is the case now."""
        ...


def view_of(place: Place, stream: TextIO | None = None) -> View:
    """Return the view that fits where the output goes."""
    stream = stream or sys.stdout
    return LiveView(place, stream) if stream.isatty() else LineView(place, stream)


class LineView:
    """Plain lines, for files and programs: how to use it, then each problem."""

    is_live = False

    def __init__(self, place: Place, stream: TextIO) -> None:
        self._place, self._stream = place, stream

    def __enter__(self) -> Self:
        for line in usage(self._place):
            self._say(line)
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def problem(self, sentence: str) -> None:
        """Write a line."""
        self._say(f"problem: {one_line(sentence)}")

    def show(self, facts: Facts) -> None:
        """Nothing: what is looked at once does not change."""

    def _say(self, text: str) -> None:
        with suppress(OSError):  # nobody reads it any more, which is no reason to stop
            print(text, file=self._stream, flush=True)


class LiveView:
    """A few lines at the end of a terminal that are always current; problems and logs go by above them."""

    is_live = True

    def __init__(self, place: Place, stream: TextIO) -> None:
        self._place, self._stream = place, stream
        self._live: Live | None = None

    def __enter__(self) -> Self:
        from rich.console import Console  # noqa: PLC0415 - where nobody looks it is not needed
        from rich.live import Live  # noqa: PLC0415

        self._live = Live(console=Console(file=self._stream), auto_refresh=False)
        self._live.start()
        # The handler's stream is what it found when it was made: from now on the one that goes by above the picture.
        log_warnings(style="console")
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            with suppress(OSError):  # as in all of these: the terminal was closed
                self._live.stop()
            log_warnings()

    def problem(self, sentence: str) -> None:
        """Let it go by; the latest is a part of the facts, too."""
        if self._live is not None:
            with suppress(OSError):
                self._live.console.print(stamped(sentence), markup=False, highlight=False)

    def show(self, facts: Facts) -> None:
        """Draw the picture anew."""
        if self._live is not None:
            with suppress(OSError):
                self._live.update(picture(self._place, facts), refresh=True)


def log_warnings(*, style: log.Format = "auto") -> None:
    """Write to standard error what someone should look at."""
    log.setup("warning", style=style).addFilter(is_worth_a_line)


def is_worth_a_line(record: logging.LogRecord) -> bool:
    """Whether a line of the log is for the user: not a problem, which a view tells of; no advice to our own code."""
    fields = getattr(record, "fields", None)
    is_problem = isinstance(fields, Mapping) and PROBLEM_FIELD in fields
    if record.levelno > logging.WARNING:
        return not _is_overtaken(record)
    return not (is_problem or record.name in _FOR_AUTHORS)


def _is_overtaken(record: logging.LogRecord) -> bool:
    """Whether a controller failed as its object was changed or deleted meanwhile: it looks again by itself."""
    error = record.exc_info[1] if record.exc_info else None
    return record.name == "konverge.controller" and isinstance(error, (Conflict, NotFound))


def picture(place: Place, facts: Facts) -> RenderableType:
    """Return how a terminal shows a run."""
    from rich.table import Table  # noqa: PLC0415 - as above

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows(place, facts):
        table.add_row(name, _text(value, is_problem=name == "problem"))
    return table


def rows(place: Place, facts: Facts) -> Iterable[tuple[str, str]]:
    """Return what is shown, as names and values."""
    shell, example = usage(place)
    running, all_pods = facts.pods
    state = "stopping, and its pods with it" if facts.is_stopping else f"up for {duration(facts.up_for)}"
    yield "konverge", state
    yield "API server", place.url
    yield "kubectl", f"{shell}\n{example}"
    yield "data", place.data
    yield "node", place.node
    yield "objects", str(facts.objects)
    yield "pods", f"{running} of {all_pods} running" if all_pods else "none"
    yield "problem", facts.problem or "none"
    yield "", "Ctrl-C stops it"


def _text(value: str, *, is_problem: bool) -> RenderableType:
    from rich.text import Text  # noqa: PLC0415 - as above; a plain string would be read as markup

    return Text(value, style="yellow" if is_problem and value != "none" else "")


def duration(seconds: float) -> str:
    """Return a span as a clock shows it."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


def _hour(moment: datetime) -> str:
    return moment.astimezone().strftime("%H:%M:%S")


def stamped(sentence: str) -> str:
    """Return a problem with the time of day."""
    return f"{_hour(clock.now())} {one_line(sentence)}"


def one_line(sentence: str) -> str:
    """Return a text without what would move a terminal's cursor: names in it are anybody's."""
    return "".join(each if each.isprintable() else " " for each in sentence)
