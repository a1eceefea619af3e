"""The bodies of JSON and merge patches."""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.failure import Failure, bad_request, too_large
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.decode import Findings, Malformed, read_json
from konverge.cluster.apiserver.writing.go_json import go_kind

_MOST_OPERATIONS: Final = 10_000
_FIELDS: Final = ("op", "path", "from", "value")
_STRATEGIC_MAP: Final = "map[string]interface {}"


def read_merge_patch(body: bytes, findings: Findings, *, is_strategic: bool = False) -> JsonObject:
    """Return the body of a merge patch, which is an object."""
    words = "" if is_strategic else "error decoding patch: "
    value = _read(body, findings, words)
    if value is None and not is_strategic:
        raise bad_request("Invalid JSON Patch")
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise bad_request(f"{words}json: cannot unmarshal {go_kind(value)} into Go value of type {_STRATEGIC_MAP}")
    return value


def read_json_patch(body: bytes, findings: Findings) -> list[JsonObject]:
    """Return the operations of a JSON patch."""
    value = _read(body, Findings(findings.validation), "error decoding patch: ")
    if value is None:
        return []
    if not isinstance(value, list):
        raise _mismatch(value, "value of type []handlers.jsonPatchOp")
    if len(value) > _MOST_OPERATIONS:
        raise too_large(f"The allowed maximum operations in a JSON patch is {_MOST_OPERATIONS}, got {len(value)}")
    for index, operation in enumerate(value):
        if operation is not None:
            _check_operation(index, operation, findings)
    return value


def _check_operation(index: int, operation: Any, findings: Findings) -> None:
    if not isinstance(operation, dict):
        raise _mismatch(operation, "value of type handlers.jsonPatchOp")
    for name in ("op", "path", "from"):
        text = operation.get(name)
        if text is not None and not isinstance(text, str):
            raise _mismatch(text, f"struct field jsonPatchOp.{name} of type string")
    if findings.are_wanted:
        unknown = [name for name in operation if name not in _FIELDS]
        findings.faults += [f'json patch unknown field "[{index}].{name}"' for name in unknown]


def _mismatch(value: Any, target: str) -> Failure:
    return bad_request(f"error decoding patch: json: cannot unmarshal {go_kind(value)} into Go {target}")


def _read(body: bytes, findings: Findings, words: str) -> Any:
    try:
        return read_json(body, findings)
    except Malformed as error:
        raise bad_request(f"{words}{error}") from None
