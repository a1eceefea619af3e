"""Certificate signing requests: what was asked never changes; approval writes the conditions alone.

Who asks is not theirs to say: `admission.requester` sets it.
"""

from __future__ import annotations

from typing import Final

from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.strategy import JsonObject

_DECISIONS: Final = ("Approved", "Denied")


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:
    value["spec"] = old.get("spec", {})
    status, before = value.get("status", {}), old.get("status", {})
    if subresource == "approval":
        _set_times(status, before)
        value["status"] = {name: item for name, item in before.items() if name != "conditions"}
        if status.get("conditions"):
            value["status"]["conditions"] = status["conditions"]
    elif subresource == "status":
        for kind in _DECISIONS:
            _keep_decisions(status, before, kind)
        _set_times(status, before)


def _keep_decisions(status: JsonObject, before: JsonObject, kind: str) -> None:
    """Put the old decisions in place of the new ones; where their number changed, validation has its say."""
    conditions = status.get("conditions", [])
    kept = [each for each in before.get("conditions", ()) if each.get("type") == kind]
    places = [index for index, each in enumerate(conditions) if each.get("type") == kind]
    if len(kept) == len(places):
        for index, condition in zip(places, kept, strict=True):
            conditions[index] = condition


def _set_times(status: JsonObject, before: JsonObject) -> None:
    moment = format_time(now())
    for condition in status.get("conditions", ()):
        if not condition.get("lastUpdateTime"):
            condition["lastUpdateTime"] = moment
        if not condition.get("lastTransitionTime"):
            same = [each for each in before.get("conditions", ()) if _is_same(each, condition)]
            condition["lastTransitionTime"] = same[0]["lastTransitionTime"] if same else moment


def _is_same(old: JsonObject, new: JsonObject) -> bool:
    names = ("type", "status")
    return bool(old.get("lastTransitionTime")) and all(old.get(name) == new.get(name) for name in names)


CERTIFICATE_REQUEST: Final = KindRules(prepare_for_update=_prepare_for_update)
