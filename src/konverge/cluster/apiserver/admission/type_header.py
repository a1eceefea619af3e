"""The version and the kind of what a webhook sends: Go reads them first, and of what has none it reads no more."""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.writing.go_json import go_kind

NO_TYPE: Final = "couldn't get version/kind; json parse error: "
_NAMES: Final = ("apiVersion", "kind")
_HEADER: Final = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)


def header_fault(value: Any) -> str:
    """Say why a value has neither version nor kind, in Go's words; empty: they can be read, or are not there."""
    if not isinstance(value, dict):
        return f"{NO_TYPE}json: cannot unmarshal {go_kind(value)} into Go value of type {_HEADER}"
    for name, text in value.items():  # in the order in which they stand there
        if name in _NAMES and not isinstance(text, str | None):
            return f"{NO_TYPE}json: cannot unmarshal {go_kind(text)} into Go struct field .{name} of type string"
    return ""
