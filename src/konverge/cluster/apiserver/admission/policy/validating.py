"""ValidatingPolicies: what authors forbid in CEL.

A policy says no; its binding says what that means: Deny, Warn or Audit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import msgspec

from konverge.cluster.apiserver.access.authorization import Authorization
from konverge.cluster.apiserver.admission.attributes import Attributes
from konverge.cluster.apiserver.admission.policy.invocation import Denial, Finder, Invocation
from konverge.cluster.apiserver.admission.policy.source import Source
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.apiserver.resource import Resource, Resources
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.apiserver.strategy import JsonObject

if TYPE_CHECKING:
    from konverge.cluster.apiserver.admission.policy.validation import CompiledValidation, Finding  # CEL is large

_CODES: Final = {"Forbidden": 403, "Unauthorized": 401, "RequestEntityTooLarge": 413}
_INVALID: Final = "Invalid"
_FAILED: Final = "validation.policy.admission.k8s.io/validation_failure"


def _compile(spec: JsonObject) -> CompiledValidation:
    from konverge.cluster.apiserver.admission.policy.validation import (  # noqa: PLC0415 - CEL is large
        compile_validation,
    )

    return compile_validation(spec)


class ValidatingPolicies:
    """The plugin ValidatingAdmissionPolicy."""

    def __init__(self, storage: Storage, resources: Resources, authorization: Authorization) -> None:
        self._source: Source[CompiledValidation] = Source(storage, "validatingadmissionpolicies", _compile)
        self._finder = Finder(storage, resources, authorization, self._source)

    @property
    def is_active(self) -> bool:
        """Whether any policy is bound."""
        return bool(self._source.found)

    def changed(self, resource: Resource) -> None:
        """Take note of a write."""
        self._source.changed(resource)

    async def validate(self, attributes: Attributes) -> None:
        """Refuse what a policy forbids; all of them are asked, and the first one is told."""
        denials = [denial for each in self._finder.find(attributes) for denial in self._denials(attributes, each)]
        if denials:
            raise _refusal(attributes, denials[0])

    def _denials(self, attributes: Attributes, each: Invocation[CompiledValidation] | Denial) -> Iterator[Denial]:
        if isinstance(each, Denial):
            yield each
            return
        inputs = self._finder.inputs(attributes, each)
        findings, annotations = each.policy.compiled.evaluate(inputs, fails=each.policy.fails)
        for key, values in annotations.items():
            _annotate(attributes, f"{each.policy.name}/{key}", values)
        for finding in findings:
            yield from self._acted(attributes, each, finding)

    def _acted(
        self, attributes: Attributes, invocation: Invocation[CompiledValidation], finding: Finding
    ) -> Iterator[Denial]:
        """Do what the binding says is to be done."""
        if finding.always_denies:
            yield invocation.denial(finding.message, finding.reason)
            return
        names = f"'{invocation.policy.name}' with binding '{invocation.binding.name}'"
        for action in invocation.binding.spec.get("validationActions") or ():
            if action == "Deny":
                yield invocation.denial(finding.message, finding.reason)
            elif action == "Warn":
                text = f"Validation failed for ValidatingAdmissionPolicy {names}: {finding.message}"
                attributes.warnings.append(text)
            elif action == "Audit":
                attributes.annotations[_FAILED] = _audited(invocation, finding)


def _annotate(attributes: Attributes, key: str, value: str) -> None:
    """Add an audit annotation; what several bindings say stands one after the other, each once."""
    said = attributes.annotations.get(key)
    if said is None:
        attributes.annotations[key] = value
    elif value not in said.split(", "):
        attributes.annotations[key] = f"{said}, {value}"


def _audited(invocation: Invocation[CompiledValidation], finding: Finding) -> str:
    failure = {
        "message": finding.message,
        "policy": invocation.policy.name,
        "binding": invocation.binding.name,
        "expressionIndex": finding.index,
        "validationActions": list(invocation.binding.spec.get("validationActions") or ()),
    }
    return msgspec.json.encode([failure]).decode()


def _refusal(attributes: Attributes, denial: Denial) -> Failure:
    binding = f" with binding '{denial.binding}'" if denial.binding else ""
    message = f"ValidatingAdmissionPolicy '{denial.policy}'{binding} denied request: {denial.message}"
    failure = attributes.forbidden(message)
    failure.reason = denial.reason or _INVALID
    failure.code = _CODES.get(failure.reason, 422)
    failure.details = {**(failure.details or {}), "causes": [{"message": message}]}
    return failure
