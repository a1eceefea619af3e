"""A validating policy, compiled: its conditions, its validations with their messages, its audit annotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from konverge.cluster.apiserver.admission.expression.compiler import Compiled, Compiler
from konverge.cluster.apiserver.admission.expression.evaluation import Evaluation, EvaluationError, OutOfBudget
from konverge.cluster.apiserver.admission.expression.inputs import Inputs
from konverge.cluster.apiserver.admission.expression.match_conditions import MatchConditions
from konverge.cluster.apiserver.cel.types import BOOL, NULL, STRING
from konverge.cluster.apiserver.cel.values import type_name
from konverge.cluster.apiserver.strategy import JsonObject

_LONGEST_MESSAGE: Final = 5 * 1024  # bytes
_LONGEST_ANNOTATION: Final = 10 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A validation that does not hold, or that could not be evaluated."""

    message: str
    reason: str = ""
    index: int = 0
    always_denies: bool = False  # whatever the binding says


@dataclass(frozen=True, slots=True)
class _Validation:
    expression: Compiled
    message_expression: Compiled | None
    message: str
    reason: str


@dataclass(frozen=True, slots=True)
class CompiledValidation:
    """A policy's expressions. `variables` are evaluated when they are named."""

    conditions: MatchConditions
    validations: Sequence[_Validation]
    annotations: Mapping[str, Compiled]
    variables: Mapping[str, Compiled]

    def evaluate(self, inputs: Inputs, *, fails: bool) -> tuple[list[Finding], dict[str, str]]:
        """Return what does not hold for a write, and the audit annotations."""
        matched = self.conditions.match(inputs, fails=fails)
        if matched.error:
            return [Finding(message=matched.error)], {}
        if not matched.is_matched:
            return [], {}
        annotations: dict[str, str] = {}
        try:
            findings = self._findings(inputs, fails=fails)
            findings += self._annotate(inputs, annotations, fails=fails)
        except OutOfBudget as error:
            return ([Finding(message=str(error))] if fails else []), {}
        return findings, annotations

    def _findings(self, inputs: Inputs, *, fails: bool) -> list[Finding]:
        evaluation = Evaluation(inputs.variables, self.variables)
        results = [_result(evaluation, each.expression) for each in self.validations]
        texts = self._messages(inputs, evaluation.remaining)
        findings: list[Finding] = []
        for index, (validation, result) in enumerate(zip(self.validations, results, strict=True)):
            if isinstance(result, EvaluationError) or isinstance(texts, OutOfBudget):
                error = result if isinstance(result, EvaluationError) else f"failed messageExpression: {texts}"
                findings += [Finding(message=str(error), index=index)] if fails else []
            elif result is not True:
                message = (texts[index] or validation.message.strip()) or _failed(validation.expression)
                findings.append(Finding(message=message, reason=validation.reason, index=index))
        return findings

    def _messages(self, inputs: Inputs, remaining: int) -> list[str] | OutOfBudget:
        """Return what the message expressions say; they are all evaluated, needed or not, as their cost counts."""
        evaluation = Evaluation(inputs.without_authorizer(), self.variables, budget=remaining)
        try:
            return [_message(evaluation, each.message_expression) for each in self.validations]
        except OutOfBudget as error:
            return error

    def _annotate(self, inputs: Inputs, annotations: dict[str, str], *, fails: bool) -> list[Finding]:
        evaluation = Evaluation(inputs.without_authorizer(), self.variables)
        findings: list[Finding] = []
        for key, expression in self.annotations.items():
            value = _result(evaluation, expression)
            if isinstance(value, EvaluationError):
                findings += [Finding(message=str(value), always_denies=True)] if fails else []
            elif isinstance(value, str):
                annotations |= {key: value.strip()[:_LONGEST_ANNOTATION]} if value.strip() else {}
            elif value is not None:
                text = (
                    f"valueExpression '{expression.text}' resulted in unsupported return type: {type_name(value)}. "
                    "Return type must be either string or null."
                )
                findings.append(Finding(message=text, always_denies=True))
        return findings


def _result(evaluation: Evaluation, expression: Compiled) -> Any:
    try:
        return evaluation.run(expression)
    except EvaluationError as error:
        return error


def _message(evaluation: Evaluation, expression: Compiled | None) -> str:
    """Return what a message expression says; empty where it says nothing that fits on a line."""
    said = None if expression is None else _result(evaluation, expression)
    text = said.strip() if isinstance(said, str) else ""
    return "" if "\n" in text or len(text.encode()) > _LONGEST_MESSAGE else text


def _failed(expression: Compiled) -> str:
    return f"failed expression: {expression.text.strip()}"


def compile_validation(spec: JsonObject) -> CompiledValidation:
    """Compile a policy; what is wrong with it counts when it is evaluated."""
    compiler = Compiler(has_params="paramKind" in spec, composes=True)
    for each in spec.get("variables") or ():
        compiler.add_variable(each.get("name", ""), each.get("expression", ""))
    conditions = MatchConditions(spec.get("matchConditions") or (), compiler)
    validations = [_validation(compiler, each) for each in spec.get("validations") or ()]
    annotations = {
        each.get("key", ""): compiler.compile(each.get("valueExpression", ""), STRING, NULL)
        for each in spec.get("auditAnnotations") or ()
    }
    return CompiledValidation(conditions, validations, annotations, compiler.variables)


def _validation(compiler: Compiler, spec: Mapping[str, Any]) -> _Validation:
    text = spec.get("messageExpression")
    message = compiler.compile(text, STRING, has_authorizer=False) if text else None
    expression = compiler.compile(spec.get("expression", ""), BOOL)
    return _Validation(expression, message, spec.get("message", ""), spec.get("reason") or "Invalid")
