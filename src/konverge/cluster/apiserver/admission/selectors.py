"""Selectors of a configuration: by the labels of the namespace, and by those of the object."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from konverge.api.invalid import InvalidValue
from konverge.api.label_selector import LabelSelector
from konverge.cluster.apiserver.admission.attributes import Attributes, Operation
from konverge.cluster.apiserver.failure import not_found
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.apiserver.strategy import JsonObject

_log = logging.getLogger(__name__)
_UNREADABLE: Final = LabelSelector.nothing()
_WRITES: Final = (Operation.CREATE, Operation.UPDATE)


def read_selector(spec: Mapping[str, Any] | None) -> LabelSelector:
    """Compile a selector of a stored configuration; one that makes no sense selects nothing.

    Such a one is refused when it is written, but what an older server stored must not break every write.
    """
    try:
        return LabelSelector.from_spec(spec)
    except InvalidValue as error:
        _log.error("a selector of admission selects nothing, write it anew: %s", error)
        return _UNREADABLE


def takes_namespace(selector: LabelSelector, attributes: Attributes, storage: Storage) -> bool:
    """Whether a write's namespace has the labels; what is in no namespace always does.

    Raises what the real server says of a namespace that is not there.
    """
    if selector is _UNREADABLE:
        return False
    is_namespace = attributes.resource.plural == "namespaces"
    if not selector or (not attributes.namespace and not is_namespace):
        return True
    return selector.matches(_namespace_labels(attributes, storage))


def _namespace_labels(attributes: Attributes, storage: Storage) -> Mapping[str, str]:
    if attributes.resource.plural == "namespaces" and not attributes.subresource and attributes.operation in _WRITES:
        return _labels(attributes.value) or {}
    found = find_namespace(storage, attributes.namespace)
    if found is None:
        raise not_found("namespaces", "", attributes.namespace)
    return _labels(found) or {}


def find_namespace(storage: Storage, name: str) -> JsonObject | None:
    """Return a Namespace as it stands."""
    stored = storage.newest(f"/core/namespaces/{name}")
    return None if stored is None else msgspec.json.decode(stored.value)


def takes_object(selector: LabelSelector, attributes: Attributes) -> bool:
    """Whether the new object or the old one has the labels; what is asked of a connection can have none."""
    if not selector:
        return True
    if attributes.operation is Operation.CONNECT:
        return False
    return any(each is not None and selector.matches(_labels(each)) for each in (attributes.value, attributes.old))


def _labels(value: JsonObject | None) -> dict[str, Any]:
    metadata = (value or {}).get("metadata") or {}
    return metadata.get("labels") or {}
