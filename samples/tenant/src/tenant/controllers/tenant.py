"""The controller of Tenant: its namespaces, a ClusterRole for its admins, and a RoleBinding in each namespace."""

import copy
from collections.abc import Awaitable
from typing import NamedTuple

import konverge as kv
from konverge.controller import AlreadyOwned, NotAdopted, is_controlled_by
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
        # Who may do what is ours alone, so whatever someone else has set there is taken back. But a role that was there
        # before is not ours: its users would be left without it when the tenant goes.
        refusals += await _refused(kv.sync_children(client, tenant, [cluster_role_of(tenant)], adopt=False))
        bindings = await self._bindings(client, tenant, ours)
        unbound = await _refused(kv.sync_children(client, tenant, bindings, kinds=[rbac_v1.RoleBinding]))
        if unbound:
            await self._unbind(client, tenant)
        return [*refusals, *unbound]

    async def _claim(self, client: kv.Client, tenant: Tenant) -> tuple[list[core_v1.Namespace], list[Refusal]]:
        """Return the wanted namespaces that are the tenant's, made if there were none, and the names that are taken."""
        ours, taken = [], []
        for wanted in namespaces_of(tenant):
            there = await kv.ignore_not_found(client.get(core_v1.Namespace, wanted.metadata))
            if there is None:  # a create fails if someone was faster; an apply would adopt theirs
                there = copy.deepcopy(wanted)  # what is created is filled in; what is applied must not be
                kv.set_controller_reference(tenant, there)
                await client.create(there)
            if is_controlled_by(there, tenant):
                ours.append(wanted)
            else:
                taken.append(Refusal("NameTaken", f"the namespace {wanted.metadata.name} is someone else's"))
        return ours, taken

    async def _bindings(
        self, client: kv.Client, tenant: Tenant, namespaces: list[core_v1.Namespace]
    ) -> list[rbac_v1.RoleBinding]:
        """Return the bindings that can be: of a role that is the tenant's, in namespaces that are not being deleted."""
        role = await kv.ignore_not_found(client.get(rbac_v1.ClusterRole, role_name(tenant)))
        if role is None or not is_controlled_by(role, tenant):
            return []
        there = [await kv.ignore_not_found(client.get(core_v1.Namespace, each.metadata)) for each in namespaces]
        alive = [each.metadata.name or "" for each in there if each and not each.metadata.deletion_timestamp]
        return [role_binding_of(tenant, name) for name in alive]

    async def _unbind(self, client: kv.Client, tenant: Tenant) -> None:
        """Delete the bindings of those who are no admins any more: to give a right one must have it, to take it not."""
        admins = tenant.spec.admins or []
        for binding in await client.list(rbac_v1.RoleBinding):
            is_wide = any(subject.name not in admins for subject in binding.subjects or [])
            if is_wide and is_controlled_by(binding, tenant):
                await kv.ignore_not_found(client.delete(binding))


async def _refused(step: Awaitable[object]) -> list[Refusal]:
    """Take a step, and return what was refused in it; what is nothing that people must settle is raised."""
    try:
        await step
    except (kv.errors.KonvergeError, ExceptionGroup) as error:
        found = [_refusal(each) for each in (error.exceptions if isinstance(error, ExceptionGroup) else [error])]
        refusals = [refusal for refusal in found if refusal is not None]
        if len(refusals) < len(found):
            raise
        return refusals
    return []


def _refusal(error: Exception) -> Refusal | None:
    """Return what an error means, if it is one that only people can settle."""
    match error:
        case kv.errors.ApplyConflict():
            fields = ", ".join(f"{found.field} of {found.manager}" for found in error.conflicts)
            where = error.operation.name if error.operation else ""
            return Refusal("FieldConflict", f"in {where} someone else has set {fields}")
        case kv.errors.Forbidden() if "attempting to grant" in error.message:
            return Refusal("EscalationRefused", error.message)
        case AlreadyOwned() | NotAdopted():
            return Refusal("NameTaken", str(error).partition(": ")[0])  # what to write instead is for authors
    return None


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
