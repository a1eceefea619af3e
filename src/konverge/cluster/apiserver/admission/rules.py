"""Rules: which writes a configuration speaks of, by operation, group, version, resource and scope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from konverge.cluster.apiserver.admission.attributes import Attributes, GroupVersionKind
from konverge.cluster.apiserver.resource import Resource

_NAMESPACES: Final = ("", "v1", "namespaces")
_EXEMPT: Final = (
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
)


def is_exempt(kind: GroupVersionKind) -> bool:
    """Whether a kind configures admission itself: what would refuse its own repair is not asked about it."""
    return kind.group == "admissionregistration.k8s.io" and kind.kind in _EXEMPT


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule; `*` stands for anything."""

    operations: tuple[str, ...]
    groups: tuple[str, ...]
    versions: tuple[str, ...]
    resources: tuple[tuple[str, str], ...]  # plural and subresource
    scope: str = "*"

    @classmethod
    def of(cls, spec: Mapping[str, Any]) -> Rule:
        """Read a rule of a configuration."""
        return cls(
            operations=tuple(spec.get("operations") or ()),
            groups=tuple(spec.get("apiGroups") or ()),
            versions=tuple(spec.get("apiVersions") or ()),
            resources=tuple(_split(each) for each in spec.get("resources") or ()),
            scope=spec.get("scope") or "*",
        )

    def matches(self, attributes: Attributes, resource: Resource) -> bool:
        """Whether the rule speaks of a write, were it one to this resource: the write's own, or an equivalent."""
        return (
            self._has_scope(attributes, resource)
            and _takes(self.operations, attributes.operation)
            and _takes(self.groups, resource.group)
            and _takes(self.versions, resource.version)
            and any(
                plural in ("*", resource.plural) and part in ("*", attributes.subresource)
                for plural, part in self.resources
            )
        )

    def _has_scope(self, attributes: Attributes, resource: Resource) -> bool:
        if self.scope == "*":
            return True
        is_namespace = (resource.group, resource.version, resource.plural) == _NAMESPACES
        is_in_namespace = bool(attributes.namespace) and not is_namespace
        return is_in_namespace if self.scope == "Namespaced" else not is_in_namespace


def _split(text: str) -> tuple[str, str]:
    plural, _, part = text.partition("/")
    return plural, part


def _takes(items: Sequence[str], wanted: str) -> bool:
    return "*" in items or wanted in items


def rule_matching(
    rules: Sequence[Rule], attributes: Attributes, equivalents: Sequence[Resource] | None
) -> Resource | None:
    """Return the resource by which a write meets one of the rules: its own, else an equivalent; None: none does.

    `equivalents` is None where the configuration wants exact matches.
    """
    if any(rule.matches(attributes, attributes.resource) for rule in rules):
        return attributes.resource
    for rule in rules:
        for each in equivalents or ():
            if rule.matches(attributes, each):
                return each
    return None
