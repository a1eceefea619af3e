"""Structured logs: one JSON object a line in production, coloured text on a terminal.

Everything goes through the standard `logging` under the name `konverge`, so an application's own handlers, levels
and captures work; konverge stays silent until `setup()` or the application adds a handler. The fields are the ones
controller-runtime logs (`level`, `ts`, `logger`, `msg`, `controller`, `namespace`, `name`, `reconcileID`, `error`,
`stacktrace`), so existing log queries keep working. A field whose name says it is a secret is never written.
"""

from __future__ import annotations

import logging
import sys
import textwrap
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, Literal, TextIO

import msgspec

from konverge import clock

ROOT: Final = "konverge"
_SECRET_WORDS: Final = ("token", "password", "secret", "authorization", "credential", "private_key", "privatekey")
_LEVEL_COLOURS: Final = {"debug": "\x1b[2m", "info": "\x1b[36m", "warning": "\x1b[33m", "error": "\x1b[31m"}
_OWN_FIELDS: Final = ("level", "ts", "logger", "msg")  # what each line says of itself
_LARGEST: Final = 2**63  # a larger number is no JSON number to most readers
_RESET: Final = "\x1b[0m"
_DIM: Final = "\x1b[2m"

# An application that configures no logging hears nothing, as the standard library asks of a library.
logging.getLogger(ROOT).addHandler(logging.NullHandler())


class Logger(msgspec.Struct, frozen=True):
    """A name and the fields that every line carries; `bind` returns one that carries more."""

    name: str = ROOT
    fields: Mapping[str, Any] = msgspec.field(default_factory=dict)

    def bind(self, **fields: Any) -> Logger:
        """Return a logger that adds these fields to each line."""
        return Logger(self.name, {**self.fields, **fields})

    def debug(self, message: str, **fields: Any) -> None:
        """Log what only someone who looks for a fault wants to see."""
        self._log(logging.DEBUG, message, fields)

    def info(self, message: str, **fields: Any) -> None:
        """Log what happened."""
        self._log(logging.INFO, message, fields)

    def warning(self, message: str, **fields: Any) -> None:
        """Log what someone should look at before it becomes an error."""
        self._log(logging.WARNING, message, fields)

    def error(self, message: str, error: BaseException | None = None, **fields: Any) -> None:
        """Log what failed; the error's text and stack become fields of their own."""
        self._log(logging.ERROR, message, fields, error)

    def _log(self, level: int, message: str, fields: dict[str, Any], error: BaseException | None = None) -> None:
        logger = logging.getLogger(self.name)
        if logger.isEnabledFor(level):
            extra = {"fields": {**self.fields, **fields}, "moment": clock.now()}
            info = (type(error), error, error.__traceback__) if error is not None else None
            logger.log(level, "%s", message, extra=extra, exc_info=info, stacklevel=3)


def get(name: str = "") -> Logger:
    """Return the logger of a part of konverge, or of a program built with it."""
    return Logger(f"{ROOT}.{name}" if name else ROOT)


def entry(record: logging.LogRecord) -> dict[str, Any]:
    """Return a record as the fields of one line, secrets left out; records of other libraries fit too."""
    moment = getattr(record, "moment", None)  # another library's record may have one of its own
    moment = moment if isinstance(moment, datetime) else datetime.fromtimestamp(record.created, UTC)
    line: dict[str, Any] = {
        "level": record.levelname.lower(),
        "ts": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "logger": record.name,
        "msg": _text(record.getMessage()),
    }
    fields = getattr(record, "fields", None)
    for name, value in fields.items() if isinstance(fields, Mapping) else ():
        # What the line says of itself stays: an author's `level` or `msg` moves aside.
        key = f"{name}_" if name in _OWN_FIELDS else _text(str(name))
        line[key] = "<redacted>" if _is_secret(key) else _plain(value)
    if record.exc_info and record.exc_info[1] is not None:
        line["error"] = _text(str(record.exc_info[1]) or repr(record.exc_info[1]))
        line["stacktrace"] = _text("".join(traceback.format_exception(record.exc_info[1])))
    return line


def _is_secret(name: str) -> bool:
    return any(word in name.lower() for word in _SECRET_WORDS)


def _plain(value: Any) -> Any:
    """Return JSON as it is, and everything else by its repr, which hides what must not be shown."""
    if value is None or isinstance(value, (bool, float)):
        return value
    if isinstance(value, int):
        return value if abs(value) < _LARGEST else str(value)
    if isinstance(value, Mapping):
        return {_text(str(key)): "<redacted>" if _is_secret(str(key)) else _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return _text(str(value) if isinstance(value, (str, datetime, BaseException)) else repr(value))


def _text(text: str) -> str:
    """Return a text that can be encoded: half a surrogate pair, as file names may hold, is written as an escape."""
    return text.encode("utf-8", "backslashreplace").decode()


class JsonFormatter(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        return msgspec.json.encode(entry(record)).decode()


class ConsoleFormatter(logging.Formatter):
    """Time, level, message, then the fields; the stack below it."""

    def __init__(self, *, colour: bool = True) -> None:
        super().__init__()
        self._colour = colour

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, and the stack's lines below it."""
        line = entry(record)
        level, moment, name, message = (_escaped(line.pop(key)) for key in _OWN_FIELDS)
        stack = "\n".join(map(_escaped, line.pop("stacktrace", "").rstrip().split("\n")))
        fields = " ".join(f"{self._paint(_DIM, _escaped(key) + '=')}{_console(value)}" for key, value in line.items())
        level = self._paint(_LEVEL_COLOURS.get(level, ""), f"{level.upper():<7}")
        head = f"{self._paint(_DIM, moment[11:])} {level} {message}  {self._paint(_DIM, name)} {fields}".rstrip()
        return f"{head}\n{textwrap.indent(stack, '  ')}" if stack else head

    def _paint(self, colour: str, text: str) -> str:
        return f"{colour}{text}{_RESET}" if self._colour and colour else text


def _console(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    quoted = isinstance(value, str) and (" " in text or not text or not text.isprintable())
    return _escaped(msgspec.json.encode(text).decode() if quoted else text)


def _escaped(text: str) -> str:
    """Return a text without line breaks and control characters, by which a value could pass for a line of its own."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


Format = Literal["auto", "json", "console"]


def setup(level: str = "info", *, style: Format = "auto", stream: TextIO | None = None) -> logging.Handler:
    """Write konverge's logs to a stream, standard error by default; `auto` is text on a terminal and JSON elsewhere.

    Calling it again replaces the handler of the call before.
    """
    stream = stream or sys.stderr
    tty = stream.isatty()
    handler = _Handler(stream)
    handler.setFormatter(
        ConsoleFormatter(colour=tty) if style == "console" or (style == "auto" and tty) else JsonFormatter()
    )
    logger = logging.getLogger(ROOT)
    for old in [old for old in logger.handlers if isinstance(old, _Handler)]:
        logger.removeHandler(old)
    logger.addHandler(handler)
    logger.setLevel(level.upper())
    return handler


class _Handler(logging.StreamHandler[TextIO]):
    """The handler that `setup` made, told apart from the application's own."""
