"""The patch rules of a model, read off the markers of its attributes."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

from konverge.api.markers import PatchMerge
from konverge.api.model import Model, model_fields
from konverge.api.patch_schema import PatchField


class ModelSchema:
    """Looks fields up when they are asked for: a model may contain itself."""

    def __init__(self, cls: type[Model]) -> None:
        self._types = {info.encode_name: info.type for info in model_fields(cls)}

    def get(self, name: str, /) -> PatchField | None:
        """Return the rules of the field with this wire name."""
        kind = self._types.get(name)
        return None if kind is None else _field(kind)


def schema_of(cls: type[Model]) -> ModelSchema:
    """Return the patch rules of a model's class."""
    return _schema(cls)


@cache
def _schema(cls: type[Model]) -> ModelSchema:
    return ModelSchema(cls)


@cache
def _field(kind: Any) -> PatchField:
    merge = _find(kind, PatchMerge)
    below = _find_model(kind)
    return PatchField(
        strategy=merge.strategies if merge else (),
        merge_key=merge.key if merge else None,
        schema=None if below is None else _schema(below),
    )


def _find(kind: Any, marker: type[PatchMerge]) -> PatchMerge | None:
    for argument in get_args(kind):
        found = argument if isinstance(argument, marker) else _find(argument, marker)
        if found is not None:
            return found
    return None


def _find_model(kind: Any) -> type[Model] | None:
    """The model that an attribute is, or that its items or values are."""
    if isinstance(kind, type) and issubclass(kind, Model):
        return kind
    return next(filter(None, map(_find_model, get_args(kind))), None)
