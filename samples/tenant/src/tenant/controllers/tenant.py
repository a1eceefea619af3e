"""The controller of Tenant: its namespaces, a ClusterRole for its admins, and a RoleBinding in each namespace."""

import konverge as kv
from konverge.models import core_v1, rbac_v1

from tenant.api.v1.tenant import Tenant
from tenant.children import cluster_role_of, namespaces_of, role_binding_of
from tenant.rights import ADMIN

LOOK_AGAIN = 60.0  # seconds; nothing wakes the operator when its own rights change, or another manager lets a field go
RBAC = "rbac.authorization.k8s.io"


@kv.rbac("tenant.example.com", "tenants", verbs=["get", "list", "watch"], only=True)
@kv.rbac("tenant.example.com", "tenants/status", verbs="update", only=True)
@kv.rbac("", "namespaces", verbs=["get", "list", "watch", "create", "patch", "delete"], only=True)
@kv.rbac(RBAC, "clusterroles", verbs=["get", "list", "watch", "create", "patch"], only=True)
@kv.rbac(RBAC, "rolebindings", verbs=["get", "list", "watch", "create", "patch", "delete"], only=True)
class TenantReconciler:
    """Looks at one Tenant at a time; a request has its name and no namespace, whichever child woke us."""

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Make the tenant's children what it asks for, and tell whether they are."""
        tenant = await kv.ignore_not_found(ctx.client.get(Tenant, request))
        if tenant is None or tenant.metadata.deletion_timestamp:
            return None  # the garbage collector takes the children along, and each namespace all that is in it
        ready = await self._ready(ctx, tenant)
        ready.observed_generation = tenant.metadata.generation
        conditions = tenant.status.conditions or []
        if kv.set_condition(conditions, ready):
            tenant.status.conditions = conditions
            await ctx.client.status.update(tenant)
        return None if ready.status == "True" else kv.Result(requeue_after=LOOK_AGAIN)

    async def _ready(self, ctx: kv.Context, tenant: Tenant) -> kv.Condition:
        try:
            await self._sync(ctx.client, tenant)
        except kv.errors.ApplyConflict as conflict:
            fields = ", ".join(f"{found.field} of {found.manager}" for found in conflict.conflicts)
            return self._refused(ctx, tenant, "FieldConflict", f"someone else has set {fields}")
        except kv.errors.Forbidden as error:
            if "attempting to grant" not in error.message:
                raise
            return self._refused(ctx, tenant, "EscalationRefused", error.message)
        return kv.Condition(type="Ready", status="True", reason="Synced", message="")

    async def _sync(self, client: kv.Client, tenant: Tenant) -> None:
        # Labels of namespaces are shared with others (quotas, meshes, pod security): we take none that they have set.
        synced = await kv.sync_children(client, tenant, namespaces_of(tenant), kinds=[core_v1.Namespace], force=False)
        there = [*synced.created, *synced.updated, *synced.unchanged]
        alive = [each.metadata.name or "" for each in there if not each.metadata.deletion_timestamp]
        # Who may do what is ours alone, so whatever someone else has set there is taken back.
        rights = [cluster_role_of(tenant), *(role_binding_of(tenant, name) for name in alive)]
        await kv.sync_children(client, tenant, rights, kinds=[rbac_v1.ClusterRole, rbac_v1.RoleBinding])

    def _refused(self, ctx: kv.Context, tenant: Tenant, reason: str, message: str) -> kv.Condition:
        ctx.recorder.warning(tenant, reason, message)
        return kv.Condition(type="Ready", status="False", reason=reason, message=message)


for _rule in ADMIN:  # it may hand on what it has, and nothing else: see `rights`
    kv.rbac(_rule.api_groups or (), _rule.resources or (), verbs=_rule.verbs)(TenantReconciler)


def add_tenant_controller(manager: kv.Manager) -> None:
    """Reconcile each Tenant, and look again when one of its children changes."""
    (
        kv.new_controller(manager)
        .for_(Tenant)
        .owns(core_v1.Namespace, rbac_v1.ClusterRole, rbac_v1.RoleBinding)
        .complete(TenantReconciler())
    )
