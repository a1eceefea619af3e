"""The CRDs of `marker_kinds` beside those that controller-gen made of the same types in Go.

The golden files are made by `python -m tools.controller_gen.generate`; docs/custom-resources.md lists differences.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import marker_kinds
import pytest
import yaml

import konverge as kv
from konverge.manifest import crd, to_yaml

GOLDEN = Path(__file__).parent / "data" / "golden"
FILES = sorted(GOLDEN.glob("*.yaml"))
IDS = [classes[0].__name__ for classes in marker_kinds.CRDS]
# Fields whose types are Kubernetes' own: its descriptions are not repeated.
FOREIGN = ("selector", "conditions")


def golden(made: dict[str, Any]) -> Path:
    """The file that controller-gen wrote for a CRD."""
    return GOLDEN / f"{made['spec']['group']}_{made['spec']['names']['plural']}.yaml"


def without_foreign_descriptions(manifest: dict[str, Any]) -> dict[str, Any]:
    """The CRD without the descriptions that konverge words in its own way, or leaves to the server."""
    for version in manifest["spec"]["versions"]:
        properties = version["schema"]["openAPIV3Schema"]["properties"]
        for name in ("apiVersion", "kind"):
            properties[name].pop("description", None)
        for part in ("spec", "status"):
            for name in FOREIGN:
                _undescribe(properties.get(part, {}).get("properties", {}).get(name, {}))
    return manifest


def _undescribe(schema: Any) -> None:
    if isinstance(schema, dict):
        if isinstance(schema.get("description"), str):
            del schema["description"]
        for below in schema.values():
            _undescribe(below)


@pytest.mark.parametrize("classes", marker_kinds.CRDS, ids=IDS)
def test_python_types_give_the_crd_that_the_go_types_give(classes: tuple[type[kv.Object], ...]) -> None:
    """The two are the same, to the last byte of their YAML, once foreign descriptions are out of both."""
    made = crd(*classes)
    expected = yaml.safe_load(golden(made).read_text())
    assert to_yaml(without_foreign_descriptions(made)) == to_yaml(without_foreign_descriptions(expected))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_layout_is_that_of_controller_gen(file: Path) -> None:
    """What controller-gen wrote comes out byte for byte when it is read and written again."""
    assert to_yaml(yaml.safe_load(file.read_text())) == file.read_text()


def test_each_golden_file_is_compared() -> None:
    """No kind of the Go types is left out in Python."""
    assert sorted(golden(crd(*classes)) for classes in marker_kinds.CRDS) == FILES
