"""`rolled_out`: whether the controller of a Deployment, StatefulSet, DaemonSet or ReplicaSet has had its last word.

More than `kubectl rollout status` asks for: not only is everything up to date, the status says all that it will say.
From then on its version changes only if someone changes it, or a pod of it.
"""

from __future__ import annotations

from typing import Any

from konverge.api.object import Object
from konverge.errors import RequestError

Json = dict[str, Any]


def rolled_out(obj: Object) -> bool:
    """Whether its controller has nothing left to do or to tell: `wait_for(client, deployment, until=rolled_out)`."""
    content = obj.to_dict()
    spec, status = content.get("spec") or {}, content.get("status") or {}
    check = _CHECKS.get(obj.kind)
    if check is None:
        raise RequestError(f"rolled_out is for {', '.join(_CHECKS)}, and this is a {obj.kind}")
    seen = status.get("observedGeneration", 0) >= content["metadata"].get("generation", 0)
    return seen and check(spec, status)


def _deployment(spec: Json, status: Json) -> bool:
    wanted = spec.get("replicas", 1)
    told = {each["type"]: (each["status"], each.get("reason")) for each in status.get("conditions") or ()}
    return (
        _all(status, wanted, "replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
        and not status.get("unavailableReplicas")
        and told.get("Available", ("", ""))[0] == "True"
        and told.get("Progressing") == ("True", "NewReplicaSetAvailable")
    )


def _stateful_set(spec: Json, status: Json) -> bool:
    wanted = spec.get("replicas", 1)
    return _all(
        status, wanted, "replicas", "readyReplicas", "availableReplicas", "currentReplicas", "updatedReplicas"
    ) and status.get("currentRevision") == status.get("updateRevision")


def _replica_set(spec: Json, status: Json) -> bool:
    return _all(status, spec.get("replicas", 1), "replicas", "readyReplicas", "availableReplicas")


def _daemon_set(_spec: Json, status: Json) -> bool:
    wanted = status.get("desiredNumberScheduled", 0)
    return _all(status, wanted, "currentNumberScheduled", "numberReady", "updatedNumberScheduled", "numberAvailable")


def _all(status: Json, wanted: int, *names: str) -> bool:
    return all(status.get(name, 0) == wanted for name in names)


_CHECKS = {
    "Deployment": _deployment,
    "StatefulSet": _stateful_set,
    "DaemonSet": _daemon_set,
    "ReplicaSet": _replica_set,
}
