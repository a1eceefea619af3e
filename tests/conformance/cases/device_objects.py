"""Objects of resource.k8s.io, for the cases about devices."""

from __future__ import annotations

from typing import Any, Final

from cases.builtin_objects import of_kind

VERSION: Final = "resource.k8s.io/v1"
CLASSES: Final = f"/apis/{VERSION}/deviceclasses"
SLICES: Final = f"/apis/{VERSION}/resourceslices"
CLAIMS: Final = f"/apis/{VERSION}/namespaces/{{ns}}/resourceclaims"
TEMPLATES: Final = f"/apis/{VERSION}/namespaces/{{ns}}/resourceclaimtemplates"
THEN: Final = "2020-01-01T00:00:00Z"


def selector(text: str) -> dict[str, Any]:
    """Return a selector of devices."""
    return {"cel": {"expression": text}}


def opaque(**more: Any) -> dict[str, Any]:
    """Return a configuration; what is in it is compared byte by byte by the real server, so it is short."""
    return {"opaque": {"driver": "a.example.com", "parameters": {}, **more}}


def resource_slice(**spec: Any) -> dict[str, Any]:
    """Return a slice of one node."""
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    whole = {"driver": "a.example.com", "pool": pool, "nodeName": "{ns}", **spec}
    return of_kind(VERSION, "ResourceSlice", name="{ns}", spec=whole)


def request(name: str = "r", **more: Any) -> dict[str, Any]:
    """Return a request for devices of one class."""
    return {"name": name, "exactly": {"deviceClassName": "c", **more}}


def claim(*requests: dict[str, Any], **devices: Any) -> dict[str, Any]:
    """Return a claim."""
    return of_kind(VERSION, "ResourceClaim", spec={"devices": {"requests": [*requests], **devices}})
