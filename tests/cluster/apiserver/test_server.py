"""What the server puts around its verbs."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from konverge.cluster.apiserver.exchange import Peer, Request, Response
from konverge.cluster.apiserver.strategy import JsonObject, Strategy

if TYPE_CHECKING:
    from tests.cluster.apiserver.conftest import Served

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


async def test_headers(served: Served) -> None:
    """Every answer has an audit id and forbids caches; a client's own audit id comes back."""
    headers = dict((await served.get(CONFIG_MAPS)).headers)
    assert len(headers["Audit-Id"]) == 36
    assert headers["Cache-Control"] == "no-cache, private"
    assert dict((await served.get(CONFIG_MAPS, audit_id="mine")).headers)["Audit-Id"] == "mine"


async def test_strangers_are_refused(served: Served) -> None:
    """One whom nobody knows may not read."""
    answer = await served.server.handle(Request(method="GET", path=CONFIG_MAPS))
    assert answer.status == 403


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz", "/livez/ping"])
async def test_health(served: Served, path: str) -> None:
    """Who asks is told `ok`; a server that is closing is not."""
    answer = await served.get(path)
    assert (answer.status, answer.body) == (200, b"ok")
    await served.server.close()
    assert (await served.get(path)).status == 500


async def test_health_in_detail(served: Served) -> None:
    """Verbose says each check, and which were left out."""
    text = (await served.get("/readyz?verbose&exclude=ping")).body.decode()
    assert text.startswith("[+]ping excluded: ok\n[+]log ok\n")
    assert text.endswith("readyz check passed\n")


async def test_version(served: Served) -> None:
    """The version is that of the server whose behaviour this is."""
    assert (await served.read("/version"))["gitVersion"] == "v1.36.3"


async def test_root(served: Served) -> None:
    """The root lists the paths, those of custom resources too."""
    paths = (await served.read("/"))["paths"]
    assert {"/api/v1", "/apis/apps/v1", "/apis/example.com/v1", "/version"} <= set(paths)
    assert paths == sorted(paths)


async def test_closed(served: Served) -> None:
    """A server that is closing serves no more objects, and says when to try again."""
    await served.server.close()
    answer = await served.get(CONFIG_MAPS)
    assert answer.status == 503
    assert ("Retry-After", "1") in answer.headers


class Broken(Strategy):
    """A defect."""

    reads_as_stored = False

    def from_storage(self, value: JsonObject) -> JsonObject:
        """Fail."""
        raise ValueError(f"a defect of {value['kind']}")


async def test_a_defect_is_an_answer_and_a_stack_in_the_log(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    """What nobody foresaw is a 500; the server goes on."""
    resource = served.server.resources.find("example.com", "v1", "gadgets")
    assert resource is not None
    served.server.resources.add(replace(resource, strategy=Broken()))
    with caplog.at_level(logging.ERROR):
        answer = await served.get("/apis/example.com/v1/namespaces/default/gadgets/a")
    assert answer.status == 500
    assert json.loads(answer.body)["message"] == "Internal error occurred: ValueError: the server's log says more"
    assert "ValueError: a defect of Gadget" in caplog.text
    assert (await served.get(CONFIG_MAPS)).status == 200


async def test_yaml_refusals(served: Served) -> None:
    """Who asks for YAML is refused in YAML."""
    answer = await served.get(f"{CONFIG_MAPS}/none", accept="application/yaml")
    assert (answer.status, answer.content_type) == (404, "application/yaml")
    assert b'message: configmaps "none" not found' in answer.body


async def test_unknown_methods(served: Served) -> None:
    """A method that nothing has is a 405."""
    answer = await served.ask("FOO", CONFIG_MAPS)
    assert isinstance(answer, Response)
    assert answer.status == 405


@pytest.mark.parametrize("depth", [900, 980, 5_000])
async def test_what_is_nested_too_deeply_is_the_clients_fault(served: Served, depth: int) -> None:
    """Whether it cannot be read, merged or be an object of the kind: no defect of the server's."""
    await served.put(served.config_map("c"))
    request = Request(
        method="PATCH",
        path=f"{CONFIG_MAPS}/c",
        headers={"content-type": "application/merge-patch+json"},
        body=b'{"data":' * depth + b"1" + b"}" * depth,
        peer=Peer(is_trusted=True),
    )
    answer = await served.server.handle(request)
    assert isinstance(answer, Response)
    assert (answer.status, json.loads(answer.body)["reason"]) in ((400, "BadRequest"), (422, "Invalid"))
