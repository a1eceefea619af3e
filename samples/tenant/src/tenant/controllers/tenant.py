"""The controller of Tenant: makes the cluster as each Tenant says."""

import konverge as kv

from tenant.api.v1.tenant import Tenant


class TenantReconciler:
    """Looks at one Tenant at a time; it runs when something changed, when it starts, and after errors."""

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Make the cluster as the Tenant says, however far along it is already."""
        tenant = await kv.ignore_not_found(ctx.client.get(Tenant, request))
        if tenant is None or tenant.metadata.deletion_timestamp:
            return None
        # Here goes what the operator is for: apply the objects that tenant.spec asks for, and name their kinds in
        # `owns(…)` below, so that they come back when they are lost.
        ready = kv.Condition(type="Ready", status="True", reason="Reconciled", message="")
        ready.observed_generation = tenant.metadata.generation
        conditions = tenant.status.conditions or []
        if kv.set_condition(conditions, ready):
            tenant.status.conditions = conditions
            await ctx.client.status.update(tenant)
        return None


def add_tenant_controller(manager: kv.Manager) -> None:
    """Reconcile each Tenant."""
    kv.new_controller(manager).for_(Tenant).complete(TenantReconciler())
