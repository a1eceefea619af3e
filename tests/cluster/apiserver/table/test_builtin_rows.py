"""The rows of built-in kinds beside the real server's, for the objects of `objects.yaml`."""

from __future__ import annotations

import http.client
import json
import re
import ssl
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import Strategy
from konverge.cluster.apiserver.table import render
from konverge.testing import RealCluster

OBJECTS = (Path(__file__).parent / "objects.yaml").read_text(encoding="utf-8")
AGE = re.compile(r"\b(?:\d+[smhdy])+\b|<unknown>")  # clocks go on between the two looks
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
SHOWS_ITSELF = "includeObject=Object"
RESOURCES = {(resource.api_version, resource.kind): resource for resource in catalogue.resources(lambda *_: Strategy())}
NAMES = [f"{found['kind']}-{found['metadata']['name']}" for found in yaml.safe_load_all(OBJECTS)]

Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def ask(real_cluster: RealCluster) -> Iterator[Ask]:
    """Send a request to the real server and get a Table."""
    tls = ssl.create_default_context(cafile=real_cluster.folder / "ca.crt")
    tls.load_cert_chain(real_cluster.folder / "admin.crt", real_cluster.folder / "admin.key")
    connection = http.client.HTTPSConnection(real_cluster.server.removeprefix("https://"), context=tls)

    def send(method: str, path: str, body: Any = None) -> Any:
        content = None if body is None else json.dumps(body, default=str)
        connection.request(method, path, content, {"Accept": TABLE, "Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        assert answer["kind"] == "Table", answer.get("message")
        return answer

    yield send
    connection.close()


@pytest.fixture(scope="module")
def place(real_cluster: RealCluster) -> str:
    """A namespace for all objects; without controllers nothing takes it away."""
    return real_cluster.create_namespace()


def certificate_request() -> str:
    """Return a certificate signing request."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "someone")])
    made = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    return b64encode(made.public_bytes(serialization.Encoding.PEM)).decode()


def objects(namespace: str) -> list[dict[str, Any]]:
    """Return the objects, for a namespace."""
    text = OBJECTS.replace("NAMESPACE", namespace).replace("CERTIFICATE_REQUEST", certificate_request())
    return [json.loads(json.dumps(found, default=_time)) for found in yaml.safe_load_all(text)]


def _time(moment: Any) -> str:
    text: str = moment.isoformat().replace("+00:00", "")
    return f"{text}Z"


def root(resource: Resource, namespace: str) -> str:
    """Return the path of a resource's objects."""
    begin = f"/apis/{resource.api_version}" if resource.group else "/api/v1"
    return f"{begin}/namespaces/{namespace}/{resource.plural}" if resource.namespaced else f"{begin}/{resource.plural}"


def masked(cells: list[Any]) -> list[Any]:
    """Return cells without ages."""
    return [AGE.sub("AGE", cell) if isinstance(cell, str) else cell for cell in cells]


@pytest.mark.parametrize("index", range(len(NAMES)), ids=NAMES)
def test_a_row_is_the_real_servers(ask: Ask, place: str, index: int) -> None:
    """An object as the real server shows it in full gives the cells that the real server gives."""
    value = objects(place)[index]
    resource = RESOURCES[value["apiVersion"], value["kind"]]
    status = value.pop("status", None)
    real = ask("POST", f"{root(resource, place)}?{SHOWS_ITSELF}{'' if status else '&dryRun=All'}", value)
    if status is not None:
        made = real["rows"][0]["object"]
        path = f"{root(resource, place)}/{made['metadata']['name']}/status?{SHOWS_ITSELF}&dryRun=All"
        real = ask("PUT", path, {**made, "status": status})
    shown = real["rows"][0]["object"]
    ours = render(resource, [shown], include_object="Object", metadata=shown["metadata"])
    assert masked(ours["rows"][0]["cells"]) == masked(real["rows"][0]["cells"])
    assert ours["rows"][0].get("conditions") == real["rows"][0].get("conditions")
    assert ours["columnDefinitions"] == real["columnDefinitions"]


def test_every_printer_was_compared() -> None:
    """Each built-in kind that can be created and listed is among the objects, so none is forgotten."""
    compared = {tuple(found[name] for name in ("apiVersion", "kind")) for found in yaml.safe_load_all(OBJECTS)}
    expected = {where for where, found in RESOURCES.items() if {"create", "list"} <= set(found.verbs)}
    assert compared == expected


def test_flow_schemas_are_listed_by_precedence(ask: Ask, real_cluster: RealCluster) -> None:
    """Their table alone has another order than the list."""
    resource = RESOURCES["flowcontrol.apiserver.k8s.io/v1", "FlowSchema"]
    path = root(resource, "")
    found = real_cluster.call("GET", path)
    ours = render(resource, found["items"], metadata=found["metadata"])
    theirs = ask("GET", path)
    assert [row["cells"][0] for row in ours["rows"]] == [row["cells"][0] for row in theirs["rows"]]
    assert [row["object"]["metadata"]["name"] for row in ours["rows"]] == [row["cells"][0] for row in ours["rows"]]
