"""Certificate signing requests: what was asked never changes; approval writes the conditions alone.

Who asks is not theirs to say: `admission.requester` sets it.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Final

from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.status.certificate_request import DECISIONS, request_status_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.repeated import repeated
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import new_metadata_errors, path_rule

_SHORTEST: Final = 600  # seconds
_LEGACY: Final = "kubernetes.io/legacy-unknown"
_SIGNER_PARTS: Final = 2
_LONGEST_DOMAIN: Final = 253
_USAGES: Final = (
    *("any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment"),
    *("decipher only", "digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel"),
    *("ipsec user", "key agreement", "key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime"),
    *("server auth", "signing", "timestamping"),
)


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:
    value["spec"] = old.get("spec", {})
    status, before = value.get("status", {}), old.get("status", {})
    if subresource == "approval":
        _set_times(status, before)
        value["status"] = {name: item for name, item in before.items() if name != "conditions"}
        if status.get("conditions"):
            value["status"]["conditions"] = status["conditions"]
    elif subresource == "status":
        for kind in DECISIONS:
            _keep_decisions(status, before, kind)
        _set_times(status, before)


def _keep_decisions(status: JsonObject, before: JsonObject, kind: str) -> None:
    """Put the old decisions in place of the new ones; where their number changed, validation has its say."""
    conditions = status.get("conditions", [])
    kept = [each for each in before.get("conditions", ()) if each.get("type") == kind]
    places = [index for index, each in enumerate(conditions) if each.get("type") == kind]
    if len(kept) == len(places):
        for index, condition in zip(places, kept, strict=True):
            conditions[index] = condition


def _set_times(status: JsonObject, before: JsonObject) -> None:
    moment = format_time(now())
    for condition in status.get("conditions", ()):
        if not condition.get("lastUpdateTime"):
            condition["lastUpdateTime"] = moment
        if not condition.get("lastTransitionTime"):
            same = [each for each in before.get("conditions", ()) if _is_same(each, condition)]
            condition["lastTransitionTime"] = same[0]["lastTransitionTime"] if same else moment


def _is_same(old: JsonObject, new: JsonObject) -> bool:
    names = ("type", "status")
    return bool(old.get("lastTransitionTime")) and all(old.get(name) == new.get(name) for name in names)


def _validate(value: JsonObject) -> list[FieldError]:
    from konverge.certificates import request_fault  # noqa: PLC0415 - brings cryptography, which a start need not wait for

    spec = value.get("spec") or {}
    request, seconds = spec.get("request"), spec.get("expirationSeconds")
    errors = []
    if wrong := request_fault(base64.b64decode(request or "")):
        errors.append(field_error.invalid("spec.request", request, wrong))
    errors += _usage_errors(spec.get("usages") or [], "spec.usages")
    errors += _signer_errors(spec.get("signerName", ""), "spec.signerName")
    if seconds is not None and seconds < _SHORTEST:
        wrong = "may not specify a duration less than 600 seconds (10 minutes)"
        errors.append(field_error.invalid("spec.expirationSeconds", seconds, wrong))
    return errors


def _usage_errors(usages: list[str], path: str) -> Iterator[FieldError]:
    if not usages:
        yield field_error.required(path)
    for index, usage in enumerate(usages):
        if usage not in _USAGES:
            yield field_error.not_supported(f"{path}[{index}]", usage, _USAGES)
    again = repeated(usages)
    for index, usage in enumerate(usages):
        if index in again:
            yield field_error.duplicate(f"{path}[{index}]", usage)


def _signer_errors(signer: str, path: str) -> Iterator[FieldError]:
    parts = signer.split("/")
    if not signer:
        yield field_error.required(path)
    elif signer == _LEGACY:
        yield field_error.invalid(path, signer, "the legacy signerName is not allowed via this API version")
    elif len(parts) != _SIGNER_PARTS:
        wrong = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
        yield field_error.invalid(path, signer, wrong)
    else:
        yield from _domain_errors(parts[0], path)
        for label in parts[1].split("."):
            for wrong in name_rules.dns_subdomain(label):
                yield field_error.invalid(path, parts[1], f"validating label {quoted(label)}: {wrong}")


def _domain_errors(domain: str, path: str) -> Iterator[FieldError]:
    if len(domain.encode()) > _LONGEST_DOMAIN:
        yield field_error.too_long(path, _LONGEST_DOMAIN)
    labels = domain.split(".")
    faults = [(label, wrong) for label in labels for wrong in name_rules.dns_label(label)]
    first = faults[0][0] if faults else ""  # the others are not told
    for label, wrong in faults:
        if label == first:
            yield field_error.invalid(path, domain, f"validating label {quoted(label)}: {wrong}")
    if len(labels) < _SIGNER_PARTS:
        yield field_error.invalid(path, domain, "should be a domain with at least two segments separated by dots")


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    errors = new_metadata_errors(value["metadata"], path_rule, namespaced=False)
    return [*errors, *request_status_errors(value, old, subresource=subresource)] if subresource else errors


CERTIFICATE_REQUEST: Final = KindRules(
    prepare_for_update=_prepare_for_update, validate=_validate, validate_update=_validate_update
)
