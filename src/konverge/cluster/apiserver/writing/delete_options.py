"""What a DELETE is asked: by its body, or where it has none by its query."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.go_finding import Found, Place
from konverge.cluster.apiserver.builtin.go_type import type_of as go_type_of
from konverge.cluster.apiserver.call import Call
from konverge.cluster.apiserver.exchange import JSON, Request
from konverge.cluster.apiserver.failure import bad_request, invalid
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.decode import (
    PROTOBUF,
    Findings,
    Malformed,
    check_form,
    media_type,
    not_registered,
    read_body,
    type_of,
    with_fractions,
)
from konverge.cluster.apiserver.writing.options import META_GROUP, FieldValidation, dry_run_errors, truth

_POLICIES: Final = ("Foreground", "Background", "Orphan")
_NAMES: Final = ("gracePeriodSeconds", "preconditions", "orphanDependents", "propagationPolicy", "dryRun")
_SCHEMA: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteOptions:
    """The options of a deletion."""

    is_dry_run: bool = False
    grace: int | None = None  # seconds
    policy: str = ""
    orphan: bool | None = None  # the old form of a policy
    preconditions: JsonObject = field(default_factory=dict)  # uid, resourceVersion
    given: JsonObject = field(default_factory=dict)  # all of them as they came: what admission is shown

    def with_grace(self, seconds: int | None) -> DeleteOptions:
        """Return the options with another grace period."""
        return replace(self, grace=seconds)


def delete_options(call: Call) -> DeleteOptions:
    """Read the options of a deletion."""
    found = _from_body(call) if call.request.body else _from_query(call.request)
    dry_run, policy, orphan = found.get("dryRun", ()), found.get("propagationPolicy"), found.get("orphanDependents")
    errors = []
    if orphan is not None and policy is not None:
        text = "orphanDependents and deletionPropagation cannot be both set"
        errors.append(field_error.invalid("propagationPolicy", policy, text))
    if policy is not None and policy not in _POLICIES:
        errors.append(field_error.not_supported("propagationPolicy", policy, (*_POLICIES, "nil")))
    errors += dry_run_errors(dry_run)
    if errors:
        raise invalid("DeleteOptions", META_GROUP, "", errors)
    return DeleteOptions(
        is_dry_run=bool(dry_run),
        grace=_not_negative(found.get("gracePeriodSeconds")),
        policy=policy or "",
        orphan=orphan,
        preconditions=found.get("preconditions", {}),
        given=_given(found),
    )


def _given(found: JsonObject) -> JsonObject:
    shown = {name: found[name] for name in _NAMES if found.get(name) is not None}
    if "dryRun" in shown:
        shown["dryRun"] = list(shown["dryRun"])
    return shown


def _not_negative(seconds: int | None) -> int | None:
    return 1 if seconds is not None and seconds < 0 else seconds


def _from_body(call: Call) -> JsonObject:
    check_form(call)
    if media_type(call) == PROTOBUF:
        return _from_protobuf(call.request.body)
    try:
        value = read_body(call, Findings(FieldValidation.IGNORE))
        api_version, kind = type_of(value)
    except Malformed as error:
        words = f"couldn't get version/kind; json parse error: {error}" if media_type(call) == JSON else str(error)
        raise bad_request(words) from None
    value = value or {}
    if kind and kind != "DeleteOptions":
        raise bad_request(not_registered({"kind": kind, "apiVersion": api_version}))
    for each in (with_fractions(call), value):
        found = Found()
        go_type_of(_SCHEMA).read({} if each is None else each, Place(), found)
        if found.error:
            raise bad_request(found.error)
    options: JsonObject = value
    return options


def _from_protobuf(body: bytes) -> JsonObject:
    # Loaded by the first such body: most servers never see one.
    from konverge.cluster.apiserver.protobuf.bad_message import BadMessage  # noqa: PLC0415
    from konverge.cluster.apiserver.protobuf.body import read_delete_options  # noqa: PLC0415
    from konverge.cluster.apiserver.protobuf.envelope import read_envelope  # noqa: PLC0415

    try:
        envelope = read_envelope(body)
        if envelope.kind not in ("", "DeleteOptions"):
            raise bad_request(not_registered({"kind": envelope.kind, "apiVersion": envelope.api_version}))
        return read_delete_options(envelope)
    except BadMessage as error:
        raise bad_request(str(error)) from None


def _from_query(request: Request) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if dry_run := request.parameters("dryRun"):
        found["dryRun"] = dry_run
    if grace := request.parameters("gracePeriodSeconds"):
        found["gracePeriodSeconds"] = _int64(grace[0])
    if policy := request.parameters("propagationPolicy"):
        found["propagationPolicy"] = policy[0]
    if orphan := request.parameters("orphanDependents"):
        found["orphanDependents"] = truth(orphan[0])
    return found


def _int64(text: str) -> int:
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not (digits.isascii() and digits.isdigit()):
        raise bad_request(f"strconv.ParseInt: parsing {quoted(text)}: invalid syntax")
    if not -(2**63) <= int(text) < 2**63:
        raise bad_request(f"strconv.ParseInt: parsing {quoted(text)}: value out of range")
    return int(text)
