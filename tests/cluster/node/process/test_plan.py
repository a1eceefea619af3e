from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from konverge.cluster.node.process.backoff import Backoff
from konverge.cluster.node.process.container_view import ContainerView, Ended, Role
from konverge.cluster.node.process.plan import Plan, is_over, plan
from konverge.cluster.node.process.pod_report import Report, phase
from konverge.models import core_v1

NOW = datetime(2026, 11, 15, 15, 30, tzinfo=UTC)


def view(name: str, state: str = "", *, code: int = 0, role: Role = Role.MAIN, pause: float = 0.0) -> ContainerView:
    """Return a container that has not begun, runs (`run`), runs and has not started (`begin`), or has ended (`end`)."""
    return ContainerView(
        container=core_v1.Container(name=name, image="x"),
        role=role,
        running_since=NOW if state in ("run", "begin") else None,
        is_started=state == "run",
        runs=1 if state else 0,
        ended=Ended(number=0, code=code, reason="", finished_at=NOW) if state == "end" else None,
        pause_left=pause,
    )


INIT, SIDE = Role.INIT, Role.SIDECAR


@pytest.mark.parametrize(
    ("views", "policy", "expected"),
    [
        ([view("a"), view("b")], "Always", Plan(starts=("a", "b"))),
        ([view("i", role=INIT), view("a")], "Always", Plan(starts=("i",))),
        ([view("i", "run", role=INIT), view("a")], "Always", Plan()),
        ([view("i", "end", role=INIT), view("a")], "Always", Plan(starts=("a",))),
        ([view("i", "end", code=1, role=INIT, pause=5.0), view("a")], "Always", Plan(wakes_in=5.0)),
        ([view("i", "end", code=1, role=INIT), view("a")], "Never", Plan()),
        ([view("s", "begin", role=SIDE), view("a")], "Always", Plan()),
        ([view("s", "run", role=SIDE), view("a")], "Always", Plan(starts=("a",))),
        ([view("s", "end", role=SIDE), view("a", "run")], "Never", Plan(starts=("s",))),
        ([view("s", "run", role=SIDE), view("t", "run", role=SIDE), view("a", "end")], "Never", Plan(stops=("t",))),
        ([view("a", "end", code=1)], "OnFailure", Plan(starts=("a",))),
        ([view("a", "end"), view("b", "run")], "OnFailure", Plan()),
        ([view("a", "end", pause=3.0), view("b", "end", pause=7.0)], "Always", Plan(wakes_in=3.0)),
    ],
)
def test_plans(views: list[ContainerView], policy: str, expected: Plan) -> None:
    """Init containers in order, sidecars before those that come after them, the rest by the restart policy."""
    assert plan(views, policy) == expected


@pytest.mark.parametrize(
    ("views", "policy", "expected"),
    [
        ([view("a")], "Always", "Pending"),
        ([view("i", "run", role=INIT), view("a")], "Always", "Pending"),
        ([view("a", "run"), view("b")], "Always", "Pending"),
        ([view("a", "run")], "Always", "Running"),
        ([view("a", "end", code=1)], "Always", "Running"),
        ([view("a", "end")], "OnFailure", "Succeeded"),
        ([view("a", "end"), view("b", "end", code=2)], "Never", "Failed"),
        ([view("i", "end", code=1, role=INIT), view("a")], "Never", "Failed"),
        ([view("s", "run", role=SIDE), view("a", "end")], "Never", "Running"),
    ],
)
def test_phases(views: list[ContainerView], policy: str, expected: str) -> None:
    """As a kubelet names them."""
    report = Report(views=tuple(views), start=NOW, host_ip="127.0.0.1", pod_ip="127.64.0.2")
    assert phase(report, policy) == expected


def test_restart_rules() -> None:
    """An exit code that a container names is a reason to run again, whatever the pod's policy."""
    rule = core_v1.ContainerRestartRule(
        action="Restart", exit_codes=core_v1.ContainerRestartRuleOnExitCodes(operator="In", values=[42])
    )
    container = core_v1.Container(name="a", image="x", restart_policy="Never", restart_policy_rules=[rule])
    for code, again in ((42, True), (1, False)):
        ended = Ended(number=0, code=code, reason="", finished_at=NOW)
        seen = ContainerView(container=container, role=Role.MAIN, runs=1, ended=ended)
        assert is_over([seen], "Never") is not again


def test_the_pause_grows_and_is_forgotten() -> None:
    """Nothing, 10 s, doubled up to 5 min; a run of ten minutes makes it good."""
    backoff, pauses, now = Backoff(), [], NOW
    for _ in range(8):
        pauses.append(backoff.left(now, now))
        now += timedelta(seconds=pauses[-1])
        backoff.note_restart(now)
    assert pauses == [0, 10, 20, 40, 80, 160, 300, 300]
    assert backoff.left(now + timedelta(minutes=9), now + timedelta(minutes=9)) == 300
    assert backoff.left(now + timedelta(minutes=11), now + timedelta(minutes=11)) == 0
