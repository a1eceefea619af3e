"""URLs as Go's net/url reads them: what is a URL, its parts, and the texts of its complaints.

Texts are handled as bytes in Latin-1 where they are unescaped, so that `%ff` is one byte, as it is in Go.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from konverge.cluster.apiserver.cel.library.go_netip import InvalidAddress, parse_address
from konverge.cluster.apiserver.go_text import quoted

_UNRESERVED: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~")
_IN_PATH: Final = _UNRESERVED | frozenset("$&+,/:;=@")
_IN_HOST: Final = _UNRESERVED | frozenset("!$&'()*+,;=:[]<>\"")
_IN_RAW_PATH: Final = _IN_PATH | frozenset("!'()*[]%")
_IN_FRAGMENT: Final = _UNRESERVED | frozenset("$&+,/:;=?@!()*")
_USER: Final = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
_SCHEME: Final = re.compile(r"([a-zA-Z][a-zA-Z0-9+\-.]*):", re.ASCII)
_PORT: Final = re.compile(r"(?::[0-9]*)?", re.ASCII)
_ESCAPE: Final = re.compile(r"%([0-9a-fA-F]{2})")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_ASCII: Final = 0x80


class _Wrong(ValueError):
    """What is wrong with a part of a URL, in Go's words."""


class InvalidUrl(ValueError):
    """A text that is no URL; the message is Go's."""

    def __init__(self, text: str, wrong: _Wrong) -> None:
        super().__init__(f"parse {quoted(text)}: {wrong}")


@dataclass(slots=True)
class Url:
    """The parts of a URL, unescaped."""

    scheme: str = ""
    opaque: str = ""
    user: str = ""  # as it was written; "" where there is none
    host: str = ""
    path: str = ""
    raw_path: str = ""
    query: str = ""
    fragment: str = ""
    has_user: bool = False
    forces_query: bool = False
    omits_host: bool = False

    def hostname(self) -> str:
        """Return the host without its port and brackets."""
        return _split_host(self.host)[0]

    def port(self) -> str:
        """Return the port, or an empty text."""
        return _split_host(self.host)[1]

    def escaped_path(self) -> str:
        """Return the path as it is written."""
        if self.raw_path and set(self.raw_path) <= _IN_RAW_PATH:
            return self.raw_path
        return "*" if self.path == "*" else _escaped(self.path, _IN_PATH)

    def values(self) -> dict[str, list[str]]:
        """Return the query's values by their keys; what is malformed is left out."""
        found: dict[str, list[str]] = {}
        for part in self.query.split("&"):
            if not part or ";" in part:
                continue
            key, _, value = part.partition("=")
            try:
                name, text = _query_text(key), _query_text(value)
            except _Wrong:
                continue
            found.setdefault(name, []).append(text)
        return found

    def __str__(self) -> str:
        text = f"{self.scheme}:" if self.scheme else ""
        text += self.opaque or self._authority() + self._written_path(text)
        if self.forces_query or self.query:
            text += f"?{self.query}"
        return f"{text}#{_escaped(self.fragment, _IN_FRAGMENT)}" if self.fragment else text

    def _authority(self) -> str:
        if not (self.scheme or self.host or self.has_user) or (self.omits_host and not self.host and not self.has_user):
            return ""
        slashes = "//" if self.host or self.path or self.has_user else ""
        user = f"{self.user}@" if self.has_user else ""
        return slashes + user + _escaped(self.host, _IN_HOST)

    def _written_path(self, before: str) -> str:
        path = self.escaped_path()
        if path and not path.startswith("/") and self.host:
            return f"/{path}"
        if not before and not self._authority() and ":" in path.partition("/")[0]:
            return f"./{path}"
        return path


def parse_request_uri(text: str) -> Url:
    """Read what stands in a request: an absolute URL or an absolute path; a `#` is nothing special."""
    try:
        return _parse(text, is_request=True)
    except _Wrong as wrong:
        raise InvalidUrl(text, wrong) from wrong


def parse_url(text: str) -> Url:
    """Read a URL."""
    before, _, fragment = text.partition("#")
    try:
        url = _parse(before, is_request=False)
    except _Wrong as wrong:
        raise InvalidUrl(before, wrong) from wrong
    try:
        url.fragment = _unescaped(fragment)
    except _Wrong as wrong:
        raise InvalidUrl(text, wrong) from wrong
    return url


def _parse(text: str, *, is_request: bool) -> Url:
    if _CONTROL.search(text):
        raise _Wrong("net/url: invalid control character in URL")
    if not text and is_request:
        raise _Wrong("empty url")
    if text == "*":
        return Url(path="*")
    if text.startswith(":"):
        raise _Wrong("missing protocol scheme")
    match = _SCHEME.match(text)
    url = Url(scheme=match[1].lower() if match else "")
    rest = _split_query(url, text[match.end() :] if match else text)
    if not rest.startswith("/"):
        if url.scheme:
            url.opaque = rest
            return url
        _refuse_relative(rest, is_request=is_request)
    _set_path(url, _split_authority(url, rest, is_request=is_request))
    return url


def _split_query(url: Url, rest: str) -> str:
    if rest.endswith("?") and rest.count("?") == 1:
        url.forces_query = True
        return rest[:-1]
    rest, _, url.query = rest.partition("?")
    return rest


def _refuse_relative(rest: str, *, is_request: bool) -> None:
    if is_request:
        raise _Wrong("invalid URI for request")
    if ":" in rest.partition("/")[0]:
        raise _Wrong("first path segment in URL cannot contain colon")


def _split_authority(url: Url, rest: str, *, is_request: bool) -> str:
    has_authority = url.scheme or (not is_request and not rest.startswith("///"))
    if not has_authority or not rest.startswith("//"):
        url.omits_host = bool(url.scheme) and rest.startswith("/")
        return rest
    authority, slash, path = rest[2:].partition("/")
    user, at, host = authority.rpartition("@")
    url.host = _host(url.scheme, host)
    if at:
        _set_user(url, user)
    return slash + path


def _set_user(url: Url, user: str) -> None:
    if not _USER.fullmatch(user):
        raise _Wrong("net/url: invalid userinfo")
    for part in user.split(":", 1):
        _unescaped(part)
    url.user, url.has_user = user, True


def _host(scheme: str, host: str) -> str:
    bracket = host.rfind("[")
    if bracket > 0:
        raise _Wrong("invalid IP-literal")
    if bracket == 0:
        return _literal_host(host)
    colon = host.find(":")
    if colon >= 0:
        port = host[colon if scheme in {"http", "https"} else host.rfind(":") :]
        _check_port(port)
    return _unescaped_host(host)


def _literal_host(host: str) -> str:
    close = host.rfind("]")
    if close < 0:
        raise _Wrong("missing ']' in host")
    _check_port(host[close + 1 :])
    name, mark, zone = host[1:close].partition("%25")
    literal = _unescaped_host(name) + (_unescaped(mark + zone) if mark else "")
    try:
        address = parse_address(literal)
    except InvalidAddress as error:
        raise _Wrong(f"invalid host: {error}") from error
    if address.version == 4:  # noqa: PLR2004 - IPv4
        raise _Wrong("invalid IP-literal")
    return f"[{literal}]{host[close + 1 :]}"


def _check_port(port: str) -> None:
    if not _PORT.fullmatch(port):
        raise _Wrong(f"invalid port {quoted(port)} after host")


def _unescaped_host(text: str) -> str:
    for match in re.finditer(r"%.{0,2}", text):
        escape = match[0]
        if not _ESCAPE.fullmatch(escape) or (int(escape[1], 16) < 8 and escape != "%25"):  # noqa: PLR2004 - ASCII
            raise _Wrong(f"invalid URL escape {quoted(escape)}")
    for char in text:
        if ord(char) < _ASCII and char not in _IN_HOST and char != "%":
            raise _Wrong(f"invalid character {quoted(char)} in host name")
    return _unescaped(text)


def _set_path(url: Url, path: str) -> None:
    url.path = _unescaped(path)
    url.raw_path = "" if _escaped(url.path, _IN_PATH) == path else path


def _unescaped(text: str) -> str:
    if "%" not in text:
        return text
    for match in re.finditer(r"%.{0,2}", text, re.DOTALL):
        if not _ESCAPE.fullmatch(match[0]):
            raise _Wrong(f"invalid URL escape {quoted(match[0])}")
    raw = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text.encode().decode("latin-1"))
    return raw.encode("latin-1").decode("utf-8", "surrogateescape")


def _query_text(text: str) -> str:
    return _unescaped(text.replace("+", " "))


def _escaped(text: str, allowed: frozenset[str]) -> str:
    if set(text) <= allowed:
        return text
    raw = text.encode("utf-8", "surrogateescape")
    return "".join(chr(byte) if byte < _ASCII and chr(byte) in allowed else f"%{byte:02X}" for byte in raw)


def _split_host(host: str) -> tuple[str, str]:
    name, port = host, ""
    colon = host.rfind(":")
    if colon >= 0 and _PORT.fullmatch(host[colon:]):
        name, port = host[:colon], host[colon + 1 :]
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    return name, port
