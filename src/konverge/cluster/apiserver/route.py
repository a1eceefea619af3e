"""Route: what a method, a path and a query ask for, as Kubernetes reads its own URLs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from konverge.cluster.apiserver.exchange import Request

_VERBS: Final = {
    "POST": "create",
    "GET": "get",
    "HEAD": "get",
    "PUT": "update",
    "PATCH": "patch",
    "DELETE": "delete",
}
_PREFIXES: Final = {"api": 2, "apis": 3}  # what a resource's path has before its plural
_NAMESPACE_SUBRESOURCES: Final = {"status", "finalize"}
_OLD_VERBS: Final = ("watch", "proxy")  # once, they stood before the plural
_FALSE: Final = {"false", "0"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Where a request goes. A path that names no resource has only its verb (the method in lower case) and path."""

    verb: str  # get, list, watch, create, update, patch, delete, deletecollection; empty: a method that no resource has
    path: str
    is_resource: bool = False
    group: str = ""
    version: str = ""
    plural: str = ""
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    rest: tuple[str, ...] = ()  # the parts of the path behind the subresource
    is_old_watch: bool = False  # asked for by `/watch/` in the path
    is_unreadable: bool = False  # it begins as the path of a resource, and then names none

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the path."""
        return _split(self.path)


def _split(path: str) -> tuple[str, ...]:
    trimmed = path.strip("/")
    return tuple(trimmed.split("/")) if trimmed else ()


def route(request: Request) -> Route:
    """Read where a request goes."""
    parts = _split(request.path)
    before = _PREFIXES.get(parts[0] if parts else "", 0)
    if not before or len(parts) <= before:
        return Route(verb=request.method.lower(), path=request.path)
    group, version = ("", parts[1]) if before == _PREFIXES["api"] else (parts[1], parts[2])
    rest = parts[before:]
    if rest[0] in _OLD_VERBS and len(rest) == 1:
        return Route(verb=request.method.lower(), path=request.path, is_unreadable=True)
    is_old_watch = rest[0] == "watch" and len(rest) > 1
    namespace, rest = _namespace(rest[1:] if is_old_watch else rest)
    name = rest[1] if len(rest) > 1 else ""
    return Route(
        verb="watch" if is_old_watch else _verb(request, name),
        path=request.path,
        is_resource=True,
        group=group,
        version=version,
        plural=rest[0],
        namespace=namespace,
        name=name,
        subresource=rest[2] if len(rest) > 2 else "",  # noqa: PLR2004 - plural, name, subresource
        rest=rest[3:],
        is_old_watch=is_old_watch,
    )


def _namespace(parts: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Take the namespace off; a Namespace itself is in the namespace of its own name."""
    if parts[0] != "namespaces" or len(parts) == 1:
        return "", parts
    if len(parts) > 2 and parts[2] not in _NAMESPACE_SUBRESOURCES:  # noqa: PLR2004 - namespaces, name, what is in it
        return parts[1], parts[2:]
    return parts[1], parts


def _verb(request: Request, name: str) -> str:
    verb = _VERBS.get(request.method, "")
    if name or verb not in {"get", "delete"}:
        return verb
    if verb == "delete":
        return "deletecollection"
    watch = request.parameters("watch")
    return "watch" if watch and watch[0].lower() not in _FALSE else "list"
