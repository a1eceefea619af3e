from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from konverge import log


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.fixture(autouse=True)
def _untouched() -> Iterator[None]:
    """Leave the standard library's logging as it was."""
    logger = logging.getLogger("konverge")
    before = logger.handlers[:], logger.level
    yield
    logger.handlers[:], logger.level = before


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    """Return what was logged as JSON."""
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_has_the_fields_of_controller_runtime() -> None:
    """Level, time, logger and message come first, then what was bound, then what was given."""
    stream = io.StringIO()
    log.setup(stream=stream)
    logger = log.get("controller").bind(controller="view", namespace="shop", name="a", reconcileID="1")
    logger.info("reconciled", seconds=0.25)
    (line,) = lines(stream)
    moment = datetime.fromisoformat(line.pop("ts"))
    assert abs((datetime.now(UTC) - moment).total_seconds()) < 60
    assert list(line.items()) == [
        ("level", "info"),
        ("logger", "konverge.controller"),
        ("msg", "reconciled"),
        ("controller", "view"),
        ("namespace", "shop"),
        ("name", "a"),
        ("reconcileID", "1"),
        ("seconds", 0.25),
    ]


def test_an_error_brings_its_text_and_stack() -> None:
    """The error becomes two fields, as zap writes them."""
    stream = io.StringIO()
    log.setup(stream=stream)
    try:
        raise ValueError("no such view")  # noqa: TRY301 - a stack is wanted
    except ValueError as error:
        log.get().error("reconcile failed", error, name="a")
    (line,) = lines(stream)
    assert line["error"] == "no such view"
    assert "raise ValueError" in line["stacktrace"]


def test_a_secret_is_never_written() -> None:
    """A field that is named like a secret is replaced, also inside a mapping."""
    stream = io.StringIO()
    log.setup(stream=stream)
    log.get().info("sent", token="s3cr3t", headers={"Authorization": "Bearer s3cr3t"}, user_password="s3cr3t")
    assert "s3cr3t" not in stream.getvalue()
    assert stream.getvalue().count("<redacted>") == 3


def test_values_that_are_no_json_are_shown_by_their_repr() -> None:
    """Anything can be a field's value, and a log call never fails because of it."""
    stream = io.StringIO()
    log.setup(stream=stream)
    log.get().info("odd", what=object, when=datetime(2030, 1, 1, tzinfo=UTC), many=(1, {2}))
    (line,) = lines(stream)
    assert line["what"] == "<class 'object'>"
    assert line["when"] == "2030-01-01 00:00:00+00:00"
    assert line["many"] == [1, "{2}"]


def test_a_terminal_gets_coloured_text() -> None:
    """On a terminal a line is for people: time, level, message, fields, and the stack below."""
    stream = Terminal()
    log.setup(stream=stream)
    log.get("client").warning("slow", path="/api/v1/pods", note="two words")
    text = stream.getvalue()
    assert "\x1b[33mWARNING" in text
    assert "slow" in text
    assert "/api/v1/pods" in text
    assert '"two words"' in text


def test_the_style_can_be_chosen() -> None:
    """Console text without colours where it is asked for and there is no terminal."""
    stream = io.StringIO()
    log.setup(stream=stream, style="console")
    log.get().info("started")
    assert "\x1b[" not in stream.getvalue()
    assert "INFO    started  konverge" in stream.getvalue()


def test_the_level_is_respected_and_setup_replaces_itself() -> None:
    """A second setup takes the place of the first, and lower levels stay silent."""
    first, second = io.StringIO(), io.StringIO()
    log.setup(stream=first)
    log.setup("warning", stream=second)
    log.get().info("hidden")
    log.get().warning("shown")
    assert first.getvalue() == ""
    assert [line["msg"] for line in lines(second)] == ["shown"]


def test_records_of_other_libraries_fit() -> None:
    """A record that konverge did not make gets the same fields."""
    record = logging.LogRecord("aiohttp", logging.INFO, __file__, 1, "got %d", (3,), None)
    line = log.entry(record)
    assert (line["logger"], line["msg"], line["level"]) == ("aiohttp", "got 3", "info")


def test_the_callers_line_is_the_one_recorded(caplog: pytest.LogCaptureFixture) -> None:
    """The standard library's own fields point at the caller, not at the wrapper."""
    with caplog.at_level(logging.INFO, logger="konverge"):
        log.get().info("here")
    assert caplog.records[0].filename == "test_log.py"


@pytest.mark.parametrize("style", ["json", "console"])
def test_no_value_makes_a_log_call_fail(style: log.Format) -> None:
    """Half a surrogate pair, a number without end and a foreign record's fields are written as well as they can be."""
    stream = io.StringIO()
    log.setup(stream=stream, style=style)
    half = "file-\udce4"
    log.get().info(half, path=half, many=[half], by={half: half}, number=10**30, **{half: 1})
    log.get().error("failed", ValueError(half))
    record = logging.LogRecord("other", logging.INFO, __file__, 1, "there", (), None)
    record.__dict__.update(fields="x", moment=3)
    logging.getLogger("konverge").handle(record)
    text = stream.getvalue()
    assert text.count("file-") >= 7
    assert "\\udce4" in text
    assert str(10**30) in text
    assert "there" in text


def test_a_field_does_not_replace_what_the_line_says_of_itself() -> None:
    """A field named level, ts, logger or msg is written beside the line's own."""
    stream = io.StringIO()
    log.setup(stream=stream)
    log.get("client").bind(logger="mine").warning("low", level=3, msg="other", ts=0)
    (line,) = lines(stream)
    assert (line["level"], line["logger"], line["msg"]) == ("warning", "konverge.client", "low")
    assert (line["level_"], line["logger_"], line["msg_"], line["ts_"]) == (3, "mine", "other", 0)


def test_a_value_cannot_forge_a_line() -> None:
    """On a console line breaks, escape sequences and other control characters of messages and values are escaped."""
    stream = io.StringIO()
    log.setup(stream=stream, style="console")
    forged = "x\n12:00:00 INFO all is well\r\x1b[2J\x9b\u2028"
    log.get().info(forged, value=forged, short="a\nb", key={"a": forged}, **{"k\ny": 1})
    log.get().error("failed", ValueError(forged))
    text = stream.getvalue()
    assert not [character for character in text.replace("\n", "") if not character.isprintable()]
    first, second, *stack = text.splitlines()
    assert first.count("INFO all is well") == 3
    assert 'short="a\\nb"' in first
    assert "failed" in second
    assert all(line.startswith("  ") for line in stack)
