"""The log of a manager's calls."""

from __future__ import annotations

from pathlib import Path

import pytest

import konverge as kv
from konverge.errors import ConfigError
from konverge.manager.call_log import Call, CallLog, Owner, Seen, read_calls
from konverge.models.core_v1 import ConfigMap
from konverge.testing import Cluster, advance, running


def test_each_call_is_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once, with the test in which it was first made, and with the controllers that there are by then."""
    controllers: list[str] = []
    log = CallLog.of_environment({"KONVERGE_CALLS": str(tmp_path)}, controllers=lambda: controllers)
    assert log is not None
    assert read_calls(tmp_path) == []
    controllers.append("shop")
    for test in ("tests/test_it.py::test_a (setup)", "tests/test_it.py::test_b[x y] (call)"):
        monkeypatch.setenv("PYTEST_CURRENT_TEST", test)
        log.note(Call("GET", "/api/v1/pods"))
    log.note(Call("GET", "/api/v1/pods", created=True))
    assert read_calls(tmp_path) == [
        (
            Owner(("shop",)),
            [
                Seen(Call("GET", "/api/v1/pods"), "tests/test_it.py::test_a"),
                Seen(Call("GET", "/api/v1/pods", created=True), "tests/test_it.py::test_b[x y]"),
            ],
        )
    ]


def test_nobody_asks_for_one() -> None:
    """Then there is none, and nothing is written down."""
    assert CallLog.of_environment({}, controllers=list) is None


def test_a_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    """When the manager is made, not with its first call."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="is no folder to write to"):
        CallLog.of_environment({"KONVERGE_CALLS": str(tmp_path / "file")}, controllers=list)


@pytest.mark.virtual_time
async def test_a_manager_writes_what_it_does_and_a_test_does_not(
    cluster: Cluster, namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Watches, writes that create, its lease and its events; dry runs too, since they need the same rights."""
    monkeypatch.setenv("KONVERGE_CALLS", str(tmp_path))
    manager = cluster.manager(leader_election=kv.LeaderElection(id="it", namespace=namespace))

    async def reconcile(ctx: kv.Context, request: kv.Request) -> None:
        if request.name == "made":
            return
        found = await ctx.client.get(ConfigMap, request)
        await ctx.client.apply(ConfigMap(metadata=kv.ObjectMeta(name="made", namespace=namespace)), force=True)
        await ctx.live.delete(ConfigMap, request, dry_run=True)
        ctx.recorder.normal(found, "Made", "it is made")

    kv.new_controller(manager).named("maker").for_(ConfigMap).complete(reconcile)
    async with running(manager), cluster.client(namespace=namespace) as client:
        await client.create(ConfigMap(metadata=kv.ObjectMeta(name="card")))
        await advance(1)
    ((owner, seen),) = read_calls(tmp_path)
    assert owner == Owner(("maker",))
    home = f"/api/v1/namespaces/{namespace}"
    lease = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"
    found = {(each.call.method, each.call.path, each.call.created) for each in seen}
    assert found >= {
        ("GET", "/api/v1/configmaps", False),
        ("PATCH", f"{home}/configmaps/made", False),
        ("PATCH", f"{home}/configmaps/made", True),
        ("DELETE", f"{home}/configmaps/card", False),
        ("POST", f"/apis/events.k8s.io/v1/namespaces/{namespace}/events", False),
        ("POST", lease, False),
        ("PUT", f"{lease}/it", False),
    }
    assert ("POST", f"{home}/configmaps", False) not in found
