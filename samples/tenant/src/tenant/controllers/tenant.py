"""The controller of Tenant: its namespaces, a ClusterRole for its admins, and a RoleBinding in each namespace."""

from collections.abc import Awaitable
from typing import NamedTuple

import konverge as kv
from konverge.controller import is_controlled_by
from konverge.models import core_v1, rbac_v1

from tenant.api.v1.tenant import Tenant
from tenant.children import cluster_role_of, namespaces_of, role_binding_of, role_name
from tenant.rights import ADMIN

LOOK_AGAIN = 60.0  # seconds; nothing wakes the operator when its own rights change, or a name becomes free
RBAC = "rbac.authorization.k8s.io"


class Refusal(NamedTuple):
    """Why a tenant is not Ready: the reason, and the words for it."""

    reason: str
    message: str


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
        refusals = await self._sync(ctx.client, tenant)
        for refusal in refusals:
            ctx.recorder.warning(tenant, refusal.reason, refusal.message)
        if not refusals:
            return kv.Condition(type="Ready", status="True", reason="Synced", message="")
        message = "; ".join(refusal.message for refusal in refusals)
        return kv.Condition(type="Ready", status="False", reason=refusals[0].reason, message=message)

    async def _sync(self, client: kv.Client, tenant: Tenant) -> list[Refusal]:
        """Take every step, whatever is refused in another: a right that is to be taken away waits for nothing."""
        ours, refusals = await self._claim(client, tenant)
        # Labels of namespaces are shared with others (quotas, meshes, pod security): we take none that they have set.
        refusals += await _refused(kv.sync_children(client, tenant, ours, kinds=[core_v1.Namespace], force=False))
        # Who may do what is ours alone, so whatever someone else has set there is taken back.
        refusals += await _refused(kv.sync_children(client, tenant, [cluster_role_of(tenant)]))
        bindings = await self._bindings(client, tenant, ours)
        refusals += await _refused(kv.sync_children(client, tenant, bindings, kinds=[rbac_v1.RoleBinding]))
        return refusals

    async def _claim(self, client: kv.Client, tenant: Tenant) -> tuple[list[core_v1.Namespace], list[Refusal]]:
        """Return the wanted namespaces that are the tenant's, made if there were none, and the names that are taken."""
        ours, taken = [], []
        for wanted in namespaces_of(tenant):
            there = await kv.ignore_not_found(client.get(core_v1.Namespace, wanted.metadata))
            if there is None:  # a create fails if someone was faster; an apply would adopt theirs
                kv.set_controller_reference(tenant, wanted)
                there = await client.create(wanted)
            if is_controlled_by(there, tenant):
                ours.append(wanted)
            else:
                taken.append(Refusal("NameTaken", f"the namespace {wanted.metadata.name} is someone else's"))
        return ours, taken

    async def _bindings(
        self, client: kv.Client, tenant: Tenant, namespaces: list[core_v1.Namespace]
    ) -> list[rbac_v1.RoleBinding]:
        """Return the bindings that can be: of a role that there is, in namespaces that are not being deleted."""
        if await kv.ignore_not_found(client.get(rbac_v1.ClusterRole, role_name(tenant))) is None:
            return []
        there = [await kv.ignore_not_found(client.get(core_v1.Namespace, each.metadata)) for each in namespaces]
        alive = [each.metadata.name or "" for each in there if each and not each.metadata.deletion_timestamp]
        return [role_binding_of(tenant, name) for name in alive]


async def _refused(step: Awaitable[object]) -> list[Refusal]:
    """Take a step, and return what was refused in it that only people can settle."""
    try:
        await step
    except kv.errors.ApplyConflict as conflict:
        fields = ", ".join(f"{found.field} of {found.manager}" for found in conflict.conflicts)
        return [Refusal("FieldConflict", f"someone else has set {fields}")]
    except kv.errors.Forbidden as error:
        if "attempting to grant" not in error.message:
            raise
        return [Refusal("EscalationRefused", error.message)]
    return []


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
