"""Continue tokens: where the next page of a list begins, and at which version; in the real server's own form."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from posixpath import normpath
from typing import Final

import msgspec

from konverge.cluster.apiserver.failure import Failure, bad_request
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing import go_json

LATEST: Final = -1  # the version of a token that goes on with whatever is there
_VERSION: Final = "meta.k8s.io/v1"
_NOT_VALID: Final = "continue key is not valid"
_NOT_BASE64: Final = re.compile(r"[^A-Za-z0-9_-]")
_BEHIND: Final = "\0"  # what the real server puts behind the last key that it has sent
_EXPIRED: Final = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list."
)


@dataclass(frozen=True, slots=True)
class Continuation:
    """A place in a list."""

    after: str  # the last key that was sent
    revision: int  # LATEST: any


class ExpiredContinuation(Failure):
    """410 of a page whose version is no longer kept; it carries a token that goes on with what is there now."""

    def __init__(self, token: str) -> None:
        super().__init__(410, "Expired", _EXPIRED)
        self.token = token

    def status(self) -> JsonObject:
        """Return the Status object."""
        return {**super().status(), "metadata": {"continue": self.token}}


def written(prefix: str, place: Continuation) -> str:
    """Return the token of a place in the list behind a prefix."""
    token = {"v": _VERSION, "rv": place.revision, "start": f"/{place.after.removeprefix(prefix)}{_BEHIND}"}
    return base64.urlsafe_b64encode(msgspec.json.encode(token)).decode().rstrip("=")


def read(prefix: str, text: str) -> Continuation:
    """Return the place that a token names; a 400 where it names none."""
    token = _decoded(text)
    version, revision, start = token.v, token.rv, token.start
    if version != _VERSION:
        raise _invalid(f"{_NOT_VALID}: server does not recognize this encoded version {version}")
    if not revision:
        raise _invalid(f"{_NOT_VALID}: incorrect encoded start resourceVersion (version {_VERSION})")
    if not start:
        raise _invalid(f"{_NOT_VALID}: encoded start key empty (version {_VERSION})")
    absolute = start if start.startswith("/") else f"/{start}"
    if absolute.startswith("//") or normpath(absolute) != absolute:  # no way out of the prefix
        raise _invalid(f"{_NOT_VALID}: {start}")
    return Continuation(prefix + _last_sent(absolute[1:]), revision)


def _last_sent(start: str) -> str:
    """Return the key after which to go on; one without the mark behind it is itself the first to be sent."""
    if start.endswith(_BEHIND):
        return start[: -len(_BEHIND)]
    return f"{start[:-1]}{chr(ord(start[-1]) - 1)}\U0010ffff" if start else ""


class _Token(msgspec.Struct):
    v: str = ""
    rv: int = 0
    start: str = ""


def _decoded(text: str) -> _Token:
    broken = _NOT_BASE64.search(text)
    if broken or len(text) % 4 == 1:
        at = broken.start() if broken else len(text) - 1
        raise _invalid(f"{_NOT_VALID}: illegal base64 data at input byte {at}")
    decoded = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    try:
        return msgspec.json.decode(decoded, type=_Token | None) or _Token()
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        why = go_json.syntax_error(decoded.decode("latin-1")) or "json: cannot unmarshal it into a token"
        raise _invalid(f"{_NOT_VALID}: {why}") from error


def _invalid(why: str) -> Failure:
    return bad_request(f"invalid continue token: {why}")
