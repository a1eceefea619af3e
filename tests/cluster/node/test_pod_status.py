from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from konverge import ObjectMeta
from konverge.cluster.node.behaviour import Behaviour
from konverge.cluster.node.outlook import outlook
from konverge.cluster.node.pod_status import Place, write_refused, write_status, write_stopped
from konverge.models import core_v1

START = datetime(2026, 1, 1, tzinfo=UTC)


def pod(policy: str = "Always", *, inits: tuple[str, ...] = (), sidecars: tuple[str, ...] = ()) -> core_v1.Pod:
    """Return a pod with these init containers."""
    plain = [core_v1.Container(name=name, image="init") for name in inits]
    along = [core_v1.Container(name=name, image="side", restart_policy="Always") for name in sidecars]
    spec = core_v1.PodSpec(
        restart_policy=policy,
        init_containers=[*along, *plain] or None,
        containers=[core_v1.Container(name="main", image="web")],
    )
    return core_v1.Pod(metadata=ObjectMeta(name="web", namespace="shop", uid="1", generation=1), spec=spec)


def after(seconds: float, subject: core_v1.Pod, **behaviour: Any) -> core_v1.Pod:
    """Return the pod as its node reports it some time after its start."""
    now, does = START + timedelta(seconds=seconds), Behaviour(**behaviour)
    seen = outlook(subject, does, start=START, now=now)
    place = Place(host_ip="10.0.0.1", pod_ip="10.244.0.2" if seen.has_sandbox else "", start=START)
    write_status(subject, does, seen, place=place, now=now)
    return subject


def conditions(subject: core_v1.Pod) -> dict[str, str]:
    """Return status and reason of each condition in one text."""
    return {each.type: f"{each.status} {each.reason or ''}".strip() for each in subject.status.conditions or ()}


def main(subject: core_v1.Pod) -> core_v1.ContainerStatus:
    """Return the status of the container."""
    return (subject.status.container_statuses or [])[0]


def test_a_pod_runs_and_is_ready() -> None:
    """At once, with an address, and all conditions true."""
    running = after(0, pod())
    assert (running.status.phase, running.status.pod_ip, main(running).ready) == ("Running", "10.244.0.2", True)
    assert set(conditions(running).values()) == {"True"}


def test_a_pod_waits_for_its_start() -> None:
    """It is pending until then, and has no address."""
    waiting = after(1, pod(), start_after=2.0)
    assert (waiting.status.phase, waiting.status.pod_ip) == ("Pending", None)
    assert main(waiting).state == core_v1.ContainerState(
        waiting=core_v1.ContainerStateWaiting(reason="ContainerCreating")
    )
    assert conditions(waiting)["Ready"] == "False ContainersNotReady"
    assert conditions(after(2, waiting, start_after=2.0))["Ready"] == "True"


def test_a_crash_loop_shows_the_last_run() -> None:
    """While it waits, the state says for how long and the last state how it ended."""
    crashed = after(5, pod(), exit_after=2.0, exit_codes=(3,))
    status = main(crashed)
    assert (crashed.status.phase, status.restart_count, status.ready) == ("Running", 1, False)
    assert status.state is not None
    assert status.state.waiting == core_v1.ContainerStateWaiting(
        reason="CrashLoopBackOff",
        message="back-off 10s restarting failed container=main pod=web_shop(1)",
    )
    assert status.last_state is not None
    assert status.last_state.terminated is not None
    assert status.last_state.terminated.exit_code == 3


def test_a_pod_ends_as_its_policy_says() -> None:
    """With success or not, and the conditions say so."""
    good, bad = after(9, pod("Never"), exit_after=2.0), after(9, pod("Never"), exit_after=2.0, exit_codes=(1,))
    assert (good.status.phase, conditions(good)["Ready"]) == ("Succeeded", "False PodCompleted")
    assert (bad.status.phase, conditions(bad)["Ready"]) == ("Failed", "False PodFailed")


def test_init_containers_run_one_after_the_other() -> None:
    """The others wait for the last of them."""
    begun = after(3, pod(inits=("one", "two")), init_takes=2.0)
    first, second = begun.status.init_container_statuses or []
    assert (first.ready, second.started, begun.status.phase) == (True, True, "Pending")
    assert conditions(begun)["Initialized"] == "False ContainersNotInitialized"
    assert main(begun).state == core_v1.ContainerState(waiting=core_v1.ContainerStateWaiting(reason="PodInitializing"))
    assert after(4, begun, init_takes=2.0).status.phase == "Running"


def test_a_failed_init_container_fails_a_pod_that_is_not_restarted() -> None:
    """Another policy tries again and again."""
    assert after(2, pod("Never", inits=("one",)), init_takes=1.0, init_exit_codes=(1,)).status.phase == "Failed"
    assert after(2, pod(inits=("one",)), init_takes=1.0, init_exit_codes=(1,)).status.phase == "Pending"


def test_a_sidecar_runs_along() -> None:
    """An init container that is always started again is ready while it runs."""
    served = after(1, pod(sidecars=("proxy",)))
    assert [each.ready for each in served.status.init_container_statuses or []] == [True]
    ended = after(9, pod("Never", sidecars=("proxy",)), exit_after=2.0)
    (status,) = ended.status.init_container_statuses or []
    assert status.state is not None
    assert status.state.terminated is not None


def test_a_deleted_pod_is_stopped() -> None:
    """Its containers are ended by a signal, unless they know how to end well."""
    killed, well = after(1, pod()), after(1, pod())
    write_stopped(killed, Behaviour(), START + timedelta(seconds=5))
    write_stopped(well, Behaviour(stop_exit_code=0), START + timedelta(seconds=5))
    assert (killed.status.phase, well.status.phase) == ("Failed", "Succeeded")
    assert conditions(killed)["Ready"] == "False PodFailed"


def test_a_refused_pod_says_why() -> None:
    """In a word, and in a sentence where there is one."""
    refused = pod()
    write_refused(refused, "Evicted: the disk is full", START)
    assert (refused.status.phase, refused.status.reason, refused.status.message) == (
        "Failed",
        "Evicted",
        "the disk is full",
    )


def test_a_second_report_is_the_same() -> None:
    """Nothing is written where nothing has changed."""
    once = after(5, pod())
    before = [each.last_transition_time for each in once.status.conditions or ()]
    again = after(99, once)
    assert [each.last_transition_time for each in again.status.conditions or ()] == before
