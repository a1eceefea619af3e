"""Kubernetes' URLs: `url('https://…')`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from konverge.cluster.apiserver.cel.cel_error import CelError, no_such_overload
from konverge.cluster.apiserver.cel.declarations import Function, function, member, overload
from konverge.cluster.apiserver.cel.library.binding import Bindings
from konverge.cluster.apiserver.cel.library.go_url import InvalidUrl, Url, parse_request_uri, parse_url
from konverge.cluster.apiserver.cel.types import BOOL, STRING, list_of, map_of, struct
from konverge.cluster.apiserver.cel.values import MapValue

URL: Final = struct("kubernetes.URL")
FUNCTIONS: Final[tuple[Function, ...]] = (
    function("url", overload("string_to_url", [STRING], URL)),
    function("getScheme", member("url_get_scheme", [URL], STRING)),
    function("getHost", member("url_get_host", [URL], STRING)),
    function("getHostname", member("url_get_hostname", [URL], STRING)),
    function("getPort", member("url_get_port", [URL], STRING)),
    function("getEscapedPath", member("url_get_escaped_path", [URL], STRING)),
    function("getQuery", member("url_get_query", [URL], map_of(STRING, list_of(STRING)))),
    function("isURL", overload("is_url_string", [STRING], BOOL)),
)


@dataclass(frozen=True, slots=True)
class UrlValue:
    """A URL."""

    CEL_TYPE: ClassVar[str] = "kubernetes.URL"
    url: Url

    def same(self, other: Any) -> bool:
        """Whether both are written the same."""
        if other.__class__ is not UrlValue:
            raise no_such_overload()
        return str(self.url) == str(other.url)

    def __str__(self) -> str:
        return str(self.url)


def _to_url(text: str) -> UrlValue:
    try:
        parse_request_uri(text)
        return UrlValue(parse_url(text))
    except InvalidUrl as error:
        raise CelError(f"URL parse error during conversion from string: {error}") from error


def _is_url(text: str) -> bool:
    try:
        parse_request_uri(text)
    except InvalidUrl:
        return False
    return True


def _query(value: UrlValue) -> MapValue:
    return MapValue((key, list(values)) for key, values in value.url.values().items())


def _part(read: Callable[[Url], str]) -> Callable[[UrlValue], str]:
    return lambda value: read(value.url)


BINDINGS: Final[Bindings] = {
    "string_to_url": _to_url,
    "url_get_scheme": _part(lambda url: url.scheme),
    "url_get_host": _part(lambda url: url.host),
    "url_get_hostname": _part(Url.hostname),
    "url_get_port": _part(Url.port),
    "url_get_escaped_path": _part(Url.escaped_path),
    "url_get_query": _query,
    "is_url_string": _is_url,
}
