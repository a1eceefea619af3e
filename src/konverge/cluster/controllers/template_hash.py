"""The hash of a pod template that names ReplicaSets and labels pods: the real one, digit by digit.

Kubernetes hashes a dump of the Go value (`template_layout.json` knows its fields), so this writes the same dump: every
field in Go's order with its type, absent ones too. Quantities that do not fit 64 bits are dumped as text, so templates
with these have a hash of their own here; nothing depends on it but the name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib.resources import files
from typing import Any, Final

import msgspec

from konverge.api.model import encode
from konverge.cluster.controllers.quantity_dump import quantity_dump
from konverge.models import core_v1

_ROOT: Final = "v1.PodTemplateSpec"
_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"
_NIL: Final = "<nil>"
_NO_TIME: Final = "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}"
_ZEROS: Final = {"string": "", "bool": "false", "types.UID": ""}


def template_hash(template: core_v1.PodTemplateSpec, collision_count: int | None = None) -> str:
    """Return the hash of a template; another one for each collision that was met."""
    text = f"({_ROOT}){_bare(_ROOT, msgspec.json.decode(encode(template)))}"
    data = text.encode()
    if collision_count is not None:
        data += collision_count.to_bytes(8, "little")
    return "".join(_LETTERS[ord(digit) % len(_LETTERS)] for digit in str(_fnv32a(data)))


def _fnv32a(data: bytes) -> int:
    value = 2166136261
    for byte in data:
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value


@cache
def _layout() -> Mapping[str, Any]:
    found: Mapping[str, Any] = msgspec.json.decode(files(__package__).joinpath("template_layout.json").read_bytes())
    return found


def _typed(kind: str, value: Any) -> str:
    """A value with its type before it, as fields are dumped."""
    if kind.startswith("*") and value is None:
        return f"({kind}){_NIL}"
    return f"({kind}){_bare(kind.removeprefix('*'), value)}"


def _bare(kind: str, value: Any) -> str:
    """A value without its type, as the items of lists and maps are dumped; None is the zero of the type."""
    if kind.startswith("[]"):
        return f"[{' '.join(_item(kind[2:], each) for each in value)}]" if value else _NIL
    if kind.startswith("map["):
        return _map(kind.partition("]")[2], value) if value else _NIL
    known = _layout().get(kind)
    if isinstance(known, str):
        return _bare(known, value)
    if known is not None:
        return f"{{{' '.join(_fields(known, value or {}))}}}"
    return _FOREIGN.get(kind, partial(_scalar, kind))(value)


def _item(kind: str, value: Any) -> str:
    return f"<*>{_bare(kind[1:], value)}" if kind.startswith("*") else _bare(kind, value)


def _map(kind: str, value: Mapping[str, Any]) -> str:
    return f"map[{' '.join(f'{key}:{_item(kind, value[key])}' for key in sorted(value))}]"


def _fields(known: list[list[str]], value: Mapping[str, Any]) -> Iterator[str]:
    for name, kind, wire in known:
        # What has no name on the wire is part of its holder there.
        yield f"{name}:{_typed(kind, value.get(wire) if wire else _embedded(kind, value))}"


def _embedded(kind: str, value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return value if not kind.startswith("*") or value else None


def _scalar(kind: str, value: Any) -> str:
    if value is None:
        return _ZEROS.get(kind, "0")
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _int_or_string(value: Any) -> str:
    is_text = isinstance(value, str)
    number, text = (0, value) if is_text else (value or 0, "")
    return f"{{Type:(intstr.Type){int(is_text)} IntVal:(int32){number} StrVal:(string){text}}}"


_FOREIGN: Final[Mapping[str, Callable[[Any], str]]] = {
    "v1.Time": lambda _: _NO_TIME,
    "resource.Quantity": quantity_dump,
    "intstr.IntOrString": _int_or_string,
}
"""Types of other packages, each with a form of its own; a template's times are never set."""
