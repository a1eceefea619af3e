"""Write `tests/cluster/apiserver/builtin/defaults/objects.json`: random objects, and what Kubernetes makes of them.

Each built-in kind gets some objects that are made from its schema: any field may be there, with any value of its type,
zeros and empty lists too. Give the program that `tools/builtin_defaults` builds, and another seed to look further:

    python tools/capture_builtin_defaults.py ./defaults [SEED]
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.builtin.schemas import REFERENCE, JsonSchema, schemas

_TARGET: Final = Path(__file__).parent.parent / "tests/cluster/apiserver/builtin/defaults/objects.json"
_EACH: Final = 6
_NAMED: Final[dict[str, list[Any]]] = {
    "Quantity": ["1", "100m", "1Gi", "0", "1.5", "10u", "3e3", "1500Mi"],
    "IntOrString": [0, 1, "50%", "", "http"],
    "Time": ["2024-01-02T03:04:05Z"],
    "MicroTime": ["2024-01-02T03:04:05.123456Z"],
    "FieldsV1": [{"a": 1}],
    "RawExtension": [{"a": 1}],
}
_TOP: Final = (0.9, 0.6)  # how often a field is there, at the top and one below
_SCALARS: Final[dict[Any, list[Any]]] = {
    ("string", "byte"): ["", "eA=="],
    ("string", "date-time"): ["2024-01-02T03:04:05Z"],
    "integer": [0, 1, 5],
    "number": [0, 1.5, 2],
    "boolean": [True, False],
}
_TEXTS: Final = ["", "a", "b", "Container", "User", "RollingUpdate", "nginx:latest", "nginx", "a/b:1", "ClientIP"]
_KEYS: Final = ["cpu", "memory", "hugepages-2Mi", "example.com/x"]
_ELSEWHERE: Final = ("customresourcedefinitions", "apiservices")  # not in the scheme of k8s.io/kubernetes


class Maker:
    """Makes values of schemas."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret

    def make(self, schema: JsonSchema, depth: int = 0) -> Any:
        """Return a value; the deeper, the fewer of its fields."""
        reference = schema.get("$ref") or next((one.get("$ref") for one in schema.get("allOf", ())), None)
        if reference is not None:
            return self._of_type(reference.removeprefix(REFERENCE), depth)
        match schema.get("type"):
            case "array":
                count = self._random.choice((0, 1, 1, 2))
                return [self.make(schema["items"], depth + 1) for _ in range(count)]
            case "object":
                return self._object(schema, depth)
        return self._scalar(schema)

    def _of_type(self, name: str, depth: int) -> Any:
        last = name.rpartition(".")[2]
        if last in _NAMED:
            return self._random.choice(_NAMED[last])
        if last == "ObjectMeta":
            found = {"name": "n", "labels": {"a": "b"}, "annotations": {"a": "b"}}
            return {key: value for key, value in found.items() if self._random.getrandbits(1)}
        value = self.make(schemas()[name], depth)
        if last == "DeviceTaint":
            value["timeAdded"] = _NAMED["Time"][0]  # its default is the moment
        return value

    def _object(self, schema: JsonSchema, depth: int) -> Any:
        if "properties" in schema:
            asked = schema.get("required", ())
            return {
                name: self.make(part, depth + 1)
                for name, part in schema["properties"].items()
                if (depth or name not in ("apiVersion", "kind")) and self._is_there(name in asked, depth)
            }
        if "additionalProperties" in schema:
            keys = self._random.sample(_KEYS, self._random.choice((0, 1, 2)))
            return {key: self.make(schema["additionalProperties"], depth + 1) for key in keys}
        return {"a": 1}

    def _is_there(self, is_asked: bool, depth: int) -> bool:  # noqa: FBT001 - a plain pair
        usual = _TOP[depth] if depth < len(_TOP) else 0.45 / (1 + 0.13 * depth)
        return self._random.random() < max(usual, 0.85 * is_asked)

    def _scalar(self, schema: JsonSchema) -> Any:
        kind, form = schema.get("type"), schema.get("format")
        found = _SCALARS.get((kind, form)) or _SCALARS.get(kind)
        if found is None:
            found = [*schema["enum"], ""] if "enum" in schema else _TEXTS if kind == "string" else [{"a": 1}]
        return self._random.choice(found)


def _objects(maker: Maker) -> Iterator[dict[str, Any]]:
    for group in ("", *(group.name for group in catalogue.groups())):
        for version in next((found.versions for found in catalogue.groups() if found.name == group), ("v1",)):
            for resource in catalogue.api_resources(group, version):
                is_plain = "/" not in resource.name and "list" in resource.verbs and resource.name not in _ELSEWHERE
                schema = catalogue.schema_of(group, version, resource.kind) if is_plain else None
                if schema is not None:
                    api_version = f"{group}/{version}" if group else version
                    for _ in range(_EACH):
                        yield {"apiVersion": api_version, "kind": resource.kind, **maker.make(schema.root)}


def main(program: str, seed: str = "1") -> None:
    """Make the objects, ask the program, and write both."""
    given = list(_objects(Maker(int(seed))))
    text = "".join(f"{json.dumps(value)}\n" for value in given)
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    found = [[before, json.loads(line)] for before, line in zip(given, done.stdout.splitlines(), strict=True)]
    lines = ",\n".join(json.dumps(pair, separators=(",", ":")) for pair in found)
    _TARGET.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
