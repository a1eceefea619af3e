"""Findings: what value validation finds, in the words of kube-openapi, and the field errors made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.schema.go_value import go_json, told


class Sort(Enum):
    """What decides how a finding is told."""

    PLAIN = auto()  # without a field of its own: told of the whole value
    TYPE = auto()
    REQUIRED = auto()
    TOO_LONG = auto()
    TOO_MANY = auto()
    ENUM = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong. Two of the same message are one: the real server tells each message once."""

    sort: Sort
    message: str
    path: str = ""
    value: Any = None
    limit: int = 0
    supported: Sequence[Any] = ()


class Findings:
    """What is wrong with a value under one schema, and how many checks passed: of alternatives the best is told."""

    __slots__ = ("_found", "matches")

    def __init__(self) -> None:
        self._found: dict[str, Finding] = {}
        self.matches = 0

    def add(self, *findings: Finding) -> None:
        """Take findings whose message is new."""
        for finding in findings:
            self._found.setdefault(finding.message, finding)

    def merge(self, other: Findings) -> None:
        """Take what another schema found, with its count."""
        self.add(*other)
        self.matches += other.matches

    def forgive(self) -> None:
        """Forget what is wrong but not what passed: the value was so before."""
        self._found.clear()

    def __iter__(self) -> Any:
        return iter(self._found.values())

    def __bool__(self) -> bool:
        return bool(self._found)


def field_errors(findings: Iterable[Finding], path: str = "") -> list[FieldError]:
    """Return the findings as causes; `path` is where the validated value stands, empty for a whole object."""
    return [_field_error(finding, path) for finding in findings]


def _field_error(finding: Finding, path: str) -> FieldError:
    if finding.sort is Sort.PLAIN:
        return field_error.invalid(path or "<nil>", "", finding.message)
    where = _joined(path, finding.path)
    if finding.sort is Sort.REQUIRED:
        return field_error.required(where)
    if finding.sort is Sort.ENUM:
        return field_error.not_supported(where, told(finding.value), map(_text, finding.supported), is_plain=True)
    if finding.sort is Sort.TOO_LONG:
        return field_error.too_long(where, finding.limit)
    if finding.sort is Sort.TOO_MANY:
        return field_error.too_many(where, finding.value, finding.limit)
    make = field_error.type_invalid if finding.sort is Sort.TYPE else field_error.invalid
    return make(where, "" if finding.value is None else told(finding.value), finding.message)


def _joined(path: str, below: str) -> str:
    below = below.removeprefix(".")
    if not below:
        return path or "<nil>"
    return f"{path}.{below}" if path else below


def _text(value: Any) -> str:
    return value if isinstance(value, str) else go_json(value)
