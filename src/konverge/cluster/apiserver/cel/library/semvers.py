"""Kubernetes' semantic versions, version 1 of the library: `semver('1.2.3')`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NoReturn

from konverge.cluster.apiserver.cel.cel_error import CelError, no_such_overload
from konverge.cluster.apiserver.cel.declarations import Function, function, member, overload
from konverge.cluster.apiserver.cel.library.binding import Bindings
from konverge.cluster.apiserver.cel.types import BOOL, INT, STRING, struct
from konverge.cluster.apiserver.cel.values import MAX_INT, MAX_UINT
from konverge.cluster.apiserver.go_text import quoted

SEMVER: Final = struct("kubernetes.Semver")
FUNCTIONS: Final[tuple[Function, ...]] = (
    function(
        "semver",
        overload("string_to_semver", [STRING], SEMVER),
        overload("string_bool_to_semver", [STRING, BOOL], SEMVER),
    ),
    function(
        "isSemver",
        overload("is_semver_string", [STRING], BOOL),
        overload("is_semver_string_bool", [STRING, BOOL], BOOL),
    ),
    function("isGreaterThan", member("semver_is_greater_than", [SEMVER, SEMVER], BOOL)),
    function("isLessThan", member("semver_is_less_than", [SEMVER, SEMVER], BOOL)),
    function("compareTo", member("semver_compare_to", [SEMVER, SEMVER], INT)),
    function("major", member("semver_major", [SEMVER], INT)),
    function("minor", member("semver_minor", [SEMVER], INT)),
    function("patch", member("semver_patch", [SEMVER], INT)),
)
_PARTS: Final = 3
_NUMBER: Final = re.compile(r"[0-9]*", re.ASCII)
_WORD: Final = re.compile(r"[0-9A-Za-z-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class SemverValue:
    """A version; `build` does not count when versions are compared."""

    CEL_TYPE: ClassVar[str] = "kubernetes.Semver"
    numbers: tuple[int, int, int]
    prerelease: tuple[int | str, ...] = ()
    build: tuple[str, ...] = ()

    def same(self, other: Any) -> bool:
        """Whether neither is newer."""
        if other.__class__ is not SemverValue:
            raise no_such_overload()
        return compared(self, other) == 0

    def __str__(self) -> str:
        text = ".".join(map(str, self.numbers))
        text += f"-{'.'.join(map(str, self.prerelease))}" if self.prerelease else ""
        return text + (f"+{'.'.join(self.build)}" if self.build else "")


def compared(one: SemverValue, other: SemverValue) -> int:
    """Return -1, 0 or 1: a prerelease comes before its release."""
    left, right = _order(one), _order(other)
    return (left > right) - (left < right)


def _order(version: SemverValue) -> tuple[Any, ...]:
    parts = [(0, part, "") if isinstance(part, int) else (1, 0, part) for part in version.prerelease]
    return version.numbers, not parts, parts


def _parse(text: str) -> SemverValue:
    if not text:
        raise CelError("Version string empty")
    parts = text.split(".", _PARTS - 1)
    if len(parts) != _PARTS:
        raise CelError("No Major.Minor.Patch elements found")
    major, minor = _number(parts[0], "Major"), _number(parts[1], "Minor")
    rest, has_build, build = parts[2].partition("+")
    patch, has_prerelease, prerelease = rest.partition("-")
    return SemverValue(
        (major, minor, _number(patch, "Patch")),
        tuple(map(_prerelease, prerelease.split("."))) if has_prerelease else (),
        tuple(map(_build, build.split("."))) if has_build else (),
    )


def _number(text: str, name: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise CelError(f"Invalid character(s) found in {name.lower()} number {quoted(text)}")
    if len(text) > 1 and text.startswith("0"):
        raise CelError(f"{name} number must not contain leading zeroes {quoted(text)}")
    if not text:
        _refuse(text, "invalid syntax")
    if int(text) > MAX_UINT:
        _refuse(text, "value out of range")
    return int(text)


def _refuse(text: str, reason: str) -> NoReturn:
    raise CelError(f"strconv.ParseUint: parsing {quoted(text)}: {reason}")


def _prerelease(text: str) -> int | str:
    if not text:
        raise CelError("Prerelease is empty")
    if not _NUMBER.fullmatch(text):
        if not _WORD.fullmatch(text):
            raise CelError(f"Invalid character(s) found in prerelease {quoted(text)}")
        return text
    if len(text) > 1 and text.startswith("0"):
        raise CelError(f"Numeric PreRelease version must not contain leading zeroes {quoted(text)}")
    if int(text) > MAX_UINT:
        _refuse(text, "value out of range")
    return int(text)


def _build(text: str) -> str:
    if not text:
        raise CelError("Build meta data is empty")
    if not _WORD.fullmatch(text):
        raise CelError(f"Invalid character(s) found in build meta data {quoted(text)}")
    return text


def _normalized(text: str) -> str:
    parts = [_without_zeros(part) for part in text.removeprefix("v").split(".", _PARTS - 1)]
    if len(parts) < _PARTS:
        if set(parts[-1]) & {"+", "-"}:
            raise CelError("short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (_PARTS - len(parts))
    return ".".join(parts)


def _without_zeros(part: str) -> str:
    if len(part) <= 1:
        return part
    rest = part.lstrip("0")
    return rest if rest[:1] in tuple("0123456789") else f"0{rest}"


def _to_semver(text: str, is_tolerant: bool = False) -> SemverValue:  # noqa: FBT001, FBT002 - CEL's own argument
    return _parse(_normalized(text) if is_tolerant else text)


def _is_semver(text: str, is_tolerant: bool = False) -> bool:  # noqa: FBT001, FBT002 - CEL's own argument
    try:
        _to_semver(text, is_tolerant)
    except CelError:
        return False
    return True


def _part(version: SemverValue, index: int) -> int:
    number = version.numbers[index]
    return number if number <= MAX_INT else number - MAX_UINT - 1  # Go's conversion to a signed number wraps


BINDINGS: Final[Bindings] = {
    "string_to_semver": _to_semver,
    "string_bool_to_semver": _to_semver,
    "is_semver_string": _is_semver,
    "is_semver_string_bool": _is_semver,
    "semver_is_greater_than": lambda one, other: compared(one, other) == 1,
    "semver_is_less_than": lambda one, other: compared(one, other) == -1,
    "semver_compare_to": compared,
    "semver_major": lambda version: _part(version, 0),
    "semver_minor": lambda version: _part(version, 1),
    "semver_patch": lambda version: _part(version, 2),
}
