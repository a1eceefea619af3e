"""CSI drivers: what they say of themselves; how volumes are attached and live never changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_MODES: Final = ("Persistent", "Ephemeral")
_POLICIES: Final = ("File", "None", "ReadWriteOnceWithFSType")
_SHORTEST_TOKEN: Final = 600  # seconds
_LONGEST_TOKEN: Final = 1 << 32
_SHORTEST_PERIOD: Final = 10  # seconds
_DISABLED: Final = "preventPodSchedulingIfMissing"  # its feature is off by default


def _prepare_for_create(value: JsonObject) -> None:
    value["spec"].pop(_DISABLED, None)


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:  # noqa: ARG001 - it has no subresource
    if _DISABLED not in (old.get("spec") or {}):
        value["spec"].pop(_DISABLED, None)


def _validate(value: JsonObject) -> list[FieldError]:
    return list(_spec_errors(value["spec"]))


def _spec_errors(spec: JsonObject) -> Iterator[FieldError]:
    named = {"attachRequired": "attachedRequired", "podInfoOnMount": "podInfoOnMount"}  # the first as it is told
    for name, shown in {**named, "storageCapacity": "storageCapacity"}.items():
        if spec.get(name) is None:
            yield field_error.required(f"spec.{shown}")
    policy, period = spec.get("fsGroupPolicy"), spec.get("nodeAllocatableUpdatePeriodSeconds")
    if policy is not None and policy not in _POLICIES:
        yield field_error.not_supported("spec.fsGroupPolicy", policy, _POLICIES)
    yield from _token_errors(spec.get("tokenRequests") or [])
    for mode in spec.get("volumeLifecycleModes") or ():
        if mode not in _MODES:
            yield field_error.not_supported("spec.volumeLifecycleModes", mode, _MODES)
    if spec.get("seLinuxMount") is None:
        yield field_error.required("spec.seLinuxMount")
    if period is not None and period < _SHORTEST_PERIOD:
        wrong = "must be greater than or equal to 10 seconds"
        yield field_error.invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, wrong)
    in_secrets = spec.get("serviceAccountTokenInSecrets")
    if in_secrets is not None and not spec.get("tokenRequests"):
        wrong = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
        yield field_error.invalid("spec.serviceAccountTokenInSecrets", in_secrets, wrong)


def _token_errors(requests: list[JsonObject]) -> Iterator[FieldError]:
    audiences: list[str] = []
    for index, request in enumerate(requests):
        path, audience = f"spec.tokenRequests[{index}]", request.get("audience", "")
        if audience in audiences:
            yield field_error.duplicate(f"{path}.audience", audience)
            continue
        audiences.append(audience)
        seconds = request.get("expirationSeconds")
        if seconds is not None and seconds < _SHORTEST_TOKEN:
            wrong = "may not specify a duration less than 10 minutes"
            yield field_error.invalid(f"{path}.expirationSeconds", seconds, wrong)
        if seconds is not None and seconds > _LONGEST_TOKEN:
            wrong = "may not specify a duration larger than 2^32 seconds"
            yield field_error.invalid(f"{path}.expirationSeconds", seconds, wrong)


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    spec, before, errors = value["spec"], old.get("spec") or {}, _validate(value)
    for name, shown in (("attachRequired", "attachedRequired"), ("volumeLifecycleModes", "volumeLifecycleModes")):
        if (spec.get(name) or None) != (before.get(name) or None):
            errors.append(field_error.invalid(f"spec.{shown}", spec.get(name), "field is immutable"))
    return errors


CSI_DRIVER: Final = KindRules(
    prepare_for_create=_prepare_for_create,
    prepare_for_update=_prepare_for_update,
    validate=_validate,
    validate_update=_validate_update,
)
