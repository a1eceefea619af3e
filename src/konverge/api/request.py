"""ApiRequest: one call to the API server as a value, built without I/O.

Every call konverge makes is one of these, whether it goes out over HTTPS or straight into the embedded server. The
functions here know the server's URL scheme and its query parameters, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from konverge.api.kind import ObjectKey, Resource
from konverge.api.meta import DeleteOptions, Preconditions
from konverge.api.model import encode
from konverge.errors import Operation, RequestError

JSON = "application/json"
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"

METADATA = f"{JSON};as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
METADATA_LIST = f"{JSON};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRequest:
    """What to ask: method, path and query, and a body that a repr never shows."""

    method: str
    path: str
    operation: Operation
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    accept: str = JSON
    content_type: str = JSON
    body: bytes | None = field(default=None, repr=False)

    @property
    def is_read(self) -> bool:
        """Whether repeating it can do no harm."""
        return self.method == "GET"

    @property
    def is_dry_run(self) -> bool:
        """Whether the server is asked to change nothing: said in the query, or in the body of a delete."""
        in_query = ("dryRun", "All") in self.query
        return in_query or (self.method == "DELETE" and b'"dryRun"' in (self.body or b""))

    @property
    def target(self) -> str:
        """The path with its query, as it goes into the request line."""
        return f"{self.path}?{urlencode(self.query)}" if self.query else self.path


class WriteOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What every write can say beside its object."""

    dry_run: bool = False
    field_owner: str | None = None
    field_validation: str | None = None

    def query(self) -> tuple[tuple[str, str], ...]:
        """Return the query parameters that these options are."""
        return _query(
            dryRun="All" if self.dry_run else None,
            fieldManager=self.field_owner,
            fieldValidation=self.field_validation,
        )


class ListOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which objects a list, a watch or a delete of many is about, and from which version on."""

    labels: str | None = None
    fields: str | None = None
    limit: int | None = None
    continue_: str | None = None
    resource_version: str | None = None
    resource_version_match: str | None = None
    timeout_seconds: int | None = None

    def query(self) -> tuple[tuple[str, str], ...]:
        """Return the query parameters that these options are."""
        return _query(
            labelSelector=self.labels,
            fieldSelector=self.fields,
            limit=self.limit,
            resourceVersion=self.resource_version,
            resourceVersionMatch=self.resource_version_match,
            timeoutSeconds=self.timeout_seconds,
            **{"continue": self.continue_},
        )


def _query(**parameters: Any) -> tuple[tuple[str, str], ...]:
    """Return the parameters that are set; booleans in the wire's spelling."""
    return tuple(
        (name, str(value).lower() if isinstance(value, bool) else str(value))
        for name, value in parameters.items()
        if value is not None and value != ""
    )


def path_of(resource: Resource, key: ObjectKey, *, subresource: str = "") -> str:
    """Return the URL path of an object, or with an empty name that of its collection.

    A namespaced resource without a namespace is addressed across all namespaces.
    """
    if not {key.namespace, key.name}.isdisjoint((".", "..")):
        # Quoting does not touch dots, and whoever resolves them on the way makes it a request about something else.
        raise RequestError(f'"{key}": . and .. cannot be the name of a {resource.kind} or a namespace')
    root = f"/apis/{resource.group}/{resource.version}" if resource.group else f"/api/{resource.version}"
    parts = [root]
    if resource.namespaced and key.namespace:
        parts += ["namespaces", quote(key.namespace, safe="")]
    parts.append(resource.plural)
    if key.name:
        parts.append(quote(key.name, safe=""))
    if subresource:
        parts.append(subresource)
    return "/".join(parts)


def _request(
    verb: str, method: str, resource: Resource, key: ObjectKey, *, subresource: str = "", **rest: Any
) -> ApiRequest:
    if not resource.plural:
        raise RequestError(
            f"{resource.kind} is served only as a subresource: use client.subresource(…) of the object it belongs to"
        )
    name = f"{resource.plural}/{subresource}" if subresource else resource.plural
    namespace = key.namespace if resource.namespaced else ""
    operation = Operation(verb=verb, group=resource.group, resource=name, namespace=namespace, name=key.name)
    return ApiRequest(method=method, path=path_of(resource, key, subresource=subresource), operation=operation, **rest)


def _named(resource: Resource, key: ObjectKey) -> ObjectKey:
    """Check that a key names one object, before a URL without a name would mean all of them."""
    if not key.name:
        raise RequestError(
            f"{resource.kind} needs a name here, and it is empty; give one, or list the {resource.plural}"
        )
    if resource.namespaced and not key.namespace:
        raise RequestError(
            f'{resource.kind} "{key.name}" needs a namespace: set metadata.namespace, give namespace=…, '
            "or use a client of one namespace (client.in_namespace(…))"
        )
    return key


def get(
    resource: Resource,
    key: ObjectKey,
    *,
    subresource: str = "",
    resource_version: str | None = None,
    accept: str = JSON,
) -> ApiRequest:
    """Read one object."""
    query = _query(resourceVersion=resource_version)
    return _request("get", "GET", resource, _named(resource, key), subresource=subresource, query=query, accept=accept)


def list_(resource: Resource, namespace: str, options: ListOptions, *, accept: str = JSON) -> ApiRequest:
    """Read the objects of a namespace, or of all with an empty one."""
    key = ObjectKey(namespace, "")
    return _request("list", "GET", resource, key, query=options.query(), accept=accept)


def watch(
    resource: Resource,
    namespace: str,
    options: ListOptions,
    *,
    bookmarks: bool = True,
    send_initial_events: bool | None = None,
    accept: str = JSON,
) -> ApiRequest:
    """Follow the changes of the objects that a list with the same options would give."""
    more = _query(watch=True, allowWatchBookmarks=bookmarks or None, sendInitialEvents=send_initial_events)
    key = ObjectKey(namespace, "")
    return _request("watch", "GET", resource, key, query=options.query() + more, accept=accept)


def create(
    resource: Resource, key: ObjectKey, body: bytes, *, options: WriteOptions, subresource: str = ""
) -> ApiRequest:
    """Create an object in its collection, or post to the subresource of one that is there."""
    if subresource:
        _named(resource, key)
    elif resource.namespaced and not key.namespace:
        _named(resource, ObjectKey("", key.name or "(generated)"))
    request = _request("create", "POST", resource, key, subresource=subresource, query=options.query(), body=body)
    if subresource:
        return request
    return _at(request, path_of(resource, ObjectKey(key.namespace, "")))


def _at(request: ApiRequest, path: str) -> ApiRequest:
    return ApiRequest(
        method=request.method, path=path, operation=request.operation, query=request.query, body=request.body
    )


def update(
    resource: Resource, key: ObjectKey, body: bytes, *, options: WriteOptions, subresource: str = ""
) -> ApiRequest:
    """Replace an object."""
    key = _named(resource, key)
    return _request("update", "PUT", resource, key, subresource=subresource, query=options.query(), body=body)


def patch(
    resource: Resource,
    key: ObjectKey,
    body: bytes,
    *,
    options: WriteOptions,
    media_type: str,
    subresource: str = "",
    force: bool | None = None,
    accept: str = JSON,
) -> ApiRequest:
    """Change a part of an object; with the media type of apply, create it too."""
    return _request(
        "patch",
        "PATCH",
        resource,
        _named(resource, key),
        subresource=subresource,
        query=options.query() + _query(force=force),
        body=body,
        content_type=media_type,
        accept=accept,
    )


def delete_body(
    *,
    grace_seconds: int | None = None,
    propagation: str | None = None,
    uid: str | None = None,
    resource_version: str | None = None,
    dry_run: bool = False,
) -> bytes:
    """Return the body of a delete: its options, as the server wants them."""
    conditions = Preconditions(uid=uid, resource_version=resource_version)
    options = DeleteOptions(
        api_version="v1",
        kind="DeleteOptions",
        grace_period_seconds=grace_seconds,
        propagation_policy=propagation,
        preconditions=conditions if uid or resource_version else None,
        dry_run=["All"] if dry_run else None,
    )
    return encode(options)


def delete(resource: Resource, key: ObjectKey, body: bytes) -> ApiRequest:
    """Delete one object."""
    return _request("delete", "DELETE", resource, _named(resource, key), body=body)


def delete_collection(resource: Resource, namespace: str, options: ListOptions, body: bytes) -> ApiRequest:
    """Delete the objects that a list with the same options would give."""
    key = ObjectKey(namespace, "")
    return _request("deletecollection", "DELETE", resource, key, query=options.query(), body=body)


def raw(path: str, *, query: Mapping[str, str] | None = None, accept: str = JSON) -> ApiRequest:
    """Read a path that is no resource: /version, /openapi/v3, discovery."""
    pairs: Iterable[tuple[str, str]] = (query or {}).items()
    return ApiRequest(
        method="GET", path=path, query=tuple(pairs), accept=accept, operation=Operation(verb="get", resource=path)
    )
