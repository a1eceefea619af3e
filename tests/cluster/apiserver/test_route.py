"""Where requests go."""

from __future__ import annotations

import pytest

from konverge.cluster.apiserver.exchange import Request
from konverge.cluster.apiserver.route import Route, route


def of(method: str, path: str, **query: str) -> Route:
    """Return the route of a request."""
    return route(Request(method=method, path=path, query=tuple(query.items())))


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/api/v1/pods", ("list", "", "v1", "pods", "", "", "")),
        ("GET", "/api/v1/namespaces/a/pods", ("list", "", "v1", "pods", "a", "", "")),
        ("GET", "/api/v1/namespaces/a/pods/b", ("get", "", "v1", "pods", "a", "b", "")),
        ("HEAD", "/api/v1/namespaces/a/pods/b", ("get", "", "v1", "pods", "a", "b", "")),
        ("POST", "/api/v1/namespaces/a/pods", ("create", "", "v1", "pods", "a", "", "")),
        ("PUT", "/api/v1/namespaces/a/pods/b/status", ("update", "", "v1", "pods", "a", "b", "status")),
        ("PATCH", "/apis/g/v1/namespaces/a/things/b/scale", ("patch", "g", "v1", "things", "a", "b", "scale")),
        ("DELETE", "/api/v1/namespaces/a/pods/b", ("delete", "", "v1", "pods", "a", "b", "")),
        ("DELETE", "/api/v1/namespaces/a/pods", ("deletecollection", "", "v1", "pods", "a", "", "")),
        ("GET", "/api/v1/nodes/n", ("get", "", "v1", "nodes", "", "n", "")),
        ("GET", "/api/v1/namespaces", ("list", "", "v1", "namespaces", "", "", "")),
        ("GET", "/api/v1/namespaces/a", ("get", "", "v1", "namespaces", "a", "a", "")),
        ("PUT", "/api/v1/namespaces/a/finalize", ("update", "", "v1", "namespaces", "a", "a", "finalize")),
        ("GET", "/api/v1/namespaces/a/status", ("get", "", "v1", "namespaces", "a", "a", "status")),
        ("GET", "/api/v1/watch/pods", ("watch", "", "v1", "pods", "", "", "")),
        ("GET", "/api/v1/watch/namespaces/a/pods/b", ("watch", "", "v1", "pods", "a", "b", "")),
        ("GET", "/apis/apps/v1/watch/namespaces/a/deployments", ("watch", "apps", "v1", "deployments", "a", "", "")),
        ("GET", "/api/v1/pods/", ("list", "", "v1", "pods", "", "", "")),
        ("FOO", "/api/v1/pods", ("", "", "v1", "pods", "", "", "")),
    ],
)
def test_resources(method: str, path: str, expected: tuple[str, ...]) -> None:
    """A resource's path says its group, version, plural, namespace, name and subresource; the method says the verb."""
    found = of(method, path)
    assert found.is_resource
    names = (found.verb, found.group, found.version, found.plural, found.namespace, found.name, found.subresource)
    assert names == expected


@pytest.mark.parametrize(
    "path",
    ["/", "/api", "/api/v1", "/api/v1/", "/apis", "/apis/apps", "/apis/apps/v1", "/healthz", "/x/y/z"],
)
def test_other_paths(path: str) -> None:
    """What is no resource has its method and path."""
    assert of("GET", path) == Route(verb="get", path=path)


@pytest.mark.parametrize(("value", "verb"), [("true", "watch"), ("1", "watch"), ("", "watch"), ("yes", "watch")])
@pytest.mark.parametrize("no", ["false", "0", "FALSE"])
def test_watch(value: str, verb: str, no: str) -> None:
    """A list with `watch` is a watch, unless it says no; an object with it is just read."""
    assert of("GET", "/api/v1/pods", watch=value).verb == verb
    assert of("GET", "/api/v1/pods", watch=no).verb == "list"
    assert of("GET", "/api/v1/namespaces/a/pods/b", watch=value).verb == "get"


def test_what_follows_a_subresource() -> None:
    """The rest of a path is kept: a proxy needs it."""
    assert of("GET", "/api/v1/namespaces/a/pods/b/proxy/c/d").rest == ("c", "d")
