from __future__ import annotations

import importlib.util
import io
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from konverge.testing import RealCluster

ROOT = Path(__file__).parent.parent.parent


def load() -> ModuleType:
    """Import the tool, which is a script."""
    spec = importlib.util.spec_from_file_location("capture_apis", ROOT / "tools" / "capture_apis.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


def files(archive: bytes) -> dict[str, Any]:
    """Return what an archive holds, decoded."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: msgspec.json.decode(opened.read(name)) for name in opened.namelist()}


def test_the_archive_is_what_the_real_server_serves(real_cluster: RealCluster) -> None:
    """Nobody edits the archive, and a new Kubernetes is noticed."""
    tool = load()
    # Skips as the others do where there are no programs; a shared server has CRDs of others.
    assert real_cluster.processes
    with RealCluster() as own:
        captured = tool.capture(own)
    kept = files(tool.ARCHIVE.read_bytes())
    assert sorted(captured) == sorted(kept)
    differing = [name for name in captured if msgspec.json.decode(msgspec.json.encode(captured[name])) != kept[name]]
    assert differing == []


def test_the_same_files_give_the_same_archive() -> None:
    """A capture without news changes no byte, so it makes no commit."""
    tool = load()
    content = {"b.json": {"x": 1}, "a.json": []}
    assert tool.archive(content) == tool.archive(dict(reversed(content.items())))
    assert files(tool.archive(content)) == content


def test_the_archive_is_small() -> None:
    """It ships with the package, so it stays well under a megabyte."""
    assert load().ARCHIVE.stat().st_size < 600_000
