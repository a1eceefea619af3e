"""What an expression may name: functions, variables, type names and the fields of object types.

Expressions that change objects also have the types `Object`, with any path of fields after it, and `JSONPatch`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

from konverge.cluster.apiserver.cel import library, standard_declarations
from konverge.cluster.apiserver.cel.declarations import Function, merged
from konverge.cluster.apiserver.cel.library import patches
from konverge.cluster.apiserver.cel.macros import MACROS, MACROS_WITH_BIND, Macros
from konverge.cluster.apiserver.cel.patch_values import JSON_PATCH, OBJECT
from konverge.cluster.apiserver.cel.types import DURATION, DYN, STRING, TIMESTAMP, Type, struct, type_of

# Names of types that a schema has and CEL itself spells otherwise.
_SCHEMA_NAMES: Final = {"duration": type_of(DURATION), "timestamp": type_of(TIMESTAMP)}
_WITHOUT_FIELDS: Final = ("bool", "bytes", "double", "duration", "int", "null_type", "string", "timestamp", "uint")
_JSON_PATCH: Final = {"op": STRING, "path": STRING, "from": STRING, "value": DYN}


class _AnyField(dict[str, Type]):
    """The fields of an object without a schema: each there is, and of any type."""

    def get(self, key: str, default: Type | None = None) -> Type | None:  # type: ignore[override]  # it knows every key
        del key, default
        return DYN


_ANY_FIELD: Final = _AnyField()


@dataclass(frozen=True, slots=True)
class Environment:
    """One environment. `structs` are the fields of each object type, by the type's name and the field's (escaped)."""

    functions: Mapping[str, Function]
    identifiers: Mapping[str, Type]
    structs: Mapping[str, Mapping[str, Type]] = field(default_factory=dict)
    macros: Macros = field(default_factory=lambda: MACROS)
    has_patches: bool = False  # whether `Object` and `JSONPatch` are types

    def identifier(self, name: str) -> Type | None:
        """Return the type of a name, which may begin with a dot."""
        plain = name.removeprefix(".")
        found = self.identifiers.get(plain)
        return type_of(struct(plain)) if found is None and self._is_patch(plain) else found

    def fields(self, name: str) -> Mapping[str, Type] | None:
        """Return the fields of an object type; None where there is no such type."""
        if not self._is_patch(name):
            return self.structs.get(name)
        return _JSON_PATCH if name == JSON_PATCH else _ANY_FIELD

    def _is_patch(self, name: str) -> bool:
        return self.has_patches and (name in (OBJECT, JSON_PATCH) or name.startswith(f"{OBJECT}."))

    def function(self, name: str) -> Function | None:
        """Return the function of a name, which may begin with a dot."""
        return self.functions.get(name.removeprefix("."))

    def extended(
        self, variables: Mapping[str, Type], structs: Mapping[str, Mapping[str, Type]] | None = None
    ) -> Environment:
        """Return this environment with more variables and object types."""
        return replace(self, identifiers={**self.identifiers, **variables}, structs={**self.structs, **(structs or {})})

    def with_bind(self) -> Environment:
        """Return this environment with `cel.bind(name, value, expression)`."""
        return replace(self, macros=MACROS_WITH_BIND)

    def with_patches(self) -> Environment:
        """Return this environment with the types of patches, and the function that escapes a key in a path."""
        functions = merged((*self.functions.values(), *patches.FUNCTIONS))
        return replace(self, functions=functions, has_patches=True)


@cache
def kubernetes_environment() -> Environment:
    """Return what every expression in Kubernetes may use, without variables."""
    functions = merged((*standard_declarations.FUNCTIONS, *library.LIBRARY_FUNCTIONS))
    added = {name: type_of(type_) for name, type_ in library.IDENTIFIERS.items()}
    identifiers = {**standard_declarations.IDENTIFIERS, **added, **_SCHEMA_NAMES}
    return Environment(functions, identifiers, {name: {} for name in _WITHOUT_FIELDS})
