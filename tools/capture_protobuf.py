"""Save how the built-in kinds are written as protobuf, and pairs of the two forms to test reading and writing with.

Run by `make generate` when the Kubernetes version moves. It needs Go: `protobuf_messages/main.go` looks at the types of
Kubernetes' own modules, which `tools/kube/kubernetes` pins. What it writes:

    protobuf/messages.json.gz   the messages, by the names of Go's types
    pairs.json.xz (for tests)   `golden`: the pairs of k8s.io/api's testdata; `zeros`: of each kind an object with
                                nothing set, and one with a zero in every place
"""

from __future__ import annotations

import base64
import gzip
import json
import lzma
import sys
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.kube import build

ROOT: Final = Path(__file__).resolve().parent.parent
MESSAGES: Final = ROOT / "src/konverge/cluster/apiserver/protobuf/messages.json.gz"
PAIRS: Final = ROOT / "tests/cluster/apiserver/protobuf/data/pairs.json.xz"
MODULE: Final = ROOT / "tools/kube/kubernetes"


def main() -> int:
    """Capture, and replace what was captured before."""
    go = str(build.find_go(build.required_go()))
    MESSAGES.write_bytes(gzip.compress(_compact(_run(go)), mtime=0))
    pairs = {"golden": _golden(go), "zeros": _run(go, "zeros")}
    PAIRS.parent.mkdir(exist_ok=True)
    PAIRS.write_bytes(lzma.compress(_compact(pairs), preset=9))
    print(f"wrote {MESSAGES.stat().st_size // 1024} KB and, for tests, {PAIRS.stat().st_size // 1024} KB")
    return 0


def _run(go: str, *arguments: str) -> Any:
    return json.loads(build.run([go, "run", "../../protobuf_messages/main.go", *arguments], cwd=MODULE))


def _compact(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def _golden(go: str) -> list[dict[str, Any]]:
    folder = build.run([go, "list", "-m", "-f", "{{.Dir}}", "k8s.io/api"], cwd=MODULE).strip()
    found = []
    for path in sorted((Path(folder) / "testdata/HEAD").glob("*.pb")):
        text = path.with_suffix(".json").read_text()
        found.append({"name": path.stem, "protobuf": _text(path.read_bytes()), "json": json.loads(text)})
    return found


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


if __name__ == "__main__":
    sys.exit(main())
