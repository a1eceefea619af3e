"""Admission policies: what they are about, their parameters, and expressions that can be compiled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.admission_expression import (
    compiled_errors,
    match_condition_errors,
    new_compiler,
)
from konverge.cluster.apiserver.builtin.rules.admission_rule import match_resources_errors
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.status.conditions import condition_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

if TYPE_CHECKING:
    from konverge.cluster.apiserver.admission.expression.compiler import Compiler  # CEL is large

_FAILURE_POLICIES: Final = ("Fail", "Ignore")
_REASONS: Final = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_REINVOCATIONS: Final = ("IfNeeded", "Never")
_PATCHES: Final = {"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}
MUTATING_OPERATIONS: Final = ("*", "CONNECT", "CREATE", "UPDATE")
_MOST_ANNOTATIONS: Final = 20
_LONGEST_ANNOTATION: Final = 5 * 1024
_IDENTIFIER: Final = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*", re.ASCII)
_RESERVED: Final = frozenset(
    {
        *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import"),
        *("let", "loop", "package", "namespace", "return", "var", "void", "while"),
    }
)
_LINES: Final = re.compile(r"[\n\r]")


def _validate_validating(value: JsonObject, old: JsonObject | None = None) -> list[FieldError]:
    spec = value.get("spec") or {}
    compiler = new_compiler(has_params="paramKind" in spec, composes=bool(spec.get("variables")))
    return [
        *_shared_errors(spec, old, compiler),
        *_validation_list_errors(spec, value["metadata"].get("name", ""), compiler),
    ]


def _validate_mutating(value: JsonObject, old: JsonObject | None = None) -> list[FieldError]:
    spec = value.get("spec") or {}
    compiler = new_compiler(has_params="paramKind" in spec, composes=True)
    return [*_shared_errors(spec, old, compiler, mutates=True), *_mutation_list_errors(spec, compiler)]


def _validating_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    return list(_status_errors(value)) if subresource else _validate_validating(value, old)


def _status_errors(value: JsonObject) -> Iterator[FieldError]:
    status = value.get("status") or {}
    warnings = (status.get("typeChecking") or {}).get("expressionWarnings") or ()
    for index, warning in enumerate(warnings):
        path = f"status.typeChecking.expressionWarnings[{index}]"
        yield from (field_error.required(f"{path}.{name}") for name in ("warning", "fieldRef") if not warning.get(name))
    yield from condition_errors(status.get("conditions") or (), "status.conditions")


def _mutating_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    return [] if subresource else _validate_mutating(value, old)


def _shared_errors(
    spec: JsonObject, old: JsonObject | None, compiler: Compiler, *, mutates: bool = False
) -> Iterator[FieldError]:
    """Judge what both kinds of policies have; conditions that stay as they were are not judged again."""
    failure_policy = spec.get("failurePolicy")
    if failure_policy is None:
        yield field_error.required("spec.failurePolicy")
    elif failure_policy not in _FAILURE_POLICIES:
        yield field_error.not_supported("spec.failurePolicy", failure_policy, _FAILURE_POLICIES)
    has_params = "paramKind" in spec
    if has_params:
        yield from _kind_errors(spec["paramKind"], "spec.paramKind")
    yield from _constraint_errors(spec.get("matchConstraints"), mutates=mutates)
    before = None if old is None else old.get("spec") or {}
    if before is None or any(not json_equal(spec.get(name), before.get(name)) for name in _OF_CONDITIONS):
        conditions = spec.get("matchConditions") or []
        yield from match_condition_errors(conditions, "spec.matchConditions", has_params=has_params)
    for index, variable in enumerate(spec.get("variables") or ()):
        yield from _variable_errors(variable, f"spec.variables[{index}]", compiler)


_OF_CONDITIONS: Final = ("paramKind", "matchConditions")


def _constraint_errors(constraints: JsonObject | None, *, mutates: bool) -> Iterator[FieldError]:
    path = "spec.matchConstraints"
    if constraints is None:
        yield field_error.required(path)
        return
    yield from match_resources_errors(constraints, path)
    if not constraints.get("resourceRules"):
        yield field_error.required(f"{path}.resourceRules")
    if mutates:
        yield from mutating_operation_errors(constraints, path)


def mutating_operation_errors(match: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge the operations of a policy that changes objects: a deletion has none that could be changed."""
    for rule in match.get("resourceRules") or ():
        for operation in rule.get("operations") or ():
            if operation not in MUTATING_OPERATIONS:
                where = f"{path}.resourceRules.operations"
                yield field_error.not_supported(where, operation, MUTATING_OPERATIONS)


def _kind_errors(kind: JsonObject, path: str) -> Iterator[FieldError]:
    yield from _version_errors(kind.get("apiVersion", ""), f"{path}.apiVersion")
    name = kind.get("kind", "")
    if not name:
        yield field_error.required(f"{path}.kind")
    elif wrongs := name_rules.dns_1035_label(name.lower()):
        text = f"may have mixed case, but should otherwise match: {','.join(wrongs)}"
        yield field_error.invalid(f"{path}.kind", name, text)


def _version_errors(api_version: str, path: str) -> Iterator[FieldError]:
    if not api_version:
        yield field_error.required(path)
        return
    if api_version.count("/") > 1:
        yield field_error.invalid(path, api_version, f"unexpected GroupVersion string: {api_version}")
        return
    group, _, version = api_version.rpartition("/")
    if group and (wrongs := name_rules.dns_subdomain(group)):
        yield field_error.invalid(path, group, ",".join(wrongs))
    if not version:
        yield field_error.invalid(path, api_version, "version must be specified")
    elif wrongs := name_rules.dns_1035_label(version):
        yield field_error.invalid(path, version, ",".join(wrongs))


def _variable_errors(variable: JsonObject, path: str, compiler: Compiler) -> Iterator[FieldError]:
    name, text = variable.get("name", ""), variable.get("expression", "")
    if not name.strip():
        yield field_error.required(f"{path}.name", "name is not specified")
    elif not _IDENTIFIER.fullmatch(name) or name in _RESERVED:
        yield field_error.invalid(f"{path}.name", name, "must be a valid CEL identifier")
    if not text.strip():
        yield field_error.required(f"{path}.expression", "expression is not specified")
    else:
        yield from compiled_errors(compiler.add_variable(name, text), f"{path}.expression")


# --- validations ---


def _validation_list_errors(spec: JsonObject, name: str, compiler: Compiler) -> Iterator[FieldError]:
    validations, annotations = spec.get("validations") or (), spec.get("auditAnnotations") or ()
    if not validations and not annotations:
        needed = "validations or auditAnnotations must contain at least one item"
        yield field_error.required("spec.validations", needed)
        yield field_error.required("spec.auditAnnotations", needed)
        return
    for index, validation in enumerate(validations):
        yield from _validation_errors(validation, f"spec.validations[{index}]", compiler)
    if len(annotations) > _MOST_ANNOTATIONS:
        text = f"must not have more than {_MOST_ANNOTATIONS} auditAnnotations"
        yield field_error.invalid("spec.auditAnnotations", _shown_annotations(annotations), text)
    keys: list[str] = []
    for index, annotation in enumerate(annotations):
        path, key = f"spec.auditAnnotations[{index}]", annotation.get("key", "")
        yield from _annotation_errors(annotation, path, compiler, name=name)
        if key in keys:
            yield field_error.duplicate(f"{path}.key", key)
        keys.append(key)


def _shown_annotations(annotations: Sequence[JsonObject]) -> msgspec.Raw:
    # The real server shows its own form of them.
    shown = [{"Key": each.get("key", ""), "ValueExpression": each.get("valueExpression", "")} for each in annotations]
    return msgspec.Raw(msgspec.json.encode(shown))


def _validation_errors(validation: JsonObject, path: str, compiler: Compiler) -> Iterator[FieldError]:
    from konverge.cluster.apiserver.cel.types import BOOL, STRING  # noqa: PLC0415 - CEL is large

    text, said = validation.get("expression", ""), validation.get("messageExpression", "")
    if not text.strip():
        yield field_error.required(f"{path}.expression", "expression is not specified")
    else:
        yield from compiled_errors(compiler.compile(text, BOOL), f"{path}.expression")
    if said and not said.strip():
        yield field_error.invalid(f"{path}.messageExpression", said, "must be non-empty if specified")
    elif said:
        compiled = compiler.compile(said, STRING, has_authorizer=False)
        yield from compiled_errors(compiled, f"{path}.messageExpression")
    yield from _message_errors(validation, path)


def _message_errors(validation: JsonObject, path: str) -> Iterator[FieldError]:
    message, reason = validation.get("message", ""), validation.get("reason")
    if message and not message.strip():
        yield field_error.invalid(f"{path}.message", message, "must be non-empty if specified")
    elif _LINES.search(message.strip()):
        yield field_error.invalid(f"{path}.message", message, "must not contain line breaks")
    if reason is not None and reason not in _REASONS:
        yield field_error.not_supported(f"{path}.reason", reason, _REASONS)


def _annotation_errors(annotation: JsonObject, path: str, compiler: Compiler, *, name: str) -> Iterator[FieldError]:
    from konverge.cluster.apiserver.cel.types import NULL, STRING  # noqa: PLC0415 - CEL is large

    key, text = annotation.get("key", ""), annotation.get("valueExpression", "")
    if name:
        whole = f"{name}/{key}"
        yield from (field_error.invalid(f"{path}.key", whole, each) for each in name_rules.qualified_name(whole))
    else:
        yield field_error.invalid(f"{path}.key", key, "requires metadata.name be non-empty")
    stripped, where = text.strip(), f"{path}.valueExpression"
    if not stripped:
        yield field_error.required(where, "valueExpression is not specified")
    elif len(stripped.encode()) > _LONGEST_ANNOTATION:
        yield field_error.required(where, f"must not exceed {_LONGEST_ANNOTATION} bytes in length")
    else:
        yield from compiled_errors(compiler.compile(stripped, STRING, NULL), where, shown=text)


# --- mutations ---


def _mutation_list_errors(spec: JsonObject, compiler: Compiler) -> Iterator[FieldError]:
    if not spec.get("mutations"):
        yield field_error.required("spec.mutations", "mutations must contain at least one item")
    for index, mutation in enumerate(spec.get("mutations") or ()):
        yield from _mutation_errors(mutation, f"spec.mutations[{index}]", compiler)
    again = spec.get("reinvocationPolicy")
    if not again:
        yield field_error.required("spec.reinvocationPolicy")
    elif again not in _REINVOCATIONS:
        yield field_error.not_supported("spec.reinvocationPolicy", again, _REINVOCATIONS)


def _mutation_errors(mutation: JsonObject, path: str, compiler: Compiler) -> Iterator[FieldError]:
    kind = mutation.get("patchType", "")
    if not kind:
        yield field_error.required(f"{path}.patchType")
        return
    if kind not in _PATCHES:
        yield field_error.not_supported(f"{path}.patchType", kind, _PATCHES)
        return
    own, other = _PATCHES[kind], next(name for each, name in _PATCHES.items() if each != kind)
    if mutation.get(own) is None:
        yield field_error.required(f"{path}.{own}", f"must be specified when patchType is {kind}")
    else:
        yield from _patch_errors(mutation[own].get("expression", "").strip(), kind, f"{path}.{own}", compiler)
    if mutation.get(other) is not None:
        text = f"must not be specified when patchType is {kind}"
        yield field_error.invalid(f"{path}.{other}", f"{{{other}}}", text)


def _patch_errors(text: str, kind: str, path: str, compiler: Compiler) -> Iterator[FieldError]:
    if not text:
        yield field_error.required(f"{path}.expression")
        return
    compiled = compiler.compile(text, _patch_type(kind), has_patches=True)
    yield from compiled_errors(compiled, f"{path}.expression")


def _patch_type(kind: str) -> Any:
    from konverge.cluster.apiserver.cel.types import list_of, struct  # noqa: PLC0415 - CEL is large

    return list_of(struct("JSONPatch")) if kind == "JSONPatch" else struct("Object")


VALIDATING_POLICY: Final = KindRules(validate=_validate_validating, validate_update=_validating_update)
MUTATING_POLICY: Final = KindRules(validate=_validate_mutating, validate_update=_mutating_update)
