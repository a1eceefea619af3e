"""A mutating policy, compiled: its conditions, and its changes; each is a JSON patch or an apply configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from konverge.api.invalid import InvalidPatch
from konverge.api.json_value import json_copy
from konverge.cluster.apiserver.admission.expression.compiler import Compiled, Compiler
from konverge.cluster.apiserver.admission.expression.evaluation import Evaluation, EvaluationError, OutOfBudget
from konverge.cluster.apiserver.admission.expression.inputs import Inputs
from konverge.cluster.apiserver.admission.expression.match_conditions import MatchConditions
from konverge.cluster.apiserver.admission.policy.bad_mutation import BadMutation
from konverge.cluster.apiserver.apply.typed_error import TypedError
from konverge.cluster.apiserver.apply.typed_value import merge
from konverge.cluster.apiserver.apply.types import Form, Type
from konverge.cluster.apiserver.apply.validation import validate
from konverge.cluster.apiserver.cel.breadth import is_too_broad
from konverge.cluster.apiserver.cel.cel_error import COST_EXCEEDED
from konverge.cluster.apiserver.cel.conversion import to_text
from konverge.cluster.apiserver.cel.patch_values import JSON_PATCH, OBJECT, ObjectValue
from konverge.cluster.apiserver.cel.types import list_of, struct
from konverge.cluster.apiserver.cel.values import Duration, MapValue, Timestamp, is_list, is_map
from konverge.cluster.apiserver.cel.views import as_json
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing import go_json_patch

_PATCH_TYPE: Final = list_of(struct(JSON_PATCH))
_OBJECT_TYPE: Final = struct(OBJECT)


@dataclass(frozen=True, slots=True)
class CompiledMutations:
    """A policy's expressions."""

    conditions: MatchConditions
    mutations: Sequence[Mutation]


def compile_mutations(spec: JsonObject) -> CompiledMutations:
    """Compile a policy; what is wrong with it counts when it is evaluated."""
    compiler = Compiler(has_params="paramKind" in spec, composes=True)
    for each in spec.get("variables") or ():
        compiler.add_variable(each.get("name", ""), each.get("expression", ""))
    conditions = MatchConditions(spec.get("matchConditions") or (), compiler)
    return CompiledMutations(conditions, [Mutation(compiler, each) for each in spec.get("mutations") or ()])


class Mutation:
    """One change; `is_apply`: an apply configuration."""

    def __init__(self, compiler: Compiler, spec: Mapping[str, Any]) -> None:
        self.is_apply = spec.get("patchType") == "ApplyConfiguration"
        field, result = ("applyConfiguration", _OBJECT_TYPE) if self.is_apply else ("jsonPatch", _PATCH_TYPE)
        text = (spec.get(field) or {}).get("expression", "")
        self._expression: Compiled = compiler.compile(text, result, has_patches=True)
        self._variables = compiler.variables

    def changed(self, value: JsonObject, inputs: Inputs, kind: Type) -> JsonObject:
        """Return what an object becomes: a value of its own, or the same one. Raises `BadMutation`."""
        if self._expression.program is None:
            raise BadMutation(self._expression.complaint)
        try:
            made = Evaluation(inputs.variables, self._variables).run(self._expression)
        except (EvaluationError, OutOfBudget) as error:
            raise BadMutation(str(error)) from None
        return _applied(value, made, kind) if self.is_apply else _patched(value, made)


def _patched(value: JsonObject, made: Any) -> JsonObject:
    try:
        patched = go_json_patch.apply(json_copy(value), [_operation(each) for each in made])
    except go_json_patch.TestFailed:
        return value  # a test that fails leaves the object as it is
    except InvalidPatch as error:
        raise BadMutation(f"JSON Patch: {error}") from None
    result: JsonObject = patched
    return result


def _operation(made: Any) -> JsonObject:
    fields = made.fields
    operation = {name: fields[name] for name in ("op", "path", "from") if name in fields}
    if "value" in fields:
        _check_names(fields["value"])
        if is_too_broad(fields["value"]):
            raise BadMutation(COST_EXCEEDED)
        operation["value"] = plain(fields["value"])
    return operation


def _applied(value: JsonObject, made: ObjectValue, kind: Type) -> JsonObject:
    _check_names(made)
    patch = {**plain(made), "apiVersion": value["apiVersion"], "kind": value["kind"]}
    try:
        validate(kind, patch, allows_duplicates=False)
    except TypedError as error:
        raise BadMutation(f"error applying patch: failed to convert patch object to typed object: {error}") from None
    if atomics := list(_atomics(kind, patch, "")):
        what = f"may not mutate atomic arrays, maps or structs: {', '.join(atomics)}"
        raise BadMutation(f"error applying patch: invalid ApplyConfiguration: {what}")
    result: JsonObject = json_copy(merge(kind, value, patch))
    return result


def _atomics(kind: Type, value: Any, path: str) -> Iterator[str]:
    """Yield where a patch would replace a whole list, map or struct, of which it means to change a part."""
    if value is None:
        return
    form = kind.form(value)
    if form is Form.MAP and kind.map is not None and isinstance(value, dict):
        if kind.map.is_atomic:
            yield path
        for name, part in value.items():
            if name in kind.map.fields:
                yield from _atomics(kind.map.fields[name], part, f"{path}.{name}")
    elif form is Form.LIST and kind.list is not None and isinstance(value, list):
        if kind.list.is_atomic:
            yield path
        for index, part in enumerate(value):
            yield from _atomics(kind.list.element, part, f"{path}[{index}]")


def _check_names(made: Any) -> None:
    """Refuse an object whose type is not named by where it stands: `Object{spec: Object.other{}}`."""
    if isinstance(made, ObjectValue):
        wrong = list(_misnamed(made, made.CEL_TYPE))
        if wrong:
            raise BadMutation("type mismatch: " + "\n".join(wrong))


def _misnamed(made: Any, expected: str) -> Iterator[str]:
    if isinstance(made, ObjectValue):
        name = made.CEL_TYPE
        if name != expected:
            yield (
                f"unexpected type name {quoted(name)}, expected {quoted(expected)}, "
                "which matches field name path from root Object type"
            )
        for name, part in made.fields.items():
            yield from _misnamed(part, f"{expected}.{name}")
    elif isinstance(made, list):
        for part in made:
            yield from _misnamed(part, expected)
    elif isinstance(made, MapValue):
        for key in made.keys():  # noqa: SIM118 - no dict
            yield from _misnamed(made.find(key)[0], expected)


def plain(made: Any) -> Any:
    """Return a CEL value as JSON."""
    shown = as_json(made)
    if shown is not made:
        return json_copy(shown)
    if isinstance(made, ObjectValue):
        return {name: plain(part) for name, part in made.fields.items()}
    if is_list(made):
        return [plain(part) for part in made]
    if is_map(made):
        return {str(key): plain(made.find(key)[0]) for key in made.keys()}  # noqa: SIM118 - no dict
    return to_text(made) if isinstance(made, Timestamp | Duration | bytes) else made
