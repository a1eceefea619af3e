"""Layout: manifests as YAML, byte for byte as controller-gen would write them.

Keys are in natural order (`port2` before `port10`), lists are not indented, texts of several lines are literal blocks,
long ones are folded, and a text that some reader could take for something else is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import cmp_to_key
from typing import Any

import yaml

_TAG = "tag:yaml.org,2002:"
_TEXT = f"{_TAG}str"
_BARE_SIGNS = ("!", "&", "*")  # texts to Go, and a kind of their own to PyYAML
_EXPONENTS = range(-4, 6)  # of numbers that are written out in full


def to_yaml(*manifests: Mapping[str, Any]) -> str:
    """Return manifests as YAML documents, each after its `---`."""
    return "".join(f"---\n{_dumped(manifest)}" for manifest in manifests)


def _dumped(manifest: Mapping[str, Any]) -> str:
    text: str = yaml.dump(
        _ordered(manifest),
        Dumper=_Dumper,
        default_flow_style=False,
        allow_unicode=True,
        sort_keys=False,
        width=80,
        indent=2,
    )
    return text


# --- the order of keys ---


def _ordered(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _ordered(value[key]) for key in sorted(value, key=cmp_to_key(_compared))}
    return [_ordered(item) for item in value] if isinstance(value, list) else value


def _compared(left: str, right: str) -> int:
    """Which of two keys stands first, told by the first characters that differ."""
    place = next((at for at, (one, other) in enumerate(zip(left, right, strict=False)) if one != other), None)
    if place is None:
        return len(left) - len(right)
    letters = left[place].isalpha(), right[place].isalpha()
    if letters[0] != letters[1]:
        return 1 if letters[0] else -1
    ours, theirs = _number_at(left, place), _number_at(right, place)
    return -1 if (ours, left[place]) < (theirs, right[place]) else 1


def _number_at(text: str, place: int) -> tuple[int, int]:
    """The number that a place is in, and how long it is; zeros where it is in none."""
    start = end = place
    while end < len(text) and text[end].isdecimal():
        end += 1
    while start > 0 and text[start - 1].isdecimal():
        start -= 1
    return (int(text[start:end]), end - start) if end > place else (0, 0)


# --- the style of values ---


class _Dumper(yaml.SafeDumper):
    """PyYAML's dumper with Go's choice of styles."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - a value that stands twice is written twice
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if "\n" in text:
        style = "|"
    elif text not in _BARE_SIGNS and dumper.resolve(yaml.ScalarNode, text, (True, False)) != _TEXT:  # type: ignore[no-untyped-call]  # PyYAML
        style = '"'  # it would be read as something else
    return dumper.represent_scalar(_TEXT, text, style)


def _float(dumper: yaml.SafeDumper, number: float) -> yaml.ScalarNode:
    sign, digits, _ = Decimal(repr(number)).normalize().as_tuple()
    exponent = Decimal(repr(number)).adjusted()
    if exponent in _EXPONENTS or not number:
        written = f"{Decimal(repr(number)).normalize():f}"
    else:
        tail = "".join(map(str, digits[1:]))
        written = f"{'-' * sign}{digits[0]}{'.' * bool(tail)}{tail}e{exponent:+03d}"
    return dumper.represent_scalar(f"{_TAG}float", written)


# What only YAML 1.2, or only the first readers of 1.1, take for a number or a boolean; PyYAML would write it bare.
for _kind, _pattern, _first in (
    ("bool", r"[yYnN]$", "yYnN"),
    ("int", r"0o[0-7]+$", "0"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+$", "-+.0123456789"),
):
    _Dumper.add_implicit_resolver(f"{_TAG}{_kind}", re.compile(_pattern), list(_first))

_Dumper.add_representer(str, _text)
_Dumper.add_representer(float, _float)
