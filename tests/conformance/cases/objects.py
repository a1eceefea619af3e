"""Objects and paths that many cases use."""

from __future__ import annotations

from typing import Any, Final

NAMESPACES: Final = "/api/v1/namespaces"
CONFIG_MAPS: Final = "/api/v1/namespaces/{ns}/configmaps"
SECRETS: Final = "/api/v1/namespaces/{ns}/secrets"
SERVICES: Final = "/api/v1/namespaces/{ns}/services"
PODS: Final = "/api/v1/namespaces/{ns}/pods"
DEPLOYMENTS: Final = "/apis/apps/v1/namespaces/{ns}/deployments"
CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
LEASES: Final = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases"


def config_map(name: str, *, metadata: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return a ConfigMap."""
    meta = {"name": name, **(metadata or {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"a": "1"}, **more}


def crd(plural: str, schema: dict[str, Any] | None = None, **version: Any) -> dict[str, Any]:
    """Return a CRD of one version in a group of its own, `<plural>.example.com`."""
    kind = plural.capitalize().removesuffix("s")
    group = f"{plural}.example.com"
    served = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema or {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
        **version,
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"},
            "versions": [served],
        },
    }


def custom_path(plural: str, version: str = "v1") -> str:
    """Return the path of the objects that `crd(plural)` defines."""
    return f"/apis/{plural}.example.com/{version}/namespaces/{{ns}}/{plural}"


def custom(plural: str, name: str, *, metadata: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return an object of a kind that `crd(plural)` defines."""
    kind = plural.capitalize().removesuffix("s")
    meta = {"name": name, **(metadata or {})}
    return {"apiVersion": f"{plural}.example.com/v1", "kind": kind, "metadata": meta, **more}


def of_spec(**properties: Any) -> dict[str, Any]:
    """Return the schema of a kind whose spec has these properties."""
    return {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": properties}, "status": {"type": "object"}},
    }
