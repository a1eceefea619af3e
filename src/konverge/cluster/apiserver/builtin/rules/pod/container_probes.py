"""Probes and lifecycle hooks of a container: one handler each, and numbers that make sense."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.number_rules import nonnegative
from konverge.cluster.apiserver.builtin.rules.port import port_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import pattern_text
from konverge.cluster.apiserver.strategy import JsonObject

_HEADER: Final = "[-A-Za-z0-9]+"
_FULL_HEADER: Final = re.compile(_HEADER)
_HEADER_TEXT: Final = "a valid HTTP header must consist of alphanumeric characters or '-'"
_NUMBERS: Final = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
_PROBE_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "grpc")
_HOOK_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "sleep")
PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")


def probe_errors(container: JsonObject, path: str, *, grace: int | None) -> Iterator[FieldError]:
    """Judge the hooks and probes of a container."""
    if (lifecycle := container.get("lifecycle")) is not None:
        yield from _lifecycle_errors(lifecycle, f"{path}.lifecycle", grace=grace)
    for name in PROBES:
        if (probe := container.get(name)) is not None:
            yield from _probe_errors(probe, f"{path}.{name}", is_readiness=name == "readinessProbe")


def _lifecycle_errors(lifecycle: JsonObject, path: str, *, grace: int | None) -> Iterator[FieldError]:
    for name in ("postStart", "preStop"):
        if (hook := lifecycle.get(name)) is not None:
            yield from _handler_errors(hook, f"{path}.{name}", names=_HOOK_HANDLERS, grace=grace)


def _probe_errors(probe: JsonObject, path: str, *, is_readiness: bool) -> Iterator[FieldError]:
    yield from _handler_errors(probe, path, names=_PROBE_HANDLERS)
    yield from nonnegative(probe, _NUMBERS, path)
    grace = probe.get("terminationGracePeriodSeconds")
    if grace is not None and grace <= 0:
        yield field_error.invalid(f"{path}.terminationGracePeriodSeconds", grace, "must be greater than 0")
    if is_readiness:
        if grace is not None:
            wrong = "must not be set for readinessProbes"
            yield field_error.invalid(f"{path}.terminationGracePeriodSeconds", grace, wrong)
    elif probe.get("successThreshold", 0) != 1:
        yield field_error.invalid(f"{path}.successThreshold", probe.get("successThreshold", 0), "must be 1")


def _handler_errors(
    holder: JsonObject, path: str, *, names: tuple[str, ...], grace: int | None = None
) -> Iterator[FieldError]:
    given = [name for name in names if holder.get(name) is not None]
    if not given:
        yield field_error.required(path, "must specify a handler type")
        return
    yield from _one_handler_errors(given[0], holder[given[0]], f"{path}.{given[0]}", grace=grace)
    for name in given[1:]:
        yield field_error.forbidden(f"{path}.{name}", "may not specify more than 1 handler type")


def _one_handler_errors(name: str, handler: Any, path: str, *, grace: int | None) -> Iterator[FieldError]:
    if name == "exec":
        if not handler.get("command"):
            yield field_error.required(f"{path}.command")
    elif name == "httpGet":
        yield from _http_errors(handler, path)
    elif name == "sleep":
        seconds = handler.get("seconds", 0)
        if grace is not None and not 0 <= seconds <= grace:
            wrong = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
            yield field_error.invalid(path, seconds, wrong)
    else:
        yield from port_errors(handler.get("port", 0), f"{path}.port")


def _http_errors(handler: JsonObject, path: str) -> Iterator[FieldError]:
    if not handler.get("path"):
        yield field_error.required(f"{path}.path")
    yield from port_errors(handler.get("port", 0), f"{path}.port")
    if handler.get("scheme", "") not in ("HTTP", "HTTPS"):
        yield field_error.not_supported(f"{path}.scheme", handler.get("scheme", ""), ("HTTP", "HTTPS"))
    for header in handler.get("httpHeaders") or ():
        if not _FULL_HEADER.fullmatch(header.get("name", "")):
            wrong = pattern_text(_HEADER_TEXT, _HEADER, "X-Header-Name")
            yield field_error.invalid(f"{path}.httpHeaders", header.get("name", ""), wrong)
