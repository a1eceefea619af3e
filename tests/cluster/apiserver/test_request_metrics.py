"""What `/metrics` shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from konverge.cluster.apiserver.exchange import Request

if TYPE_CHECKING:
    from tests.cluster.apiserver.conftest import Served

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


async def _lines(served: Served, path: str = "/metrics") -> list[str]:
    return (await served.get(path)).body.decode().splitlines()


async def test_answers_are_counted(served: Served) -> None:
    """By verb, kind, scope and code."""
    await served.get(CONFIG_MAPS)
    await served.get(CONFIG_MAPS)
    [line] = [each for each in await _lines(served) if 'verb="LIST"' in each]
    assert line == (
        'apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="configmaps",'
        'scope="namespace",subresource="",verb="LIST",version="v1"} 2'
    )


async def test_what_does_not_exist_makes_no_label(served: Served) -> None:
    """Nobody can fill the server's memory with names."""
    before = len(await _lines(served))
    for number in range(50):
        await served.get(f"/apis/made.up{number}/v1/things{number}")
        await served.get(f"/made/up/{number}")
        await served.server.handle(Request(method="GET", path=f"/apis/made.up{number}/v1/things"))  # 403
        await served.server.handle(Request(method="GET", path=f"/api/v1/namespaces/a/pods/b/made-up{number}"))
        await served.get(f"/apis/made.up{number}/v1/things?timeout=never")
        await served.server.handle(Request(method=f"MADE{number}", path="/api/v1/pods"))
    assert len(await _lines(served)) <= before + 10


async def test_objects_are_counted(served: Served) -> None:
    """As many as are stored of each kind."""
    stored = len((await served.read(CONFIG_MAPS))["items"])
    assert f'apiserver_resource_objects{{group="",resource="configmaps"}} {stored}' in await _lines(served)


async def test_health_checks_are_told_apart(served: Served) -> None:
    """Each has a line of its own, at a path of their own too."""
    line = 'kubernetes_healthcheck{name="ping",type="readyz"} 1'
    assert line in await _lines(served, "/metrics/slis")
    assert line in await _lines(served)
    assert (await served.get("/metrics/nope")).status == 404
