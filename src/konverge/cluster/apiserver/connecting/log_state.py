"""Which containers have a log, by what their node reports of them; a kubelet's words for those that have none."""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.failure import bad_request
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject

_STATUSES: Final = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
_PULLING: Final = {
    "ErrImagePull": "image can't be pulled",
    "ImagePullBackOff": "trying and failing to pull image",
}


def check_log(pod: JsonObject, container: str, *, previous: bool) -> None:
    """Raise (400) where a container has no log, or none of a run before this one."""
    what = f"container {quoted(container)} in pod {quoted(pod['metadata']['name'])}"
    status = container_status(pod, container)
    if status is None:
        raise bad_request(f"{what} is not available")
    if previous:
        if not _run(status, "lastState"):
            raise bad_request(f"previous terminated {what} not found")
        return
    if why := _fault(status):
        raise bad_request(f"{what} {why}")


def container_status(pod: JsonObject, container: str) -> JsonObject | None:
    """Return what is reported of a container."""
    reported: JsonObject = pod.get("status") or {}
    statuses: list[JsonObject] = [each for name in _STATUSES for each in reported.get(name) or ()]
    return next((each for each in statuses if each.get("name") == container), None)


def is_running(pod: JsonObject, container: str) -> bool:
    """Say whether a container runs, by what is reported of it."""
    status = container_status(pod, container)
    return status is not None and "running" in (status.get("state") or {})


def _fault(status: JsonObject) -> str:
    state: dict[str, Any] = status.get("state") or {}
    if "running" in state or _run(status, "state") or _run(status, "lastState"):
        return ""
    if "terminated" in state or "terminated" in (status.get("lastState") or {}):
        return "is terminated"
    if "waiting" not in state:
        return "is waiting to start - no logs yet"
    reason = (state["waiting"] or {}).get("reason", "")
    return f"is waiting to start: {_PULLING.get(reason, reason)}"


def _run(status: JsonObject, state: str) -> str:
    """Return the id of a run that has ended."""
    found: str = ((status.get(state) or {}).get("terminated") or {}).get("containerID", "")
    return found
