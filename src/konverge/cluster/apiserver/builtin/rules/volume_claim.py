"""Claims: where their content comes from stands in two fields, an old one and a new one, which agree."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.strategy import JsonObject

_OLD: Final = "dataSource"
_NEW: Final = "dataSourceRef"
# What the old field may name: anything else in it was always ignored.
_NAMED: Final = (("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot"))


def _prepare_for_create(value: JsonObject) -> None:
    _normalize(value["spec"], had_source=False)


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:
    if not subresource:
        _normalize(value["spec"], had_source=_OLD in old["spec"] or _NEW in old["spec"])


def _normalize(spec: JsonObject, *, had_source: bool) -> None:
    given = spec.get(_OLD)
    if given is not None and not had_source and _NEW not in spec and _named(given) not in _NAMED:
        del spec[_OLD]
    if _OLD in spec and _NEW not in spec:
        spec[_NEW] = dict(spec[_OLD])
    elif _NEW in spec and _OLD not in spec and not spec[_NEW].get("namespace"):
        spec[_OLD] = {name: item for name, item in spec[_NEW].items() if name != "namespace"}


def _named(source: JsonObject) -> tuple[str, str]:
    return source.get("apiGroup") or "", source.get("kind", "")


VOLUME_CLAIM: Final = KindRules(prepare_for_create=_prepare_for_create, prepare_for_update=_prepare_for_update)
