"""Save what the sources of Kubernetes say of its types, and no server tells.

Run by `make generate` when the version of Kubernetes moves. It needs Go, which finds the modules that
`tools/kube/kubernetes` pins. Each of the captures says for itself what it reads and why; `empty_objects` runs in that
module, the others read its sources.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.kube import build

TOOLS: Final = Path(__file__).resolve().parent
MODULE: Final = TOOLS / "kube/kubernetes"
EMPTY: Final = TOOLS.parent / "src/konverge/cluster/apiserver/apply/empty_objects.json"
# What reads the sources, and the module by whose version it knows them.
READERS: Final = {
    "capture_go_types.py": "k8s.io/api",
    "capture_internal_types.py": "k8s.io/kubernetes",
    "capture_template_layout.py": "k8s.io/api",
}


def main() -> int:
    """Capture, and replace what was captured before."""
    go = str(build.find_go(build.required_go()))
    for tool, module in READERS.items():
        folder, _, version = _of(go, module).rpartition("@v")
        build.run([sys.executable, str(TOOLS / tool), str(Path(folder).parent), version], cwd=TOOLS)
        print(f"{tool}: {module} {version}")
    EMPTY.write_text(build.run([go, "run", "../../empty_objects/main.go"], cwd=MODULE), encoding="utf-8")
    return 0


def _of(go: str, module: str) -> str:
    return build.run([go, "list", "-m", "-f", "{{.Dir}}", module], cwd=MODULE).strip()


if __name__ == "__main__":
    sys.exit(main())
