"""Objects and paths that many cases use."""

from __future__ import annotations

from typing import Any, Final

CONFIG_MAPS: Final = "/api/v1/namespaces/{ns}/configmaps"


def config_map(name: str, *, metadata: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return a ConfigMap."""
    meta = {"name": name, **(metadata or {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"a": "1"}, **more}
