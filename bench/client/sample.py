"""The objects that every library lists, watches and creates: a custom resource of 1.6 KB, and a pod of 3 KB.

Sizes are as the server sends them, with the metadata and the managed fields it adds. Two custom kinds of one shape:
what is created in a run must not push the replayed events out of the server's window.
"""

from __future__ import annotations

import hashlib
from typing import Any

GROUP = "bench.konverge.dev"
VERSION = "v1"
API_VERSION = f"{GROUP}/{VERSION}"
LISTED = "Gadget"  # filled once, listed and watched
CREATED = "Widget"  # created by the programs under test


def plural(kind: str) -> str:
    """Return the plural of a custom kind."""
    return kind.lower() + "s"


def definition(kind: str) -> dict[str, Any]:
    """Return the definition of a custom kind."""
    free = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": free, "status": free}}
    version = {"name": VERSION, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural(kind)}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural(kind), "singular": kind.lower()},
            "versions": [version],
        },
    }


def custom(kind: str, name: str, namespace: str) -> dict[str, Any]:
    """Return a custom resource as an author would create it."""
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": _metadata(name, namespace), "spec": _spec(name)}


def _spec(name: str) -> dict[str, Any]:
    return {
        "image": _image(name),
        "replicas": 3,
        "paused": False,
        "schedule": "*/15 * * * *",
        "ports": [
            {"name": "http", "port": 8080, "protocol": "TCP"},
            {"name": "metrics", "port": 9090, "protocol": "TCP"},
        ],
        "resources": {"cpu": "250m", "memory": "512Mi"},
        "rules": [
            {"host": "shop.example.com", "path": "/", "weight": 80},
            {"host": "shop.example.com", "path": "/api", "weight": 20},
            {"host": "admin.example.com", "path": "/", "weight": 100},
        ],
        "selector": {"app": "shop", "tier": "front"},
        "description": f"The front end of {name}: it serves the pages and passes orders on.",
        "notify": ["shop-on-call@example.com", "platform@example.com"],
    }


def pod(name: str, namespace: str) -> dict[str, Any]:
    """Return a pod as an author would create it; the server's defaults make three times as much of it."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _metadata(name, namespace),
        "spec": {
            "automountServiceAccountToken": False,
            "containers": [
                {
                    "name": "main",
                    "image": _image(name),
                    "args": ["--listen=:8080", "--log-level=info"],
                    "env": [{"name": "MODE", "value": "production"}, {"name": "REGION", "value": "north"}],
                    "ports": [{"name": "http", "containerPort": 8080}],
                    "resources": {"requests": {"cpu": "250m", "memory": "512Mi"}, "limits": {"memory": "512Mi"}},
                    "readinessProbe": {"httpGet": {"path": "/ready", "port": "http"}},
                    "volumeMounts": [{"name": "data", "mountPath": "/data"}],
                }
            ],
            "volumes": [{"name": "data", "emptyDir": {}}],
        },
    }


def _image(name: str) -> str:
    """Pin the image by a digest of its own, so that 10,000 objects do not compress like one."""
    return f"registry.example.com/team/application@sha256:{hashlib.sha256(name.encode()).hexdigest()}"


def _metadata(name: str, namespace: str) -> dict[str, Any]:
    return {
        "name": name,
        "namespace": namespace,
        "labels": {"app.kubernetes.io/name": "shop", "app.kubernetes.io/part-of": "store"},
        "annotations": {"example.com/owner": "team-shop"},
    }
