"""Whatever a webhook answers, the server says so in words of its own, and nothing of its code breaks."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
from edge import failures
from hypothesis import example, given, settings
from hypothesis import strategies as st

from konverge.cluster.apiserver.exchange import Peer, Request, Response
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.webhook_calls import WebhookCalls

_PATH: Final = "/api/v1/namespaces/default/configmaps"
_GROUP: Final = "/apis/admissionregistration.k8s.io/v1"
_BROKEN: Final = b"the server's log says more"
_SEVERAL: Final = settings(print_blob=True)
_SCALARS: Final = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
_JSON: Final = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_NAMES: Final = ("uid", "allowed", "status", "patch", "patchType", "auditAnnotations", "warnings")
_STATUS: Final = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("code", "message", "reason", "details", "status"), _JSON)
)
_RESPONSES: Final = st.fixed_dictionaries({}, optional=dict.fromkeys(_NAMES, _JSON | _STATUS))
_STEPS: Final = st.sampled_from(["", "metadata", "labels", "name", "data", "a", "kind", "0", "-", "~0", "finalizers"])
_PATHS: Final = st.lists(_STEPS, max_size=4).map(lambda steps: "".join(f"/{step}" for step in steps))
_OPERATIONS: Final = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]) | _SCALARS},
    optional={"path": _PATHS | _JSON, "from": _PATHS | _JSON, "value": _JSON},
)


class Hooked:
    """A server whose one webhook, of each phase, answers with what a test gives it."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._answer: bytes = b""
        self._response: Any = None
        self._count = 0
        self._server = self._runner.run(self._start())

    async def _start(self) -> ApiServer:
        calls = WebhookCalls()
        calls.register("https://hook.shop.svc", self._handle)
        server = ApiServer(Storage.in_memory(), webhooks=calls)
        await server.start()
        for phase in ("Validating", "Mutating"):
            await _configure(server, phase)
        return server

    async def _handle(self, _: str, body: bytes) -> bytes:
        if self._answer:
            return self._answer
        review = json.loads(body)
        response = self._response
        if isinstance(response, dict):
            response = {"uid": review["request"]["uid"], "allowed": True, **response}
        return json.dumps({**review, "response": response}).encode()

    def create(self, *, phase: str, answer: bytes = b"", response: Any = None) -> Response:
        """Create an object while the webhook of a phase answers so; the other one is not asked."""
        self._answer, self._response = answer, response
        self._count += 1
        metadata = {"name": f"n-{self._count}", "labels": {"ask": phase}}
        return self._runner.run(_send(self._server, "POST", _PATH, {"metadata": metadata, "data": {"a": "b"}}))

    def close(self) -> None:
        """Stop the server."""
        self._runner.run(self._server.close())
        self._runner.close()


async def _send(server: ApiServer, method: str, path: str, value: Any) -> Response:
    headers, body = {"content-type": "application/json"}, json.dumps(value).encode()
    answer = await server.handle(
        Request(method=method, path=path, query=(), headers=headers, body=body, peer=Peer(is_trusted=True))
    )
    assert isinstance(answer, Response)
    return answer


async def _configure(server: ApiServer, phase: str) -> None:
    entry = {
        "name": "hook.shop.dev",
        "clientConfig": {"service": {"namespace": "shop", "name": "hook"}},
        "rules": [{"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "objectSelector": {"matchLabels": {"ask": phase}},
    }
    path = f"{_GROUP}/{phase.lower()}webhookconfigurations"
    made = await _send(server, "POST", path, {"metadata": {"name": "hook"}, "webhooks": [entry]})
    assert made.status == 201, made.body


@pytest.fixture(scope="module")
def hooked() -> Iterator[Hooked]:
    """One server for all answers."""
    found = Hooked()
    yield found
    found.close()


def _check(hooked: Hooked, **answer: Any) -> None:
    for phase in ("Validating", "Mutating"):
        with failures() as broken:
            reply = hooked.create(phase=phase, **answer)
        assert not broken, broken[0].getMessage()
        assert _BROKEN not in reply.body


@given(response=_RESPONSES | _JSON)
@_SEVERAL
@example(response={"warnings": [{}, None]})
@example(response={"allowed": False, "status": {"code": 2**31, "details": {"retryAfterSeconds": -1}}})
def test_a_response_of_any_form_is_judged(hooked: Hooked, response: Any) -> None:
    """Fields of any type, and none."""
    _check(hooked, response=response)


@given(operations=st.lists(_OPERATIONS | _JSON, max_size=4))
@_SEVERAL
@example(operations=[{"op": "remove", "path": "/kind"}])
@example(operations=[{"op": "replace", "path": "", "value": {}}])
def test_a_patch_of_any_form_is_judged(hooked: Hooked, operations: Any) -> None:
    """Operations that hit what every object has, and that hit nothing."""
    patch = base64.b64encode(json.dumps(operations).encode()).decode()
    _check(hooked, response={"patch": patch, "patchType": "JSONPatch"})


@given(answer=st.binary(min_size=1, max_size=200) | _JSON.map(lambda value: json.dumps(value).encode()))
@_SEVERAL
@example(answer=b'{"a":' * 100_000)
@example(answer=b"[" * 100_000)
@example(answer=b'{"kind":' + b"[" * 5_000 + b"]" * 5_000 + b"}")
@example(answer=b"a: &a [b]\nc: [*a, *a]")
@example(answer=b"- " * 5_000)
@example(answer=b'{"a":"' + b"x" * 10_000_000 + b'"}')
def test_bytes_of_any_form_are_judged(hooked: Hooked, answer: bytes) -> None:
    """What is JSON, what is YAML, and what is neither."""
    _check(hooked, answer=answer)
