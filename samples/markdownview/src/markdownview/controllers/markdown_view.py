"""The controller of MarkdownView: a ConfigMap with the files, a Deployment that shows them, a Service in front of it."""

from typing import TypeVar

import konverge as kv
from konverge.models import apps_v1, core_v1

from markdownview.api.v1.markdown_view import MarkdownView
from markdownview.children import config_map_name, deployment_of, labels_of, service_of
from markdownview.metrics import ViewMetrics
from markdownview.state import set_state, state_of

Child = TypeVar("Child", bound=kv.Object)


@kv.rbac("view.konverge.dev", "markdownviews", verbs=["get", "list", "watch"], only=True)
@kv.rbac("view.konverge.dev", "markdownviews/status", verbs="update", only=True)
@kv.rbac("", "configmaps", verbs=["get", "list", "watch", "create", "update"], only=True)
@kv.rbac("", "services", verbs=["get", "list", "watch", "create", "patch"], only=True)
@kv.rbac("apps", "deployments", verbs=["get", "list", "watch", "create", "patch"], only=True)
class MarkdownViewReconciler:
    """Looks at one MarkdownView at a time; it runs when something changed, when it starts, and after errors."""

    def __init__(self, metrics: ViewMetrics) -> None:
        self._metrics = metrics

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Make the cluster as the MarkdownView says, however far along it is already."""
        view = await kv.ignore_not_found(ctx.client.get(MarkdownView, request))
        if view is None:
            # Gone, and its children with it: the garbage collector follows their owner references. Nothing can be
            # done about it later either, so nothing is asked for again.
            self._metrics.forget(request)
            return None
        if view.metadata.deletion_timestamp:
            return None
        await self._write_files(ctx, view)
        deployment = await self._apply(ctx, view, deployment_of(view))
        await self._apply_service(ctx, view, service_of(view))
        await self._tell(ctx, view, deployment)
        return None

    async def _write_files(self, ctx: kv.Context, view: MarkdownView) -> None:
        """Few fields, all ours: what is there is read, changed and written back, if there was anything to change."""

        def mutate(files: core_v1.ConfigMap) -> None:
            files.metadata.labels = {**(files.metadata.labels or {}), **labels_of(view)}
            files.data = dict(view.spec.markdowns)
            kv.set_controller_reference(view, files)

        files = core_v1.ConfigMap(metadata=kv.ObjectMeta(name=config_map_name(view), namespace=view.metadata.namespace))
        done = await kv.create_or_update(ctx.client, files, mutate)
        if done is not kv.OperationResult.UNCHANGED:
            ctx.recorder.normal(view, "Written", f"the ConfigMap {files.metadata.name} was {done}")

    async def _apply(self, ctx: kv.Context, view: MarkdownView, child: Child) -> Child:
        """Many fields, few of them ours: only ours are sent, and the server knows whose each one is.

        A field of ours that someone else has taken is told to the user, and taken back.
        """
        kv.set_controller_reference(view, child)
        try:
            return await ctx.client.apply(child)
        except kv.errors.ApplyConflict as conflict:
            theirs = ", ".join(f"{each.field} ({each.manager})" for each in conflict.conflicts)
            ctx.recorder.warning(view, "TakenBack", f"{child.kind} {child.metadata.name}: {theirs}")
            return await ctx.client.apply(child, force=True)

    async def _apply_service(self, ctx: kv.Context, view: MarkdownView, service: core_v1.Service) -> None:
        """Apply knows a port by its number: one that someone gave another is a second port, and is called as ours is.

        That is refused, at each try. So the list is written whole; a merge patch replaces lists.
        """
        try:
            await self._apply(ctx, view, service)
        except kv.errors.Invalid:
            live = await kv.ignore_not_found(ctx.client.get(core_v1.Service, service.metadata))
            if live is None:
                raise  # it is another fault
            live.spec.ports = service.spec.ports
            await ctx.client.patch(live)
            await self._apply(ctx, view, service)

    async def _tell(self, ctx: kv.Context, view: MarkdownView, deployment: apps_v1.Deployment) -> None:
        before, state = view.status.state, state_of(deployment)
        if set_state(view, state):
            await ctx.client.status.update(view)
        if state != before:
            ctx.recorder.normal(view, state, f"{before or 'New'} became {state}")
        self._metrics.show(ctx.request, state)


def add_markdown_view_controller(manager: kv.Manager) -> None:
    """Reconcile each MarkdownView."""
    reconciler = MarkdownViewReconciler(ViewMetrics(manager.metrics.registry))
    controller = kv.new_controller(manager).for_(MarkdownView)
    controller.owns(core_v1.ConfigMap, apps_v1.Deployment, core_v1.Service).complete(reconciler)
