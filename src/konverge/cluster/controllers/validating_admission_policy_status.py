"""The status of ValidatingAdmissionPolicies: which of their expressions do not fit the kinds that they are about.

A policy is checked once for each of its generations, with the schemas that the server publishes at that time; a kind
that comes later is not looked at again, as in the real controller.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from konverge.api.meta import ObjectMeta
from konverge.builder import new_controller
from konverge.client.client import Client
from konverge.client.ignore import ignore_not_found
from konverge.client.served import ServedKinds
from konverge.cluster.apiserver.admission.policy.type_check import CheckedKind, expression_warnings, kind_schema
from konverge.controller import Context, Request
from konverge.manager import Manager
from konverge.models import admissionregistration_v1 as admission

NAME: Final = "validatingadmissionpolicy-status-controller"
_OWNER: Final = "validatingadmissionpolicy-status"
_MOST_KINDS: Final = 10  # of one rule

_Kind = tuple[str, str, str]  # group, version, kind: so they sort


def add_to(manager: Manager) -> None:
    """Register the controller."""
    new_controller(manager).named(NAME).for_(admission.ValidatingAdmissionPolicy).complete(reconcile)


async def reconcile(ctx: Context, request: Request) -> None:
    """Check a policy that is new or has changed, and say what is wrong with it."""
    policy = await ignore_not_found(ctx.client.get(admission.ValidatingAdmissionPolicy, request))
    generation = policy.metadata.generation or 0 if policy is not None else 0
    if policy is None or generation <= (policy.status.observed_generation or 0):
        return
    spec = policy.to_dict().get("spec") or {}
    warnings = await _warnings(ctx.live, spec)
    status = admission.ValidatingAdmissionPolicyStatus(
        observed_generation=generation,
        type_checking=admission.TypeChecking(
            expression_warnings=[msgspec.convert(each, admission.ExpressionWarning) for each in warnings] or None
        ),
    )
    wanted = admission.ValidatingAdmissionPolicy(metadata=ObjectMeta(name=policy.metadata.name), status=status)
    await ctx.live.status.apply(wanted, force=True, field_owner=_OWNER)


async def _warnings(client: Client, spec: dict[str, Any]) -> list[dict[str, str]]:
    schemas = _Schemas(client)
    rules = (spec.get("matchConstraints") or {}).get("resourceRules") or ()
    named = kinds_of(rules, await client.served_kinds()) if rules else []
    kinds = [found for each in named if (found := await schemas.find(*each))]
    return expression_warnings(spec, kinds, await _params(schemas, spec.get("paramKind")))


async def _params(schemas: _Schemas, kind: dict[str, str] | None) -> CheckedKind | None:
    if not kind:
        return None
    group, _, version = kind["apiVersion"].rpartition("/")
    return await schemas.find(group, version, kind["kind"])


def kinds_of(rules: Sequence[dict[str, Any]], served: ServedKinds) -> list[_Kind]:
    """Return the kinds that rules name, sorted; a rule for any group or version names none."""
    found: dict[_Kind, None] = {}
    for rule in rules:
        of_rule = list(_kinds_of_rule(rule, served))[:_MOST_KINDS]
        found |= dict.fromkeys(of_rule)
        if len(of_rule) == _MOST_KINDS:
            break
    return sorted(found)


def _kinds_of_rule(rule: dict[str, Any], served: ServedKinds) -> Iterator[_Kind]:
    groups, versions = rule.get("apiGroups") or (), rule.get("apiVersions") or ()
    if any("*" in each for each in (*groups, *versions)):
        return
    plurals = [each for each in rule.get("resources") or () if "*" not in each and "/" not in each]
    for group, version, plural in (
        (g, v, p) for g in sorted(groups) for v in sorted(versions) for p in sorted(plurals)
    ):
        for each in served.kinds:
            resource = each.resource
            if (resource.group, resource.version, resource.plural) == (group, version, plural):
                yield group, version, resource.kind


class _Schemas:
    """The schemas that a server publishes, each document read once for a check."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._documents: dict[str, Any] = {}

    async def find(self, group: str, version: str, kind: str) -> CheckedKind | None:
        """Return a kind with its schema, None where the server has none."""
        path = f"/openapi/v3/apis/{group}/{version}" if group else f"/openapi/v3/api/{version}"
        if path not in self._documents:
            body = await ignore_not_found(self._client.get_raw(path))
            self._documents[path] = msgspec.json.decode(body) if body else {}
        schema = kind_schema(self._documents[path], group=group, version=version, kind=kind)
        return None if schema is None else CheckedKind(group, version, kind, schema)
