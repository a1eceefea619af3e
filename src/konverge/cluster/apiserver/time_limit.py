"""Time limits: how long a client is willing to wait (`?timeout=10s`), which the server reads before all else.

Whoever watches or is connected to a pod waits as long as it takes: there the parameter is not looked at.
"""

from __future__ import annotations

import math
from typing import Final

from konverge.api.duration import duration_fault, parse_nanoseconds
from konverge.api.invalid import InvalidValue
from konverge.cluster.apiserver.exchange import Request
from konverge.cluster.apiserver.failure import bad_request
from konverge.cluster.apiserver.route import Route

_LONG: Final = ("attach", "exec", "log", "portforward", "proxy")


def time_limit(request: Request, where: Route) -> float:
    """Return the seconds that a client gives the server; raise what refuses a text that is no duration."""
    text = request.parameter("timeout")
    if not text or where.verb == "watch" or where.subresource in _LONG:
        return math.inf
    try:
        nanoseconds = parse_nanoseconds(text)
    except InvalidValue:
        raise bad_request(f"invalid timeout specified in the request URL - {duration_fault(text)}") from None
    return nanoseconds / 1e9 if nanoseconds > 0 else math.inf
