"""Requests that nobody would send: of every kind that is served, with objects made from its schema, partly broken."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.builtin.catalogue import ApiResource, KindSchema
from konverge.cluster.apiserver.builtin.schemas import JsonSchema
from konverge.cluster.apiserver.exchange import Peer, Request

TEXTS: Final = (
    *("", "a", "b", "A b", "é", "x" * 300, "1Gi", "-5m", "2020-01-01T00:00:00Z", "-1", "0", "http://[::1", "10.0.0.1"),
    *(
        "a/b",
        "=",
        "\x00",
        "Always",
        "TCP",
        "default",
        "a.b.c",
        "{}",
        "$(A)",
        "*",
        "1e400",
        "9" * 40,
        "null",
        "..",
        "50%",
    ),
)
NUMBERS: Final = (0, 1, -1, 80, 65536, 2**31, 2**63, -(2**63) - 1, 10**30, 0.5, 1e300, -0.0)
_PARAMETERS: Final = (
    *("dryRun", "fieldManager", "force", "fieldValidation", "labelSelector", "fieldSelector", "limit", "continue"),
    *("resourceVersion", "resourceVersionMatch", "timeoutSeconds", "allowWatchBookmarks", "sendInitialEvents", "watch"),
    *("pretty", "propagationPolicy", "gracePeriodSeconds", "orphanDependents", "includeObject"),
)
_VALUES: Final = (
    *("All", "true", "1", "-1", "abc", "", "a=b", "a in (b,c)", "!a", "metadata.name=x", "spec.nodeName=", "Strict"),
    *("Warn", "Background", "Orphan", "Foreground", "NotOlderThan", "Exact", "9" * 20, "é", "a=b,,", "Object", "None"),
)
_PATCHES: Final = (
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
)
_FORMS: Final = (
    *("application/json", "application/yaml", "application/vnd.kubernetes.protobuf", "text/plain", "", "x;y=;;"),
    *("application/cbor", "application/json;charset=utf-8"),
)
_ANSWERS: Final = (
    *("application/json", "*/*", "application/yaml", "application/vnd.kubernetes.protobuf", "text/html", "", "q=;;"),
    *("application/json;as=Table;v=v1;g=meta.k8s.io", "application/json;as=Table;v=v9;g=meta.k8s.io"),
    *("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "application/json;stream=watch"),
)
_METHODS: Final = ("POST", "POST", "POST", "PUT", "PATCH", "PATCH", "GET", "GET", "DELETE", "HEAD", "TRACE")
_NAMES: Final = ("a", "b", "default", "kubernetes", "kube-system", "x y")
_POINTERS: Final = (
    "",
    "/spec",
    "/metadata/labels",
    "/metadata/name",
    "/a/b",
    "/metadata/labels/-",
    "/spec/containers/0",
)
_SERVERS: Final = ("resourceVersion", "uid", "deletionTimestamp", "creationTimestamp", "managedFields", "generateName")
_DEEPEST: Final = 7


def _kinds() -> list[tuple[str, str, ApiResource]]:
    versions = [("", "v1"), *((group.name, version) for group in catalogue.groups() for version in group.versions)]
    return [(group, version, found) for group, version in versions for found in catalogue.api_resources(group, version)]


class Requests:
    """Makes them, by the chances that a random source gives."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._broken = random.choice((0.0, 0.01, 0.05))  # how often a value is of any shape at all

    def one(self) -> Request:
        """Return a request."""
        random = self._random
        group, version, found = random.choice(_kinds())
        method = random.choice(_METHODS)
        name = "" if method == "POST" and self._often() else random.choice(_NAMES)
        headers = {"content-type": self._form(method)}
        if not self._often():
            headers["accept"] = random.choice(_ANSWERS)
        return Request(
            method=method,
            path=self._path(group, version, found, name=name),
            query=tuple(
                (random.choice(_PARAMETERS), random.choice(_VALUES)) for _ in range(random.choice((0, 0, 1, 2)))
            ),
            headers=headers,
            body=self._body(method, group, version, found=found, name=name),
            peer=Peer(is_trusted=True),
        )

    def _often(self) -> bool:
        return self._random.random() < 0.9

    def _form(self, method: str) -> str:
        usual = self._random.choice(_PATCHES) if method == "PATCH" else "application/json"
        return usual if self._often() else self._random.choice(_FORMS)

    def _path(self, group: str, version: str, found: ApiResource, *, name: str) -> str:
        path = f"/apis/{group}/{version}" if group else f"/api/{version}"
        if found.namespaced:
            path += "/namespaces/default" if self._often() else "/namespaces/none"
        path += f"/{found.name}"
        if not name:
            return path
        below = [subresource.name for subresource in catalogue.subresources(group, version, found.name)]
        if self._often() or not below:
            return f"{path}/{name}"
        return f"{path}/{name}/{self._random.choice([*below, *TEXTS[:4]])}"

    def _body(self, method: str, group: str, version: str, *, found: ApiResource, name: str) -> bytes:
        if method not in ("POST", "PUT", "PATCH", "DELETE"):
            return b""
        value = self._object(group, version, found, name or self._random.choice(_NAMES))
        if method == "PATCH" and not self._often():
            value = [self._operation() for _ in range(3)]
        elif not self._often():
            value = self.anything()
        body = bytearray(json.dumps(value).encode())
        if not self._often():
            body[self._random.randrange(len(body))] = self._random.randrange(256)
        return bytes(body)

    def _operation(self) -> dict[str, Any]:
        choose = self._random.choice
        operation = choose(("add", "remove", "replace", "move", "copy", "test", "x"))
        return {"op": operation, "path": choose(_POINTERS), "from": choose(_POINTERS), "value": self.anything()}

    def _object(self, group: str, version: str, found: ApiResource, name: str) -> Any:
        kind = catalogue.schema_of(group, version, found.kind)
        value = self._of(kind, kind.root) if kind else self.anything()
        if not isinstance(value, dict):
            return value
        metadata = value.get("metadata")
        if not isinstance(metadata, dict) or self._often():
            metadata = {"labels": {"a": "b"}}
        if self._often():
            metadata = {key: item for key, item in metadata.items() if key not in (*_SERVERS, "namespace")}
        if self._often():
            metadata["name"] = name
        api_version = f"{group}/{version}" if group else version
        return {**value, "apiVersion": api_version, "kind": found.kind, "metadata": metadata}

    def anything(self, depth: int = 0) -> Any:
        """Return any JSON at all."""
        chance = self._random.random()
        if depth > 3 or chance < 0.7:
            return self._random.choice((None, True, False, [], {}, *NUMBERS, *TEXTS))
        items = [self.anything(depth + 1) for _ in range(self._random.randint(0, 3))]
        return items if chance < 0.85 else {self._random.choice(TEXTS): item for item in items}

    def _of(self, kind: KindSchema, schema: JsonSchema, depth: int = 0) -> Any:
        """Return a value that fits a schema, as a rule."""
        if self._random.random() < self._broken:
            return self.anything()
        schema = kind.resolve(schema)
        if len(schema.get("allOf", ())) == 1:
            schema = {**kind.resolve(schema["allOf"][0]), **schema}
        if "enum" in schema and self._often():
            return self._random.choice(schema["enum"])
        return self._of_type(kind, schema, depth)

    def _of_type(self, kind: KindSchema, schema: JsonSchema, depth: int) -> Any:
        match schema.get("type"):
            case "object":
                return self._members(kind, schema, depth)
            case "array":
                return [self._of(kind, schema["items"], depth + 1) for _ in range(self._random.choice((0, 1, 1, 2)))]
            case "string":
                return self._random.choice(TEXTS)
            case "integer" | "number":
                return self._random.choice(NUMBERS)
            case "boolean":
                return self._random.choice((True, False))
        return self.anything()

    def _members(self, kind: KindSchema, schema: JsonSchema, depth: int) -> dict[str, Any]:
        properties = schema.get("properties")
        if not properties:
            below = schema.get("additionalProperties")
            below = below if isinstance(below, dict) else {}
            return {
                self._random.choice(TEXTS): self._of(kind, below, depth + 1) for _ in range(self._random.randint(0, 2))
            }
        names = {name for name in schema.get("required", ()) if self._often()}
        if depth < _DEEPEST:
            names |= set(self._random.sample(sorted(properties), min(len(properties), self._random.randint(0, 4))))
        return {name: self._of(kind, properties[name], depth + 1) for name in sorted(names)}
