"""Objects of every kind that is served, made from the schemas: the smallest, and one with all that a schema names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from kind_hints import BY_PATH, BY_SCHEMA, FULL_BY_PATH, FULL_BY_SCHEMA, THEN

from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.builtin.catalogue import ApiResource, KindSchema
from konverge.cluster.apiserver.builtin.schemas import JsonSchema

_DEEPEST: Final = 9
NOT_MADE: Final = ("apiVersion", "kind", "metadata", "status")
_BY_FORMAT: Final[dict[str, Any]] = {"date-time": THEN, "byte": "YQ==", "int-or-string": 1}


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind in one version."""

    group: str
    version: str
    resource: ApiResource

    @property
    def api_version(self) -> str:
        """Group and version, as an object names them."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def path(self) -> str:
        """Where its objects are, those of the namespace of the case."""
        begin = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        return f"{begin}{'/namespaces/{ns}' if self.resource.namespaced else ''}/{self.resource.name}"

    @property
    def schema(self) -> KindSchema:
        """Its schema."""
        group, version = self.resource.group or self.group, self.resource.version or self.version
        found = catalogue.schema_of(group, version, self.resource.kind)
        assert found is not None, self
        return found

    def __str__(self) -> str:
        return f"{self.api_version} {self.resource.kind}"


def kinds() -> Iterator[Kind]:
    """Every kind whose objects are made and kept, in each version: not the reviews, not bindings."""
    versions = [("", "v1"), *((group.name, version) for group in catalogue.groups() for version in group.versions)]
    for group, version in versions:
        for resource in catalogue.api_resources(group, version):
            if "/" not in resource.name and {"create", "get"} <= set(resource.verbs):
                yield Kind(group, version, resource)


class Maker:
    """Makes values of a kind's schema."""

    def __init__(self, kind: Kind, *, is_full: bool) -> None:
        self._kind, self._is_full, self._schema = kind, is_full, kind.schema
        self._by_path = {**BY_PATH, **FULL_BY_PATH} if is_full else BY_PATH
        self._by_schema = {**BY_SCHEMA, **FULL_BY_SCHEMA} if is_full else BY_SCHEMA

    def object(self, name: str) -> dict[str, Any]:
        """Return an object of a name."""
        made = self._members(self._schema.root, self._kind.resource.kind, 0)
        metadata: dict[str, Any] = {"name": name}
        if self._is_full:
            metadata |= {"labels": {"a": "b"}, "annotations": {"example.com/a": "b"}, "finalizers": ["example.com/f"]}
        return {"apiVersion": self._kind.api_version, "kind": self._kind.resource.kind, "metadata": metadata, **made}

    def _members(self, schema: JsonSchema, path: str, depth: int) -> dict[str, Any]:
        properties, required = schema.get("properties", {}), schema.get("required", ())
        names = [name for name in properties if depth or name not in NOT_MADE]
        if not self._is_full or depth > _DEEPEST:
            names = [name for name in names if name in (*required, "spec") or f"{path}.{name}" in self._by_path]
        made = {name: self.value(properties[name], f"{path}.{name}", depth + 1) for name in names}
        return {name: value for name, value in made.items() if value is not None}

    def value(self, schema: JsonSchema, path: str, depth: int = 1) -> Any:
        """Return a value of a schema at a path."""
        reference = schema.get("$ref") or (schema.get("allOf") or [{}])[0].get("$ref", "")
        name = ".".join(reference.split(".")[-2:])
        if path in self._by_path or name in self._by_schema:
            return self._by_path[path] if path in self._by_path else self._by_schema[name]
        schema = self._schema.resolve(schema)
        if "enum" in schema:
            return next(each for each in schema["enum"] if each)
        made = _BY_FORMAT.get(schema.get("format", ""))
        return self._of_type(schema, path, depth) if made is None else made

    def at(self, steps: list[str | int]) -> Any:
        """Return a value at a path of the kind, or None where the schema has none there."""
        schema, path = self._schema.root, self._kind.resource.kind
        for step in steps:
            schema = self._schema.resolve(schema)
            if isinstance(step, int) and "items" in schema:
                schema = schema["items"]
            elif step in schema.get("properties", {}):
                schema, path = schema["properties"][step], f"{path}.{step}"
            elif isinstance(schema.get("additionalProperties"), dict):
                schema = schema["additionalProperties"]
            else:
                return None
        return self.value(schema, path, len(steps))

    def _of_type(self, schema: JsonSchema, path: str, depth: int) -> Any:
        match schema.get("type"):
            case "object" if "properties" in schema:
                return self._members(schema, path, depth)
            case "object":
                return self._map(schema.get("additionalProperties"), path, depth)
            case "array":
                return [self.value(schema["items"], path, depth + 1)] if self._is_full or depth < 4 else []
            case "integer" | "number":
                return 1
            case "boolean":
                return True
        return "1" if "oneOf" in schema else "a"

    def _map(self, below: JsonSchema | bool | None, path: str, depth: int) -> dict[str, Any]:
        if not isinstance(below, dict):
            return {}
        made = self.value(below, path, depth + 1)
        return {"cpu" if made == "1" else "a": made}  # a quantity is of a resource
