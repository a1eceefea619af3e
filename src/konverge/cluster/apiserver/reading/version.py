"""Resource versions in a query: read as numbers, and waited for where the server is not yet there."""

from __future__ import annotations

import asyncio
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.failure import Failure, bad_request, timeout
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.storage import Storage

_PATIENCE: Final = 3.0  # seconds that a reader waits for a version that is yet to come
_LOOK_EVERY: Final = 0.05
_HIGHEST: Final = 2**64 - 1
_MOST_DIGITS: Final = len(str(_HIGHEST))


class MalformedVersion(ValueError):
    """A resource version that is no number; the text is the real server's."""


def parsed(text: str) -> int:
    """Return a version as a number; an empty one is 0. Raise `MalformedVersion`."""
    if not text:
        return 0
    if not (text.isascii() and text.isdigit()):
        raise MalformedVersion(_fault(text, "invalid syntax"))
    if len(text.lstrip("0")) > _MOST_DIGITS or int(text) > _HIGHEST:
        raise MalformedVersion(_fault(text, "value out of range"))
    return int(text)


def _fault(text: str, why: str) -> str:
    return str(field_error.invalid("resourceVersion", text, f"strconv.ParseUint: parsing {quoted(text)}: {why}"))


def listed(text: str) -> int:
    """Return the version of a list; a malformed one is a 400."""
    try:
        return parsed(text)
    except MalformedVersion as error:
        raise bad_request(f"invalid resource version: {error}") from error


def watched(text: str) -> int:
    """Return the version of a get or a watch; a malformed one is a 500, in the real server too."""
    try:
        return parsed(text)
    except MalformedVersion as error:
        raise Failure(500, "", str(error)) from error


async def reached(storage: Storage, revision: int) -> None:
    """Wait until the server has seen a version; raise a 504 if it does not come."""
    loop = asyncio.get_running_loop()
    until = loop.time() + _PATIENCE
    while storage.revision < revision:
        if loop.time() >= until:
            raise _too_large(revision, storage.revision)
        await asyncio.sleep(_LOOK_EVERY)


def _too_large(revision: int, current: int) -> Failure:
    cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
    return timeout(f"Too large resource version: {revision}, current: {current}", retry_after=1, causes=[cause])
