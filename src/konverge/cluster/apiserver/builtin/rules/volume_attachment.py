"""Volume attachments: one volume to one node by one driver; all of it stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.driver_name import driver_name_errors
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_text
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.persistent_volume import inline_volume_errors
from konverge.cluster.apiserver.builtin.rules.status.volume_attachment import attachment_status_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_ONE: Final = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"


def _validate(value: JsonObject) -> list[FieldError]:
    spec = value.get("spec") or {}
    source, node = spec.get("source") or {}, spec.get("nodeName", "")
    errors = [*driver_name_errors(spec.get("attacher", ""), "spec.attacher"), *_source_errors(source, "spec.source")]
    errors += [field_error.invalid("spec.nodeName", node, wrong) for wrong in name_rules.dns_subdomain(node)]
    volume = source.get("persistentVolumeName")
    for wrong in name_rules.dns_subdomain(volume) if volume is not None else ():
        errors.append(field_error.invalid("spec.source.persistentVolumeName", volume, wrong))
    return errors


def _source_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    inline, name = source.get("inlineVolumeSpec"), source.get("persistentVolumeName")
    if inline is None and name is None:
        yield field_error.required(path, _ONE)
    elif inline is not None and name is not None:
        yield field_error.forbidden(path, _ONE)
    elif inline is not None:
        yield from inline_volume_errors(inline, f"{path}.inlineVolumeSpec")
    elif not name:
        yield field_error.required(f"{path}.persistentVolumeName", "must specify non empty persistentVolumeName")


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    errors = [*_validate(value), *attachment_status_errors(value.get("status") or {})]
    if not subresource and not json_equal(value.get("spec"), old.get("spec")):
        shown = internal_text("storage.VolumeAttachmentSpec", value.get("spec"))
        errors.append(field_error.invalid("spec", shown, "field is immutable"))
    return errors


VOLUME_ATTACHMENT: Final = KindRules(validate=_validate, validate_update=_validate_update)
