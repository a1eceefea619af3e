"""Names of CSI drivers, which many kinds of storage refer to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.field_error import FieldError

_LONGEST: Final = 63


def driver_name_errors(name: str, path: str) -> Iterator[FieldError]:
    """Judge the name of a driver; upper case is allowed."""
    if not name:
        yield field_error.required(path)
        return
    if len(name.encode()) > _LONGEST:
        yield field_error.too_long(path, _LONGEST)
    yield from (field_error.invalid(path, name, wrong) for wrong in name_rules.dns_subdomain(name.lower()))
