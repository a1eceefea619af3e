"""Rollout: which old pods give way now, and where new ones come beside them; pure.

Without a surge an old pod is deleted, and placement makes the new one; not more nodes may be without a working pod than
`maxUnavailable`. With a surge a new pod comes first, on not more nodes than `maxSurge`, and the old one goes when the
new one works. An old pod that does not work gives way at once.
"""

from __future__ import annotations

import msgspec

from konverge.api.int_or_string import scaled_value
from konverge.cluster.controllers.daemon_set.daemon_pod import is_up_to_date
from konverge.cluster.controllers.daemon_set.placement import Landscape, Work
from konverge.models import core_v1


class _Spot(msgspec.Struct, frozen=True):
    """A node with its old and its new pod; `is_clear` if there is at most one of each."""

    node: str
    old: core_v1.Pod | None
    new: core_v1.Pod | None
    is_clear: bool


def rollout(landscape: Landscape) -> Work:
    """Decide which pods give way."""
    strategy = landscape.daemon_set.spec.update_strategy
    if strategy is not None and strategy.type == "OnDelete":
        return Work()
    surge, unavailable = _limits(landscape)
    return _surging(landscape, surge) if surge else _replacing(landscape, unavailable)


def _limits(landscape: Landscape) -> tuple[int, int]:
    """How many nodes may have two pods, and how many none that works; never neither."""
    strategy = landscape.daemon_set.spec.update_strategy
    rolling = strategy.rolling_update if strategy else None
    if rolling is None:
        return 0, 1
    surge = scaled_value(rolling.max_surge or 0, landscape.wanted, round_up=True)
    unavailable = 1 if rolling.max_unavailable is None else rolling.max_unavailable
    allowed = scaled_value(unavailable, landscape.wanted, round_up=True)
    return surge, allowed or (0 if surge else 1)


def _spots(landscape: Landscape) -> list[_Spot]:
    """The nodes that have a pod or are to have one."""
    wanted = [node for node, fit in landscape.fits.items() if fit.begins]
    return [_spot(landscape, node) for node in sorted({*landscape.pods, *wanted})]


def _spot(landscape: Landscape, node: str) -> _Spot:
    pods = [pod for pod in landscape.pods.get(node, ()) if not pod.metadata.deletion_timestamp]
    of, hash_ = landscape.daemon_set, landscape.revision_hash
    new = [pod for pod in pods if is_up_to_date(of, pod, hash_)]
    old = [pod for pod in pods if not is_up_to_date(of, pod, hash_)]
    clear = len(new) <= 1 and len(old) <= 1
    return _Spot(node, old[0] if clear and old else None, new[0] if clear and new else None, clear)


def _replacing(landscape: Landscape, most: int) -> Work:
    """Delete old pods: those that do not work, and of the others as many as may be missing."""
    useless: list[core_v1.Pod] = []
    candidates: list[core_v1.Pod] = []
    missing = 0
    for spot in _spots(landscape):
        if spot.old is not None and spot.new is None:
            works = landscape.is_available(spot.old)
            (candidates if works else useless).append(spot.old)
            missing += not works
        elif spot.old is not None or spot.new is None or not landscape.is_available(spot.new):
            missing += 1
    return Work(delete=[*useless, *candidates[: max(most - missing, 0)]])


def _surging(landscape: Landscape, most: int) -> Work:
    """Make new pods beside old ones, and delete old ones that have a working new one."""
    work, candidates, stranded = Work(), list[str](), list[core_v1.Pod]()
    surging = working = 0
    for spot in _spots(landscape):
        if not spot.is_clear:
            surging += 1
            continue
        shown = spot.old or spot.new
        working += shown is not None and landscape.is_available(shown)
        if spot.old is None:
            continue
        if spot.new is not None:
            ready = landscape.is_available(spot.new)
            work.delete += [spot.old] if ready else []
            surging += not ready
        elif not _begins(landscape, spot.node):
            (stranded if landscape.is_available(spot.old) else work.delete).append(spot.old)
        elif landscape.is_available(spot.old):
            candidates.append(spot.node)
        else:
            work.create_on.append(spot.node)
    work.delete += stranded[: max(working - landscape.wanted, 0)]
    work.create_on += candidates[: max(most - surging, 0)]
    return work


def _begins(landscape: Landscape, node: str) -> bool:
    fit = landscape.fits.get(node)
    return fit is not None and fit.begins
