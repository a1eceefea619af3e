"""MatchResources: which writes a policy or a binding is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from konverge.cluster.apiserver.admission.attributes import Attributes
from konverge.cluster.apiserver.admission.rules import Rule
from konverge.cluster.apiserver.admission.selectors import read_selector, takes_namespace, takes_object
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.storage import Storage

_NamedRules = tuple[tuple[Rule, tuple[str, ...]], ...]


class MatchResources:
    """The constraints of a policy, or the narrower ones of a binding; a binding that has none takes every write."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self._namespaces = read_selector(spec.get("namespaceSelector") or {})
        self._objects = read_selector(spec.get("objectSelector") or {})
        self._rules = _named_rules(spec.get("resourceRules") or ())
        self._excluded = _named_rules(spec.get("excludeResourceRules") or ())
        self._is_exact = spec.get("matchPolicy") == "Exact"

    def match(self, attributes: Attributes, equivalents: Sequence[Resource], storage: Storage) -> Resource | None:
        """Return the resource by which a write is matched: its own, or an equivalent; None where it is not.

        Raises what the real server says of a namespace that is not there, where all else fits.
        """
        missing: Failure | None = None
        try:
            if not takes_namespace(self._namespaces, attributes, storage):
                return None
        except Failure as failure:
            missing = failure
        if not takes_object(self._objects, attributes):
            return None
        others = () if self._is_exact else equivalents
        if _matching(self._excluded, attributes, others) is not None:
            return None
        found = _matching(self._rules, attributes, others) if self._rules else attributes.resource
        if found is not None and missing is not None:
            raise missing
        return found


def _named_rules(specs: Sequence[Mapping[str, Any]]) -> _NamedRules:
    return tuple((Rule.of(spec), tuple(spec.get("resourceNames") or ())) for spec in specs)


def _matching(rules: _NamedRules, attributes: Attributes, equivalents: Sequence[Resource]) -> Resource | None:
    named = [rule for rule, names in rules if not names or attributes.name in names]
    if any(rule.matches(attributes, attributes.resource) for rule in named):
        return attributes.resource
    return next((each for rule in named for each in equivalents if rule.matches(attributes, each)), None)
