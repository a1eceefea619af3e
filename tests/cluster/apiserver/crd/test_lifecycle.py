"""CRDs in a whole server: what a client sees from the first POST to the end."""

from __future__ import annotations

from typing import Any

import msgspec

from konverge.cluster.apiserver.exchange import JSON, Peer, Request, Response
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
THINGS = "/apis/example.com/v1/namespaces/default/things"


async def _ask(server: ApiServer, method: str, path: str, body: Any = None, *, form: str = JSON) -> tuple[int, Any]:
    encoded = b"" if body is None else msgspec.json.encode(body)
    headers = {"content-type": form, "accept": JSON}
    answer = await server.handle(
        Request(method=method, path=path, headers=headers, body=encoded, peer=Peer(is_trusted=True))
    )
    assert isinstance(answer, Response)
    is_json = answer.content_type.startswith(JSON)
    return answer.status, msgspec.json.decode(answer.body) if is_json else answer.body


async def _merge(server: ApiServer, path: str, patch: Any) -> tuple[int, Any]:
    return await _ask(server, "PATCH", path, patch, form="application/merge-patch+json")


def _version(**properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    return {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}


def _crd() -> dict[str, Any]:
    spec = {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "things", "kind": "Thing"},
        "versions": [_version(a={"type": "string", "default": "x"}, n={"type": "integer", "maximum": 5})],
    }
    metadata = {"name": "things.example.com"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": spec,
    }


def _thing(name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": name}, "spec": spec}


async def test_a_kind_can_be_used_as_soon_as_it_is_defined() -> None:
    """The answer to the POST shows no conditions, and the next request meets an established kind."""
    server = ApiServer(Storage.in_memory())
    await server.start()
    status, crd = await _ask(server, "POST", CRDS, _crd())
    assert (status, crd["status"]["conditions"]) == (201, None)
    status, thing = await _ask(server, "POST", THINGS, _thing("one", n=1, odd=1))
    assert (status, thing["spec"]) == (201, {"n": 1, "a": "x"})
    status, refused = await _ask(server, "POST", THINGS, _thing("two", n=9))
    assert status == 422
    assert refused["details"]["causes"] == [
        {
            "reason": "FieldValueInvalid",
            "message": "Invalid value: 9: spec.n in body should be less than or equal to 5",
            "field": "spec.n",
        }
    ]
    await server.close()


async def test_a_changed_schema_changes_what_is_read() -> None:
    """New defaults are filled in and dropped fields are gone on reading; nothing is written."""
    server = ApiServer(Storage.in_memory())
    await server.start()
    await _ask(server, "POST", CRDS, _crd())
    await _ask(server, "POST", THINGS, _thing("one", n=1))
    new = _version(n={"type": "integer"}, b={"type": "string", "default": "y"})
    await _merge(server, f"{CRDS}/things.example.com", {"spec": {"versions": [new]}})
    _, thing = await _ask(server, "GET", f"{THINGS}/one")
    assert thing["spec"] == {"n": 1, "b": "y"}
    _, listed = await _ask(server, "GET", THINGS)
    assert [item["spec"] for item in listed["items"]] == [{"n": 1, "b": "y"}]
    await server.close()


async def test_a_restart_serves_all_kinds_at_once() -> None:
    """A second server on the same storage knows the kind and its objects."""
    storage = Storage.in_memory()
    first = ApiServer(storage)
    await first.start()
    await _ask(first, "POST", CRDS, _crd())
    await _ask(first, "POST", THINGS, _thing("one"))
    await first.close()
    second = ApiServer(storage)
    await second.start()
    status, thing = await _ask(second, "GET", f"{THINGS}/one")
    assert (status, thing["spec"]) == (200, {"a": "x"})
    await second.close()


async def test_a_deleted_kind_takes_its_objects_along() -> None:
    """One with a finalizer holds it; then kind and definition are gone, and a new one starts empty."""
    server = ApiServer(Storage.in_memory())
    await server.start()
    await _ask(server, "POST", CRDS, _crd())
    held = _thing("held")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    await _ask(server, "POST", THINGS, held)
    await _ask(server, "POST", THINGS, _thing("free"))
    assert (await _ask(server, "DELETE", f"{CRDS}/things.example.com"))[0] == 200
    _, listed = await _ask(server, "GET", THINGS)
    assert [item["metadata"]["name"] for item in listed["items"]] == ["held"]
    status, refused = await _ask(server, "POST", THINGS, _thing("late"))
    assert status == 403
    assert refused["message"].endswith("create not allowed while custom resource definition is terminating")
    await _merge(server, f"{THINGS}/held", {"metadata": {"finalizers": None}})
    assert (await _ask(server, "GET", f"{CRDS}/things.example.com"))[0] == 404
    assert (await _ask(server, "GET", THINGS))[0] == 404
    await _ask(server, "POST", CRDS, _crd())
    _, listed = await _ask(server, "GET", THINGS)
    assert listed["items"] == []
    await server.close()
