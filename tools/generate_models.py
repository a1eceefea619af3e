"""Write src/konverge/models from what a real kube-apiserver says about itself, with every group and version served.

Run by `make generate` when the Kubernetes version moves; a test runs it too, and compares.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from konverge.codegen import build, openapi
from konverge.codegen.emit import GENERATED
from konverge.codegen.generate import index, sources
from konverge.testing import RealCluster

MODELS = Path(__file__).parent.parent / "src" / "konverge" / "models"
# Versions that are off by default are kinds too: whoever turns them on finds their classes here.
EVERYTHING = ("--runtime-config=api/all=true", "--feature-gates=AllAlpha=true,AllBeta=true")


def main() -> int:
    """Generate, and replace what was generated before."""
    files = generate()
    for path in MODELS.glob("*.py"):
        if GENERATED in path.read_text(encoding="utf-8") and path.name not in files:
            path.unlink()
    for name, source in files.items():
        (MODELS / name).write_text(source, encoding="utf-8")
    print(f"wrote {len(files)} files to {MODELS}")
    return 0


def generate() -> dict[str, str]:
    """Return the files as they should be."""
    with RealCluster(apiserver_flags=EVERYTHING) as cluster:
        version = cluster.call("GET", "/version")
        definitions = openapi.definitions(_documents(cluster))
    source = f"the OpenAPI documents of Kubernetes {version['major']}.{version['minor']}"
    modules = build.build(definitions, source=source)
    return {**sources(modules), "_index.py": index(modules, definitions)}


def _documents(cluster: RealCluster) -> Iterator[dict[str, Any]]:
    """Yield the document of each group and version."""
    paths = cluster.call("GET", "/openapi/v3")["paths"]
    for path in openapi.group_version_paths(paths):
        yield cluster.call("GET", paths[path]["serverRelativeURL"])


if __name__ == "__main__":
    sys.exit(main())
