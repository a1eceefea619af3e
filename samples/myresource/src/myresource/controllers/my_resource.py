"""The controller of MyResource: one Deployment for each, by server-side apply, and a state computed from it."""

import konverge as kv
from konverge.models import apps_v1, core_v1, meta_v1

from myresource.api.v1.my_resource import MyResource, State

LABEL = "myresource.example.com/name"  # on the Deployment: whose it is; the status is computed by it


@kv.rbac("myresource.example.com", "myresources", verbs=["get", "list", "watch"], only=True)
@kv.rbac("myresource.example.com", "myresources/status", verbs="update", only=True)
@kv.rbac("apps", "deployments", verbs=["get", "list", "watch", "create", "patch"], only=True)
class MyResourceReconciler:
    """Looks at one MyResource at a time; it runs when something changed, when it starts, and after errors."""

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> None:
        """Apply the Deployment that the MyResource asks for, and tell how far it is."""
        resource = await kv.ignore_not_found(ctx.client.get(MyResource, request))
        if resource is None or resource.metadata.deletion_timestamp:
            return  # the garbage collector takes the Deployment along
        await self._apply(ctx, resource, deployment_of(resource))
        resource.status.state = await self._state(ctx, resource)
        if kv.has_changes(resource):
            await ctx.client.status.update(resource)

    async def _apply(self, ctx: kv.Context, resource: MyResource, deployment: apps_v1.Deployment) -> None:
        """Apply; where someone else has set our fields, tell who, and take them back."""
        try:
            await ctx.client.apply(deployment)
        except kv.errors.ApplyConflict as conflict:
            fields = ", ".join(f"{found.field} of {found.manager}" for found in conflict.conflicts)
            ctx.recorder.warning(resource, "FieldConflict", f"taken back in {deployment.metadata.name}: {fields}")
            await ctx.client.apply(deployment, force=True)

    async def _state(self, ctx: kv.Context, resource: MyResource) -> State:
        found = await ctx.client.list(
            apps_v1.Deployment,
            namespace=resource.metadata.namespace,
            labels=labels_of(resource),
        )
        return state_of(found)


def deployment_of(resource: MyResource) -> apps_v1.Deployment:
    """Return what we want of the Deployment, and nothing else: the rest is the API server's, or someone else's."""
    labels = labels_of(resource)
    app = core_v1.Container(
        name="app",
        image=resource.spec.image,
        resources=core_v1.ResourceRequirements(requests={"memory": resource.spec.memory}),
    )
    pod = core_v1.PodTemplateSpec(metadata=kv.ObjectMeta(labels=labels), spec=core_v1.PodSpec(containers=[app]))
    deployment = apps_v1.Deployment(
        metadata=kv.ObjectMeta(
            name=resource.metadata.name,
            namespace=resource.metadata.namespace,
            labels=labels,
        ),
        spec=apps_v1.DeploymentSpec(selector=meta_v1.LabelSelector(match_labels=labels), template=pod),
    )
    kv.set_controller_reference(resource, deployment)
    return deployment


def labels_of(resource: MyResource) -> dict[str, str]:
    """Return what the Deployment of a MyResource is found by."""
    return {LABEL: resource.metadata.name or ""}


def state_of(deployments: list[apps_v1.Deployment]) -> State:
    """Return Ready once the only Deployment is rolled out; more than one is someone's mistake that we must not hide."""
    if len(deployments) > 1:
        names = ", ".join(sorted(each.metadata.name or "" for each in deployments))
        raise kv.errors.KonvergeError(f"one Deployment has the label {LABEL}, not {len(deployments)}: {names}")
    return "Ready" if deployments and is_rolled_out(deployments[0]) else "Building"


def is_rolled_out(deployment: apps_v1.Deployment) -> bool:
    """Whether its pods are ready, and are those of the last template: a pod of the image before is no answer.

    How many there are is not ours to say: an autoscaler may want more than the one that we get by default.
    """
    wanted, status = deployment.spec.replicas, deployment.status
    seen = (status.observed_generation or 0) >= (deployment.metadata.generation or 0)
    return seen and (status.replicas, status.updated_replicas, status.ready_replicas) == (wanted, wanted, wanted)


def add_my_resource_controller(manager: kv.Manager) -> None:
    """Reconcile each MyResource, and look again when its Deployment changes."""
    kv.new_controller(manager).for_(MyResource).owns(apps_v1.Deployment).complete(MyResourceReconciler())
