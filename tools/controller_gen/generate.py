"""Have controller-gen make the CRDs of the Go types in the tests, as golden data.

Run it as `python -m tools.controller_gen.generate`; `make generate` does. controller-gen is built once, at the version
in `go.mod`, into the user's cache folder. It writes `tests/manifest/data/golden/`: a CRD of each Go kind, and
`markers.txt`, the markers that this version knows. Beside them `rbac/role.yaml` has the roles of the Go package `rbac`,
and `layout.yaml` is what Go makes of `layout.json`.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from konverge.testing import binaries
from tools.kube.build import find_go, go_environment, run, version_of

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "tests" / "manifest" / "data"
PACKAGE = "sigs.k8s.io/controller-tools/cmd/controller-gen"
# Its version would change each file; floats and the metadata of templates are left out unless they are asked for.
OPTIONS = "crd:omitToolVersion=true,allowDangerousTypes=true,generateEmbeddedObjectMeta=true"


def main() -> None:
    """Write all golden files anew."""
    module = (HERE / "go.mod").read_text()
    go = find_go(version_of(module))
    program = built(go, version(module))
    golden = DATA / "golden"
    for old in golden.glob("*.yaml"):
        old.unlink()
    make = [str(program), OPTIONS, "paths=./...", f"output:crd:artifacts:config={golden}"]
    environment = {**go_environment(os.environ), "PATH": f"{go.parent}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(make, cwd=DATA / "go", env=environment, check=True)
    roles = [str(program), "rbac:roleName=manager-role", "paths=./rbac", f"output:rbac:dir={DATA / 'rbac'}"]
    subprocess.run(roles, cwd=DATA / "go", env=environment, check=True)
    (golden / "markers.txt").write_text("".join(f"{name}\n" for name in markers(program)))
    with (DATA / "layout.json").open() as questions, (DATA / "layout.yaml").open("w") as answers:
        subprocess.run(
            [str(go), "run", "./layout"], cwd=HERE, env=environment, stdin=questions, stdout=answers, check=True
        )
    print(f"controller-gen: {len(list(golden.glob('*.yaml')))} CRDs are in {golden.relative_to(HERE.parents[1])}")


def version(module: str) -> str:
    """Return the version of controller-tools that a go.mod asks for."""
    found = re.search(r"sigs\.k8s\.io/controller-tools (v\S+)", module)
    if found is None:
        raise SystemExit("go.mod does not name sigs.k8s.io/controller-tools: run `go get -tool` for it")
    return found[1]


def built(go: Path, at: str) -> Path:
    """Return the program, built if it is not in the cache yet: beside its place, and renamed when it is whole."""
    program = binaries.cache_root() / "controller-gen" / at / "controller-gen"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        partial = program.with_name(".controller-gen.partial")
        run([str(go), "build", "-trimpath", "-o", str(partial), PACKAGE], cwd=HERE)
        partial.rename(program)
    return program


def markers(program: Path) -> list[str]:
    """Return the names of all markers that make CRDs, without their arguments."""
    said = subprocess.run([str(program), "crd", "-w"], capture_output=True, text=True, check=True)
    listed = re.findall(r"^\s*\+([\w:]+)", said.stdout + said.stderr, re.MULTILINE)
    return sorted({name.removesuffix(":value").removesuffix(":JSONPath") for name in listed})


if __name__ == "__main__":
    main()
