"""From the bytes of a body to the object of a kind: its form, size, syntax and type; then the kind's own rules.

Every refusal has Kubernetes' words. What field validation has to say (unknown fields, keys that stand twice) is
gathered first and judged once, by `Findings`.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.builtin.catalogue import schema_name
from konverge.cluster.apiserver.builtin.go_finding import Fraction
from konverge.cluster.apiserver.call import Call
from konverge.cluster.apiserver.failure import Failure, bad_request, too_large, unsupported_media_type
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.duplicate_keys import duplicate_fields, merged, places
from konverge.cluster.apiserver.writing.expected import Expected, Unreadable, built_in, expected_of
from konverge.cluster.apiserver.writing.go_json import go_kind, go_number, syntax_error
from konverge.cluster.apiserver.writing.options import FieldValidation
from konverge.cluster.apiserver.writing.yaml_body import InvalidYaml, read_yaml

LARGEST_BODY: Final = 3 * 1024 * 1024
_JSON: Final = "application/json"
_YAML: Final = "application/yaml"
PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
_ACCEPTED: Final = f"{_JSON}, {_YAML}, {PROTOBUF}"
_SHOWN: Final = 30  # bytes of a body that an error quotes
_STRUCT: Final = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)
_OLD_VERSION: Final = re.compile(r"v\d+(alpha|beta)\d+")  # no longer served, but the real server still knows them
_OTHER_SCHEMES: Final = ("apiextensions.k8s.io", "apiregistration.k8s.io")  # servers of their own, in the real one
_decode_fractions: Final = msgspec.json.Decoder(JsonObject, float_hook=Fraction).decode
_FRACTION: Final = re.compile(rb"[:,\[]\s*-?[0-9]+[.eE]")
_HALF: Final = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_ESCAPE: Final = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.")
_decode: Final = msgspec.json.Decoder(float_hook=go_number).decode


@dataclass(slots=True)
class Findings:
    """What field validation found in a body."""

    validation: FieldValidation
    faults: list[str] = field(default_factory=list)
    repeated_lines: list[str] = field(default_factory=list)  # of YAML: keys that stand twice, with their lines

    @property
    def are_wanted(self) -> bool:
        """Whether anyone will hear of them."""
        return self.validation is not FieldValidation.IGNORE

    def add_unknown(self, paths: list[str]) -> None:
        """Note fields that the kind does not have."""
        if self.are_wanted:
            self.faults += [_fault(path, is_repeated=False) for path in paths]

    def drop_duplicates(self, paths: list[str]) -> None:
        """Forget that some keys stand twice: Go's types pass over what they do not have, and all that is in it."""
        if paths and self.faults:
            dropped = tuple(f'duplicate field "{path}{end}' for path in paths for end in '".[')
            self.faults = [fault for fault in self.faults if not fault.startswith(dropped)]

    def add_duplicates(self, paths: list[str]) -> None:
        """Note keys that stand twice."""
        self.faults += [_fault(path, is_repeated=True) for path in paths]

    def sort_as_written(self, body: bytes) -> None:
        """Bring them into the order of a JSON text, in which Go's types meet them."""
        order = {_fault(path, is_repeated=is_repeated): place for (path, is_repeated), place in places(body).items()}
        self.faults.sort(key=lambda fault: order.get(fault, len(order)))

    def settle(self, warnings: list[str]) -> str:
        """Warn of what was found, or return what a strict decoder says of it; empty where the write may go on."""
        if self.validation is FieldValidation.STRICT:
            faults = [*self._repeated(), *self.faults]
            return f"strict decoding error: {', '.join(faults)}" if faults else ""
        warnings += [*self.repeated_lines, *self.faults]
        return ""

    def _repeated(self) -> list[str]:
        lines = "".join(f"\n  {line}" for line in self.repeated_lines)
        return [f"yaml: unmarshal errors:{lines}"] if lines else []


def _fault(path: str, *, is_repeated: bool) -> str:
    return f'{"duplicate" if is_repeated else "unknown"} field "{path}"'


class Malformed(Exception):
    """A text that is no JSON or YAML; the message has Go's words."""


def media_type(call: Call) -> str:
    """Return the body's form without its parameters; JSON where the request does not say."""
    header = call.request.header("content-type")
    return header.partition(";")[0].strip().lower() or _JSON if header else _JSON


def check_size(body: bytes) -> None:
    """Refuse a body that no server would read."""
    if len(body) > LARGEST_BODY:
        raise too_large(f"limit is {LARGEST_BODY}")


def check_form(call: Call) -> None:
    """Refuse a body in a form that is not read, and one that is too large."""
    if media_type(call) not in (_JSON, _YAML, PROTOBUF):
        raise _unknown_format(_ACCEPTED)
    check_size(call.request.body)


def _unknown_format(accepted: str) -> Failure:
    return unsupported_media_type(
        f"the body of the request was in an unknown format - accepted media types include: {accepted}"
    )


def read_body(call: Call, findings: Findings, *, is_typed: bool = False) -> Any:
    """Return a body's value; raise `Malformed` where it cannot be read."""
    body, form = call.request.body, media_type(call)
    return read_json(body, findings, is_typed=is_typed) if form == _JSON else _read_yaml(body, findings)


def read_json(body: bytes, findings: Findings, *, is_typed: bool = False) -> Any:
    """Return the value of a JSON text; raise `Malformed` in Go's words. Go's types join what stands twice."""
    try:
        return _read_json(body, findings, is_typed=is_typed)
    except RecursionError:  # Go goes to ten thousand levels, Python to about a thousand
        raise Malformed(f"invalid character '{_deepest(body)}' exceeded max depth") from None


def _deepest(body: bytes) -> str:
    """Return what begins the first value that is too deep: there may be texts before it, so this is the likely one."""
    return "[" if body.count(b"[") > body.count(b"{") else "{"


def _read_json(body: bytes, findings: Findings, *, is_typed: bool) -> Any:
    try:
        value = _decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _read_odd_json(body, findings)
    repeated = duplicate_fields(body, value) if findings.are_wanted or is_typed else []
    if findings.are_wanted:
        findings.add_duplicates(repeated)
    return merged(body) if repeated and is_typed else value


def _read_odd_json(body: bytes, findings: Findings) -> Any:
    """Go reads what is not UTF-8, or half of a pair of surrogates, with a sign in its place."""
    if wrong := syntax_error(body.decode("latin-1")):  # Go looks at bytes
        raise Malformed(wrong)
    text = body.decode("utf-8", "replace")
    clean = _ESCAPE.sub(lambda found: "\\ufffd" if _HALF.fullmatch(found[0]) else found[0], text).encode()
    if clean == body:
        raise Malformed("exceeded max depth")
    return read_json(clean, findings)


def _read_yaml(body: bytes, findings: Findings) -> Any:
    try:
        value, repeated = read_yaml(body.decode("utf-8", "replace"))
    except InvalidYaml as error:
        raise Malformed(str(error)) from None
    if findings.are_wanted:
        findings.repeated_lines += repeated
    return value


def decode_object(call: Call, validation: FieldValidation, expected: Expected | None = None) -> JsonObject:
    """Read a body as an object of the call's kind, or of another one that a subresource takes; pruned and defaulted."""
    wanted = expected or expected_of(call.resource)
    if media_type(call) == PROTOBUF:
        return _decode_protobuf(call, wanted)
    findings = Findings(validation)
    try:
        value = read_body(call, findings, is_typed=not wanted.is_custom)
        found = type_of(value)
    except Malformed as error:
        is_yaml = str(error).startswith("yaml:")
        words = str(error) if is_yaml else f"couldn't get version/kind; json parse error: {error}"
        raise _unrecognized(call, wanted, words) from None
    typed = _check_type(call, value, found, wanted)
    try:
        _check_fractions(call, typed, wanted)
        unknown = wanted.read(typed)
    except Unreadable as error:
        raise _cannot_be_handled(typed, wanted, str(error)) from None
    if not wanted.is_custom:
        findings.drop_duplicates(unknown)
    has_both = bool(findings.faults and unknown)
    findings.add_unknown(unknown)
    if has_both and not wanted.is_custom:  # of JSON: what stands twice in YAML is told by its lines, before all else
        findings.sort_as_written(call.request.body)
    if wrong := findings.settle(call.warnings):
        raise _cannot_be_handled(typed, wanted, wrong)
    return typed


def _check_fractions(call: Call, typed: JsonObject, wanted: Expected) -> None:
    """Refuse integers of Go's types that are written as fractions."""
    value = None if wanted.is_custom else with_fractions(call)
    if value is not None:
        wanted.read({**value, "apiVersion": typed["apiVersion"], "kind": typed["kind"]})


def with_fractions(call: Call) -> JsonObject | None:
    """Return a body with its fractions as they are written, `4.0` among them; None where it can have none."""
    body = call.request.body
    if media_type(call) != _JSON or not _FRACTION.search(body):
        return None
    with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):  # it was read with signs in place of bytes
        value: JsonObject = _decode_fractions(body)
        return value
    return None


def _decode_protobuf(call: Call, wanted: Expected) -> JsonObject:
    """Read a body as protobuf, which knows no unknown fields and says nothing twice."""
    # Loaded by the first such body: most servers never see one.
    from konverge.cluster.apiserver.protobuf.bad_message import BadMessage  # noqa: PLC0415
    from konverge.cluster.apiserver.protobuf.body import read_content  # noqa: PLC0415
    from konverge.cluster.apiserver.protobuf.envelope import read_envelope  # noqa: PLC0415

    if wanted.is_custom:  # the real server accepts it, and then has no answer at all
        raise _unknown_format(f"{_JSON}, {_YAML}")
    try:
        envelope = read_envelope(call.request.body)
    except BadMessage as error:
        raise _unrecognized(call, wanted, str(error)) from None
    typed = _check_type(call, {}, (envelope.api_version, envelope.kind), wanted)
    try:
        value = read_content(envelope, typed["apiVersion"], typed["kind"])
        wanted.read(value)
    except (BadMessage, Unreadable) as error:
        raise _cannot_be_handled(typed, wanted, str(error)) from None
    return value


def _cannot_be_handled(value: JsonObject, wanted: Expected, words: str) -> Failure:
    version = str(value["apiVersion"]).rpartition("/")[2]
    return bad_request(f"{value['kind']} in version {quoted(version)} cannot be handled as a {wanted.kind}: {words}")


def _unrecognized(call: Call, wanted: Expected, words: str) -> Failure:
    summary = _summary(call.request.body)
    return bad_request(f"the object provided is unrecognized (must be of type {wanted.kind}): {words} ({summary})")


def _summary(body: bytes) -> str:
    if not body:
        return "<empty>"
    cut, more = body[:_SHOWN], " ..." if len(body) > _SHOWN else ""
    return (cut.decode("utf-8", "replace") if body.startswith(b"{") else cut.hex()) + more


def type_of(value: Any) -> tuple[str, str]:
    """Return the apiVersion and kind that a body claims, empty where it claims none."""
    if value is None:
        return "", ""
    if not isinstance(value, dict):
        raise Malformed(f"json: cannot unmarshal {go_kind(value)} into Go value of type {_STRUCT}")
    for name in ("apiVersion", "kind"):
        claimed = value.get(name)
        if claimed is not None and not isinstance(claimed, str):
            raise Malformed(f"json: cannot unmarshal {go_kind(claimed)} into Go struct field .{name} of type string")
    return value.get("apiVersion") or "", value.get("kind") or ""


def _check_type(call: Call, value: Any, found: tuple[str, str], wanted: Expected) -> JsonObject:
    """Compare the type that a body claims with the one that is wanted, as the decoder of its kind does."""
    api_version, kind = found
    if api_version.count("/") > 1:
        raise _unrecognized(call, wanted, f"unexpected GroupVersion string: {api_version}")
    if wanted.is_custom:
        return _check_custom_type(call, value, found, wanted)
    typed: JsonObject = {} if value is None else value
    typed["apiVersion"], typed["kind"] = api_version or wanted.api_version, kind or wanted.kind
    if (typed["apiVersion"], typed["kind"]) != (wanted.api_version, wanted.kind):
        raise bad_request(wanted.foreign) if wanted.foreign else _foreign(typed, wanted)
    return typed


def _foreign(value: JsonObject, wanted: Expected) -> Failure:
    """Refuse an object of another kind: Go reads it as what it is, and then finds no way to convert it."""
    group, _, version = value["apiVersion"].rpartition("/")
    wanted_group = wanted.api_version.rpartition("/")[0]
    schema, is_same_kind = (
        schema_name(group, version, value["kind"]),
        (group, value["kind"]) == (wanted_group, wanted.kind),
    )
    if is_same_kind and (schema is not None or _OLD_VERSION.fullmatch(version)):
        return _another_version(value["apiVersion"], wanted)
    if schema is None or group in _OTHER_SCHEMES:
        return _cannot_be_handled(value, wanted, not_registered(value))
    try:
        built_in(schema, value["apiVersion"]).read(value)
    except Unreadable as error:
        return _cannot_be_handled(value, wanted, str(error))
    inner = f"{wanted_group.partition('.')[0] or 'core'}.{wanted.kind}"
    words = f"converting ({version}.{value['kind']}) to ({inner}): unknown conversion"
    return _cannot_be_handled(value, wanted, words)


def _another_version(api_version: str, wanted: Expected) -> Failure:
    expected = f"does not match the expected API version ({wanted.api_version})"
    return bad_request(f"the API version in the data ({api_version}) {expected}")


def _check_custom_type(call: Call, value: Any, found: tuple[str, str], wanted: Expected) -> JsonObject:
    api_version, kind = found
    if not kind:
        text = call.request.body.decode("utf-8", "replace")
        raise _unrecognized(call, wanted, f"Object 'Kind' is missing in '{text}'")
    if api_version != wanted.api_version:
        raise _another_version(api_version, wanted)
    typed: JsonObject = value
    return typed


def not_registered(value: JsonObject) -> str:
    """Say that there is no such kind."""
    scheme = '"pkg/runtime/scheme.go:111"'
    return f"no kind {quoted(value['kind'])} is registered for version {quoted(value['apiVersion'])} in scheme {scheme}"
