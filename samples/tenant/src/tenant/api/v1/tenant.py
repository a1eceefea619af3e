"""Tenant v1: the namespaces of a team, and who may do what in them. It has no namespace itself."""

from typing import Annotated

import konverge as kv


class Right(kv.Model):
    """Some verbs on some resources."""

    groups: Annotated[list[str], kv.ListSet(), kv.Doc('API groups; the core group is "".')]
    resources: Annotated[list[str], kv.ListSet(), kv.MinItems(1), kv.Doc("Plurals, such as pods.")]
    verbs: Annotated[list[str], kv.ListSet(), kv.MinItems(1), kv.Doc("Such as get.")]


class TenantSpec(kv.Spec):
    """What a user asks for."""

    namespaces: Annotated[
        list[Annotated[str, kv.Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"), kv.MaxLength(61)]],
        kv.ListSet(),
        kv.MinItems(1),
        kv.MaxItems(100),
        kv.Doc(
            "What the namespaces are called after the tenant's name: dev gives shop-dev. One that is taken out is deleted."
        ),
    ]
    admins: Annotated[list[str] | None, kv.ListSet(), kv.Doc("The users who look after the namespaces.")] = None
    more_rights: Annotated[
        list[Right] | None,
        kv.ListAtomic(),
        kv.Doc("What the admins may do beside what every admin may; no more than the operator itself may."),
    ] = None


class TenantStatus(kv.Status):
    """What the operator found."""

    conditions: Annotated[list[kv.Condition] | None, kv.ListMap("type")] = None


@kv.resource(
    group="tenant.example.com",
    version="v1",
    scope="Cluster",
    storage=True,
    rules=[
        kv.Rule(
            "oldSelf.hasValue() || !self.metadata.name.contains('.')",
            optional_old_self=True,  # a new one is looked at, and none that was there before the rule was
            message="the name must have no dot: namespaces are named after it",
        ),
        kv.Rule(
            "oldSelf.hasValue() && oldSelf.value().spec.namespaces == self.spec.namespaces || "
            "self.spec.namespaces.all(each, self.metadata.name.size() + each.size() < 63)",
            optional_old_self=True,
            message="the name, a hyphen and each of the namespaces must have at most 63 characters together",
        ),
    ],
    columns=[
        kv.Column("Namespaces", ".spec.namespaces", type="string"),
        kv.Column("Ready", '.status.conditions[?(@.type=="Ready")].status', type="string"),
    ],
)
class Tenant(kv.CustomResource[TenantSpec, TenantStatus]):
    """A team, its namespaces and its admins."""
