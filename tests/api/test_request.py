from __future__ import annotations

import json
from typing import Any

import pytest

from konverge.api import request
from konverge.api.kind import ObjectKey, Resource
from konverge.api.request import ListOptions, WriteOptions
from konverge.errors import RequestError

POD = Resource(group="", version="v1", kind="Pod", plural="pods", namespaced=True)
NODE = Resource(group="", version="v1", kind="Node", plural="nodes", namespaced=False)
WIDGET = Resource(group="example.com", version="v1", kind="Widget", plural="widgets", namespaced=True)
WEB = ObjectKey("shop", "web")


@pytest.mark.parametrize(
    ("resource", "key", "subresource", "path"),
    [
        (POD, WEB, "", "/api/v1/namespaces/shop/pods/web"),
        (POD, ObjectKey("", ""), "", "/api/v1/pods"),
        (POD, ObjectKey("shop", ""), "", "/api/v1/namespaces/shop/pods"),
        (NODE, ObjectKey("", "n1"), "status", "/api/v1/nodes/n1/status"),
        (WIDGET, WEB, "scale", "/apis/example.com/v1/namespaces/shop/widgets/web/scale"),
        (NODE, ObjectKey("", "a/b c"), "", "/api/v1/nodes/a%2Fb%20c"),
    ],
)
def test_paths(resource: Resource, key: ObjectKey, subresource: str, path: str) -> None:
    """They follow the server's scheme, with names quoted."""
    assert request.path_of(resource, key, subresource=subresource) == path


def test_get() -> None:
    """A read of one object names the operation in the words of RBAC."""
    call = request.get(POD, WEB, subresource="status", resource_version="0", accept=request.METADATA)
    assert (call.method, call.target) == ("GET", "/api/v1/namespaces/shop/pods/web/status?resourceVersion=0")
    assert call.accept == "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
    assert call.is_read
    assert str(call.operation) == 'get pods/status "shop/web"'


def test_list() -> None:
    """Options that are set become parameters, quoted; those that are not are left out."""
    options = ListOptions(labels="a in (b,c)", fields="x=y", limit=5, continue_="t", resource_version="")
    call = request.list_(WIDGET, "shop", options)
    assert call.target == (
        "/apis/example.com/v1/namespaces/shop/widgets"
        "?labelSelector=a+in+%28b%2Cc%29&fieldSelector=x%3Dy&limit=5&continue=t"
    )
    assert str(call.operation) == 'list widgets.example.com "shop"'
    assert request.list_(POD, "", ListOptions()).target == "/api/v1/pods"


def test_watch() -> None:
    """It asks for bookmarks, and for the initial events only where told."""
    call = request.watch(POD, "", ListOptions(resource_version="7", timeout_seconds=200))
    assert dict(call.query) == {
        "resourceVersion": "7",
        "timeoutSeconds": "200",
        "watch": "true",
        "allowWatchBookmarks": "true",
    }
    assert call.operation.verb == "watch"
    more = request.watch(POD, "", ListOptions(), bookmarks=False, send_initial_events=True)
    assert dict(more.query) == {"watch": "true", "sendInitialEvents": "true"}


def test_create() -> None:
    """It posts to the collection, and to the subresource of an object that is there."""
    options = WriteOptions(dry_run=True, field_owner="me", field_validation="Strict")
    call = request.create(POD, WEB, b"{}", options=options)
    assert (call.method, call.path, call.body) == ("POST", "/api/v1/namespaces/shop/pods", b"{}")
    assert dict(call.query) == {"dryRun": "All", "fieldManager": "me", "fieldValidation": "Strict"}
    assert call.operation.name == "web"
    assert not call.is_read
    eviction = request.create(POD, WEB, b"{}", options=WriteOptions(), subresource="eviction")
    assert eviction.target == "/api/v1/namespaces/shop/pods/web/eviction"
    generated = request.create(POD, ObjectKey("shop", ""), b"{}", options=WriteOptions())
    assert generated.target == "/api/v1/namespaces/shop/pods"


def test_update_and_patch() -> None:
    """Both go to the object; a patch says of what kind it is, and an apply whether it forces."""
    update = request.update(NODE, ObjectKey("", "n1"), b"{}", options=WriteOptions(), subresource="status")
    assert (update.method, update.path) == ("PUT", "/api/v1/nodes/n1/status")
    patch = request.patch(
        POD, WEB, b"{}", options=WriteOptions(field_owner="me"), media_type=request.APPLY_PATCH, force=True
    )
    assert (patch.method, patch.content_type) == ("PATCH", "application/apply-patch+yaml")
    assert dict(patch.query) == {"fieldManager": "me", "force": "true"}


def test_delete() -> None:
    """The options of a delete are its body; of many, the selectors are its query."""
    body = request.delete_body(grace_seconds=0, propagation="Foreground", uid="u", resource_version="7", dry_run=True)
    assert json.loads(body) == {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "gracePeriodSeconds": 0,
        "preconditions": {"uid": "u", "resourceVersion": "7"},
        "propagationPolicy": "Foreground",
        "dryRun": ["All"],
    }
    assert json.loads(request.delete_body()) == {"apiVersion": "v1", "kind": "DeleteOptions"}
    assert request.delete(POD, WEB, body).path == "/api/v1/namespaces/shop/pods/web"
    many = request.delete_collection(POD, "shop", ListOptions(labels="a=b"), body)
    assert (many.method, many.target) == ("DELETE", "/api/v1/namespaces/shop/pods?labelSelector=a%3Db")
    assert many.operation.verb == "deletecollection"


def test_raw() -> None:
    """Any path can be read."""
    call = request.raw("/openapi/v3", query={"hash": "x"})
    assert (call.target, str(call.operation)) == ("/openapi/v3?hash=x", "get /openapi/v3")


@pytest.mark.parametrize("call", [request.get, lambda resource, key: request.delete(resource, key, b"")])
def test_a_missing_name_is_refused(call: Any) -> None:
    """Without one the URL would mean all objects; a namespaced one needs its namespace."""
    with pytest.raises(RequestError, match="Pod needs a name here"):
        call(POD, ObjectKey("shop", ""))
    with pytest.raises(RequestError, match=r'Pod "web" needs a namespace.*in_namespace'):
        call(POD, ObjectKey("", "web"))


def test_a_create_without_a_namespace_is_refused() -> None:
    """It would be a 405 of the server's that says nothing."""
    with pytest.raises(RequestError, match="needs a namespace"):
        request.create(POD, ObjectKey("", "web"), b"{}", options=WriteOptions())


@pytest.mark.parametrize("key", [ObjectKey("shop", ".."), ObjectKey("..", "web"), ObjectKey("shop", ".")])
def test_names_that_would_lead_elsewhere_are_refused(key: ObjectKey) -> None:
    """A dot segment would be resolved on the way, and the request would be about something else."""
    with pytest.raises(RequestError, match="cannot be the name"):
        request.path_of(POD, key)


def test_a_repr_never_shows_a_body() -> None:
    """It may be a Secret's."""
    assert "hunter2" not in repr(request.create(POD, WEB, b"hunter2", options=WriteOptions()))


def test_a_kind_that_only_a_subresource_serves_has_no_path_of_its_own() -> None:
    """Scale and Eviction are bodies; asking for one by itself is told what to do instead."""
    scale = Resource(group="autoscaling", version="v1", kind="Scale", plural="", namespaced=True)
    with pytest.raises(RequestError, match=r"served only as a subresource: use client.subresource"):
        request.get(scale, ObjectKey("shop", "web"))


def test_a_dry_run_is_told_by_the_query_or_by_the_body_of_a_delete() -> None:
    """Both ways of asking are seen, and a name that only looks like it in another body is not."""
    pods = Resource(group="", version="v1", kind="Pod", plural="pods", namespaced=True)
    key, wet = ObjectKey("shop", "web"), WriteOptions()
    assert request.update(pods, key, b"{}", options=WriteOptions(dry_run=True)).is_dry_run
    assert request.delete(pods, key, request.delete_body(dry_run=True)).is_dry_run
    assert not request.delete(pods, key, request.delete_body()).is_dry_run
    assert not request.update(pods, key, b'{"data":{"dryRun":"x"}}', options=wet).is_dry_run
