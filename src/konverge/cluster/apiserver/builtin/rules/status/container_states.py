"""The states of containers in a pod's status: what has ended runs again only where the pod restarts it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_LISTS: Final = {"containerStatuses": "containers", "initContainerStatuses": "initContainers"}
_ALL: Final = "RestartAllContainers"


def state_errors(status: JsonObject, before: JsonObject, *, spec: JsonObject) -> Iterator[FieldError]:
    """Judge how the containers of a pod went on."""
    if not _restarts_all(spec):
        for name, containers in _LISTS.items():
            known = {each["name"]: each for each in reversed(spec.get(containers) or ())}
            for place, ended in _revived(status, before, name):
                container = known.get(before[name][place].get("name", ""))
                if container is None or not _restarts(container, spec, ended.get("exitCode", 0)):
                    yield _revival(name, place)
    yield from (_revival(_EPHEMERAL, place) for place, _ in _revived(status, before, _EPHEMERAL))


_EPHEMERAL: Final = "ephemeralContainerStatuses"


def _revival(name: str, place: int) -> FieldError:
    wrong = "may not be transitioned to non-terminated state"
    return field_error.forbidden(f"status.{name}[{place}].state", wrong)


def _revived(status: JsonObject, before: JsonObject, name: str) -> Iterator[tuple[int, JsonObject]]:
    """Yield where an ended container stood in the old list, and how it had ended, if it has not ended any more."""
    running = [each.get("name", "") for each in status.get(name) or () if _ended(each) is None]
    for place, old in enumerate(before.get(name) or ()):
        ended = _ended(old)
        if ended is not None and old.get("name", "") in running:
            yield place, ended


def _ended(container: JsonObject) -> JsonObject | None:
    found: JsonObject | None = (container.get("state") or {}).get("terminated")
    return found


def _restarts_all(spec: JsonObject) -> bool:
    """Whether some rule restarts every container: then any of them may run again."""
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    return any(rule.get("action") == _ALL for each in containers for rule in each.get("restartPolicyRules") or ())


def _restarts(container: JsonObject, spec: JsonObject, code: int) -> bool:
    own = container.get("restartPolicy")
    if own is not None and _is_told(container.get("restartPolicyRules") or (), code):
        return True
    policy = own or spec.get("restartPolicy", "Always")
    return policy == "Always" or (policy == "OnFailure" and code != 0)


def _is_told(rules: Sequence[JsonObject], code: int) -> bool:
    """Whether the first rule for an exit code is to restart."""
    for rule in rules:
        codes: dict[str, Any] | None = rule.get("exitCodes")
        if codes is not None and (code in (codes.get("values") or ())) is (codes.get("operator") == "In"):
            return rule.get("action") in ("Restart", _ALL)
    return False
