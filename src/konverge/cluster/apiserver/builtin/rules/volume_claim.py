"""Claims: what they ask for is fixed once made, but for the size of a bound one.

Where their content comes from stands in two fields, an old one and a new one, which agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_difference
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.label_selector import selector_errors
from konverge.cluster.apiserver.builtin.rules.status.volume_claim import claim_status_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import new_metadata_errors

_OLD: Final = "dataSource"
_NEW: Final = "dataSourceRef"
# What the old field may name: anything else in it was always ignored.
_NAMED: Final = (("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot"))
_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_ONE_POD: Final = "ReadWriteOncePod"
_VOLUME_MODES: Final = ("Block", "Filesystem")
_STORAGE: Final = "spec.resources[storage]"
_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_ATTRIBUTES: Final = "volumeAttributesClassName"
_FIXED: Final = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
)


def _prepare_for_create(value: JsonObject) -> None:
    _normalize(value["spec"], {})


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:
    if not subresource:
        _normalize(value["spec"], old["spec"])


def _normalize(spec: JsonObject, before: JsonObject) -> None:
    if _NEW not in before and (spec.get(_NEW) or {}).get("namespace"):
        del spec[_NEW]  # a source in another namespace is an option that is off
    given, had_source = spec.get(_OLD), _OLD in before or _NEW in before
    if given is not None and not had_source and _NEW not in spec and _named(given) not in _NAMED:
        del spec[_OLD]
    if _OLD in spec and _NEW not in spec:
        spec[_NEW] = dict(spec[_OLD])
    elif _NEW in spec and _OLD not in spec and not spec[_NEW].get("namespace"):
        spec[_OLD] = {name: item for name, item in spec[_NEW].items() if name != "namespace"}


def _named(source: JsonObject) -> tuple[str, str]:
    return source.get("apiGroup") or "", source.get("kind", "")


def _validate(value: JsonObject) -> list[FieldError]:
    return claim_errors(value["spec"])


def claim_errors(spec: JsonObject) -> list[FieldError]:
    """Judge what a claim asks for."""
    modes = spec.get("accessModes") or ()
    errors = [] if modes else [field_error.required("spec.accessModes", "at least 1 access mode is required")]
    errors += selector_errors(spec.get("selector"), "spec.selector")
    errors += _mode_errors(modes)
    errors += _storage_errors((spec.get("resources") or {}).get("requests") or {})
    errors += _name_errors(spec, "storageClassName")
    mode = spec.get("volumeMode")
    if mode is not None and mode not in _VOLUME_MODES:
        errors.append(field_error.not_supported("spec.volumeMode", mode, _VOLUME_MODES))
    return errors + _source_errors(spec) + _name_errors(spec, _ATTRIBUTES)


def _mode_errors(modes: Sequence[str]) -> list[FieldError]:
    path = "spec.accessModes"
    errors = [field_error.not_supported(path, mode, _MODES) for mode in modes if mode not in _MODES]
    if _ONE_POD in modes and any(mode in _MODES and mode != _ONE_POD for mode in modes):
        errors.append(field_error.forbidden(path, "may not use ReadWriteOncePod with other access modes"))
    return errors


def _storage_errors(requests: JsonObject) -> list[FieldError]:
    if "storage" not in requests:
        return [field_error.required(_STORAGE)]
    amount = Quantity(requests["storage"])
    return [field_error.invalid(_STORAGE, str(amount), "must be greater than zero")] if amount <= 0 else []


def _name_errors(spec: JsonObject, field: str) -> list[FieldError]:
    name = spec.get(field)
    return [
        field_error.invalid(f"spec.{field}", name, wrong) for wrong in (name_rules.dns_subdomain(name) if name else ())
    ]


def _source_errors(spec: JsonObject) -> list[FieldError]:
    errors = []
    for field in (_OLD, _NEW):
        if (source := spec.get(field)) is not None:
            errors += _reference_errors(source, f"spec.{field}")
    old, new = spec.get(_OLD), spec.get(_NEW)
    if old is None or new is None:
        return errors
    if new.get("namespace"):
        errors.append(_contradiction("may not be specified when dataSourceRef.namespace is specified"))
    elif any((old.get(name) or "") != (new.get(name) or "") for name in ("apiGroup", "kind", "name")):
        errors.append(_contradiction("must match dataSourceRef"))
    return errors


def _contradiction(wrong: str) -> FieldError:
    return field_error.invalid("spec", {}, wrong)  # the real server shows nothing there


def _reference_errors(source: JsonObject, path: str) -> list[FieldError]:
    group, kind = _named(source)
    errors = [field_error.required(f"{path}.{part}") for part in ("name", "kind") if not source.get(part)]
    if not group and kind != "PersistentVolumeClaim":
        wrong = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        errors.append(field_error.invalid(path, kind, wrong))
    if group:
        errors += [field_error.invalid(f"{path}.apiGroup", group, wrong) for wrong in name_rules.dns_subdomain(group)]
    if namespace := source.get("namespace"):
        wrongs = name_rules.dns_label(namespace)
        errors += [field_error.invalid(f"{path}.namespace", namespace, wrong) for wrong in wrongs]
    return errors


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    if subresource == "status":
        return list(claim_status_errors(value.get("status") or {}))
    # Its metadata is judged as that of a new one as well, and each fault told once more.
    errors = new_metadata_errors(value["metadata"], _name_rule, namespaced=True) + claim_errors(value["spec"])
    return errors + _class_errors(value, old) + _change_errors(value, old)


def _name_rule(name: str, *, is_prefix: bool = False) -> list[str]:
    return name_rules.dns_subdomain(name_rules.before_suffix(name) if is_prefix else name)


def _class_errors(value: JsonObject, old: JsonObject) -> list[FieldError]:
    new, before = _annotated(value), _annotated(old)
    if (new or "") == (before or "") or (new is None and _gets_class(value, old)):  # its place is the field, by now
        return []
    return [field_error.invalid(f"metadata.annotations.{_CLASS}", new or "", "field is immutable")]


def _annotated(claim: JsonObject) -> str | None:
    """Return the class that a claim names in the old way."""
    found: str | None = (claim["metadata"].get("annotations") or {}).get(_CLASS)
    return found


def _gets_class(value: JsonObject, old: JsonObject) -> bool:
    """Whether a claim without a class in its spec gets one, which must be the one that it named in the old way."""
    name = value["spec"].get("storageClassName")
    is_new = name is not None and old["spec"].get("storageClassName") is None
    return is_new and _annotated(old) in (None, name)


def _change_errors(value: JsonObject, old: JsonObject) -> list[FieldError]:
    spec, before = value["spec"], old["spec"]
    errors = []
    if difference := internal_difference("core.PersistentVolumeClaimSpec", before, _as_before(value, old)):
        errors.append(field_error.forbidden("spec", f"{_FIXED}\n{difference}"))
    size, known = _size(spec), Quantity((old.get("status", {}).get("capacity") or {}).get("storage", 0))
    if size < _size(before) and size <= known:
        path = "spec.resources.requests.storage"
        errors.append(field_error.forbidden(path, "field can not be less than status.capacity"))
    if spec.get("volumeMode") != before.get("volumeMode"):
        errors.append(field_error.invalid("volumeMode", spec.get("volumeMode"), "field is immutable"))
    return errors + _attribute_errors(spec.get(_ATTRIBUTES), old)


def _attribute_errors(name: str | None, old: JsonObject) -> list[FieldError]:
    """Judge a class of attributes that is taken back though it is in force."""
    is_in_force = old.get("status", {}).get("currentVolumeAttributesClassName") is not None
    if name or not is_in_force or name == old["spec"].get(_ATTRIBUTES):
        return []
    to = "nil" if name is None else "empty string"
    wrong = f"update to {to} is forbidden when status.currentVolumeAttributesClassName is not nil"
    return [field_error.forbidden(f"spec.{_ATTRIBUTES}", wrong)]


def _size(spec: JsonObject) -> Quantity:
    return Quantity(((spec.get("resources") or {}).get("requests") or {}).get("storage", 0))


def _as_before(value: JsonObject, old: JsonObject) -> JsonObject:
    """Return the new spec without the changes that are allowed."""
    spec, before = dict(value["spec"]), old["spec"]
    if not before.get("volumeName"):
        spec.pop("volumeName", None)
    if _gets_class(value, old):
        spec.pop("storageClassName", None)
    if value.get("status", {}).get("phase") == "Bound":
        requests = {**(spec.get("resources") or {}).get("requests", {}), "storage": str(_size(before))}
        spec["resources"] = {**(spec.get("resources") or {}), "requests": requests}
        spec[_ATTRIBUTES] = before.get(_ATTRIBUTES)
    return spec


VOLUME_CLAIM: Final = KindRules(
    prepare_for_create=_prepare_for_create,
    prepare_for_update=_prepare_for_update,
    validate=_validate,
    validate_update=_validate_update,
)
