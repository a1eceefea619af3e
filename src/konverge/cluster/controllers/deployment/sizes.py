"""Sizes: how many pods each ReplicaSet of a Deployment may have at this moment; pure.

A rollout never has more pods than the size and the surge, and never fewer available ones than the size less what may be
unavailable. Each function answers one question of that; the reconciler asks one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from konverge.api.int_or_string import scaled_value
from konverge.models import apps_v1

Resize = tuple[apps_v1.ReplicaSet, int]
"""A ReplicaSet, and the size it is to have."""


def wanted(deployment: apps_v1.Deployment) -> int:
    """Return the number of pods that a Deployment asks for."""
    return 1 if deployment.spec.replicas is None else deployment.spec.replicas


def size_of(replica_set: apps_v1.ReplicaSet) -> int:
    """Return the number of pods that a ReplicaSet asks for."""
    return 1 if replica_set.spec.replicas is None else replica_set.spec.replicas


def available(replica_sets: Iterable[apps_v1.ReplicaSet]) -> int:
    """Return the number of pods that are available."""
    return sum(each.status.available_replicas or 0 for each in replica_sets)


def is_rolling(deployment: apps_v1.Deployment) -> bool:
    """Whether pods are replaced a few at a time."""
    strategy = deployment.spec.strategy
    return strategy is None or strategy.type != "Recreate"


def _bounds(deployment: apps_v1.Deployment) -> tuple[int, int]:
    """How many pods more and how many available ones less there may be; never none of both, or nothing could move."""
    strategy = deployment.spec.strategy
    rolling = strategy.rolling_update if strategy else None
    total = wanted(deployment)
    surge = scaled_value((rolling.max_surge if rolling else None) or 0, total, round_up=True)
    missing = scaled_value((rolling.max_unavailable if rolling else None) or 0, total, round_up=False)
    return surge, missing if surge or missing else 1


def max_surge(deployment: apps_v1.Deployment) -> int:
    """Return how many pods more than asked for there may be."""
    return _bounds(deployment)[0] if is_rolling(deployment) else 0


def max_unavailable(deployment: apps_v1.Deployment) -> int:
    """Return how many pods fewer than asked for may be available."""
    if not is_rolling(deployment) or wanted(deployment) == 0:
        return 0
    return min(_bounds(deployment)[1], wanted(deployment))


# --- a rollout ---


def new_size(deployment: apps_v1.Deployment, new: apps_v1.ReplicaSet, old: Iterable[apps_v1.ReplicaSet]) -> int:
    """Return the size that the new ReplicaSet may have now."""
    target, now = wanted(deployment), size_of(new)
    if not is_rolling(deployment) or now >= target:
        return target
    room = target + max_surge(deployment) - now - sum(map(size_of, old))
    return now + min(max(room, 0), target - now)


def old_sizes(
    deployment: apps_v1.Deployment, new: apps_v1.ReplicaSet, old: Sequence[apps_v1.ReplicaSet]
) -> list[Resize]:
    """Return the old ReplicaSets that can shrink now, from the oldest on.

    Pods that are not available anyway go first: they hold up the rollout and are missed by nobody. Then as many as the
    new ones have made up for. New pods that are not available yet count as if they were missing, lest a rollout that
    does not work eats up what does.
    """
    total = sum(map(size_of, old))
    least = wanted(deployment) - max_unavailable(deployment)
    unavailable_new = size_of(new) - (new.status.available_replicas or 0)
    most = total + size_of(new) - least - unavailable_new
    if total == 0 or most <= 0:
        return []
    sizes = {each.metadata.name: size_of(each) for each in old}
    _shrink(sizes, ((each, size_of(each) - (each.status.available_replicas or 0)) for each in old), most)
    spare = available([*old, new]) - least
    _shrink(sizes, ((each, sizes[each.metadata.name]) for each in old), spare)
    return [(each, sizes[each.metadata.name]) for each in old if sizes[each.metadata.name] != size_of(each)]


def _shrink(sizes: dict[str | None, int], by: Iterable[Resize], most: int) -> None:
    for replica_set, count in by:
        name = replica_set.metadata.name
        taken = min(max(most, 0), max(count, 0), sizes[name])
        sizes[name] -= taken
        most -= taken


# --- a change of the Deployment's size ---


def only_active(new: apps_v1.ReplicaSet | None, old: Sequence[apps_v1.ReplicaSet]) -> apps_v1.ReplicaSet | None:
    """Return the one ReplicaSet that has pods, or that is to have them if none has; None if several have.

    The old ones come from the oldest to the newest.
    """
    everyone: list[apps_v1.ReplicaSet] = [*old, *([new] if new else ())]
    active = [each for each in everyone if size_of(each) > 0]
    if len(active) == 1:
        return active[0]
    return everyone[-1] if everyone and not active else None


def is_saturated(deployment: apps_v1.Deployment, new: apps_v1.ReplicaSet | None, remembered: int | None) -> bool:
    """Whether the new ReplicaSet alone is what the Deployment asks for; `remembered`: the size it was last told."""
    target = wanted(deployment)
    return new is not None and size_of(new) == remembered == target == (new.status.available_replicas or 0)


def proportional(
    deployment: apps_v1.Deployment, active: Sequence[apps_v1.ReplicaSet], before: Sequence[int | None]
) -> list[Resize]:
    """Spread a change of size over the ReplicaSets of a rollout, each by its share; the largest takes what is left.

    They come from the oldest to the newest; `before` has the most pods that the Deployment could have when each was
    last resized.
    """
    target = wanted(deployment)
    allowed = target + max_surge(deployment) if target else 0
    change = allowed - sum(map(size_of, active))
    largest_first = _largest_first(list(zip(active, before, strict=True)), newest_first=change > 0)
    sizes: list[Resize] = []
    added = 0
    for replica_set, most in largest_first:
        share = _share(deployment, replica_set, most, left=change - added, change=change)
        added += share
        sizes.append((replica_set, size_of(replica_set) + share))
    if sizes and change:
        first, size = sizes[0]
        sizes[0] = (first, max(size + change - added, 0))
    return sizes


def _largest_first(
    pairs: list[tuple[apps_v1.ReplicaSet, int | None]], *, newest_first: bool
) -> list[tuple[apps_v1.ReplicaSet, int | None]]:
    ordered = list(reversed(pairs)) if newest_first else pairs
    return sorted(ordered, key=lambda pair: -size_of(pair[0]))


def _share(
    deployment: apps_v1.Deployment, replica_set: apps_v1.ReplicaSet, most: int | None, *, left: int, change: int
) -> int:
    size = size_of(replica_set)
    if size == 0 or change == 0 or left == 0:
        return 0
    fraction = _fraction(deployment, size, most)
    return min(fraction, left) if change > 0 else max(fraction, left)


def _fraction(deployment: apps_v1.Deployment, size: int, most: int | None) -> int:
    if wanted(deployment) == 0:
        return -size
    before = most or deployment.status.replicas or 0
    if before == 0:
        return 0
    exact = size * (wanted(deployment) + max_surge(deployment)) / before
    return math.floor(exact + 0.5) - size
