"""Endpoints: which paths and methods a resource has, and what the real server says to the others.

Built-in kinds and custom resources differ: the former are routes that exist or do not, the latter one handler that
looks at each request.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.failure import Failure, bad_request, method_not_supported, not_found, path_not_found
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.route import Route

_COLLECTION: Final = {"list", "watch", "create", "deletecollection"}
_OBJECT: Final = {"get", "update", "patch", "delete"}
_SUBRESOURCE: Final = {"get", "update", "patch"}
_ACROSS_NAMESPACES: Final = {"list", "watch"}


class PageNotFound(Exception):
    """The plain 404 of a path that no handler knows."""


def check(resource: Resource, route: Route, method: str) -> None:
    """Raise what the real server answers to a request that a resource has no verb for."""
    if resource.is_custom:
        _check_custom(resource, route)
    else:
        _check_builtin(resource, route, method)


def method_not_allowed() -> Failure:
    """405 of a method that a path does not have."""
    message = "the server does not allow this method on the requested resource"
    return Failure(405, "MethodNotAllowed", message, details={})


def _check_custom(resource: Resource, route: Route) -> None:
    if not _is_in_scope(resource, route):
        raise PageNotFound
    if route.subresource:
        has_it = {"status": resource.has_status, "scale": resource.scale is not None}
        if not has_it.get(route.subresource):
            raise not_found(resource.plural, resource.group, route.name)
        if route.verb not in _SUBRESOURCE:
            raise method_not_supported(resource.plural, resource.group, route.verb)
    if route.verb not in _COLLECTION | _OBJECT:
        raise method_not_supported(resource.plural, resource.group, "")
    if route.verb == "update" and not route.name:
        raise bad_request("name must be provided")


def _is_in_scope(resource: Resource, route: Route) -> bool:
    if resource.namespaced:
        return bool(route.namespace) or (route.verb in _ACROSS_NAMESPACES and not route.name)
    return not route.namespace


def _check_builtin(resource: Resource, route: Route, method: str) -> None:
    verbs = _verbs(resource, route)
    is_proxied = route.subresource == "proxy"  # the rest of its path, and HEAD, are for another server
    if not verbs or (route.rest and not is_proxied):
        raise path_not_found()
    verb = "list" if route.verb == "watch" and not route.is_old_watch else route.verb  # one route, told apart later
    if verb not in verbs or (method == "HEAD" and not is_proxied) or (route.is_old_watch and method != "GET"):
        raise method_not_allowed()


def _verbs(resource: Resource, route: Route) -> frozenset[str]:
    """Return the verbs that a built-in kind has at a path; none where there is no such path."""
    is_namespace = resource.plural == "namespaces" and not resource.group
    if not resource.namespaced and route.namespace and not is_namespace:
        return frozenset()
    if route.is_old_watch:
        return frozenset() if route.subresource else frozenset(resource.verbs) & {"watch"}
    if resource.namespaced and not route.namespace:
        return frozenset() if route.name else frozenset(resource.verbs) & _ACROSS_NAMESPACES
    if route.subresource:
        return _subresource_verbs(resource.group, resource.version, resource.plural).get(route.subresource, frozenset())
    return frozenset(resource.verbs) & (_OBJECT if route.name else _COLLECTION)


@cache
def _subresource_verbs(group: str, version: str, plural: str) -> dict[str, frozenset[str]]:
    return {found.name: frozenset(found.verbs) for found in catalogue.subresources(group, version, plural)}
