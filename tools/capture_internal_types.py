"""Write `builtin/rules/internal_types.json`: the fields of the types in which the real server holds objects by itself.

Some of its messages show a value in that form, or the difference of two: every field under Go's name, in Go's order.
Each field is noted with the name that it has on the wire, found by its Go name in the published type, and with its
type. Read from the sources of k8s.io/kubernetes and k8s.io/api; give the folder that holds these modules.

    python tools/capture_internal_types.py ~/go/pkg/mod/k8s.io 1.36.3
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_TARGET: Final = Path(__file__).parent.parent / "src/konverge/cluster/apiserver/builtin/rules/internal_types.json"
_GROUPS: Final = {
    "core": "core/v1",
    "batch": "batch/v1",
    "flowcontrol": "flowcontrol/v1",
    "policy": "policy/v1",
    "resource": "resource/v1",
    "storage": "storage/v1",
}
_ROOTS: Final = (
    *("core.PodTemplateSpec", "core.PersistentVolumeSpec", "batch.JobSpec", "batch.JobStatus"),
    *("storage.VolumeAttachmentSpec", "core.Taint", "core.NodeAddress", "core.EventSource"),
    *("flowcontrol.FlowSchemaSpec", "flowcontrol.PriorityLevelConfigurationSpec", "policy.PodDisruptionBudgetSpec"),
    *("resource.ResourceClaimTemplateSpec", "resource.AllocationResult", "resource.DeviceAttribute"),
)
_STRUCT: Final = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD: Final = re.compile(
    r"\t(?:(\w+)[ \t]+)?((?:\*|\[\]|map\[\S+?\])*(?:\w+\.)?\w+)[ \t]*(?:`[^`]*`[ \t]*)?(?://.*)?"
)
_TAGGED: Final = re.compile(r'^\t(\w+)\s+\S+\s+`[^`]*json:"([^",]*)', re.MULTILINE)
_ALIAS: Final = re.compile(r"^type (\w+) ((?:\[\]|map\[\S+?\])?[\w.]+)$", re.MULTILINE)
_PARTS: Final = re.compile(r"(\*|\[\]|map\[\S+?\])")
_SCALARS: Final = {"string": "string", "UID": "string", "int": "int", "int32": "int", "int64": "int", "bool": "bool"}

Fields = list[tuple[str, str, str]]  # Go's name, the name on the wire, the type; no names: embedded


def _fields(body: str, wire: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    for line in body.split("\n"):
        if (found := _FIELD.fullmatch(line)) is not None:
            name = found[1] or ""
            yield name, wire.get(name, name[:1].lower() + name[1:]), found[2]


class _Sources:
    """The types of all groups, by group and name."""

    def __init__(self, folder: Path, version: str) -> None:
        self.structs: dict[str, Fields] = {}
        self._aliases: dict[str, str] = {}
        for group, published in _GROUPS.items():
            text = (folder / f"kubernetes@v{version}/pkg/apis/{group}/types.go").read_text()
            wire = (folder / f"api@v0{version[1:]}/{published}/types.go").read_text()
            tags = {name: dict(_TAGGED.findall(body)) for name, body in _STRUCT.findall(wire)}
            for name, body in _STRUCT.findall(text):
                self.structs[f"{group}.{name}"] = list(_fields(body, tags.get(name, {})))
            self._aliases |= {f"{group}.{name}": kind for name, kind in _ALIAS.findall(text)}

    def resolved(self, kind: str, group: str) -> str:
        """Return a type without names of scalars, lists and maps."""
        *marks, base = (part for part in _PARTS.split(kind) if part)
        marks = ["{}" if mark.startswith("map") else mark for mark in marks]
        plain = base.rpartition(".")[2]
        if plain in _SCALARS:
            return "".join([*marks, _SCALARS[plain]])
        full = base if "." in base else f"{group}.{base}"
        full = full.replace("api.", "core.", 1) if full.startswith("api.") else full
        if full in self._aliases:
            return "".join(marks) + self.resolved(self._aliases[full], full.partition(".")[0])
        return "".join([*marks, full])


def _captured(sources: _Sources) -> dict[str, Fields]:
    found: dict[str, Fields] = {}
    waiting = list(_ROOTS)
    while waiting:
        name = waiting.pop()
        if name in found or name not in sources.structs:
            continue
        group = name.partition(".")[0]
        found[name] = [(go, wire, sources.resolved(kind, group)) for go, wire, kind in sources.structs[name]]
        waiting += [kind.lstrip("*[]{}") for _, _, kind in found[name]]
    return dict(sorted(found.items()))


def main() -> None:
    """Write the file."""
    captured = _captured(_Sources(Path(sys.argv[1]).expanduser(), sys.argv[2]))
    lines = [f"{json.dumps(name)}: {json.dumps(fields)}" for name, fields in captured.items()]
    _TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(captured)} types")


if __name__ == "__main__":
    main()
