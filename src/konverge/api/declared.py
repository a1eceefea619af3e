"""The types of a model's attributes as its author wrote them, which is what its schema is made of.

msgspec is given other ones: every attribute may be None, and a choice takes any value.
"""

from __future__ import annotations

import ast
import sys
from functools import cache
from typing import Any, ClassVar, get_origin

from konverge.api.model import Model
from konverge.errors import RequestError


@cache
def declared_types(cls: type[Model]) -> dict[str, Any]:
    """Return the type of each attribute, with its markers, by attribute name."""
    found: dict[str, Any] = {}
    for part in reversed(cls.__mro__):
        written = part.__dict__.get("__declared__", {})
        found |= {name: _evaluated(part, name, kind) for name, kind in written.items()}
    return {name: found[name] for name in cls.__struct_fields__ if name in found}


def _evaluated(cls: type, name: str, kind: Any) -> Any:
    while isinstance(kind, str):  # a quoted annotation in a module whose annotations are text is text twice
        try:
            kind = eval(kind, _names(cls))  # noqa: S307 - the author's own annotation
        except (NameError, AttributeError) as error:
            raise RequestError(
                f"{cls.__qualname__}.{name}: its type {ast.unparse(ast.parse(kind))} cannot be found ({error}): "
                "define it at the top level of the module, and import it there for more than type checking"
            ) from error
    return ClassVar if get_origin(kind) is ClassVar else kind


def _names(cls: type) -> dict[str, Any]:
    """What the class body could see: its module, and the classes that are nested in it."""
    module = sys.modules.get(cls.__module__)
    nested = {name: value for name, value in vars(cls).items() if isinstance(value, type)}
    return {**(vars(module) if module else {}), **nested, cls.__name__: cls}
