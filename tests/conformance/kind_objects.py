"""Objects of every kind that is served, made from the schemas: the smallest, and one with all that a schema names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.builtin.catalogue import ApiResource, KindSchema
from konverge.cluster.apiserver.builtin.schemas import JsonSchema

THEN: Final = "2020-01-01T00:00:00.000000Z"  # with fractions: some times must have them
_DEEPEST: Final = 9
_NOT_MADE: Final = ("apiVersion", "kind", "metadata", "status")
_BY_FORMAT: Final[dict[str, Any]] = {"date-time": THEN, "byte": "YQ==", "int-or-string": 1}
# A request of a P-256 key with the subject CN=a, made with openssl.
_CERTIFICATE_REQUEST: Final = (
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIR01HNENBUUF3RERFS01BZ0dBMVVFQXd3QllUQl"
    "pNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCQlJyRlhSaStPV3AxdU80RUw2VkpvRVRjcDFrK3dYRmdT"
    "V2FUUGhTMFJBY2pBMkhTb3RCcWt4U2t1R0tVc0JhCkNCTnljanFwVzA2b3ZZbmlRWUM0M0xHZ0FEQUtCZ2dxaGtqT1"
    "BRUURBZ05JQURCRkFpRUFoeWV5VXBRWEtOczEKZCswbEJCOG5JSHB4TlVIdnQzdnN2L0l0MGJWY0tDc0NJRW9pNkZN"
    "b002M0lqVnQ2VnhGMitDNnlMY3dMUU81bApWbkRmMSt6MUpUNHYKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC"
    "0tLS0tCg=="
)
# What no schema tells, by the name of the kind and the path of the field, lists left out. Rules of admission are
# about a group that nobody serves, so that no other request meets them.
HINTS: Final[dict[str, Any]] = {
    "APIService.spec.group": "{ns}.example.com",
    "APIService.spec.version": "v1",
    "CertificateSigningRequest.spec.request": _CERTIFICATE_REQUEST,
    "CertificateSigningRequest.spec.signerName": "example.com/signer",
    "CertificateSigningRequest.spec.usages": ["client auth"],
    "ServiceCIDR.spec.cidrs": ["10.111.0.0/24"],
    "MutatingWebhookConfiguration.webhooks.rules.apiGroups": ["none.example.com"],
    "ValidatingWebhookConfiguration.webhooks.rules.apiGroups": ["none.example.com"],
    "MutatingAdmissionPolicy.spec.matchConstraints.resourceRules.apiGroups": ["none.example.com"],
    "ValidatingAdmissionPolicy.spec.matchConstraints.resourceRules.apiGroups": ["none.example.com"],
    "Event.involvedObject.namespace": "{ns}",
    "Event.regarding.namespace": "{ns}",
    "LocalSubjectAccessReview.spec.resourceAttributes.namespace": "{ns}",
    "CustomResourceDefinition.spec.group": "{ns}.example.com",
    "CustomResourceDefinition.spec.names": {"plural": "things", "kind": "Thing", "shortNames": ["tg"]},
    "CustomResourceDefinition.spec.conversion": {"strategy": "None"},
    "CustomResourceDefinition.spec.versions": [
        {
            "name": "v1",
            "served": True,
            "storage": True,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object"}}}},
            "subresources": {"status": {}},
            "additionalPrinterColumns": [{"name": "A", "type": "string", "jsonPath": ".spec.a"}],
        }
    ],
    "PriorityClass.globalDefault": False,
    "PriorityClass.value": 7,
}


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
    """Every kind that can be created, in each version; bindings are no objects that are kept."""
    versions = [("", "v1"), *((group.name, version) for group in catalogue.groups() for version in group.versions)]
    for group, version in versions:
        for resource in catalogue.api_resources(group, version):
            if "/" not in resource.name and "create" in resource.verbs and resource.kind != "Binding":
                yield Kind(group, version, resource)


class Maker:
    """Makes values of a kind's schema."""

    def __init__(self, kind: Kind, *, is_full: bool) -> None:
        self._kind, self._is_full, self._schema = kind, is_full, kind.schema

    def object(self, name: str) -> dict[str, Any]:
        """Return an object of a name."""
        made = self._members(self._schema.root, self._kind.resource.kind, 0)
        metadata: dict[str, Any] = {"name": name}
        if self._is_full:
            metadata |= {"labels": {"a": "b"}, "annotations": {"example.com/a": "b"}, "finalizers": ["example.com/f"]}
        return {"apiVersion": self._kind.api_version, "kind": self._kind.resource.kind, "metadata": metadata, **made}

    def _members(self, schema: JsonSchema, path: str, depth: int) -> dict[str, Any]:
        properties, required = schema.get("properties", {}), schema.get("required", ())
        names = [name for name in properties if depth or name not in _NOT_MADE]
        names = [name for name in names if f"{path}.{name}" not in HINTS or HINTS[f"{path}.{name}"] is not None]
        if not self._is_full or depth > _DEEPEST:
            names = [name for name in names if name in required or f"{path}.{name}" in HINTS]
        return {name: self.value(properties[name], f"{path}.{name}", depth + 1) for name in names}

    def value(self, schema: JsonSchema, path: str, depth: int = 1) -> Any:
        """Return a value of a schema at a path."""
        if path in HINTS:
            return HINTS[path]
        schema = self._schema.resolve(schema)
        if "enum" in schema:
            return next(each for each in schema["enum"] if each)
        if schema.get("format") in _BY_FORMAT:
            return _BY_FORMAT[schema["format"]]
        return self._of_type(schema, path, depth)

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
                below = schema.get("additionalProperties")
                if not isinstance(below, dict):
                    return {}
                made = self.value(below, path, depth + 1)
                return {"cpu" if made == "1" else "a": made}
            case "array":
                return [self.value(schema["items"], path, depth + 1)] if self._is_full or depth < 4 else []
            case "integer" | "number":
                return 1
            case "boolean":
                return True
        return "1" if "oneOf" in schema else "a"
