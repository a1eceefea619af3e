"""The names of Go's types, which a few of cel-go's messages show."""

from __future__ import annotations

from typing import Any, Final

_NAMES: Final = {
    "bool": "types.Bool",
    "int": "types.Int",
    "Uint": "types.Uint",
    "float": "types.Double",
    "str": "types.String",
    "bytes": "types.Bytes",
    "NoneType": "types.Null",
    "Timestamp": "types.Timestamp",
    "Duration": "types.Duration",
    "Optional": "*types.Optional",
    "TypeValue": "*types.Type",
    "CelError": "*types.Err",
    "list": "*types.baseList",
    "MapValue": "*types.baseMap",
}


def go_type_name(value: Any) -> str:
    """Return what `%T` prints for a value."""
    name = value.__class__.__name__
    return _NAMES.get(name) or f"cel.{'URL' if name == 'UrlValue' else name.removesuffix('Value')}"
