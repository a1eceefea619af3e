"""Ask a real API server what it says of CEL rules in CRDs, and store its answers as golden data.

Run it as `python -m tools.capture_cel_rules` where the real server's programs are (see `tools/kube`). All requests are
dry runs. The questions are in the files already; their answers are made anew:

    rules.json        one schema, and what is said of each rule in it
    definitions.json  schemas with rules at many places, and all that is said of each
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from konverge.errors import Cause, Invalid
from konverge.testing import RealCluster

DATA = Path(__file__).parent.parent / "tests/cluster/apiserver/cel/data"
PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All"
ROOT = "spec.validation.openAPIV3Schema"
AT_ONCE = 40  # rules in one request
_INDEX = re.compile(r"x-kubernetes-validations\[(\d+)\]\.(\w+)$")
_SELF_TYPE = re.compile(r"selfType\d+")  # the number is a time


def main() -> int:
    """Ask everything again."""
    with RealCluster() as cluster:
        _capture_rules(cluster)
        _capture_definitions(cluster)
    return 0


def _capture_rules(cluster: RealCluster) -> None:
    path = DATA / "rules.json"
    content = json.loads(path.read_text())
    rules = [outcome["rule"] for outcome in content["outcomes"]]
    outcomes = []
    for start in range(0, len(rules), AT_ONCE):
        outcomes.extend(_outcomes(cluster, content["schema"], rules[start : start + AT_ONCE]))
    path.write_text(_written({"schema": content["schema"], "outcomes": outcomes}))
    print(f"{len(outcomes)} rules")


def _outcomes(cluster: RealCluster, schema: dict[str, Any], rules: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    found: list[list[list[str]]] = [[] for _ in rules]
    for cause in _causes(cluster, {**schema, "x-kubernetes-validations": rules}):
        match = _INDEX.search(cause.field)
        # That rules add up to too much is said once more at the end, of the dearest ones.
        if match is not None and "contributed to estimated rule cost" not in cause.message:
            found[int(match[1])].append([match[2], *_said(cause)])
    return [{"rule": rule, "causes": causes} for rule, causes in zip(rules, found, strict=True)]


def _capture_definitions(cluster: RealCluster) -> None:
    path = DATA / "definitions.json"
    cases = json.loads(path.read_text())
    for case in cases:
        causes = _causes(cluster, case["schema"])
        # Properties are walked over in Go's order of a map, which is none.
        case["causes"] = sorted([cause.field.removeprefix(ROOT), *_said(cause)] for cause in causes)
    path.write_text(_written(cases))
    print(f"{len(cases)} definitions")


def _causes(cluster: RealCluster, schema: dict[str, Any]) -> Sequence[Cause]:
    names = {"plural": "tries", "singular": "try", "kind": "Try", "listKind": "TryList"}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    body = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "tries.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]},
    }
    try:
        cluster.call("POST", PATH, body)
    except Invalid as refused:
        return refused.causes
    return ()


def _said(cause: Cause) -> tuple[str, str]:
    return cause.reason, _SELF_TYPE.sub("selfType1", cause.message)


def _written(content: Any) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
