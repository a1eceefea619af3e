"""Type checks: what of a policy's expressions cannot be right for the kinds that the policy is about.

The server runs a policy's expressions on objects of any type, so a wrong field shows at a request only. The schemas of
the kinds tell it before: each expression is compiled once more for each of them, with `object`, `oldObject` and
`params` of their types. A warning changes nothing of what the policy does. Pure: who calls has read the schemas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from konverge.cluster.apiserver.admission.expression.declarations import (
    REQUEST_RESOURCE,
    declared,
    variable_type,
    with_variables,
)
from konverge.cluster.apiserver.cel.declared_type import Schema, declared_type
from konverge.cluster.apiserver.cel.environment import Environment
from konverge.cluster.apiserver.cel.expression import compile_expression
from konverge.cluster.apiserver.cel.source import BadExpression
from konverge.cluster.apiserver.cel.types import DYN, Type

_REFERENCE: Final = "#/components/schemas/"
_CIRCULAR: Final[Schema] = {"type": "object"}


@dataclass(frozen=True, slots=True)
class CheckedKind:
    """A kind that a policy is about."""

    group: str
    version: str
    kind: str
    schema: Schema

    def __str__(self) -> str:
        """Return it as Go prints a GroupVersionKind."""
        return f"{self.group}/{self.version}, Kind={self.kind}"


def kind_schema(document: Mapping[str, Any], *, group: str, version: str, kind: str) -> Schema | None:
    """Return the schema of a kind in an OpenAPI v3 document, without references; None where it is not there."""
    schemas = document.get("components", {}).get("schemas", {})
    wanted = {"group": group, "version": version, "kind": kind}
    for name, schema in schemas.items():
        if wanted in schema.get("x-kubernetes-group-version-kind", ()):
            return _resolved(schema, schemas, (name,))
    return None


def _resolved(schema: Schema, schemas: Mapping[str, Schema], within: tuple[str, ...]) -> Schema:
    """Return a schema with what it refers to in place; what contains itself is an object without fields."""
    name = _referred(schema)
    if name is not None:
        if name in within or name not in schemas:
            return _CIRCULAR
        schema, within = schemas[name], (*within, name)
    made = dict(schema)
    if properties := schema.get("properties"):
        made["properties"] = {key: _resolved(each, schemas, within) for key, each in properties.items()}
    for part in ("items", "additionalProperties"):
        if isinstance(schema.get(part), Mapping):
            made[part] = _resolved(schema[part], schemas, within)
    if schema.get("format") == "int-or-string":
        made["x-kubernetes-int-or-string"] = True
    return made


def _referred(schema: Schema) -> str | None:
    for each in (schema, *schema.get("allOf", ())):
        if reference := each.get("$ref"):
            return str(reference).removeprefix(_REFERENCE)
    return None


def expression_warnings(
    spec: Mapping[str, Any], kinds: Sequence[CheckedKind], params: CheckedKind | None = None
) -> list[dict[str, str]]:
    """Return a warning for each expression of a policy that does not fit all of the kinds."""
    return [
        {"fieldRef": place, "warning": "\n".join(f"{kind}: {issue}\n" for kind, issue in issues)}
        for place, text in _expressions(spec)
        if (issues := list(_issues(text, spec, kinds=kinds, params=params)))
    ]


def _expressions(spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for index, validation in enumerate(spec.get("validations") or ()):
        for name in ("expression", "messageExpression"):
            if text := validation.get(name):
                yield f"spec.validations[{index}].{name}", text


def _issues(
    text: str, spec: Mapping[str, Any], *, kinds: Sequence[CheckedKind], params: CheckedKind | None
) -> Iterator[tuple[CheckedKind, str]]:
    for kind in kinds:
        environment = _environment(kind, params, has_params=bool(spec.get("paramKind")))
        types: dict[str, Type] = {}
        for variable in spec.get("variables") or ():
            compiled, _ = _compiled(variable["expression"], with_variables(environment, types))
            types = {**types, variable["name"]: variable_type(compiled)}
        _, issue = _compiled(text, with_variables(environment, types))
        if issue:
            yield kind, issue


def _environment(kind: CheckedKind, params: CheckedKind | None, *, has_params: bool) -> Environment:
    """Return what an expression may name, for objects of one kind."""
    plain = declared(has_params=has_params, has_authorizer=True, has_patches=False)
    # What the real checker does not declare; an expression that names it is warned of.
    known = {name: type_ for name, type_ in plain.identifiers.items() if name != REQUEST_RESOURCE}
    structs: dict[str, Mapping[str, Type]] = {}
    own = _type(kind, structs)
    variables = {"object": own, "oldObject": own}
    if has_params and params is not None:
        variables["params"] = _type(params, structs)
    return replace(plain, identifiers=known).extended(variables, structs)


def _type(kind: CheckedKind, structs: dict[str, Mapping[str, Type]]) -> Type:
    found = declared_type(kind.schema, is_resource_root=True)
    return DYN if found is None else found.named(kind.kind, structs)


def _compiled(text: str, environment: Environment) -> tuple[Type | None, str]:
    """Return the type of an expression, or what is wrong with it."""
    try:
        return compile_expression(text, environment).type, ""
    except BadExpression as bad:
        return None, str(bad)
