"""OpenAPI, by itself and beside the real server's."""

from __future__ import annotations

import http.client
import json
import ssl
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.exchange import Request, Response
from konverge.cluster.apiserver.openapi import OpenApi, gnostic_v2, gnostic_v3
from konverge.cluster.apiserver.resource import Resource, Resources, Scale
from konverge.cluster.apiserver.strategy import Strategy
from konverge.testing import RealCluster

DEFINITIONS = (Path(__file__).parent / "definitions.yaml").read_text(encoding="utf-8")
PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
PROTOBUF_V3 = PROTOBUF.replace("v2", "v3")
WITHIN = 60.0  # seconds until a real server has published a CRD
GROUPS = ("rich.konverge.dev", "plain.k8s.io.konverge.dev")


class WithSchema(Strategy):
    """A strategy that has the schema of a version, as a CRD's has."""

    def __init__(self, version: dict[str, Any]) -> None:
        self.openapi_schema = version["schema"]["openAPIV3Schema"]


def definitions() -> list[dict[str, Any]]:
    """Return the CRDs."""
    return list(yaml.safe_load_all(DEFINITIONS))


def of_definition(crd: dict[str, Any]) -> list[Resource]:
    """Return a CRD's resources."""
    spec, names = crd["spec"], crd["spec"]["names"]
    return [
        Resource(
            group=spec["group"],
            version=version["name"],
            kind=names["kind"],
            plural=names["plural"],
            singular=names["kind"].lower(),
            list_kind=names.get("listKind", f"{names['kind']}List"),
            namespaced=spec["scope"] == "Namespaced",
            storage_version=spec["versions"][0]["name"],
            strategy=WithSchema(version),
            has_status="status" in version.get("subresources", {}),
            scale=_scale(version.get("subresources", {}).get("scale")),
            selectable_fields=_selectable(version),
            is_custom=True,
        )
        for version in spec["versions"]
    ]


def _scale(scale: dict[str, str] | None) -> Scale | None:
    if scale is None:
        return None
    return Scale(spec_replicas=scale["specReplicasPath"], status_replicas=scale["statusReplicasPath"])


def _selectable(version: dict[str, Any]) -> dict[str, str]:
    return {field["jsonPath"][1:]: field["jsonPath"][1:] for field in version.get("selectableFields", ())}


@pytest.fixture(scope="module")
def resources() -> Resources:
    """What is served: the built-in kinds and those of the CRDs."""
    found = Resources()
    for resource in catalogue.resources(lambda *_: Strategy()):
        found.add(resource)
    for crd in definitions():
        for resource in of_definition(crd):
            found.add(resource)
    return found


@pytest.fixture(scope="module")
def openapi(resources: Resources) -> OpenApi:
    """OpenAPI of it."""
    return OpenApi(resources)


def get(openapi: OpenApi, path: str, **headers: str) -> Response:
    """Ask; header names with underscores."""
    path, _, hashed = path.partition("?hash=")
    query = (("hash", hashed),) if hashed else ()
    found = {name.replace("_", "-"): value for name, value in headers.items()}
    return openapi.answer(Request(method="GET", path=path, query=query, headers=found))


# --- beside the real server ---


@pytest.fixture(scope="module")
def real(real_cluster: RealCluster) -> RealCluster:
    """The real server with the same CRDs."""
    for crd in definitions():
        real_cluster.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd)
    deadline = time.monotonic() + WITHIN
    while not _is_published(real_cluster):
        assert time.monotonic() < deadline
    return real_cluster


def _is_published(real_cluster: RealCluster) -> bool:
    expected = [resource for crd in definitions() for resource in of_definition(crd)]
    v3 = real_cluster.call("GET", "/openapi/v3")["paths"]
    if not all(f"apis/{found.api_version}" in v3 for found in expected):
        return False
    v2 = real_cluster.call("GET", "/openapi/v2")["paths"]
    return all(f"/apis/{found.api_version}/{found.plural}" in v2 for found in expected)


def is_ours(name: str) -> bool:
    """Whether a path or a definition is of a built-in kind or of one of these CRDs, not of another test's."""
    if name.startswith("/apis/"):
        group = name.split("/")[2]
        return not group or group in GROUPS or group in [found.name for found in catalogue.groups()]
    return name.startswith(("io.k8s.", "/", "dev.konverge.rich.", "dev.konverge.io.k8s.plain."))


def test_each_document_is_the_real_servers(real: RealCluster, openapi: OpenApi) -> None:
    """Every document of v3, paths and schemas, built-in and custom."""
    index = json.loads(get(openapi, "/openapi/v3").body)["paths"]
    assert f"apis/{GROUPS[0]}/v1beta1" in index
    for path in index:
        ours = json.loads(get(openapi, f"/openapi/v3/{path}").body)
        assert ours == real.call("GET", f"/openapi/v3/{path}"), path


def test_captured_hashes_are_the_real_servers(real: RealCluster, openapi: OpenApi) -> None:
    """So a client that has kept a document of the real server has ours too."""
    index = json.loads(get(openapi, "/openapi/v3").body)["paths"]
    theirs = real.call("GET", "/openapi/v3")["paths"]
    assert [path for path in index if not any(group in path for group in GROUPS) and index[path] != theirs[path]] == []


def test_v2_is_the_real_servers(real: RealCluster, openapi: OpenApi) -> None:
    """The one document of v2; what other tests have made on the shared server is not looked at."""
    ours = json.loads(get(openapi, "/openapi/v2").body)
    theirs = real.call("GET", "/openapi/v2")
    for part in ("paths", "definitions"):
        theirs[part] = {name: value for name, value in theirs[part].items() if is_ours(name)}
    assert ours == theirs


@pytest.mark.parametrize(
    ("path", "accept", "encode"),
    [
        ("/openapi/v2", PROTOBUF, gnostic_v2.document),
        ("/openapi/v3/apis/apps/v1", PROTOBUF_V3, gnostic_v3.document),
        ("/openapi/v3/version", PROTOBUF_V3, gnostic_v3.document),
        (f"/openapi/v3/apis/{GROUPS[0]}/v1beta1", PROTOBUF_V3, gnostic_v3.document),
    ],
)
def test_the_protobuf_is_the_real_servers(
    real: RealCluster, path: str, accept: str, encode: Callable[[Any], bytes]
) -> None:
    """The real document in JSON gives the bytes that the real server gives; it follows CRDs of other tests late."""
    tls = ssl.create_default_context(cafile=real.folder / "ca.crt")
    tls.load_cert_chain(real.folder / "admin.crt", real.folder / "admin.key")
    with closing(http.client.HTTPSConnection(real.server.removeprefix("https://"), context=tls)) as connection:
        before, theirs, document = None, b"", real.call("GET", path)
        while document != before:
            connection.request("GET", path, headers={"Accept": accept})
            before, theirs, document = document, connection.getresponse().read(), real.call("GET", path)
    assert encode(document) == theirs


# --- by itself ---


def test_the_index_gives_addresses_that_can_be_kept(openapi: OpenApi) -> None:
    """A document asked for by its hash is for ever; by another hash one is sent to the right one."""
    path = f"apis/{GROUPS[0]}/v1beta1"
    address = json.loads(get(openapi, "/openapi/v3").body)["paths"][path]["serverRelativeURL"]
    kept = get(openapi, address)
    assert dict(kept.headers)["Cache-Control"] == "public, immutable"
    assert dict(kept.headers)["Expires"].endswith(" UTC")
    assert "Cache-Control" not in dict(get(openapi, f"/openapi/v3/{path}").headers)
    moved = get(openapi, f"/openapi/v3/{path}?hash=old")
    assert (moved.status, dict(moved.headers)["Location"]) == (301, address)
    tag = dict(kept.headers)["ETag"]
    assert get(openapi, address, if_none_match=tag).status == 304


def test_v2_is_not_made_for_one_who_has_it(openapi: OpenApi) -> None:
    """304 by the ETag."""
    tag = dict(get(openapi, "/openapi/v2").headers)["ETag"]
    again = get(openapi, "/openapi/v2", if_none_match=tag)
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    ("path", "asked", "begin"),
    [
        ("/openapi/v2", PROTOBUF, b"\n\x032.0\x12\x12\n\nKubernetes"),
        ("/openapi/v3/apis/apps/v1", PROTOBUF_V3, b"\n\x053.0.0\x12\x12\n\nKubernetes"),
    ],
)
def test_old_clients_get_protobuf(openapi: OpenApi, path: str, asked: str, begin: bytes) -> None:
    """By the old name of the media type and by the new one; the answer has the new one."""
    for name in (asked, asked.replace("@", ".")):
        answer = get(openapi, path, accept=f"{name},application/json")
        assert answer.content_type == asked.replace("@", ".")
        assert answer.body.startswith(begin)


def test_a_crd_that_changes_changes_its_hash() -> None:
    """And no other document's."""
    first, second = (of_definition(crd)[0] for crd in definitions())
    found = Resources()
    found.add(first)
    found.add(second)
    openapi = OpenApi(found)
    before = json.loads(get(openapi, "/openapi/v3").body)["paths"]
    found.add(of_definition(definitions()[0] | {"spec": _renamed(definitions()[0]["spec"])})[0])
    after = json.loads(get(openapi, "/openapi/v3").body)["paths"]
    changed = [path for path in before if before[path] != after[path]]
    assert changed == [f"apis/{first.group}/{first.version}"]
    found.remove(first.group, first.version, first.plural)
    assert changed[0] not in json.loads(get(openapi, "/openapi/v3").body)["paths"]


def _renamed(spec: dict[str, Any]) -> dict[str, Any]:
    return {**spec, "names": {**spec["names"], "kind": "Other"}}


@pytest.mark.parametrize(
    ("path", "accept", "status"),
    [
        ("/openapi/v3", "text/html", 200),
        ("/openapi/v3/", "", 404),
        ("/openapi/v3/apis/nothing/v1", "", 404),
        ("/openapi/v3/apis/apps/v1", "text/html", 406),
        ("/openapi/v3/apis/apps/v1", "application/yaml", 406),
        ("/openapi/v3/apis/apps/v1", "application/*", 200),
        ("/openapi/v2", "text/html", 406),
        ("/openapi/v2", "*/*", 200),
    ],
)
def test_what_is_not_there_or_not_acceptable(openapi: OpenApi, path: str, accept: str, status: int) -> None:
    """The codes of the real server, whose bodies are empty here."""
    answer = get(openapi, path, **({"accept": accept} if accept else {}))
    assert answer.status == status
    assert bool(answer.body) == (status == 200)


def test_a_kind_without_a_schema_is_an_object(resources: Resources) -> None:
    """Nothing is said, so that no client takes what is listed for all there is."""
    bare = next(found for found in resources if found.group == GROUPS[0])
    found = Resources()
    found.add(Resource(**{name: getattr(bare, name) for name in bare.__slots__} | {"strategy": Strategy()}))
    document = json.loads(get(OpenApi(found), f"/openapi/v3/apis/{bare.api_version}").body)
    schema = document["components"]["schemas"]["dev.konverge.rich.v1beta1.Anna"]
    assert "properties" not in schema
    assert schema["type"] == "object"
