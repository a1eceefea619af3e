"""Write `controllers/template_layout.json`: the Go fields of a pod template, in their order, as its hash sees them.

The hash that names a Deployment's ReplicaSets is taken over a dump of the Go value, so names, order and types of all
fields count. Read from the sources of k8s.io/api and apimachinery; give the folder that holds these modules.

    python tools/capture_template_layout.py ~/go/pkg/mod/k8s.io 0.36.3
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Final

_TARGET: Final = Path(__file__).parent.parent / "src/konverge/cluster/controllers/template_layout.json"
_STRUCT: Final = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_NAMED: Final = re.compile(r"^(?:type )?\s*(\w+) (map\[\w+\][\w.]+|\[\]\w+|string|int32|int64)$", re.MULTILINE)
_FIELD: Final = re.compile(r'^\t(\w+)\s+(\S+)\s+`[^`]*json:"([^",]*)[^"]*"', re.MULTILINE)
_EMBEDDED: Final = re.compile(r'^\t((?:\w+\.)?\w+)\s+`[^`]*json:"([^",]*)[^"]*"', re.MULTILINE)
_LINE: Final = re.compile(r"^\t\S.*`[^`]*json:.*$", re.MULTILINE)
_BUILT_IN: Final = ("string", "bool", "int32", "int64", "byte", "float64", "uint64")
_FOREIGN: Final = (
    "resource.",
    "intstr.",
    "types.",
    "v1.Time",
    "v1.ManagedFieldsEntry",
)  # known otherwise, or never set
_ROOT: Final = "v1.PodTemplateSpec"


def _printed(kind: str) -> str:
    """A type as Go prints it: both packages call themselves v1."""
    if kind.startswith("*"):
        return "*" + _printed(kind[1:])
    if kind.startswith("[]"):
        return "[]" + _printed(kind[2:])
    if kind.startswith("map["):
        key, _, value = kind[4:].partition("]")
        return f"map[{_printed(key)}]{_printed(value)}"
    kind = kind.replace("metav1.", "v1.")
    return kind if kind in _BUILT_IN or "." in kind else f"v1.{kind}"


def _fields(body: str) -> list[tuple[str, str, str]]:
    found = []
    for line in _LINE.findall(body):
        if match := _FIELD.match(line):
            found.append((match[1], _printed(match[2]), match[3]))
        elif match := _EMBEDDED.match(line):
            found.append((match[1].rpartition(".")[2], _printed(match[1]), match[2]))
    return found


def _parts(kind: str) -> list[str]:
    return [part for part in re.split(r"\*|\[\]|map\[|\]", kind) if part]


def _layout(text: str) -> dict[str, object]:
    structs = {f"v1.{name}": _fields(body) for name, body in _STRUCT.findall(text)}
    named = {f"v1.{name}": _printed(kind) for name, kind in _NAMED.findall(text)}
    layout: dict[str, object] = {}
    waiting = [_ROOT]
    while waiting:
        kind = waiting.pop()
        if kind in layout or kind in _BUILT_IN or kind.startswith(_FOREIGN):
            continue
        if kind in structs:
            layout[kind] = structs[kind]
            waiting += [part for _, field, _ in structs[kind] for part in _parts(field)]
        else:
            layout[kind] = named[kind]
            waiting += _parts(named[kind])
    return layout


def main() -> None:
    """Read the sources and write the layout."""
    folder, version = Path(sys.argv[1]).expanduser(), sys.argv[2]
    paths = ("api@v{}/core/v1/types.go", "apimachinery@v{}/pkg/apis/meta/v1/types.go")
    text = "\n".join((folder / path.format(version)).read_text() for path in paths)
    _TARGET.write_text(json.dumps(_layout(text), indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
