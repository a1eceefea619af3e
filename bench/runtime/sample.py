"""The objects that every program reconciles: custom resources of 1.6 KB, as the server sends them."""

from __future__ import annotations

import hashlib
from typing import Any

NAMESPACE = "default"
ANNOTATION = "bench.konverge.dev/sent"


def gadget(number: int) -> dict[str, Any]:
    """Return one as an author would create it."""
    name = f"gadget-{number}"
    metadata = {
        "name": name,
        "namespace": NAMESPACE,
        "labels": {"app.kubernetes.io/name": "shop", "app.kubernetes.io/part-of": "store"},
        "annotations": {"example.com/owner": "team-shop"},
    }
    return {"apiVersion": "bench.konverge.dev/v1", "kind": "Gadget", "metadata": metadata, "spec": _spec(name)}


def _spec(name: str) -> dict[str, Any]:
    return {
        # A digest of its own, so that 10,000 objects do not compress like one.
        "image": f"registry.example.com/team/application@sha256:{hashlib.sha256(name.encode()).hexdigest()}",
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
