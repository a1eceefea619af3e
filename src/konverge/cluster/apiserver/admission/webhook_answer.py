"""The body of a webhook's answer, read as Go's client reads one: what is no review is an error in its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.admission.review_type import review_fault
from konverge.cluster.apiserver.admission.webhook_caller import CallFailed, WebhookAnswer
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.decode import not_registered
from konverge.cluster.apiserver.writing.go_json import go_kind, syntax_error
from konverge.cluster.apiserver.writing.yaml_body import InvalidYaml, read_yaml

_OK: Final = range(200, 207)
_MOST_SHOWN: Final = 2048  # bytes of a body that an error quotes
_LARGE: Final = 1 << 20
_NO_TYPE: Final = "couldn't get version/kind; json parse error: "
_TOO_DEEP: Final = "exceeded max depth"
_SERVER_ERRORS: Final = 500
_WORDS: Final = {
    400: "the server rejected our request for an unknown reason",
    401: "the server has asked for the client to provide credentials",
    404: "the server could not find the requested resource",
    405: "the server does not allow this method on the requested resource",
    409: "the server reported a conflict",
    422: "the server rejected our request due to an error in our request",
    429: "the server has received too many requests and has asked us to try again later",
    503: "the server is currently unable to handle the request",
    504: "the server was unable to return a response in the time allotted, but may still be processing the request",
}
_BODY_IS_MESSAGE: Final = (403, 415)


def read_answer(answer: WebhookAnswer, kind: str, versions: Sequence[str]) -> JsonObject:
    """Return the review in an answer, which is of this kind in one of these versions; raises `CallFailed`."""
    if answer.status not in _OK:
        raise CallFailed(_refusal(answer))
    if not answer.body:
        form = answer.content_type or "application/json"
        raise CallFailed(f"0-length response with status code: {answer.status} and content type: {form}")
    value = _read(answer.body)
    if not isinstance(value, dict):
        raise CallFailed(f"{_NO_TYPE}{_mismatch(value)}")
    if wrong := _type_fault(value):
        raise CallFailed(f"{_NO_TYPE}{wrong}")
    claimed = value.get("apiVersion") or "", value.get("kind") or ""
    if any(claimed) and claimed not in [(version, kind) for version in versions]:
        raise CallFailed(not_registered({"apiVersion": claimed[0], "kind": claimed[1]}))
    if wrong := review_fault(claimed[0] or versions[0], kind, value):
        raise CallFailed(wrong)
    return value


def _read(body: bytes) -> Any:
    """Read a body: what does not begin as a JSON object is taken for YAML."""
    try:
        if body.lstrip().startswith(b"{"):
            return msgspec.json.decode(body)
        # A scalar of megabytes would take a parser of YAML longer than anyone waits.
        return read_yaml(body.decode("utf-8", "replace"))[0] if len(body) < _LARGE else ""
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise CallFailed(f"{_NO_TYPE}{syntax_error(body.decode('utf-8', 'replace'))}") from None
    except InvalidYaml as error:
        raise CallFailed(str(error)) from None
    except RecursionError:
        raise CallFailed(f"{_NO_TYPE}{_TOO_DEEP}") from None


def _refusal(answer: WebhookAnswer) -> str:
    status_object = _status_object(answer.body)
    if status_object:
        return status_object
    is_text = not answer.content_type or answer.content_type.startswith("text/")
    said = answer.body[:_MOST_SHOWN].decode("utf-8", "replace").strip() if is_text else "unknown"
    if answer.status in _WORDS:
        return _WORDS[answer.status]
    if answer.status in _BODY_IS_MESSAGE:
        return said
    if answer.status >= _SERVER_ERRORS:
        return f"an error on the server ({quoted(said)}) has prevented the request from succeeding"
    return f"the server responded with the status code {answer.status} but did not return more information"


def _status_object(body: bytes) -> str:
    """Return the message of a Status, where the body is one."""
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    is_status = isinstance(value, dict) and value.get("kind") == "Status" and value.get("apiVersion") == "v1"
    return str(value.get("message") or "") if is_status and value.get("status") != "Success" else ""


def _type_fault(value: JsonObject) -> str:
    """Say what is wrong with the version and the kind that an answer claims, in the order in which they stand there."""
    for name, text in value.items():
        if name in ("apiVersion", "kind") and not isinstance(text, str | None):
            return f"json: cannot unmarshal {go_kind(text)} into Go struct field .{name} of type string"
    return ""


def _mismatch(value: Any) -> str:
    wanted = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
    return f"json: cannot unmarshal {go_kind(value)} into Go value of type {wanted}"
