"""Plan: which containers of a pod are to be started or stopped now, and when to look again; pure.

Init containers run one after the other; a sidecar among them must have started before the next one begins, and goes on.
The others run side by side after that. When they are all over, sidecars end in the reverse of their order.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from konverge.cluster.node.process.container_view import ContainerView, Role, of_role


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What to do."""

    starts: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()
    wakes_in: float | None = None  # seconds until something may be started; None: nothing waits for time


def plan(views: Sequence[ContainerView], policy: str) -> Plan:
    """Return what to do with a pod of this restart policy."""
    if is_over(views, policy):
        return Plan(stops=_last_sidecar(views))
    starts: list[ContainerView] = []
    for view in of_role(views, Role.INIT, Role.SIDECAR):
        if view.role is Role.INIT and view.ended_well:
            continue
        if not view.is_running:
            starts.append(view)
        if view.role is Role.INIT or not (view.is_running and view.is_started):
            return _plan(starts)
    starts += [each for each in of_role(views, Role.MAIN) if not each.is_running and each.runs_again(policy)]
    return _plan(starts)


def is_over(views: Sequence[ContainerView], policy: str) -> bool:
    """Whether a pod has ended for good: an init container failed it, or its containers are done."""
    if has_failed_init(views, policy):
        return True
    return all(not each.is_running and not each.runs_again(policy) for each in of_role(views, Role.MAIN))


def has_failed_init(views: Sequence[ContainerView], policy: str) -> bool:
    """Whether an init container failed for good."""
    inits = of_role(views, Role.INIT)
    return any(not each.is_running and not each.ended_well and not each.runs_again(policy) for each in inits)


def is_initialized(views: Sequence[ContainerView]) -> bool:
    """Whether all init containers have done their part, or those that come after them have begun."""
    if any(each.runs for each in of_role(views, Role.MAIN)):
        return True
    return all(
        each.ended_well if each.role is Role.INIT else each.is_started
        for each in of_role(views, Role.INIT, Role.SIDECAR)
    )


def _plan(candidates: Sequence[ContainerView]) -> Plan:
    ready = tuple(each.name for each in candidates if each.pause_left <= 0)
    return Plan(
        starts=ready, wakes_in=min((each.pause_left for each in candidates if each.pause_left > 0), default=None)
    )


def _last_sidecar(views: Sequence[ContainerView]) -> tuple[str, ...]:
    running = [each.name for each in of_role(views, Role.SIDECAR) if each.is_running]
    return tuple(running[-1:])
