"""Flow schemas: which request belongs to which."""

from __future__ import annotations

import json
from typing import Any

import pytest

from konverge.cluster.apiserver.exchange import Peer, Request, Response
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage

GROUP = "/apis/flowcontrol.apiserver.k8s.io/v1"
FLOW, LEVEL = "X-Kubernetes-Pf-Flowschema-Uid", "X-Kubernetes-Pf-Prioritylevel-Uid"
ADMINISTRATOR = Peer(is_trusted=True)


@pytest.fixture
async def server() -> ApiServer:
    """A server as it is after its first start."""
    made = ApiServer(Storage.in_memory())
    await made.start()
    return made


async def ask(server: ApiServer, method: str, path: str, body: Any = None, *, as_user: str = "") -> Response:
    """Ask as the administrator, or in the name of a user."""
    names = {"impersonate-user": as_user, "impersonate-group": "system:masters"} if as_user == "boss" else {}
    if as_user and not names:
        names = {"impersonate-user": as_user}
    headers = {"content-type": "application/json", **names}
    data = json.dumps(body).encode() if body is not None else b""
    answer = await server.handle(Request(method=method, path=path, headers=headers, body=data, peer=ADMINISTRATOR))
    assert isinstance(answer, Response)
    return answer


async def flow_of(server: ApiServer, user: str, path: str = "/version") -> tuple[str, str]:
    """Return the names of the flow schema and of the priority level that an answer tells."""
    headers = dict((await ask(server, "GET", path, as_user=user)).headers)
    found = []
    for plural, header in (("flowschemas", FLOW), ("prioritylevelconfigurations", LEVEL)):
        items = json.loads((await ask(server, "GET", f"{GROUP}/{plural}")).body)["items"]
        found.append({each["metadata"]["uid"]: each["metadata"]["name"] for each in items}[headers[header]])
    return found[0], found[1]


@pytest.mark.parametrize(
    ("user", "path", "flow"),
    [
        ("boss", "/version", ("exempt", "exempt")),
        ("ann", "/version", ("global-default", "global-default")),
        ("ann", "/healthz", ("probes", "exempt")),
        ("system:serviceaccount:shop:app", "/version", ("service-accounts", "workload-low")),
        ("system:serviceaccount:kube-system:app", "/version", ("kube-system-service-accounts", "workload-high")),
        ("system:kube-scheduler", "/version", ("kube-scheduler", "workload-high")),
        (
            "system:kube-scheduler",
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler",
            ("system-leader-election", "leader-election"),
        ),
    ],
)
async def test_requests_belong_to_flows(server: ApiServer, user: str, path: str, flow: tuple[str, str]) -> None:
    """By who asks for what, of those that every cluster has."""
    assert await flow_of(server, user, path) == flow


async def condition(server: ApiServer, name: str) -> dict[str, str]:
    """Return what the status of a flow schema says."""
    found = json.loads((await ask(server, "GET", f"{GROUP}/flowschemas/{name}")).body)
    [said] = found["status"]["conditions"]
    return dict(said)


async def test_a_flow_of_ones_own(server: ApiServer) -> None:
    """It counts once its level is there; without it others are asked."""
    rule = {
        "subjects": [{"kind": "User", "user": {"name": "noxu"}}],
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
    }
    spec = {"matchingPrecedence": 1000, "priorityLevelConfiguration": {"name": "mine"}, "rules": [rule]}
    await ask(server, "POST", f"{GROUP}/flowschemas", {"metadata": {"name": "own"}, "spec": spec})
    assert (await condition(server, "own"))["status"] == "True"
    assert await flow_of(server, "noxu") == ("global-default", "global-default")
    limited = {"nominalConcurrencyShares": 1, "limitResponse": {"type": "Reject"}}
    level = {"metadata": {"name": "mine"}, "spec": {"type": "Limited", "limited": limited}}
    await ask(server, "POST", f"{GROUP}/prioritylevelconfigurations", level)
    said = await condition(server, "own")
    assert (said["status"], said["reason"]) == ("False", "Found")
    assert said["message"].endswith('named "mine" and it exists')
    assert await flow_of(server, "noxu") == ("own", "mine")
    assert await flow_of(server, "foo") == ("global-default", "global-default")


async def test_many_flows_of_one_level(server: ApiServer) -> None:
    """All are told when it comes, each once: a write that tells one starts nothing anew."""
    rule = {
        "subjects": [{"kind": "User", "user": {"name": "noxu"}}],
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
    }
    spec = {"matchingPrecedence": 1000, "priorityLevelConfiguration": {"name": "mine"}, "rules": [rule]}
    names = [f"own-{number}" for number in range(100)]
    for name in names:
        await ask(server, "POST", f"{GROUP}/flowschemas", {"metadata": {"name": name}, "spec": spec})
    limited = {"nominalConcurrencyShares": 1, "limitResponse": {"type": "Reject"}}
    level = {"metadata": {"name": "mine"}, "spec": {"type": "Limited", "limited": limited}}
    made = await ask(server, "POST", f"{GROUP}/prioritylevelconfigurations", level)
    last = await ask(server, "GET", f"{GROUP}/flowschemas")
    first, after = (int(json.loads(each.body)["metadata"]["resourceVersion"]) for each in (made, last))
    assert after - first == len(names)
    assert {(await condition(server, name))["status"] for name in names} == {"False"}
