"""Replies: what a verb made of a call, written in the form that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import msgspec

from konverge.cluster.apiserver import field_error, table
from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.exchange import JSON, Request, Response
from konverge.cluster.apiserver.failure import Failure, bad_request, not_acceptable
from konverge.cluster.apiserver.negotiate import PROTOBUF, YAML, Form
from konverge.cluster.apiserver.partial import partial, partial_list
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.yaml_text import yaml_bytes

_JSON_ENCODER: Final = msgspec.json.Encoder()
_INCLUDED: Final = {"", "Metadata", "Object", "None"}


def reply(call: Call, outcome: Outcome) -> Response:
    """Write an outcome."""
    form = call.form
    if outcome.encoded and form.is_plain:
        return Response(status=outcome.status, body=outcome.encoded)
    if form.transform and outcome.value.get("kind") != "Status":
        return written(_transformed(call, outcome), form, status=outcome.status)
    return written(outcome.value, form, status=outcome.status, encoded=outcome.encoded)


def list_response(call: Call, objects: Sequence[JsonObject], metadata: JsonObject) -> Response:
    """Write a list whose objects are decoded."""
    if call.form.transform:
        return written(_transformed_list(call, objects, metadata), call.form)
    return written(list_value(call.resource, objects, metadata), call.form)


def list_value(resource: Resource, objects: Sequence[JsonObject], metadata: JsonObject) -> JsonObject:
    """Return a list of a resource's objects; those of built-in kinds do not say again what they are."""
    items = list(objects)
    if not resource.is_custom:
        items = [{name: part for name, part in item.items() if name not in {"kind", "apiVersion"}} for item in objects]
    kind = resource.list_kind or f"{resource.kind}List"
    return {"kind": kind, "apiVersion": resource.api_version, "metadata": metadata, "items": items}


def _transformed(call: Call, outcome: Outcome) -> JsonObject:
    value, form = outcome.value, call.form
    if outcome.is_own_kind and isinstance(value.get("items"), list) and str(value.get("kind")).endswith("List"):
        return _transformed_list(call, value["items"], value.get("metadata") or {})
    if form.transform == "PartialObjectMetadata":
        return partial(value, form.version)
    if form.transform == "PartialObjectMetadataList":
        raise _not_acceptable(call.resource, form.transform, "is not a list", "")
    version = (value.get("metadata") or {}).get("resourceVersion")
    return rendered(call, [value], metadata={"resourceVersion": version} if version else {})


def _transformed_list(call: Call, objects: Sequence[JsonObject], metadata: JsonObject) -> JsonObject:
    form = call.form
    if form.transform == "PartialObjectMetadataList":
        return partial_list(objects, metadata, form.version)
    if form.transform == "PartialObjectMetadata":
        raise _not_acceptable(call.resource, form.transform, "is a list", "List")
    return rendered(call, objects, metadata={name: value for name, value in metadata.items() if value})


def rendered(
    call: Call, objects: Sequence[JsonObject], *, metadata: JsonObject, with_columns: bool = True
) -> JsonObject:
    """Return objects as a Table."""
    return table.render(
        call.resource,
        objects,
        include_object=included(call.request),
        with_columns=with_columns,
        version=call.form.version,
        metadata=metadata,
    )


def included(request: Request) -> str:
    """Return what a Table's rows carry of their objects."""
    asked = request.parameter("includeObject")
    if asked not in _INCLUDED:
        fault = field_error.invalid("includeObject", asked, "must be 'Metadata', 'Object', 'None', or empty")
        raise bad_request(f"Unable to convert to Table as requested: {fault}")
    return asked or "Metadata"


def _not_acceptable(resource: Resource, transform: str, what: str, suffix: str) -> Failure:
    if resource.is_custom and not suffix:
        return Failure(500, "", "content is not a list")
    if resource.is_custom:
        shown = f"*unstructured.Unstructured{suffix}"
    else:  # the name of a Go type, which ends in the last but one part of a group's own package
        shown = f"*{resource.group.partition('.')[0] or 'core'}.{resource.kind}{suffix}"
    return not_acceptable(f"you requested {transform}, but the requested object {what} ({shown})")


def written(value: JsonObject, form: Form, *, status: int = 200, encoded: bytes = b"") -> Response:
    """Write a value, as it is, as JSON, YAML or protobuf."""
    if form.media_type == PROTOBUF:
        # Loaded by the first such answer: most servers never give one.
        from konverge.cluster.apiserver.protobuf.answer import object_body  # noqa: PLC0415

        return Response(status=status, body=object_body(value), content_type=PROTOBUF)
    if form.media_type == YAML:
        return Response(status=status, body=yaml_bytes(value), content_type=YAML)
    body = encoded or _JSON_ENCODER.encode(value)
    if form.is_pretty:
        body = msgspec.json.format(body, indent=2)
    return Response(status=status, body=body, content_type=JSON)


def refusal(failure: Failure, form: Form | None = None) -> Response:
    """Write a failure as its Status."""
    answer = written(failure.status(), form or Form(), status=failure.code)
    headers = [("Retry-After", str(failure.retry_after))] if failure.retry_after > 0 else []
    if not failure.is_sniffed:
        headers.append(("X-Content-Type-Options", "nosniff"))
    return replace(answer, headers=(*headers, *answer.headers)) if headers else answer
