"""Invocation: a policy that is about a write, with one of its bindings and one parameter; and how they are found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from konverge.cluster.apiserver.access.authorization import Authorization
from konverge.cluster.apiserver.admission.attributes import Attributes, GroupVersionKind
from konverge.cluster.apiserver.admission.equivalents import Equivalents, converted
from konverge.cluster.apiserver.admission.policy.parameters import BadConfiguration, Parameters
from konverge.cluster.apiserver.admission.policy.source import Binding, Policy, Source
from konverge.cluster.apiserver.admission.selectors import find_namespace
from konverge.cluster.apiserver.failure import Failure, not_found
from konverge.cluster.apiserver.resource import Resource, Resources
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.apiserver.strategy import JsonObject

if TYPE_CHECKING:
    from konverge.cluster.apiserver.admission.expression.inputs import Inputs  # CEL is large

CompiledT = TypeVar("CompiledT")

# Not asked about: reviews, without which nobody could do anything any more, and what configures policies themselves.
_EXCLUDED = frozenset(
    {
        ("authentication.k8s.io", "selfsubjectreviews"),
        ("authentication.k8s.io", "tokenreviews"),
        ("authorization.k8s.io", "localsubjectaccessreviews"),
        ("authorization.k8s.io", "selfsubjectaccessreviews"),
        ("authorization.k8s.io", "selfsubjectrulesreviews"),
        ("authorization.k8s.io", "subjectaccessreviews"),
        ("admissionregistration.k8s.io", "mutatingadmissionpolicies"),
        ("admissionregistration.k8s.io", "mutatingadmissionpolicybindings"),
        ("admissionregistration.k8s.io", "validatingadmissionpolicies"),
        ("admissionregistration.k8s.io", "validatingadmissionpolicybindings"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Denial:
    """Why a policy refuses a write, or cannot be put to work."""

    message: str
    policy: str
    binding: str = ""  # empty: the policy itself is at fault
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Invocation(Generic[CompiledT]):
    """A policy, a binding and a parameter that are about a write; `resource` is what the write was matched by."""

    policy: Policy[CompiledT]
    binding: Binding
    resource: Resource
    parameter: JsonObject | None

    def denial(self, message: str, reason: str = "") -> Denial:
        """Return a refusal by this policy and binding."""
        return Denial(message=message, reason=reason, policy=self.policy.name, binding=self.binding.name)


@dataclass(slots=True)
class Finder(Generic[CompiledT]):
    """Finds the invocations of a write, and tells what is wrong with policies on the way."""

    storage: Storage
    resources: Resources
    authorization: Authorization
    source: Source[CompiledT]
    parameters: Parameters = field(init=False)
    equivalents: Equivalents = field(init=False)

    def __post_init__(self) -> None:
        self.parameters = Parameters(self.storage, self.resources)
        self.equivalents = Equivalents(self.resources)

    def find(self, attributes: Attributes) -> Iterator[Invocation[CompiledT] | Denial]:
        """Yield what is about a write, in order; a denial only where the policy's failures count."""
        if (attributes.resource.group, attributes.resource.plural) in _EXCLUDED:
            return
        equivalents = self.equivalents.of(attributes.resource)
        for policy, bindings in self.source.found:
            for each in self._of_policy(policy, bindings, attributes, equivalents):
                if policy.fails or not isinstance(each, Denial):
                    yield each

    def _of_policy(
        self,
        policy: Policy[CompiledT],
        bindings: list[Binding],
        attributes: Attributes,
        equivalents: tuple[Resource, ...],
    ) -> Iterator[Invocation[CompiledT] | Denial]:
        try:
            matched = policy.constraints.match(attributes, equivalents, self.storage)
            if matched is None:
                return
            parameter_kind = self.parameters.resource_of(policy.spec.get("paramKind"))
        except (BadConfiguration, Failure) as bad:
            yield Denial(message=f"failed to configure policy: {bad}", policy=policy.name)
            return
        for binding in bindings:
            try:
                if binding.resources and binding.resources.match(attributes, equivalents, self.storage) is None:
                    continue
                reference = binding.spec.get("paramRef")
                found = self.parameters.collect(parameter_kind, reference, attributes.namespace)
            except (BadConfiguration, Failure) as bad:
                message = f"failed to configure binding: {bad}"
                yield Denial(message=message, policy=policy.name, binding=binding.name)
                continue
            yield from (Invocation(policy, binding, matched, each) for each in found)

    def inputs(self, attributes: Attributes, invocation: Invocation[CompiledT]) -> Inputs:
        """Return what the expressions of an invocation may look at."""
        from konverge.cluster.apiserver.admission.expression.inputs import (  # noqa: PLC0415 - CEL is large
            Inputs,
            MatchedResource,
        )

        own, target = attributes.resource, invocation.resource
        is_own_kind = attributes.kind == GroupVersionKind.of(own)
        matched = MatchedResource(
            target.group,
            target.version,
            target.plural,
            GroupVersionKind.of(target) if is_own_kind else attributes.kind,
        )
        value, old = (
            each if each is None or not is_own_kind else converted(each, own, target)
            for each in (attributes.value, attributes.old)
        )
        return Inputs(
            attributes,
            matched,
            value=value,
            old=old,
            authorization=self.authorization,
            namespace=self._namespace(attributes),
            params=invocation.parameter,
        )

    def _namespace(self, attributes: Attributes) -> JsonObject | None:
        """Return the namespace of a write; a Namespace is in none, though it is said to be in its own."""
        if not attributes.namespace or attributes.kind == ("", "v1", "Namespace"):
            return None
        found = find_namespace(self.storage, attributes.namespace)
        if found is None:
            raise not_found("namespaces", "", attributes.namespace)
        return found
