"""Health and readiness: named checks and what the probes are told, in controller-runtime's words.

A check is a plain function that raises if something is wrong. It is called in a thread of the server, never on the
loop, so that it answers while the loop is blocked. Without any, `ping` stands for "the process answers". Reasons are
logged and are shown only by the path of the single check (`/readyz/<name>`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection

import msgspec

from konverge import log
from konverge.errors import RequestError

Check = Callable[[], object]
"""Raises if something is wrong; what it returns does not matter."""

_LOG = log.get("health")


class Answer(msgspec.Struct, frozen=True):
    """What a probe is told."""

    status: int
    text: str


def ping() -> None:
    """Find nothing wrong: answering is the check."""


class Checks:
    """The checks of one endpoint, by name."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint  # "healthz" or "readyz"
        self._checks: dict[str, Check] = {}

    def add(self, name: str, check: Check) -> None:
        """Add a check; a name that is taken, and a coroutine function, are refused."""
        if name in self._checks:
            raise RequestError(f'{self.endpoint} has a check "{name}" already: choose another name')
        if inspect.iscoroutinefunction(check):
            raise RequestError(
                f'the check "{name}" is a coroutine function: write a plain one, since probes are answered in a '
                "thread, even while the event loop is blocked"
            )
        self._checks[name] = check

    def answer(self, name: str = "", *, verbose: bool = False, exclude: Collection[str] = ()) -> Answer:
        """Answer for all checks together, or for the one that is named."""
        checks = self._checks or {"ping": ping}
        if not name:
            return self._together(checks, verbose=verbose, exclude=exclude)
        if name not in checks:
            return Answer(404, "404 page not found\n")
        problem = self._problem(name, checks[name])
        return Answer(500, f"internal server error: {problem}\n") if problem else Answer(200, "ok")

    def _together(self, checks: dict[str, Check], *, verbose: bool, exclude: Collection[str]) -> Answer:
        lines, failed = [], False
        for name in sorted(checks):
            if name in exclude:
                lines.append(f"[+]{name} excluded: ok")
            elif self._problem(name, checks[name]):
                lines.append(f"[-]{name} failed: reason withheld")
                failed = True
            else:
                lines.append(f"[+]{name} ok")
        unknown = ",".join(f'"{name}"' for name in exclude if name not in checks)
        if unknown:
            lines.append(f"warn: some health checks cannot be excluded: no matches for {unknown}")
        lines.append(f"healthz check {'failed' if failed else 'passed'}")
        if not failed and not verbose:
            return Answer(200, "ok")
        return Answer(500 if failed else 200, "\n".join(lines) + "\n")

    def _problem(self, name: str, check: Check) -> str:
        """Return what is wrong; empty if nothing is."""
        try:
            check()
        except Exception as error:  # noqa: BLE001 - the author's code, and any error means: not healthy
            _LOG.info("a health check failed", endpoint=self.endpoint, check=name, cause=str(error))
            return str(error) or type(error).__name__
        return ""
