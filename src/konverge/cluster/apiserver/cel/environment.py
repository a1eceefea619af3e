"""What an expression may name: functions, variables, type names and the fields of object types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from konverge.cluster.apiserver.cel import library, standard_declarations
from konverge.cluster.apiserver.cel.declarations import Function, merged
from konverge.cluster.apiserver.cel.types import DURATION, TIMESTAMP, Type, type_of

# Names of types that a schema has and CEL itself spells otherwise.
_SCHEMA_NAMES: Final = {"duration": type_of(DURATION), "timestamp": type_of(TIMESTAMP)}
_WITHOUT_FIELDS: Final = ("bool", "bytes", "double", "duration", "int", "null_type", "string", "timestamp", "uint")


@dataclass(frozen=True, slots=True)
class Environment:
    """One environment. `structs` are the fields of each object type, by the type's name and the field's (escaped)."""

    functions: Mapping[str, Function]
    identifiers: Mapping[str, Type]
    structs: Mapping[str, Mapping[str, Type]] = field(default_factory=dict)

    def identifier(self, name: str) -> Type | None:
        """Return the type of a name, which may begin with a dot."""
        return self.identifiers.get(name.removeprefix("."))

    def function(self, name: str) -> Function | None:
        """Return the function of a name, which may begin with a dot."""
        return self.functions.get(name.removeprefix("."))

    def extended(
        self, variables: Mapping[str, Type], structs: Mapping[str, Mapping[str, Type]] | None = None
    ) -> Environment:
        """Return this environment with more variables and object types."""
        return Environment(self.functions, {**self.identifiers, **variables}, {**self.structs, **(structs or {})})


@cache
def kubernetes_environment() -> Environment:
    """Return what every expression in Kubernetes may use, without variables."""
    functions = merged((*standard_declarations.FUNCTIONS, *library.LIBRARY_FUNCTIONS))
    added = {name: type_of(type_) for name, type_ in library.IDENTIFIERS.items()}
    identifiers = {**standard_declarations.IDENTIFIERS, **added, **_SCHEMA_NAMES}
    return Environment(functions, identifiers, {name: {} for name in _WITHOUT_FIELDS})
