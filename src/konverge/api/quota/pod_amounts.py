"""What a pod as a whole asks for and is limited to.

Containers run side by side, init containers one after the other, and an init container that is restarted (a sidecar)
runs beside all that come after it. What the pod says of itself stands in place of that sum.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from konverge.api.quota.amounts import Amounts, added, greater, read

_OF_PODS: Final = ("cpu", "memory")
_HUGE_PAGES: Final = "hugepages-"


def pod_amounts(pod: Mapping[str, Any], which: str, *, with_status: bool = True) -> Amounts:
    """Return a pod's `requests` or `limits`; `with_status`: also what is allocated and in use while it is resized."""
    spec = pod.get("spec") or {}
    total = _containers(spec, which, _statuses(pod) if with_status else {}, is_infeasible=_is_infeasible(pod))
    own = (spec.get("resources") or {}).get(which)
    total |= {name: amount for name, amount in read(own).items() if is_pod_level(name, with_status=with_status)}
    return _with_overhead(total, read(spec.get("overhead")), which) if with_status else total


def container_amounts(spec: Mapping[str, Any], which: str) -> Amounts:
    """Return what the containers of a pod have together, whatever the pod says of itself."""
    return _containers(spec, which, {}, is_infeasible=False)


def is_pod_level(name: str, *, with_status: bool = True) -> bool:
    """Whether a pod itself can say how much of a resource it needs; limit ranges know nothing of huge pages."""
    return name in _OF_PODS or (with_status and name.startswith(_HUGE_PAGES))


def _statuses(pod: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    status = pod.get("status") or {}
    found = [*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ())]
    return {each.get("name", ""): each for each in found}


def _is_infeasible(pod: Mapping[str, Any]) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    pending: Mapping[str, Any] = next((each for each in conditions if each.get("type") == "PodResizePending"), {})
    return pending.get("reason") == "Infeasible"


def _containers(
    spec: Mapping[str, Any], which: str, statuses: Mapping[str, Mapping[str, Any]], *, is_infeasible: bool
) -> Amounts:
    total: Amounts = {}
    for container in spec.get("containers") or ():
        total = added(total, _effective(container, which, statuses, is_infeasible=is_infeasible))
    sidecars: Amounts = {}
    starting: Amounts = {}
    for container in spec.get("initContainers") or ():
        if container.get("restartPolicy") == "Always":
            amounts = _effective(container, which, statuses, is_infeasible=is_infeasible)
            total, sidecars = added(total, amounts), added(sidecars, amounts)
            starting = greater(starting, sidecars)
        else:
            starting = greater(starting, added(_amounts(container, which), sidecars))
    return greater(total, starting)


def _amounts(container: Mapping[str, Any], which: str) -> Amounts:
    return read((container.get("resources") or {}).get(which))


def _effective(
    container: Mapping[str, Any], which: str, statuses: Mapping[str, Mapping[str, Any]], *, is_infeasible: bool
) -> Amounts:
    wanted = _amounts(container, which)
    status = statuses.get(container.get("name", ""), {})
    if "resources" not in status:
        return wanted
    actual = _amounts(status, which)
    if which == "requests":
        actual = greater(actual, read(status.get("allocatedResources")))
    return actual if is_infeasible else greater(wanted, actual)


def _with_overhead(total: Amounts, overhead: Amounts, which: str) -> Amounts:
    if which == "requests":
        return added(total, overhead)
    return added(total, {name: amount for name, amount in overhead.items() if total.get(name)})
