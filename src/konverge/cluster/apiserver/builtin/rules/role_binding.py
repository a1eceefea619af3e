"""Role bindings: what they may name, and that the role of one never changes."""

from __future__ import annotations

from functools import partial
from typing import Final

import msgspec

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import dns_subdomain, path_segment
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import new_metadata_errors

_GROUP: Final = "rbac.authorization.k8s.io"
_KINDS: Final = ("ServiceAccount", "User", "Group")


def _validate(value: JsonObject, *, namespaced: bool) -> list[FieldError]:
    errors = _reference_errors(value.get("roleRef") or {}, namespaced=namespaced)
    for index, subject in enumerate(value.get("subjects") or ()):
        errors += _subject_errors(subject, f"subjects[{index}]", namespaced=namespaced)
    return errors


def _validate_update(value: JsonObject, old: JsonObject, subresource: str, *, namespaced: bool) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    errors = new_metadata_errors(value["metadata"], path_segment, namespaced=namespaced)
    errors += _validate(value, namespaced=namespaced)
    if value.get("roleRef") != old.get("roleRef"):
        errors.append(field_error.invalid("roleRef", _go_form(value.get("roleRef") or {}), "cannot change roleRef"))
    return errors


def _go_form(reference: JsonObject) -> msgspec.Raw:
    parts = {name: reference.get(name[0].lower() + name[1:], "") for name in ("Kind", "Name")}
    return msgspec.Raw(msgspec.json.encode({"APIGroup": reference.get("apiGroup", ""), **parts}))


def _reference_errors(reference: JsonObject, *, namespaced: bool) -> list[FieldError]:
    group, kind, name = (reference.get(part, "") for part in ("apiGroup", "kind", "name"))
    kinds = ("Role", "ClusterRole") if namespaced else ("ClusterRole",)
    errors = []
    if group != _GROUP:
        errors.append(field_error.not_supported("roleRef.apiGroup", group, [_GROUP], is_plain=True))
    if kind not in kinds:
        errors.append(field_error.not_supported("roleRef.kind", kind, kinds, is_plain=True))
    if not name:
        return [*errors, field_error.required("roleRef.name")]
    return errors + [field_error.invalid("roleRef.name", name, wrong) for wrong in path_segment(name)]


def _subject_errors(subject: JsonObject, path: str, *, namespaced: bool) -> list[FieldError]:
    name, kind, group = (subject.get(part, "") for part in ("name", "kind", "apiGroup"))
    errors = [] if name else [field_error.required(f"{path}.name")]
    if kind not in _KINDS:
        return [*errors, field_error.not_supported(f"{path}.kind", kind, _KINDS, is_plain=True)]
    if kind != "ServiceAccount":
        wrong = (
            [] if group == _GROUP else [field_error.not_supported(f"{path}.apiGroup", group, [_GROUP], is_plain=True)]
        )
        return errors + wrong
    if name:
        errors += [field_error.invalid(f"{path}.name", name, wrong) for wrong in dns_subdomain(name)]
    if group:
        errors.append(field_error.not_supported(f"{path}.apiGroup", group, [""], is_plain=True))
    if not namespaced and not subject.get("namespace"):
        errors.append(field_error.required(f"{path}.namespace"))
    return errors


def _rules(*, namespaced: bool) -> KindRules:
    return KindRules(
        validate=partial(_validate, namespaced=namespaced),
        validate_update=partial(_validate_update, namespaced=namespaced),
    )


ROLE_BINDING: Final = _rules(namespaced=True)
CLUSTER_ROLE_BINDING: Final = _rules(namespaced=False)
