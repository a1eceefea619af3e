r"""Field selectors: `status.phase=Running,metadata.name!=web`, read, matched and written.

Which fields a kind can be selected by is the server's business (name and namespace for all of them). Values escape
`\`, `,` and `=` by a backslash.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Self

import msgspec

from konverge.api.invalid import InvalidValue

_OPERATOR = re.compile(r"!=|==|=")
_ESCAPE = re.compile(r"([\\,=])")
_ESCAPED_VALUE = re.compile(r"(?:\\[\\,=]|[^\\,=])*", re.DOTALL)


class FieldRequirement(msgspec.Struct, frozen=True, order=True):
    """One field that must have a value, or must not."""

    field: str
    value: str
    negated: bool = False

    def __post_init__(self) -> None:
        if not self.field or _ESCAPE.search(self.field) or self.field.endswith("!"):
            raise InvalidValue(f"field selector: {self.field!r} is not a field path such as metadata.name")

    def matches(self, value: str) -> bool:
        """Whether the field's value, empty where it is absent, meets the requirement."""
        return (value == self.value) is not self.negated

    def __str__(self) -> str:
        operator = "!=" if self.negated else "="
        return self.field + operator + _ESCAPE.sub(r"\\\1", self.value)


class FieldSelector(msgspec.Struct, frozen=True):
    """A conjunction of requirements, kept sorted; the empty one matches everything and is false."""

    requirements: tuple[FieldRequirement, ...] = ()

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "requirements", tuple(sorted(set(self.requirements))))

    @classmethod
    def of(cls, selector: str | Mapping[str, str] | FieldSelector) -> FieldSelector:
        """Take whatever form the caller has: a text, the fields with their values, or a selector."""
        if isinstance(selector, FieldSelector):
            return selector
        return cls.parse(selector) if isinstance(selector, str) else cls.from_fields(selector)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the text form."""
        return cls(tuple(_requirement(term, text) for term in _terms(text) if term))

    @classmethod
    def from_fields(cls, fields: Mapping[str, str]) -> Self:
        """Require each of these fields to have its value."""
        return cls(tuple(FieldRequirement(field, value) for field, value in fields.items()))

    def matches(self, fields: Mapping[str, str] | Callable[[str], str]) -> bool:
        """Whether an object meets every requirement, given its fields or a function from path to value."""
        read = fields if callable(fields) else lambda path: fields.get(path, "")
        return all(requirement.matches(read(requirement.field)) for requirement in self.requirements)

    def __and__(self, other: FieldSelector) -> FieldSelector:
        return FieldSelector(self.requirements + other.requirements)

    def __bool__(self) -> bool:
        return bool(self.requirements)

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))


def _terms(text: str) -> list[str]:
    """Split at the commas that are not escaped; what is escaped stays so."""
    terms, start, escaped = [], 0, False
    for index, char in enumerate(text):
        if char == "," and not escaped:
            terms.append(text[start:index])
            start = index + 1
        escaped = char == "\\" and not escaped
    return [*terms, text[start:]]


def _requirement(term: str, text: str) -> FieldRequirement:
    operator = _OPERATOR.search(term)
    if operator is None:
        raise InvalidValue(f"{_place(term, text)}: expected field=value or field!=value")
    value = term[operator.end() :]
    if not _ESCAPED_VALUE.fullmatch(value):
        raise InvalidValue(rf"{_place(term, text)}: write \\, \, and \= for \ , and = in a value, and no other escape")
    plain = re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)
    return FieldRequirement(term[: operator.start()], plain, operator[0] == "!=")


def _place(term: str, text: str) -> str:
    return f"field selector {text!r}, in {term!r}"
