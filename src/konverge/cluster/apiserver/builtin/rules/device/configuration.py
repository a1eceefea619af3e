"""What classes and claims tell drivers: an object that only the driver understands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.driver_name import driver_name_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

MOST_CONFIGURATIONS: Final = 32
_LARGEST: Final = 10 * 1024


def configuration_errors(config: JsonObject, path: str, *, is_stored: bool = False) -> Iterator[FieldError]:
    """Judge one configuration; `is_stored`: it was there before there was a largest size."""
    if (opaque := config.get("opaque")) is None:
        yield field_error.required(f"{path}.opaque")
        return
    yield from driver_name_errors(opaque.get("driver", ""), f"{path}.opaque.driver")
    yield from data_errors(opaque.get("parameters"), f"{path}.opaque.parameters", is_stored=is_stored)


def data_errors(data: Any, path: str, *, is_stored: bool = False) -> Iterator[FieldError]:
    """Judge an object of a driver's own."""
    if data is None:
        yield field_error.required(path)
    elif not is_stored and len(msgspec.json.encode(data)) > _LARGEST:
        yield field_error.too_long(path, _LARGEST)
    elif not isinstance(data, dict):
        yield field_error.invalid(path, "<value omitted>", "must be a valid JSON object")
