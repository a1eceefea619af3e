"""Defaults of a schema must be valid values of it, without unknown fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from konverge.api.json_value import json_copy, json_equal
from konverge.cluster.apiserver.field_error import FieldError, invalid
from konverge.cluster.apiserver.schema.embedded import Uncoercible, check_embedded, coerce
from konverge.cluster.apiserver.schema.go_value import told
from konverge.cluster.apiserver.schema.prune import prune
from konverge.cluster.apiserver.schema.rules import default_rule_errors
from konverge.cluster.apiserver.schema.structural import Structural, structural
from konverge.cluster.apiserver.schema.validate import value_errors

Schema = Mapping[str, Any]
Surround = Callable[[Any], dict[str, Any]]  # builds the object in which a part of metadata stands
_META = ("metadata", "apiVersion", "kind")


def default_faults(schema: Schema, path: str, *, needs_pruned: bool = True) -> list[FieldError]:
    """Say what is wrong with the defaults in a schema."""
    node = structural(schema, is_declared=True)
    return _Defaults(needs_pruned=needs_pruned).visit(node, path, root=node, surround=_typed, is_root=True)


def has_unpruned(schema: Schema) -> bool:
    """Whether a default holds fields that the schema does not know."""
    node = structural(schema, is_declared=True)
    return any(_is_unpruned(one) for one in _all(node) if one.default is not None)


def _all(node: Structural) -> list[Structural]:
    return [node, *(deep for child in node.below() for deep in _all(child))]


def _is_unpruned(node: Structural) -> bool:
    pruned = json_copy(node.default)
    prune(pruned, node, is_root=node.is_embedded)
    return not json_equal(pruned, node.default)


def _typed(value: Any) -> dict[str, Any]:
    whole = value if isinstance(value, dict) else {}
    return {"kind": "Validation", "apiVersion": "validation/v1", **whole}


class _Defaults:
    def __init__(self, *, needs_pruned: bool) -> None:
        self._needs_pruned = needs_pruned

    def visit(
        self,
        node: Structural,
        path: str,
        *,
        root: Structural,
        surround: Surround,
        is_in_meta: bool = False,
        is_root: bool = False,
    ) -> list[FieldError]:
        if node.is_embedded or is_root:
            is_in_meta, surround, root = False, _typed, node
        errors: list[FieldError] = []
        if node.default is not None:
            where = f"{path}.default"
            errors += (
                self._in_meta(node, where, root, surround) if is_in_meta else self._plain(node, where, is_root=is_root)
            )
        if node.items is not None:
            errors += self.visit(
                node.items, f"{path}.items", root=root, surround=lambda x: surround([x]), is_in_meta=is_in_meta
            )
        is_object = node.is_embedded or is_root
        for name, child in node.properties.items():
            below = f"{path}.properties[{name}]"
            inside = is_in_meta or (is_object and name in _META)
            errors += self.visit(child, below, root=root, surround=_within(surround, name), is_in_meta=inside)
        return errors

    def _in_meta(self, node: Structural, path: str, root: Structural, surround: Surround) -> list[FieldError]:
        whole = surround(json_copy(node.default))
        try:
            coerce(whole, root, is_root=True)
        except Uncoercible as error:
            return [invalid(path, told(node.default), f"must result in valid metadata: {error}")]
        if wrong := check_embedded(whole, root, is_root=True):
            texts = [str(error) for error in wrong]
            shown = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
            return [invalid(path, told(node.default), f"must result in valid metadata: {shown}")]
        return self._values(node, path)

    def _plain(self, node: Structural, path: str, *, is_root: bool) -> list[FieldError]:
        errors: list[FieldError] = []
        if self._needs_pruned and _is_unpruned(node):
            errors.append(invalid(path, told(node.default), "must not have unknown fields"))
        try:
            coerce(json_copy(node.default), node, path, is_root=node.is_embedded or is_root)
        except Uncoercible as error:
            return [*errors, error.error]
        wrong = check_embedded(node.default, node, path, is_root=node.is_embedded or is_root)
        return [*errors, *(wrong or self._values(node, path))]

    @staticmethod
    def _values(node: Structural, path: str) -> list[FieldError]:
        return value_errors(node.default, node, path=path) or default_rule_errors(node, path)


def _within(surround: Surround, name: str) -> Surround:
    return lambda value: surround({name: value})
