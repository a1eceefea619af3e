"""Selection: which objects a list, a watch or a deletecollection is about, by their labels and fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from konverge.api.field_selector import FieldRequirement, FieldSelector
from konverge.api.invalid import InvalidValue
from konverge.api.label_selector import LabelSelector
from konverge.cluster.apiserver.failure import Failure, bad_request
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.reading.decode import stored_object
from konverge.cluster.apiserver.reading.field_fault import field_selector_fault
from konverge.cluster.apiserver.reading.selector_fault import label_selector_fault
from konverge.cluster.apiserver.resource import Resource

_NAME: Final = "metadata.name"
_NAMESPACE: Final = "metadata.namespace"
# What a selector sees where a built-in kind's field is absent and is no text.
_ABSENT: Final = {
    "spec.hostNetwork": "false",
    "spec.unschedulable": "false",
    "status.replicas": "0",
    "status.succeeded": "0",
}
# Kinds whose field selectors are code of their own in the real server; the others share one message.
_OWN_WORDS: Final = {
    ("", "Pod"),
    ("", "Node"),
    ("", "ReplicationController"),
    ("", "Event"),
    ("", "Namespace"),
    ("", "Secret"),
    ("", "Service"),
    ("events.k8s.io", "Event"),
    ("certificates.k8s.io", "CertificateSigningRequest"),
}
_WITHOUT_NAMESPACE: Final = {
    ("", "Node"),
    ("", "Namespace"),
    ("certificates.k8s.io", "CertificateSigningRequest"),
    ("resource.k8s.io", "ResourceSlice"),
}


class _Metadata(msgspec.Struct):
    name: str = ""
    namespace: str = ""
    labels: dict[str, str] | None = None


class _Header(msgspec.Struct):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


_HEADERS: Final = msgspec.json.Decoder(_Header)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """A conjunction of labels and fields; the empty one is false and takes everything."""

    labels: LabelSelector
    fields: FieldSelector

    def __bool__(self) -> bool:
        return bool(self.labels) or bool(self.fields)

    def takes(self, resource: Resource, value: bytes) -> bool:
        """Whether a stored object is one of those."""
        metadata = _HEADERS.decode(value).metadata
        if self.labels and not self.labels.matches(metadata.labels):
            return False
        if not self.fields:
            return True
        known = {_NAME: metadata.name, _NAMESPACE: metadata.namespace}
        others = [each for each in self.fields.requirements if each.field not in known]
        own = (each.matches(known[each.field]) for each in self.fields.requirements if each.field in known)
        return all(own) and (not others or _meets(resource, value, others))

    def exact(self, field: str) -> str | None:
        """Return the one value that a field must have, or None."""
        for each in self.fields.requirements:
            if each.field == field and not each.negated:
                return each.value
        return None

    @property
    def name(self) -> str | None:
        """The one name that is selected, or None."""
        return self.exact(_NAME)

    @property
    def namespace(self) -> str | None:
        """The one namespace that is selected, or None."""
        return self.exact(_NAMESPACE)


def selection(resource: Resource, *, labels: str, fields: str, name: str = "") -> Selection:
    """Read the selectors of a request; `name` is one that its path has already named."""
    found = Selection(labels=_labels(labels), fields=_fields(resource, fields))
    if not name:
        return found
    if not found.fields:
        return Selection(labels=found.labels, fields=FieldSelector((FieldRequirement(_NAME, name),)))
    if found.name != name:
        raise bad_request("fieldSelector metadata.name doesn't match requested name")
    return found


def _labels(text: str) -> LabelSelector:
    if not text:
        return LabelSelector()
    try:
        return LabelSelector.parse(text)
    except InvalidValue as error:
        raise bad_request(label_selector_fault(text)) from error


def _fields(resource: Resource, text: str) -> FieldSelector:
    if not text:
        return FieldSelector()
    fault = field_selector_fault(text)
    if fault:
        raise bad_request(fault)
    try:
        selector = FieldSelector.parse(text)
    except InvalidValue as error:  # a field without a name: the only thing that is refused here and not there
        raise _unknown(resource, "") from error
    for requirement in selector.requirements:
        if not _is_known(resource, requirement.field):
            raise _unknown(resource, requirement.field)
    return selector


def _is_known(resource: Resource, field: str) -> bool:
    if field == _NAMESPACE:
        return (resource.group, resource.kind) not in _WITHOUT_NAMESPACE and (
            resource.namespaced or not resource.is_custom
        )
    return field == _NAME or field in resource.selectable_fields


def _unknown(resource: Resource, field: str) -> Failure:
    kind = resource.group, resource.kind
    if resource.is_custom or kind in _OWN_WORDS:
        return bad_request(f"field label not supported: {field}")
    if kind == ("batch", "Job"):
        return bad_request(f"field label {quoted(field)} not supported for Job")
    if kind == ("resource.k8s.io", "ResourceSlice"):
        named = f"{resource.group}/{resource.version}, Kind={resource.kind}"
        return bad_request(f"field label not supported for {named}: {field}")
    return bad_request(f'{quoted(field)} is not a known field selector: only "{_NAME}", "{_NAMESPACE}"')


def _meets(resource: Resource, value: bytes, requirements: list[FieldRequirement]) -> bool:
    found = stored_object(resource, value)
    return all(each.matches(_field(resource, found, each.field)) for each in requirements)


def _field(resource: Resource, found: Mapping[str, Any], field: str) -> str:
    path = resource.selectable_fields[field]
    text = _text(_at(found, path))
    if text or resource.is_custom:
        return text
    if path == "source.component":
        return _text(found.get("reportingComponent"))
    return _ABSENT.get(path, "")


def _at(value: Any, path: str) -> Any:
    for part in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int) else ""
