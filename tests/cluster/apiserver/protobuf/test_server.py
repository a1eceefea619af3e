from __future__ import annotations

import subprocess
import sys
from typing import Any

import msgspec

from konverge.cluster.apiserver.exchange import Peer, Request, Response, Stream
from konverge.cluster.apiserver.openapi.protobuf import length_delimited, text
from konverge.cluster.apiserver.protobuf.body import read_content
from konverge.cluster.apiserver.protobuf.envelope import read_envelope
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

PROTOBUF = "application/vnd.kubernetes.protobuf"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def envelope(kind: str, api_version: str, raw: bytes) -> bytes:
    """Return a body as a Go client sends it."""
    return b"k8s\x00" + length_delimited(1, text(1, api_version) + text(2, kind)) + length_delimited(2, raw)


async def ask(server: ApiServer, path: str, body: bytes, form: str = PROTOBUF, **headers: str) -> Response:
    """Send a POST as the administrator."""
    own = {"content-type": form, **headers}
    request = Request(method="POST", path=path, query=(), headers=own, body=body, peer=Peer(is_trusted=True))
    answer = await server.handle(request)
    assert isinstance(answer, Response)
    return answer


async def started() -> ApiServer:
    """Return a server."""
    server = ApiServer(Storage.in_memory())
    await server.start()
    return server


def decoded(answer: Response) -> Any:
    """Return an answer's body."""
    return msgspec.json.decode(answer.body)


async def test_a_body_in_protobuf_is_answered_in_json() -> None:
    """A Go client names both in its Accept header, protobuf first."""
    server = await started()
    raw = length_delimited(1, text(1, "a")) + length_delimited(2, text(1, "key") + text(2, "value"))
    answer = await ask(server, CONFIG_MAPS, envelope("ConfigMap", "v1", raw), accept=f"{PROTOBUF},application/json")
    assert (answer.status, answer.content_type) == (201, "application/json")
    assert decoded(answer)["data"] == {"key": "value"}
    await server.close()


async def test_a_client_that_takes_nothing_else_is_answered_in_protobuf() -> None:
    """What it wrote comes back in the form in which it was sent."""
    server = await started()
    raw = length_delimited(1, text(1, "a")) + length_delimited(2, text(1, "key") + text(2, "value"))
    answer = await ask(server, CONFIG_MAPS, envelope("ConfigMap", "v1", raw), accept=PROTOBUF)
    assert (answer.status, answer.content_type) == (201, PROTOBUF)
    found = read_content(read_envelope(answer.body), "v1", "ConfigMap")
    assert found["data"] == {"key": "value"}
    await server.close()


async def test_a_watch_in_protobuf_ends_with_an_error_in_protobuf() -> None:
    """Whoever reads frames is told in a frame that the version is too far ahead."""
    server = await started()
    query = (("watch", "true"), ("resourceVersion", "999"), ("sendInitialEvents", "true"))
    more = (("resourceVersionMatch", "NotOlderThan"), ("allowWatchBookmarks", "true"))
    own = {"accept": PROTOBUF}
    request = Request(method="GET", path=CONFIG_MAPS, query=query + more, headers=own, peer=Peer(is_trusted=True))
    answer = await server.handle(request)
    assert isinstance(answer, Stream)
    assert answer.content_type == f"{PROTOBUF};stream=watch"
    frames = b"".join([chunk async for chunk in answer.chunks])
    assert int.from_bytes(frames[:4]) == len(frames) - 4
    assert b"\x0a\x05ERROR" in frames
    assert b"Too large resource version: 999" in frames
    await server.close()


async def test_custom_resources_have_no_protobuf() -> None:
    """The refusal names the forms that there are."""
    server = await started()
    schema = {"openAPIV3Schema": {"type": "object"}}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "cogs.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "cogs", "singular": "cog", "kind": "Cog", "listKind": "CogList"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }
    assert (await ask(server, CRDS, msgspec.json.encode(crd), "application/json")).status == 201
    path = "/apis/example.com/v1/namespaces/default/cogs"
    answer = await ask(server, path, envelope("Cog", "example.com/v1", b""))
    assert answer.status == 415
    assert decoded(answer)["message"].endswith("include: application/json, application/yaml")
    await server.close()


def test_nothing_of_it_is_loaded_at_first() -> None:
    """Most servers never see protobuf, and start faster without."""
    program = "import sys, konverge.cluster.embedded; print([name for name in sys.modules if '.protobuf' in name])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "apiserver.protobuf" not in done.stdout
