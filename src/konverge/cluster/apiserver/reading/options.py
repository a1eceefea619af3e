"""ListOptions: what the query of a list, a watch or a deletecollection asks for, judged as Kubernetes does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.exchange import Request
from konverge.cluster.apiserver.failure import bad_request, invalid
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.go_text import quoted

EXACT: Final = "Exact"
NOT_OLDER_THAN: Final = "NotOlderThan"
_FALSE: Final = {"false", "0"}
_HIGHEST: Final = 2**63
_MOST_DIGITS: Final = len(str(_HIGHEST))
_MATCH: Final = "resourceVersionMatch"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """The options of one request."""

    label_selector: str = ""
    field_selector: str = ""
    resource_version: str = ""
    match: str = ""  # resourceVersionMatch
    limit: int = 0
    continue_from: str = ""
    timeout: int = 0  # seconds; 0: the server's choice
    allows_bookmarks: bool = False
    sends_initial_events: bool | None = None


def list_options(request: Request, *, is_watch: bool = False) -> ListOptions:
    """Read the options; a 400 or 422 says what is wrong with them."""
    if not request.query:
        return _with_defaults(ListOptions(), is_watch=is_watch)
    options = ListOptions(
        label_selector=request.parameter("labelSelector"),
        field_selector=request.parameter("fieldSelector"),
        resource_version=request.parameter("resourceVersion"),
        match=request.parameter(_MATCH),
        limit=number(request, "limit"),
        continue_from=request.parameter("continue"),
        timeout=number(request, "timeoutSeconds"),
        allows_bookmarks=truth(request, "allowWatchBookmarks") or False,
        sends_initial_events=truth(request, "sendInitialEvents"),
    )
    options = _with_defaults(options, is_watch=is_watch)
    errors = _watch_errors(options) if is_watch else _list_errors(options)
    if errors:
        raise invalid("ListOptions", "meta.k8s.io", "", errors)
    return options


def _with_defaults(options: ListOptions, *, is_watch: bool) -> ListOptions:
    """A watch from nowhere is one that begins with what is there."""
    is_free = options.sends_initial_events is None and not options.match
    if not is_watch or not is_free or options.resource_version not in {"", "0"}:
        return options
    return ListOptions(
        label_selector=options.label_selector,
        field_selector=options.field_selector,
        resource_version=options.resource_version,
        match=NOT_OLDER_THAN,
        limit=options.limit,
        continue_from=options.continue_from,
        timeout=options.timeout,
        allows_bookmarks=options.allows_bookmarks,
        sends_initial_events=True,
    )


def truth(request: Request, name: str) -> bool | None:
    """Read a boolean parameter: anything but a no is a yes, the bare name included; None where it is absent."""
    values = request.parameters(name)
    return values[0].lower() not in _FALSE if values else None


def number(request: Request, name: str) -> int:
    """Read a whole number; 0 where it is absent. A 400 says what is wrong with it."""
    values = request.parameters(name)
    if not values:
        return 0
    text = values[0]
    digits = text[1:] if text[:1] in {"-", "+"} else text
    if not (digits.isascii() and digits.isdigit()):
        raise bad_request(f"strconv.ParseInt: parsing {quoted(text)}: invalid syntax")
    if len(digits.lstrip("0")) > _MOST_DIGITS or not -_HIGHEST <= int(text) < _HIGHEST:
        raise bad_request(f"strconv.ParseInt: parsing {quoted(text)}: value out of range")
    return int(text)


def _list_errors(options: ListOptions) -> list[FieldError]:
    errors = []
    if options.match:
        if not options.resource_version:
            errors.append(_forbidden("is forbidden unless resourceVersion is provided"))
        if options.continue_from:
            errors.append(_forbidden("is forbidden when continue is provided"))
        if options.match not in {EXACT, NOT_OLDER_THAN}:
            errors.append(field_error.not_supported(_MATCH, options.match, [EXACT, NOT_OLDER_THAN, ""]))
        if options.match == EXACT and options.resource_version == "0":
            errors.append(_forbidden('"exact" is forbidden for resourceVersion "0"'))
    if options.sends_initial_events is not None:
        errors.append(field_error.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    return errors


def _watch_errors(options: ListOptions) -> list[FieldError]:
    errors = []
    is_asked = options.sends_initial_events is not None
    if is_asked and options.match != NOT_OLDER_THAN:
        text = f"sendInitialEvents requires setting resourceVersionMatch to {NOT_OLDER_THAN}"
        errors.append(field_error.forbidden(_MATCH, text))
    if options.match:
        if not is_asked:
            errors.append(_forbidden("is forbidden for watch unless sendInitialEvents is provided"))
        if options.match != NOT_OLDER_THAN:
            errors.append(field_error.not_supported(_MATCH, options.match, [NOT_OLDER_THAN]))
        if options.continue_from:
            errors.append(_forbidden("is forbidden when continue is provided"))
    return errors


def _forbidden(why: str) -> FieldError:
    return field_error.forbidden(_MATCH, f"{_MATCH} {why}")
