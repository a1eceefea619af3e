"""Jobs: their pods are told from all others by labels that the server makes."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.strategy import JsonObject

_UID: Final = "batch.kubernetes.io/controller-uid"
_OLD_UID: Final = "controller-uid"
_NAME: Final = "batch.kubernetes.io/job-name"
_OLD_NAME: Final = "job-name"


def _prepare_for_create(value: JsonObject) -> None:
    spec, metadata = value["spec"], value["metadata"]
    if spec.get("manualSelector"):
        return
    name, uid = metadata["name"], metadata["uid"]
    made = {_OLD_NAME: name, _NAME: name, _OLD_UID: uid, _UID: uid}
    template = spec.setdefault("template", {}).setdefault("metadata", {})
    template["labels"] = {**made, **template.get("labels", {})}
    selector = spec.setdefault("selector", {})
    selector["matchLabels"] = {_UID: uid, **selector.get("matchLabels", {})}
    if not metadata.get("labels"):
        metadata["labels"] = dict(template["labels"])  # a default, but for what was just made


JOB: Final = KindRules(prepare_for_create=_prepare_for_create)
