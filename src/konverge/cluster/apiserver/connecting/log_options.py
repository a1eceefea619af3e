"""PodLogOptions: which part of a log a query asks for, judged as Kubernetes does."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from konverge.api.time import parse_time
from konverge.clock import now
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.exchange import Request
from konverge.cluster.apiserver.failure import bad_request, invalid
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.reading.options import number, truth

_NO_FIELD: Final = "[]"  # as Go shows the path of nothing
_POSITIVE: Final = "must be greater than 0"


def log_options(request: Request, name: str) -> dict[str, Any]:
    """Return the options of a pod's log, by the names of `Logs`; raise 400 or 422."""
    seconds, tail = _number(request, "sinceSeconds"), _number(request, "tailLines")
    limit = _number(request, "limitBytes")
    since = _since(request)
    errors = [*_amount_errors(tail, limit), *_since_errors(seconds, since), *_stream_errors(request)]
    if errors:
        raise invalid("PodLogOptions", "", name, errors)
    return {
        "follow": truth(request, "follow") or False,
        "previous": truth(request, "previous") or False,
        "timestamps": truth(request, "timestamps") or False,
        "since": since if seconds is None else now() - timedelta(seconds=seconds),
        "tail": tail,
        "limit_bytes": limit,
    }


def _number(request: Request, name: str) -> int | None:
    return number(request, name) if request.parameters(name) else None


def _since(request: Request) -> datetime | None:
    text = request.parameter("sinceTime")
    if not text:
        return None
    try:
        return parse_time(text)
    except ValueError:
        shown = quoted(text)
        why = f'parsing time {shown} as "2006-01-02T15:04:05Z07:00": cannot parse {shown} as "2006"'
        raise bad_request(why) from None


def _amount_errors(tail: int | None, limit: int | None) -> list[FieldError]:
    errors = []
    if tail is not None and tail < 0:
        errors.append(field_error.invalid("tailLines", tail, "must be greater than or equal to 0"))
    if limit is not None and limit < 1:
        errors.append(field_error.invalid("limitBytes", limit, _POSITIVE))
    return errors


def _since_errors(seconds: int | None, since: datetime | None) -> list[FieldError]:
    if seconds is not None and since is not None:
        return [field_error.forbidden(_NO_FIELD, "at most one of `sinceTime` or `sinceSeconds` may be specified")]
    if seconds is not None and seconds < 1:
        return [field_error.invalid("sinceSeconds", seconds, _POSITIVE)]
    return []


def _stream_errors(request: Request) -> list[FieldError]:
    """Refuse to tell streams apart: a feature that is off by default."""
    return [field_error.forbidden("stream", "may not be specified")] if request.parameters("stream") else []
