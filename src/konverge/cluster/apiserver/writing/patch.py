"""Patch: the four ways to change a part of an object.

JSON and merge patches change the object's JSON, a strategic merge patch its Go form, and the result is read as a body
is. An apply goes through the kind's field manager, and may create.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec

from konverge.api import merge_patch, strategic_merge_patch
from konverge.api.invalid import InvalidPatch
from konverge.api.json_value import json_copy
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.failure import (
    Failure,
    bad_request,
    internal,
    invalid,
    not_found,
    unsupported_media_type,
)
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing import go_json_patch
from konverge.cluster.apiserver.writing.admission import admit
from konverge.cluster.apiserver.writing.apply import apply
from konverge.cluster.apiserver.writing.decode import Findings, Malformed, check_size, not_registered, type_of
from konverge.cluster.apiserver.writing.expected import Expected, Unreadable, converted, expected_of
from konverge.cluster.apiserver.writing.live import Live, find_live
from konverge.cluster.apiserver.writing.namespaces import check_namespace, set_namespace
from konverge.cluster.apiserver.writing.object_meta import metadata_of
from konverge.cluster.apiserver.writing.options import WriteOptions, write_options
from konverge.cluster.apiserver.writing.owners import drop_repeated_owners
from konverge.cluster.apiserver.writing.ownership import record_update
from konverge.cluster.apiserver.writing.patch_body import read_json_patch, read_merge_patch
from konverge.cluster.apiserver.writing.patch_rules import patch_rules
from konverge.cluster.apiserver.writing.patched_text import patched_text
from konverge.cluster.apiserver.writing.replace import check_name, replace
from konverge.cluster.apiserver.writing.scale import SCALE, ScaleOwners, refuse_without_replicas, write_scale
from konverge.cluster.apiserver.writing.strategic_fault import REJECTED, go_map, strategic_fault, unmerged

JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
STRATEGIC_MERGE_PATCH: Final = "application/strategic-merge-patch+json"
APPLY_PATCH: Final = "application/apply-patch+yaml"
_CUSTOM: Final = (JSON_PATCH, MERGE_PATCH, APPLY_PATCH)
_BUILT_IN: Final = (*_CUSTOM, STRATEGIC_MERGE_PATCH)


async def patch(context: Context, call: Call) -> Outcome:
    """Answer a PATCH."""
    form = _form(call)
    if not call.route.name:
        raise bad_request("name must be provided")
    check_size(call.request.body)
    options = write_options(call.request, "PatchOptions", is_apply=form == APPLY_PATCH)
    if form == APPLY_PATCH:
        return await apply(context, call, options)
    live = find_live(context, call)
    if live is None:
        raise not_found(call.resource.plural, call.resource.group, call.route.name)
    if call.route.subresource == "scale":
        return await _patch_scale(context, call, form, live=live, options=options)
    findings = Findings(options.field_validation)
    expected = (converted if form == STRATEGIC_MERGE_PATCH else expected_of)(call.resource)
    value = _patched(call, form, live.copy(call.resource), findings=findings, expected=expected)
    metadata = metadata_of(value)
    value = record_update(call, live.value, value, options)
    set_namespace(call, metadata)
    check_name(call, metadata)
    check_namespace(context, call, call.route.name, is_create=False)
    drop_repeated_owners(call, metadata, is_after_admission=True)
    await admit(context, call, value, options, old=live.value)
    return await replace(context, call, value, live=live, options=options)


async def _patch_scale(context: Context, call: Call, form: str, *, live: Live, options: WriteOptions) -> Outcome:
    findings = Findings(options.field_validation)
    scale = _patched(call, form, ScaleOwners(call, live).scale, findings=findings, expected=SCALE)
    metadata = metadata_of(scale)
    set_namespace(call, metadata)
    check_name(call, metadata)
    refuse_without_replicas(call, scale)
    return await write_scale(context, call, scale, live=live, options=options)


def _form(call: Call) -> str:
    form = call.request.header("content-type").partition(";")[0].strip()
    if call.resource.is_custom:
        if form not in _CUSTOM:
            raise unsupported_media_type(
                f"the body of the request was in an unknown format - accepted media types include: {', '.join(_CUSTOM)}"
            )
    elif form not in _BUILT_IN:
        raise Failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", details={})
    return form


def _patched(call: Call, form: str, current: JsonObject, *, findings: Findings, expected: Expected) -> JsonObject:
    """Return what a patch makes of an object, read as one of its kind."""
    body = call.request.body
    if form == STRATEGIC_MERGE_PATCH:
        strategic = read_merge_patch(body, findings, is_strategic=True)
        value = _strategic(current, strategic, expected)
        value |= _type(expected)  # Go's types need not be told
        return _read(
            call, value, findings=findings, expected=expected, shown=lambda: go_map(unmerged(strategic, current))
        )
    changes = read_merge_patch(body, findings) if form == MERGE_PATCH else read_json_patch(body, findings)
    before = current if isinstance(changes, dict) else json_copy(current)  # operations change what they are given
    value = _json_patched(changes, current)
    shown = partial(patched_text, before, changes, expected)
    return _read(call, value, findings=findings, expected=expected, shown=shown)


def _json_patched(changes: JsonObject | list[JsonObject], current: JsonObject) -> Any:
    """Return the patched object with its keys sorted, as Go's patch library does: faults are told in this order."""
    if isinstance(changes, dict):
        patched = merge_patch.apply(current, changes)
    else:
        try:
            patched = go_json_patch.apply(current, changes)
        except InvalidPatch:
            raise Failure(422, "Invalid", REJECTED, details={}) from None
    return msgspec.json.decode(msgspec.json.encode(patched, order="sorted"))


def _strategic(current: JsonObject, changes: JsonObject, expected: Expected) -> Any:
    rules = patch_rules(expected)
    try:
        return strategic_merge_patch.apply(current, changes, rules)
    except InvalidPatch as error:
        raise strategic_fault(error, changes, rules) from None


def _read(call: Call, value: Any, *, findings: Findings, expected: Expected, shown: Callable[[], str]) -> JsonObject:
    """Read a patched object as its kind; what is wrong with it is the patch's fault (422)."""
    try:
        api_version, kind = type_of(value)
    except Malformed as error:
        raise _bad_patch(shown(), f"couldn't get version/kind; json parse error: {error}") from None
    if expected.is_custom and not kind:
        raise _bad_patch(shown(), f"Object 'Kind' is missing in '{shown()}'")
    if expected.is_custom and not api_version:
        raise internal("Object 'apiVersion' is missing in 'object has no apiVersion field'")
    typed: JsonObject = value
    if not expected.is_custom:
        _check_type(typed, expected, shown=shown, findings=findings)
    try:
        findings.add_unknown(expected.read(typed))
    except Unreadable as error:
        raise _bad_patch(shown(), str(error)) from None
    if wrong := findings.settle(call.warnings):
        raise _bad_patch(shown(), wrong)
    return typed


def _check_type(value: JsonObject, expected: Expected, *, shown: Callable[[], str], findings: Findings) -> None:
    """Refuse another type than the kind's; what the patched object does not say of it is taken as said."""
    if value.get("kind") and not value.get("apiVersion"):
        # Go reads its own internal form then, which has none of these fields.
        findings.add_unknown([name for name in value if name != "kind"])
        value.clear()
    claimed = {name: value.get(name) or known for name, known in _type(expected).items()}
    if claimed != _type(expected):
        raise _bad_patch(shown(), not_registered(claimed))
    value |= claimed


def _type(expected: Expected) -> JsonObject:
    return {"apiVersion": expected.api_version, "kind": expected.kind}


def _bad_patch(shown: str, words: str) -> Failure:
    return invalid("", "", "", [field_error.invalid("patch", shown, words)])
