"""Ask a real API server what it makes of CRDs and of values under schemas, and store its answers as golden data.

Run it as `python -m tools.capture_crd_answers` where the real server's programs are (see `tools/kube`). All requests
are dry runs, but for the CRDs under which values are judged. The files hold each question with its answer, so the tests
need no server: `tests/cluster/apiserver/crd/definitions.json` and `tests/cluster/apiserver/schema/values.json`.
"""

from __future__ import annotations

import base64
import json
import ssl
import time
from collections.abc import Callable
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any

import yaml

from konverge.testing import RealCluster
from tools.crd_definition_cases import DEFINITIONS, UPDATES, base
from tools.crd_value_cases import RULE_VALUES, UPDATED_VALUES, VALUES

ROOT = Path(__file__).parent.parent / "tests" / "cluster" / "apiserver"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
Json = Any
OK, CREATED, FIRST_FAILURE, NOT_FOUND, INVALID = 200, 201, 400, 404, 422


class Server:
    """A connection to the real server that gives back status, body and warnings."""

    def __init__(self, cluster: RealCluster) -> None:
        config = yaml.safe_load(cluster.kubeconfig.read_text())
        folder = cluster.kubeconfig.parent
        user, self._host = config["users"][0]["user"], cluster.server.removeprefix("https://")
        authority = _decoded(config["clusters"][0]["cluster"]["certificate-authority-data"])
        self._context = ssl.create_default_context(cadata=authority)
        (folder / "golden.pem").write_text(
            _decoded(user["client-certificate-data"]) + _decoded(user["client-key-data"])
        )
        self._context.load_cert_chain(folder / "golden.pem")
        self._connection = HTTPSConnection(self._host, context=self._context, timeout=60)

    def ask(self, method: str, path: str, body: Json = None) -> tuple[int, Json, list[str]]:
        """Send one request."""
        self._connection.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
        response = self._connection.getresponse()
        answer = json.loads(response.read())
        return response.status, answer, response.headers.get_all("Warning") or []


def _decoded(text: str) -> str:
    return base64.b64decode(text).decode()


def _causes(answer: Json) -> Json:
    return answer.get("details", {}).get("causes", []) if answer.get("kind") == "Status" else []


def _outcome(status: int, answer: Json, warnings: list[str]) -> Json:
    found: Json = {"status": status, "causes": _causes(answer)}
    if status >= FIRST_FAILURE and not found["causes"]:
        found["message"] = answer["message"]
    if warnings:
        found["warnings"] = [warning.split('"', 1)[1][:-1].replace('\\"', '"') for warning in warnings]
    return found


def _definitions(server: Server) -> list[Json]:
    found = []
    for name, change in DEFINITIONS.items():
        crd = base()
        change(crd)
        status, answer, warnings = server.ask("POST", f"{CRDS}?dryRun=All", crd)
        found.append({"name": name, "crd": crd, **_outcome(status, answer, warnings)})
        if status < FIRST_FAILURE:
            found[-1]["spec"] = answer["spec"]
    return found


def _updates(server: Server) -> list[Json]:
    found = []
    for name, (first, change) in UPDATES.items():
        crd = base()
        first(crd)
        old = _established(server, crd)
        new = json.loads(json.dumps(old))
        change(new)
        status, answer, warnings = server.ask("PUT", f"{CRDS}/{old['metadata']['name']}?dryRun=All", new)
        found.append({"name": name, "old": _plain(old), "crd": _plain(new), **_outcome(status, answer, warnings)})
        _delete(server, crd)
    return found


def _plain(crd: Json) -> Json:
    kept = {key: crd["metadata"][key] for key in ("name", "annotations", "resourceVersion") if key in crd["metadata"]}
    return {**crd, "metadata": kept}


def _until(test: Callable[[], Json]) -> Json:
    deadline = time.monotonic() + 60
    while not (found := test()):
        if time.monotonic() > deadline:
            raise TimeoutError(test)
        time.sleep(0.02)
    return found


def _established(server: Server, crd: Json) -> Json:
    status, answer, _ = server.ask("POST", CRDS, crd)
    if status != CREATED:
        raise ValueError(answer["message"])

    def test() -> Json:
        found = server.ask("GET", f"{CRDS}/{crd['metadata']['name']}")[1]
        conditions = found["status"]["conditions"] or []
        return found if any(c["type"] == "Established" and c["status"] == "True" for c in conditions) else None

    return _until(test)


def _delete(server: Server, crd: Json) -> None:
    path = f"{CRDS}/{crd['metadata']['name']}"
    server.ask("DELETE", path)
    _until(lambda: server.ask("GET", path)[0] == NOT_FOUND)


def _values(server: Server, cases: dict[str, Json]) -> list[Json]:
    crd = base()
    properties = {name: case["schema"] for name, case in cases.items()}
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] = {
        "type": "object",
        "properties": properties,
    }
    _established(server, crd)
    path = "/apis/example.com/v1/namespaces/default/things?dryRun=All&fieldValidation=Warn"
    _until(lambda: server.ask("POST", path, _thing({}))[0] == CREATED)
    found = []
    for name, case in cases.items():
        for value in case["values"]:
            status, answer, warnings = server.ask("POST", path, _thing({name: value}))
            found.append({"name": name, "schema": case["schema"], "value": value, **_outcome(status, answer, warnings)})
            if status < FIRST_FAILURE:
                found[-1]["result"] = answer["spec"].get(name)
                found[-1]["is_absent"] = name not in answer["spec"]
    _delete(server, crd)
    return found


def _thing(spec: Json) -> Json:
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "one"}, "spec": spec}


def _updated_values(server: Server) -> list[Json]:
    """Store each old value under a lax schema, then tighten it and dry-run the updates."""
    return [answer for name, case in UPDATED_VALUES.items() for answer in _updated_value(server, name, case)]


def _updated_value(server: Server, name: str, case: Json) -> list[Json]:
    crd = base()
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] = case["before"]
    path = "/apis/example.com/v1/namespaces/default/things"
    _established(server, crd)
    _until(lambda: server.ask("GET", path)[0] == OK)
    _, old, _ = _until(lambda: _created(server, path, case["old"]))
    live = server.ask("GET", f"{CRDS}/things.example.com")[1]
    live["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] = case["schema"]
    status, answer, _ = server.ask("PUT", f"{CRDS}/things.example.com", live)
    if status != OK:
        raise ValueError(answer["message"])
    bad = _thing(case["bad"])
    bad["metadata"]["name"] = "bad"
    _until(lambda: server.ask("POST", f"{path}?dryRun=All", bad)[0] == INVALID)
    found = []
    for value in case["values"]:
        outcome = _outcome(*server.ask("PUT", f"{path}/one?dryRun=All", {**old, "spec": value}))
        found.append({"name": name, "schema": case["schema"], "old": case["old"], "value": value, **outcome})
    _delete(server, crd)
    return found


def _created(server: Server, path: str, spec: Json) -> Any:
    answer = server.ask("POST", path, _thing(spec))
    return answer if answer[0] == CREATED else None


def main() -> None:
    """Ask all questions, and write the files."""
    with RealCluster() as cluster:
        server = Server(cluster)
        definitions = {"creates": _definitions(server), "updates": _updates(server)}
        _write(ROOT / "crd" / "definitions.json", definitions)
        values = {"creates": _values(server, VALUES) + _values(server, RULE_VALUES), "updates": _updated_values(server)}
        _write(ROOT / "schema" / "values.json", values)


def _write(path: Path, found: dict[str, list[Json]]) -> None:
    lines = []
    for name, cases in found.items():
        rows = ",\n".join(json.dumps(case, ensure_ascii=True, sort_keys=True) for case in cases)
        lines.append(f'"{name}": [\n{rows}\n]')
        print(path.name, name, len(cases))
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
