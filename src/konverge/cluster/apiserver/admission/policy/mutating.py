"""MutatingPolicies: what authors change in CEL.

Policies run one after the other, each on what the one before it made. What changed may concern a policy that has had
its turn: one that says `reinvocationPolicy: IfNeeded` gets a second one, with the webhooks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from konverge.api.json_value import json_copy, json_equal
from konverge.cluster.apiserver.access.authorization import Authorization
from konverge.cluster.apiserver.admission.attributes import Attributes, GroupVersionKind
from konverge.cluster.apiserver.admission.equivalents import converted
from konverge.cluster.apiserver.admission.policy.bad_mutation import BadMutation
from konverge.cluster.apiserver.admission.policy.invocation import Denial, Finder, Invocation
from konverge.cluster.apiserver.admission.policy.source import Source
from konverge.cluster.apiserver.failure import Failure, internal
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.resource import Resource, Resources
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.expected import Unreadable

if TYPE_CHECKING:
    from konverge.cluster.apiserver.admission.policy.mutation import CompiledMutations, Mutation  # CEL is large

_NAME: Final = "MutatingAdmissionPolicy"
_INVALID: Final = "Invalid"
_Key = tuple[str, str, str]


def _compile(spec: JsonObject) -> CompiledMutations:
    from konverge.cluster.apiserver.admission.policy.mutation import compile_mutations  # noqa: PLC0415 - CEL is large

    return compile_mutations(spec)


@dataclass(slots=True)
class _Rounds:
    """Who has had a turn and may get another, and what the last round left."""

    before: list[_Key] = field(default_factory=list)
    again: list[_Key] = field(default_factory=list)
    last: Any = None

    def call_again(self) -> None:
        """Let all who had a turn have another."""
        self.again += self.before
        self.before = []


class MutatingPolicies:
    """The plugin MutatingAdmissionPolicy."""

    def __init__(self, storage: Storage, resources: Resources, authorization: Authorization) -> None:
        self._source: Source[CompiledMutations] = Source(storage, "mutatingadmissionpolicies", _compile)
        self._finder = Finder(storage, resources, authorization, self._source)

    @property
    def is_active(self) -> bool:
        """Whether any policy is bound."""
        return bool(self._source.found)

    def changed(self, resource: Resource) -> None:
        """Take note of a write."""
        self._source.changed(resource)

    async def mutate(self, attributes: Attributes) -> None:
        """Let the policies change an object. Who is about it is decided before the first of them changes it."""
        found = list(self._finder.find(attributes))
        denials = [each for each in found if isinstance(each, Denial)]
        invocations = [each for each in found if not isinstance(each, Denial)]
        if invocations:
            denials += self._invoke_all(attributes, invocations)
        if denials:
            raise _refusal(attributes, denials)

    def _invoke_all(self, attributes: Attributes, found: list[Invocation[CompiledMutations]]) -> list[Denial]:
        rounds = attributes.memory.setdefault(_NAME, _Rounds())
        assert isinstance(rounds, _Rounds)  # noqa: S101 - the memory under this name is this plugin's
        if attributes.is_reinvoked and not json_equal(rounds.last, attributes.value):
            rounds.call_again()
        denials: list[Denial] = []
        for each in found:
            denials += self._invoke(attributes, each, rounds)
        rounds.last = json_copy(attributes.value)
        return denials

    def _invoke(
        self, attributes: Attributes, invocation: Invocation[CompiledMutations], rounds: _Rounds
    ) -> list[Denial]:
        policy = invocation.policy
        matched = policy.compiled.conditions.match(self._finder.inputs(attributes, invocation), fails=policy.fails)
        if matched.error:
            return [invocation.denial(matched.error, _INVALID)]
        key = _key(invocation)
        if not matched.is_matched or (attributes.is_reinvoked and key not in rounds.again):
            return []
        denials = [] if attributes.value is None else self._change(attributes, invocation, rounds)
        if policy.spec.get("reinvocationPolicy") == "IfNeeded":
            rounds.before.append(key)
        return denials if policy.fails else []

    def _change(
        self, attributes: Attributes, invocation: Invocation[CompiledMutations], rounds: _Rounds
    ) -> list[Denial]:
        denials: list[Denial] = []
        for mutation in invocation.policy.compiled.mutations:
            try:
                self._mutate(attributes, invocation, mutation)
            except BadMutation as error:
                denials.append(invocation.denial(str(error), _INVALID))
                continue
            # Whoever makes a change, even one that leaves all as it was, gives the others another turn.
            rounds.call_again()
            attributes.wants_reinvocation = True
        return denials

    def _mutate(self, attributes: Attributes, invocation: Invocation[CompiledMutations], mutation: Mutation) -> None:
        own, target = attributes.resource, invocation.resource
        assert attributes.value is not None  # noqa: S101 - who has no object to change is not asked
        manager = target.strategy.field_manager
        if attributes.kind != GroupVersionKind.of(own) or manager is None:
            raise BadMutation(f"{attributes.kind.kind} cannot be changed by a policy")
        inputs = self._finder.inputs(attributes, invocation)
        shown = converted(json_copy(attributes.value), own, target)
        made = mutation.changed(shown, inputs, manager.type)
        if made is not shown:
            if not target.is_custom:  # a patch may replace all of it: the type says what it is, as where none is named
                made = {"kind": target.kind, "apiVersion": target.api_version, **made}
            self._become(attributes, converted(made, target, own))

    @staticmethod
    def _become(attributes: Attributes, value: JsonObject) -> None:
        """Take over what a policy made; it is read strictly, and what is wrong with it is the server's own fault."""
        try:
            if attributes.resource.is_custom:
                attributes.resource.strategy.prune(value)  # it would be when it is read from the storage
            unknown = attributes.read(json_copy(value))
            if isinstance(unknown, list) and unknown:
                raise internal(
                    f"strict decoding error: {', '.join(f'unknown field {quoted(each)}' for each in unknown)}"
                )
            attributes.become(value)
        except Unreadable as error:
            raise internal(str(error)) from None


def _key(invocation: Invocation[CompiledMutations]) -> _Key:
    metadata = (invocation.parameter or {}).get("metadata") or {}
    parameter = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
    return invocation.policy.name, invocation.binding.name, parameter


def _refusal(attributes: Attributes, denials: Sequence[Denial]) -> Failure:
    messages = [_message(each) for each in denials]
    failure = attributes.forbidden("")
    failure.message = messages[0]
    failure.reason = denials[0].reason or failure.reason
    failure.details = {**(failure.details or {}), "causes": [{"message": each} for each in messages]}
    return failure


def _message(denial: Denial) -> str:
    if denial.binding:
        return f"policy '{denial.policy}' with binding '{denial.binding}' denied request: {denial.message}"
    return f'policy "{denial.policy}" denied request: {denial.message}'
