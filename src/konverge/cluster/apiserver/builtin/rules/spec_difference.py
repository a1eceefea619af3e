"""How the specs of two claims differ, as lines of the real server's own form: every field, in its order."""

from __future__ import annotations

import json
from difflib import unified_diff
from typing import Any

from konverge.cluster.apiserver.strategy import JsonObject


def claim_difference(old: JsonObject, new: JsonObject) -> str:
    """Return what differs; nothing where nothing does."""
    before, after = _shown(old), _shown(new)
    if before == after:
        return ""
    lines = unified_diff(_lines(before), _lines(after), n=3)
    return "".join(list(lines)[2:])  # the first two would name files


def _lines(value: Any) -> list[str]:
    return [f"{line}\n" for line in json.dumps(value, indent=1, ensure_ascii=False).split("\n")]


def _shown(spec: JsonObject) -> JsonObject:
    resources = spec.get("resources") or {}
    return {
        "AccessModes": spec.get("accessModes") or None,
        "Selector": spec.get("selector"),
        "Resources": {
            "Limits": resources.get("limits") or None,
            "Requests": dict(sorted(resources["requests"].items())) if resources.get("requests") else None,
        },
        "VolumeName": spec.get("volumeName", ""),
        "StorageClassName": spec.get("storageClassName"),
        "VolumeMode": spec.get("volumeMode"),
        "DataSource": _reference(spec.get("dataSource"), "APIGroup", "Kind", "Name"),
        "DataSourceRef": _reference(spec.get("dataSourceRef"), "APIGroup", "Kind", "Name", "Namespace"),
        "VolumeAttributesClassName": spec.get("volumeAttributesClassName"),
    }


def _reference(found: JsonObject | None, *names: str) -> JsonObject | None:
    if found is None:
        return None
    given = {name.lower(): value for name, value in found.items()}
    return {name: given.get(name.lower(), "" if name in ("Kind", "Name") else None) for name in names}
