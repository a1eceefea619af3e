"""Source: the policies that have bindings, compiled; read anew when a policy or a binding changes.

A policy is compiled once for each of its versions. They come in the order of their names; the real server has no order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import msgspec

from konverge.cluster.apiserver.admission.policy.match_resources import MatchResources
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.apiserver.strategy import JsonObject

_GROUP: Final = "admissionregistration.k8s.io"
CompiledT = TypeVar("CompiledT")


@dataclass(frozen=True, slots=True)
class Binding:
    """A binding at work."""

    name: str
    spec: Mapping[str, Any]
    resources: MatchResources | None  # None: all that its policy is about


@dataclass(frozen=True, slots=True)
class Policy(Generic[CompiledT]):
    """A policy at work: with what its expressions were compiled to."""

    name: str
    version: str  # of the object
    spec: Mapping[str, Any]
    constraints: MatchResources
    compiled: CompiledT

    @property
    def fails(self) -> bool:
        """Whether a write is refused when the policy cannot be evaluated."""
        return bool(self.spec.get("failurePolicy", "Fail") != "Ignore")


class Source(Generic[CompiledT]):
    """The policies of one plural, each with its bindings."""

    def __init__(self, storage: Storage, plural: str, compile_: Callable[[JsonObject], CompiledT]) -> None:
        self._storage = storage
        self._policies = plural
        self._bindings = f"{plural.removesuffix('policies')}policybindings"
        self._compile = compile_
        self._is_stale = True
        self._found: list[tuple[Policy[CompiledT], list[Binding]]] = []

    @property
    def found(self) -> list[tuple[Policy[CompiledT], list[Binding]]]:
        """The policies that are bound, by name."""
        if self._is_stale:
            self._is_stale = False
            self._found = self._read()
        return self._found

    def changed(self, resource: Resource) -> None:
        """Take note that an object was written."""
        if resource.group == _GROUP and resource.plural in (self._policies, self._bindings):
            self._is_stale = True

    def _read(self) -> list[tuple[Policy[CompiledT], list[Binding]]]:
        bindings: dict[str, list[Binding]] = {}
        for value in self._all(self._bindings):
            bindings.setdefault(value["spec"].get("policyName", ""), []).append(_binding(value))
        known = {policy.name: policy for policy, _ in self._found}
        return [
            (self._policy(value, known.get(value["metadata"]["name"])), bindings[value["metadata"]["name"]])
            for value in self._all(self._policies)
            if value["metadata"]["name"] in bindings
        ]

    def _all(self, plural: str) -> list[JsonObject]:
        stored = self._storage.range(f"/{_GROUP}/{plural}/").items
        return [msgspec.json.decode(each.value) for each in stored]

    def _policy(self, value: JsonObject, known: Policy[CompiledT] | None) -> Policy[CompiledT]:
        metadata, spec = value["metadata"], value["spec"]
        if known is not None and known.version == metadata["resourceVersion"]:
            return known
        constraints = MatchResources(spec.get("matchConstraints") or {})
        return Policy(metadata["name"], metadata["resourceVersion"], spec, constraints, self._compile(spec))


def _binding(value: JsonObject) -> Binding:
    spec = value["spec"]
    narrower = spec.get("matchResources")
    return Binding(value["metadata"]["name"], spec, None if narrower is None else MatchResources(narrower))
