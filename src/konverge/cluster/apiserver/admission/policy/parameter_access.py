"""Parameter access: who configures a policy must be able to read its parameters, for its messages can show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.access.attempt import Attempt
from konverge.cluster.apiserver.access.authorization import Authorization
from konverge.cluster.apiserver.access.user import User
from konverge.cluster.apiserver.admission.policy.parameters import BadConfiguration, Parameters
from konverge.cluster.apiserver.failure import invalid
from konverge.cluster.apiserver.resource import Resource, Resources
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.apiserver.strategy import JsonObject

GROUP: Final = "admissionregistration.k8s.io"
_POLICIES: Final = ("validatingadmissionpolicies", "mutatingadmissionpolicies")
_BINDINGS: Final = ("validatingadmissionpolicybindings", "mutatingadmissionpolicybindings")
_MINIMUM: Final = "to determine minimum required permissions and user"
_EVERYTHING: Final = "permission for all groups, versions and resources"


@dataclass(frozen=True, slots=True)
class ParameterAccess:
    """Judges the writes of policies and bindings."""

    storage: Storage
    resources: Resources
    authorization: Authorization

    def check(self, user: User, resource: Resource, value: JsonObject, old: JsonObject | None) -> None:
        """Raise (422) where an author refers to parameters that they may not read."""
        if user.is_administrator:
            return
        spec, before = value.get("spec") or {}, (old or {}).get("spec") or {}
        if resource.plural in _POLICIES:
            kind = spec.get("paramKind")
            why = self._wrong_kind(user, kind) if kind and kind != before.get("paramKind") else ""
            field = "spec.paramKind"
        elif resource.plural in _BINDINGS:
            why = self._wrong_reference(user, resource, spec) if spec.get("paramRef") else ""
            field = "spec.paramRef"
        else:
            return
        if why:
            name = value["metadata"].get("name", "")
            raise invalid(resource.kind, resource.group, name, [field_error.forbidden(field, why)])

    def _wrong_kind(self, user: User, kind: Mapping[str, Any]) -> str:
        group, plural, _ = self._place(kind)
        if self._may(user, Attempt(verb="get", group=group, resource=plural, namespace="*", name="*")):
            return ""
        shown = f"(kind={kind.get('kind', '')}, apiVersion={kind.get('apiVersion', '')})"
        return f'user {_shown(user)} must have "get" permission on all objects of the referenced paramKind {shown}'

    def _wrong_reference(self, user: User, resource: Resource, spec: Mapping[str, Any]) -> str:
        reference, name = spec["paramRef"], spec.get("policyName", "")
        policy = self._policy(resource, name)
        kind = None if policy is None else (policy.get("spec") or {}).get("paramKind")
        group, plural, is_known = ("*", "*", True) if kind is None else self._place(kind)
        verb = "get" if reference.get("name") else "list"
        attempt = Attempt(
            verb=verb,
            group=group,
            resource=plural,
            namespace=reference.get("namespace", ""),
            name=reference.get("name", ""),
        )
        if self._may(user, attempt):
            return ""
        if policy is None:
            return f'unable to get policy {name} {_MINIMUM} {_shown(user)} does not have "{verb}" {_EVERYTHING}'
        if not is_known:
            wanted = f"&{{{kind.get('apiVersion', '')} {kind.get('kind', '')}}}"  # type: ignore[union-attr]  # it is there
            return (
                f'unable to resolve paramKind {wanted} {_MINIMUM} {_shown(user)} does not have "{verb}" {_EVERYTHING}'
            )
        # The real server mixes up the two words for mutating policies.
        first, second = (_shown(user), verb) if resource.plural.startswith("validating") else (verb, _shown(user))
        return f'user {first} does not have "{second}" permission on the object referenced by paramRef'

    def _policy(self, resource: Resource, name: str) -> JsonObject | None:
        stored = self.storage.newest(f"/{GROUP}/{resource.plural.removesuffix('policybindings')}policies/{name}")
        return None if stored is None else msgspec.json.decode(stored.value)

    def _place(self, kind: Mapping[str, Any]) -> tuple[str, str, bool]:
        """Return the group and plural of a kind, and whether it is known: one that is not stands for all."""
        group = kind.get("apiVersion", "").rpartition("/")[0]
        try:
            found = Parameters(self.storage, self.resources).resource_of(kind)
        except BadConfiguration:
            return group, "*", False
        return group, "*" if found is None else found.plural, True

    def _may(self, user: User, attempt: Attempt) -> bool:
        return self.authorization.decide(user, attempt).is_allowed


def _shown(user: User) -> str:
    """Return a user as Go prints it."""
    extra = " ".join(f"{key}:{_listed(user.extra[key])}" for key in sorted(user.extra))
    return f"&{{{user.name} {user.uid} {_listed(user.groups)} map[{extra}]}}"


def _listed(texts: tuple[str, ...]) -> str:
    """Return texts as Go prints a list of them."""
    return f"[{' '.join(texts)}]"
