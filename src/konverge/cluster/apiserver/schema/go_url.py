"""Addresses as Go's `net/url` and `net/mail` take them: the formats `uri` and `email`, and URLs of webhooks."""

from __future__ import annotations

import re
from typing import Final

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_BAD_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_HOST: Final = re.compile(r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:\[\]<>\"%]|[^\x00-\x7f])*")
_ATOM: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\U0010ffff-]+"
# Texts, for `re` to compile when the first address comes: so wide a range of characters takes it 20 ms.
_ADDRESS: Final = rf"(?:{_ATOM}(?:\.{_ATOM})*|\"(?:[^\"\\\r\n]|\\.)*\")@(?:{_ATOM}(?:\.{_ATOM})*|\[[0-9A-Fa-f.:]+\])"
_NAMED: Final = rf"\s*(?:(?:{_ATOM}|\"(?:[^\"\\]|\\.)*\"|\.)\s*)*<\s*({_ADDRESS})\s*>\s*"


def is_request_uri(text: str) -> bool:
    """Whether a text is an absolute URI, or an absolute path."""
    if not text or _CONTROL.search(text):
        return False
    scheme = _SCHEME.match(text)
    rest = text[scheme.end() :] if scheme else text
    if not rest.startswith("/"):
        return scheme is not None
    path = rest.partition("?")[0]
    if path.startswith("//") and (scheme is not None or not path.startswith("///")):
        authority, slash, path = path[2:].partition("/")
        if not _is_authority(authority):
            return False
        path = slash + path
    return not _BAD_ESCAPE.search(path)


def _is_authority(text: str) -> bool:
    user, at, host = text.rpartition("@")
    if at and (_BAD_ESCAPE.search(user) or not re.fullmatch(r"[A-Za-z0-9\-._~!$&'()*+,;=:%@]*", user)):
        return False
    if host.startswith("["):
        end = host.rfind("]")
        port = host[end + 1 :]
        return end >= 0 and (not port or re.fullmatch(r":\d*", port) is not None)
    name, colon, port = host.rpartition(":")
    if colon and not re.fullmatch(r"\d*", port, re.ASCII):
        return False
    return _HOST.fullmatch(name if colon else host) is not None and "%" not in host


def is_email(text: str) -> bool:
    """Whether a text is one address, with or without a name before it."""
    stripped = text.strip(" \t")
    return re.fullmatch(_ADDRESS, stripped) is not None or re.fullmatch(_NAMED, text) is not None
