"""Tenant v1: its spec, its status and its CustomResourceDefinition."""

from typing import Annotated

import konverge as kv


class TenantSpec(kv.Spec):
    """What a user asks for."""

    size: Annotated[int, kv.Minimum(0), kv.Doc("An example of a field: change it, and run `make manifests`.")] = 1


class TenantStatus(kv.Status):
    """What the operator found."""

    conditions: Annotated[list[kv.Condition] | None, kv.ListMap("type")] = None


@kv.resource(
    group="tenant.example.com",
    version="v1",
    storage=True,
    columns=[
        kv.Column("Size", ".spec.size"),
        kv.Column("Ready", '.status.conditions[?(@.type=="Ready")].status', type="string"),
    ],
)
class Tenant(kv.CustomResource[TenantSpec, TenantStatus]):
    """A Tenant."""
