"""All rules of a schema, compiled: a tree beside the schema, with only the nodes that lead to rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from konverge.cluster.apiserver.cel.compiled_rule import CompiledRule, compile_node
from konverge.cluster.apiserver.cel.declared_type import DeclaredType, declared_type
from konverge.cluster.apiserver.cel.property_name import escaped

Schema: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class CompiledRules:
    """The rules of a node and of what is below it."""

    schema: Schema  # of the values that the rules see
    is_resource_root: bool
    rules: tuple[CompiledRule, ...] = ()
    error: str = ""  # why the rules of this node could not be compiled at all
    properties: Mapping[str, CompiledRules] = field(default_factory=dict)
    items: CompiledRules | None = None
    additional: CompiledRules | None = None
    all_of: tuple[CompiledRules, ...] = ()


def compile_rules(schema: Schema, *, is_resource_root: bool = True) -> CompiledRules | None:
    """Compile the rules of a schema; there is nothing to return where it has none."""
    if not _has_rules(schema):
        return None
    declared = declared_type(schema, is_resource_root=is_resource_root)
    return _Compiler(schema, schema, declared).tree(is_resource_root=is_resource_root)


def _has_rules(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    if schema.get("x-kubernetes-validations"):
        return True
    below = [*(schema.get("properties") or {}).values(), schema.get("items"), schema.get("additionalProperties")]
    return any(_has_rules(part) for part in (*below, *(schema.get("allOf") or ())))


class _Compiler:
    """Compiles what one schema says about the values of another: the same one, but within `allOf`."""

    def __init__(self, rules_schema: Schema, schema: Schema, declared: DeclaredType | None) -> None:
        self._rules_schema = rules_schema
        self._schema = schema
        self._declared = declared

    def tree(self, *, is_resource_root: bool) -> CompiledRules | None:
        """Return the compiled node, or nothing where neither it nor anything below has rules."""
        error, rules = self._own_rules()
        compiled = CompiledRules(
            self._schema,
            is_resource_root,
            rules,
            error,
            self._properties(),
            self._part("items"),
            self._part("additionalProperties"),
            self._all_of(is_resource_root=is_resource_root),
        )
        parts = (rules, error, compiled.properties, compiled.items, compiled.additional, compiled.all_of)
        return compiled if any(parts) else None

    def _own_rules(self) -> tuple[str, tuple[CompiledRule, ...]]:
        rules = self._rules_schema.get("x-kubernetes-validations") or ()
        if not rules:
            return "", ()
        if self._declared is None:
            return "failed to convert to declType for CEL validation rules", ()
        return "", compile_node(rules, self._declared, self._schema)

    def _properties(self) -> dict[str, CompiledRules]:
        compiled: dict[str, CompiledRules] = {}
        spine = self._schema.get("properties") or {}
        for name, rules_schema in (self._rules_schema.get("properties") or {}).items():
            declared = self._property_type(name, spine[name]) if name in spine else None
            if declared is None:
                continue
            compiler = _Compiler(rules_schema, spine[name], declared)
            tree = compiler.tree(is_resource_root=_is_embedded(spine[name]))
            if tree is not None:
                compiled[name] = tree
        return compiled

    def _property_type(self, name: str, schema: Schema) -> DeclaredType | None:
        identifier = escaped(name)
        if identifier is None:
            return declared_type(schema, is_resource_root=_is_embedded(schema))
        return None if self._declared is None else self._declared.below(identifier)

    def _part(self, key: str) -> CompiledRules | None:
        rules_schema, schema = self._rules_schema.get(key), self._schema.get(key)
        if not isinstance(rules_schema, Mapping) or not isinstance(schema, Mapping):
            return None
        declared = None if self._declared is None else self._declared.element
        return _Compiler(rules_schema, schema, declared).tree(is_resource_root=_is_embedded(schema))

    def _all_of(self, *, is_resource_root: bool) -> tuple[CompiledRules, ...]:
        trees = (
            _Compiler(one, self._schema, self._declared).tree(is_resource_root=is_resource_root)
            for one in self._rules_schema.get("allOf") or ()
        )
        return tuple(tree for tree in trees if tree is not None)


def _is_embedded(schema: Schema) -> bool:
    return bool(schema.get("x-kubernetes-embedded-resource"))
