"""Write `golden/*.json`: the answers of a real kube-apiserver to every scenario. Each has a server of its own.

python -m tests.cluster.apiserver.writing.record_golden [scenario …]
"""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from konverge.testing import RealCluster

from .answers import masked
from .scenarios import SCENARIOS, WIDGET_CRD

_GOLDEN = Path(__file__).parent / "golden"


class _Client:
    def __init__(self, cluster: RealCluster) -> None:
        config = yaml.safe_load(cluster.kubeconfig.read_text())
        user = config["users"][0]["user"]
        authority = base64.b64decode(config["clusters"][0]["cluster"]["certificate-authority-data"]).decode()
        context = ssl.create_default_context(cadata=authority)
        with tempfile.NamedTemporaryFile() as certificate, tempfile.NamedTemporaryFile() as key:
            for file, name in ((certificate, "client-certificate-data"), (key, "client-key-data")):
                file.write(base64.b64decode(user[name]))
                file.flush()
            context.load_cert_chain(certificate.name, key.name)
        host, _, port = cluster.server.removeprefix("https://").partition(":")
        self._connection = http.client.HTTPSConnection(host, int(port), context=context)
        self.answers: list[Any] = []

    def ask(self, method: str, path: str, body: Any = None, content_type: str | None = "application/json") -> Any:
        sent = body if body is None or isinstance(body, str | bytes) else json.dumps(body)
        headers = {"User-Agent": "golden/1"}
        if sent is not None and content_type:
            headers["Content-Type"] = content_type
        self._connection.request(method, path, sent, headers)
        response = self._connection.getresponse()
        answer = json.loads(response.read())
        warnings = response.headers.get_all("Warning") or []
        self.answers.append([f"{method} {masked(path)}", response.status, masked(answer), warnings])
        return answer


def main(*names: str) -> None:
    """Record all scenarios, or those that are named."""
    for name in names or SCENARIOS:
        with RealCluster() as cluster:
            client = _Client(cluster)
            cluster.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", WIDGET_CRD)
            path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.k.dev"
            cluster.kubectl("wait", "--for=condition=Established", "crd/widgets.k.dev")
            while not cluster.call("GET", path).get("status", {}).get("conditions"):
                pass
            cluster.kubectl("get", "widgets", "-A")
            SCENARIOS[name](client.ask)
            text = ",\n".join(json.dumps(answer, sort_keys=True) for answer in client.answers)
            (_GOLDEN / f"{name}.json").write_text(f"[\n{text}\n]\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
