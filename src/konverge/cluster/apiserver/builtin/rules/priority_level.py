"""Priority level configurations: how many requests are answered at once, and what becomes of the others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.flow_schema import status_errors
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.mandatory_flow import fixed_level_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_OF_OLD_VERSIONS: Final = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"
_TYPES: Final = ("Exempt", "Limited")
_RESPONSES: Final = ("Queue", "Reject")
_MOST_QUEUES: Final = 10_000_000
_MOST_BITS: Final = 60
_WHOLE: Final = 100


def _validate(value: JsonObject) -> list[FieldError]:
    spec, name = value.get("spec") or {}, value["metadata"].get("name", "")
    return [*_annotation_errors(value["metadata"]), *_spec_errors(spec, name), *fixed_level_errors(spec, name)]


def _annotation_errors(metadata: JsonObject) -> Iterator[FieldError]:
    if _OF_OLD_VERSIONS in (metadata.get("annotations") or {}):
        yield field_error.forbidden("metadata.annotations", f"annotation '{_OF_OLD_VERSIONS}' is forbidden")


def _spec_errors(spec: JsonObject, name: str) -> Iterator[FieldError]:
    kind, limited, exempt = spec.get("type", ""), spec.get("limited"), spec.get("exempt")
    if (name == "exempt") != (kind == "Exempt"):
        yield field_error.invalid("spec.type", kind, "must be 'Exempt' if and only if `name` is 'exempt'")
    if kind == "Exempt":
        if limited is not None:
            yield field_error.forbidden("spec.limited", "must be nil if the type is not Limited")
        yield from _share_errors(exempt or {}, "spec.exempt")
        yield from _lending_errors(exempt or {}, "spec.exempt")
    elif kind == "Limited":
        if exempt is not None:
            yield field_error.forbidden("spec.exempt", "must be nil if the type is Limited")
        if limited is None:
            yield field_error.required("spec.limited", "must not be empty when type is Limited")
        else:
            yield from _limited_errors(limited, "spec.limited")
    else:
        yield (field_error.not_supported("spec.type", kind, _TYPES) if kind else field_error.required("spec.type"))


def _share_errors(level: JsonObject, path: str) -> Iterator[FieldError]:
    shares = level.get("nominalConcurrencyShares")
    if shares is not None and shares < 0:
        yield field_error.invalid(f"{path}.nominalConcurrencyShares", shares, "must be a non-negative integer")


def _lending_errors(level: JsonObject, path: str) -> Iterator[FieldError]:
    lendable = level.get("lendablePercent")
    if lendable is not None and not 0 <= lendable <= _WHOLE:
        yield field_error.invalid(f"{path}.lendablePercent", lendable, "must be between 0 and 100, inclusive")


def _limited_errors(limited: JsonObject, path: str) -> Iterator[FieldError]:
    yield from _share_errors(limited, path)
    yield from _response_errors(limited.get("limitResponse") or {}, f"{path}.limitResponse")
    yield from _lending_errors(limited, path)
    borrowing = limited.get("borrowingLimitPercent")
    if borrowing is not None and borrowing < 0:
        wrong = "if specified, must be a non-negative integer"
        yield field_error.invalid(f"{path}.borrowingLimitPercent", borrowing, wrong)


def _response_errors(response: JsonObject, path: str) -> Iterator[FieldError]:
    kind, queuing = response.get("type", ""), response.get("queuing")
    if kind == "Reject":
        if queuing is not None:
            wrong = "must be nil if limited.limitResponse.type is not Limited"
            yield field_error.forbidden(f"{path}.queuing", wrong)
    elif kind == "Queue":
        if queuing is None:
            needed = "must not be empty if limited.limitResponse.type is Limited"
            yield field_error.required(f"{path}.queuing", needed)
        else:
            yield from _queue_errors(queuing, f"{path}.queuing")
    elif kind:
        yield field_error.not_supported(f"{path}.type", kind, _RESPONSES)
    else:
        yield field_error.required(f"{path}.type")


def _queue_errors(queuing: JsonObject, path: str) -> Iterator[FieldError]:
    length, queues, hand = (queuing.get(name, 0) for name in ("queueLengthLimit", "queues", "handSize"))
    if length <= 0:
        yield field_error.invalid(f"{path}.queueLengthLimit", length, "must be positive")
    if queues <= 0:
        yield field_error.invalid(f"{path}.queues", queues, "must be positive")
    elif queues > _MOST_QUEUES:
        yield field_error.invalid(f"{path}.queues", queues, f"must not be greater than {_MOST_QUEUES}")
    if hand <= 0:
        yield field_error.invalid(f"{path}.handSize", hand, "must be positive")
    elif hand > queues:
        yield field_error.invalid(f"{path}.handSize", hand, f"should not be greater than queues ({queues})")
    elif _bits(queues, hand) > _MOST_BITS:
        wrong = (
            f"required entropy bits of deckSize {queues} and handSize {hand} should not be greater than {_MOST_BITS}"
        )
        yield field_error.invalid(f"{path}.handSize", hand, wrong)


def _bits(queues: int, hand: int) -> int:
    """Return how many bits of a hash it takes to deal a hand of queues."""
    return math.ceil(math.log2(queues) * hand)


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - all of it may change
    return status_errors(value) if subresource == "status" else _validate(value)


PRIORITY_LEVEL: Final = KindRules(validate=_validate, validate_update=_validate_update)
