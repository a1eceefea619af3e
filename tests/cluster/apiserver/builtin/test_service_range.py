from __future__ import annotations

import ipaddress
import json
from typing import Any

from konverge.cluster.apiserver.exchange import Peer, Request, Response
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

SERVICES = "/api/v1/namespaces/default/services"
RANGE = "127.96.0.0/12"


async def ask(server: ApiServer, method: str, path: str, body: Any = None) -> Any:
    """Ask as the administrator; return the answer's body."""
    request = Request(
        method=method,
        path=path,
        headers={"content-type": "application/json"},
        body=b"" if body is None else json.dumps(body).encode(),
        peer=Peer(is_trusted=True),
    )
    answer = await server.handle(request)
    assert isinstance(answer, Response)
    return json.loads(answer.body)


async def test_services_get_addresses_of_the_servers_range() -> None:
    """The first is the server's own; an old storage keeps the range that it was made with."""
    storage = Storage.in_memory()
    for made_with in (RANGE, None, "10.1.0.0/16"):
        server = ApiServer(storage, service_range=made_with)
        await server.start()
        assert (await ask(server, "GET", f"{SERVICES}/kubernetes"))["spec"]["clusterIP"] == "127.96.0.1"
        drawn = {"metadata": {"generateName": "a"}, "spec": {"ports": [{"port": 80}]}}
        made = await ask(server, "POST", SERVICES, drawn)
        assert ipaddress.ip_address(made["spec"]["clusterIP"]) in ipaddress.ip_network(RANGE)
        asked = {"metadata": {"name": "b"}, "spec": {"clusterIP": "10.96.0.9", "ports": [{"port": 80}]}}
        refused = await ask(server, "POST", SERVICES, asked)
        assert "the provided network does not match the current range" in refused["message"]
        await server.close()
