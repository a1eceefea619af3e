"""The body of a webhook's answer, read as Go's client reads one: what is no review is an error in its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.admission.review_type import review_fault
from konverge.cluster.apiserver.admission.type_header import NO_TYPE, header_fault
from konverge.cluster.apiserver.admission.webhook_caller import CallFailed, WebhookAnswer
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.decode import Findings, Malformed, not_registered, read_json
from konverge.cluster.apiserver.writing.options import FieldValidation
from konverge.cluster.apiserver.writing.yaml_body import InvalidYaml, read_yaml

_OK: Final = range(200, 207)
_MOST_SHOWN: Final = 2048  # bytes of a body that an error quotes
_LARGE: Final = 1 << 20
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
    value = {} if (read := _read(answer.body)) is None else read
    if wrong := header_fault(value):
        raise CallFailed(wrong)
    claimed = value.get("apiVersion") or versions[0], value.get("kind") or kind
    if claimed not in [(version, kind) for version in versions]:
        raise CallFailed(not_registered({"apiVersion": claimed[0], "kind": claimed[1]}))
    if wrong := review_fault(claimed[0], kind, value):
        raise CallFailed(wrong)
    return value


def _read(body: bytes) -> Any:
    """Read a body: what does not begin as a JSON object is taken for YAML."""
    try:
        if body.lstrip().startswith(b"{"):
            return read_json(body, Findings(FieldValidation.IGNORE))
        # A scalar of megabytes would take a parser of YAML longer than anyone waits.
        return read_yaml(body.decode("utf-8", "replace"))[0] if len(body) < _LARGE else ""
    except Malformed as error:
        raise CallFailed(f"{NO_TYPE}{error}") from None
    except InvalidYaml as error:
        raise CallFailed(str(error)) from None


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
