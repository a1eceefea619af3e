"""The script that has controller-gen make golden data: what it decides, without a Go."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def generate(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module."""
    monkeypatch.syspath_prepend(str(ROOT))
    from tools.controller_gen import generate as module  # noqa: PLC0415 - importable with the path above alone

    return module


def test_the_version_is_the_one_of_its_go_module(generate: ModuleType) -> None:
    """The program is cached under the version that go.mod asks for."""
    module = (ROOT / "tools" / "controller_gen" / "go.mod").read_text()
    assert generate.version(module) == "v0.23.0"
    with pytest.raises(SystemExit, match="does not name"):
        generate.version("module empty")


def test_markers_are_listed_without_their_arguments(generate: ModuleType, tmp_path: Path) -> None:
    """The list that the documentation is held to has each marker once."""
    program = tmp_path / "controller-gen"
    lines = [
        "+kubebuilder:printcolumn:JSONPath=<string> type",
        "+default:value=<any> field",
        "+nullable field",
        "+nullable type",
    ]
    said = "\\n".join(lines)
    program.write_text(f"#!{sys.executable}\nimport sys; sys.stderr.write('{said}')\n")
    program.chmod(0o755)
    assert generate.markers(program) == ["default", "kubebuilder:printcolumn", "nullable"]
