"""Label selectors: read from text, from labels or from a `matchLabels`/`matchExpressions` mapping; match; write.

The text is what kubectl's `-l` and the API server's `labelSelector` take: `app=web,tier in (a, b),!legacy,size>3`. A
selector is a conjunction; the empty one matches everything. `str()` gives the canonical text: sorted, so that equal
selectors are equal texts, and without needless spelling (`==` becomes `=`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Self

import msgspec

from konverge.api.invalid import InvalidValue
from konverge.api.label import check_label_key, check_label_value

_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_TOKEN = re.compile(r"[ \t\r\n]*(==|!=|[=!(),<>]|[^=!(),<> \t\r\n]+|\Z)")
_SYMBOLS = frozenset({"==", "!=", "=", "!", "(", ")", ",", "<", ">", ""})


class Operator(StrEnum):
    """How a requirement compares a label; the value is how it is written."""

    EQUALS = "="
    NOT_EQUALS = "!="
    IN = "in"
    NOT_IN = "notin"
    EXISTS = "exists"
    DOES_NOT_EXIST = "!"
    GREATER_THAN = ">"
    LESS_THAN = "<"


_ONE_VALUE = frozenset({Operator.EQUALS, Operator.NOT_EQUALS, Operator.GREATER_THAN, Operator.LESS_THAN})
_NO_VALUE = frozenset({Operator.EXISTS, Operator.DOES_NOT_EXIST})
_NEGATIVE = frozenset({Operator.NOT_EQUALS, Operator.NOT_IN, Operator.DOES_NOT_EXIST})
_ORDER = frozenset({Operator.GREATER_THAN, Operator.LESS_THAN})
_IN_TEXT = {
    "==": Operator.EQUALS,
    **{op.value: op for op in (*_ONE_VALUE, Operator.IN, Operator.NOT_IN)},
}
_IN_SPEC = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.DOES_NOT_EXIST,
}


class Requirement(msgspec.Struct, frozen=True):
    """One condition on one label; checked when it is made, with its values sorted and each there once."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_label_key(self.key)
        for value in self.values:
            check_label_value(value)
        msgspec.structs.force_setattr(self, "values", tuple(sorted(set(self.values))))
        self._check_count()
        if self.operator in _ORDER and _integer(self.values[0]) is None:
            raise InvalidValue(
                f"{self.key}{self.operator}{self.values[0]}: only whole numbers of 64 bits have an order"
            )

    def _check_count(self) -> None:
        count = len(self.values)
        if self.operator in _NO_VALUE:
            wanted, fits = "no value", count == 0
        elif self.operator in _ONE_VALUE:
            wanted, fits = "exactly one value", count == 1
        else:
            wanted, fits = "at least one value", count > 0
        if not fits:
            raise InvalidValue(f"label selector on {self.key}: {self.operator.name} takes {wanted}, not {count}")

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether an object with these labels meets the condition; an absent label meets only the negative ones."""
        value = labels.get(self.key)
        if value is None:
            return self.operator in _NEGATIVE
        if self.operator in _NO_VALUE:
            return self.operator is Operator.EXISTS
        if self.operator in _ORDER:
            return self._compares(value)
        return (value in self.values) is not (self.operator in _NEGATIVE)

    def _compares(self, value: str) -> bool:
        left, right = _integer(value), int(self.values[0])
        if left is None:
            return False
        return left > right if self.operator is Operator.GREATER_THAN else left < right

    def __str__(self) -> str:
        if self.operator in _NO_VALUE:
            return self.key if self.operator is Operator.EXISTS else f"!{self.key}"
        if self.operator in _ONE_VALUE:
            return f"{self.key}{self.operator}{self.values[0]}"
        return f"{self.key} {self.operator} ({','.join(self.values)})"


class LabelSelector(msgspec.Struct, frozen=True):
    """A conjunction of requirements; the empty one matches everything and is false."""

    requirements: tuple[Requirement, ...] = ()

    def __post_init__(self) -> None:
        ordered = {str(requirement): requirement for requirement in self.requirements}
        arranged = sorted(ordered.items(), key=lambda item: (item[1].key, item[0]))
        msgspec.structs.force_setattr(self, "requirements", tuple(requirement for _, requirement in arranged))

    @classmethod
    def of(cls, selector: str | Mapping[str, str] | LabelSelector) -> LabelSelector:
        """Take whatever form the caller has: a text, the labels to have, or a selector."""
        if isinstance(selector, LabelSelector):
            return selector
        return cls.parse(selector) if isinstance(selector, str) else cls.from_labels(selector)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the text form."""
        return cls(_Parser(text).requirements())

    @classmethod
    def from_labels(cls, labels: Mapping[str, str]) -> Self:
        """Require each of these labels with its value."""
        return cls(tuple(Requirement(key, Operator.EQUALS, (value,)) for key, value in labels.items()))

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any] | None) -> LabelSelector:
        """Read a `metav1.LabelSelector` in its JSON form; an absent one matches nothing, an empty one everything."""
        if spec is None:
            return cls.nothing()
        requirements = [_from_expression(expression) for expression in spec.get("matchExpressions") or ()]
        return cls.from_labels(spec.get("matchLabels") or {}) & cls(tuple(requirements))

    @classmethod
    def nothing(cls) -> Self:
        """Match nothing, here and on the server: a contradiction, because the text has no other word for it."""
        key = "konverge.dev/nothing"
        return cls((Requirement(key, Operator.EXISTS), Requirement(key, Operator.DOES_NOT_EXIST)))

    def matches(self, labels: Mapping[str, str] | None) -> bool:
        """Whether an object with these labels, or with none, meets every requirement."""
        present = labels or {}
        return all(requirement.matches(present) for requirement in self.requirements)

    def __and__(self, other: LabelSelector) -> LabelSelector:
        return LabelSelector(self.requirements + other.requirements)

    def __bool__(self) -> bool:
        return bool(self.requirements)

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))


def _integer(text: str) -> int | None:
    longest = 20  # characters of a 64-bit number with its sign
    if len(text) > longest or not _INTEGER.fullmatch(text):
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


def _from_expression(expression: Mapping[str, Any]) -> Requirement:
    key, operator = expression.get("key", ""), expression.get("operator", "")
    if operator not in _IN_SPEC:
        raise InvalidValue(f"matchExpressions on {key!r}: {operator!r} is none of {', '.join(_IN_SPEC)}")
    return Requirement(key, _IN_SPEC[operator], tuple(expression.get("values") or ()))


class _Parser:
    """Reads the text form by recursive descent over tokens that know their place."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [(match[1], match.start(1)) for match in _TOKEN.finditer(text)]
        self._next = 0

    def requirements(self) -> tuple[Requirement, ...]:
        found: list[Requirement] = []
        if self._peek() == "":
            return ()
        while True:
            found.append(self._requirement())
            match self._take():
                case "":
                    return tuple(found)
                case ",":
                    continue
            raise self._error("',' or the end")

    def _requirement(self) -> Requirement:
        negated = self._peek() == "!" and bool(self._take())
        key = self._word("a label key")
        place = self._next - 1
        if negated:
            return self._made(place, key, Operator.DOES_NOT_EXIST, ())
        if self._peek() in {"", ","}:
            return self._made(place, key, Operator.EXISTS, ())
        operator = _IN_TEXT.get(self._take())
        if operator is None:
            raise self._error("one of = == != in notin < >")
        values = self._list() if operator in {Operator.IN, Operator.NOT_IN} else (self._value(),)
        return self._made(place, key, operator, values)

    def _made(self, place: int, key: str, operator: Operator, values: tuple[str, ...]) -> Requirement:
        try:
            return Requirement(key, operator, values)
        except InvalidValue as error:
            raise InvalidValue(f"{self._where(place)}: {error}") from error

    def _value(self) -> str:
        return "" if self._peek() in {"", ","} else self._word("a value")

    def _list(self) -> tuple[str, ...]:
        """Read "(a, b)"; nothing between two commas, or in the whole list, is the empty value."""
        if self._take() != "(":
            raise self._error("'('")
        values: list[str] = []
        while True:
            values.append("" if self._peek() in {",", ")"} else self._word("a value"))
            match self._take():
                case ")":
                    return tuple(values)
                case ",":
                    continue
            raise self._error("',' or ')'")

    def _word(self, wanted: str) -> str:
        word = self._take()
        if word in _SYMBOLS:
            raise self._error(wanted)
        return word

    def _peek(self) -> str:
        return self._tokens[self._next][0]

    def _take(self) -> str:
        token = self._peek()
        self._next += 1
        return token

    def _error(self, wanted: str) -> InvalidValue:
        place = self._next - 1
        seen = self._tokens[place][0]
        return InvalidValue(f"{self._where(place)}: found {repr(seen) if seen else 'the end'}, expected {wanted}")

    def _where(self, place: int) -> str:
        return f"label selector {self._text!r}, position {self._tokens[place][1] + 1}"
