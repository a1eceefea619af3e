"""The controller of VisitorsApp: three parts, one after the other, and an entry in a directory outside."""

from functools import partial

import konverge as kv
from konverge.controller import ensure_finalizer, release_finalizer
from konverge.models import apps_v1, core_v1

from visitors.api.v1.visitors_app import Step, VisitorsApp
from visitors.directory import Directory
from visitors.parts import Part, fill_deployment, fill_service, is_ready, parts_of
from visitors.turns import is_its_turn

FINALIZER = "visitors.example.com/directory"


@kv.rbac("visitors.example.com", "visitorsapps", verbs=["get", "list", "watch", "patch"], only=True)
@kv.rbac("visitors.example.com", "visitorsapps/status", verbs="update", only=True)
@kv.rbac("apps", "deployments", verbs=["get", "list", "watch", "create", "update"], only=True)
@kv.rbac("", "services", verbs=["get", "list", "watch", "create", "update"], only=True)
class VisitorsAppReconciler:
    """Looks at one VisitorsApp at a time, and never waits in there: it returns, and looks again after `pause` seconds.

    At most `at_once` apps are built at the same time.
    """

    def __init__(self, directory: Directory, *, at_once: int = 10, pause: float = 5.0) -> None:
        self._directory = directory
        self._at_once = at_once
        self._pause = pause

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Take the app as far as it goes now, and tell how far that is."""
        app = await kv.ignore_not_found(ctx.client.get(VisitorsApp, request))
        if app is None:
            return None  # it is gone, and so is the reason to look again
        if app.metadata.deletion_timestamp:
            await self._clean_up(ctx, app)
            return None
        await ensure_finalizer(ctx.client, app, FINALIZER)  # before anything is outside that would need it
        app.status.step = await self._step(ctx, app)
        if kv.has_changes(app):  # also where nothing else had to be written: the world may have changed
            await ctx.client.status.update(app)
        return None if app.status.step == "Ready" else kv.Result(requeue_after=self._pause)

    async def _step(self, ctx: kv.Context, app: VisitorsApp) -> Step:
        if not is_its_turn(app, await ctx.client.list(VisitorsApp), at_once=self._at_once):
            return "Waiting"
        await self._directory.enter(str(ctx.request))
        return await self._build(ctx.client, app)

    async def _build(self, client: kv.Client, app: VisitorsApp) -> Step:
        """Bring every part that is there up to date; make a new one only when those before it are ready."""
        step: Step = "Ready"
        for part in parts_of(app):
            there = await kv.ignore_not_found(client.get(apps_v1.Deployment, _metadata(app, part)))
            if there is None and step != "Ready":
                break
            deployment = await self._make(client, app, part)
            _note(app, part, deployment)
            if step == "Ready" and not is_ready(deployment):
                step = part.step
        return step

    async def _make(self, client: kv.Client, app: VisitorsApp, part: Part) -> apps_v1.Deployment:
        deployment = apps_v1.Deployment(metadata=_metadata(app, part))
        await kv.create_or_update(client, deployment, partial(fill_deployment, app, part))
        service = core_v1.Service(metadata=_metadata(app, part))
        await kv.create_or_update(client, service, partial(fill_service, app, part))
        return deployment

    async def _clean_up(self, ctx: kv.Context, app: VisitorsApp) -> None:
        """Remove the entry, then let the app go; where the directory fails, the app stays and it is tried again."""
        if not kv.has_finalizer(app, FINALIZER):
            return
        try:
            await self._directory.forget(str(ctx.request))
        except Exception as error:
            ctx.recorder.warning(app, "CleanUpFailed", f"the directory does not forget it: {error}")
            raise
        await release_finalizer(ctx.client, app, FINALIZER)


def _metadata(app: VisitorsApp, part: Part) -> kv.ObjectMeta:
    return kv.ObjectMeta(name=part.name_of(app), namespace=app.metadata.namespace)


def _note(app: VisitorsApp, part: Part, deployment: apps_v1.Deployment) -> None:
    """Note in the status what a part is by now: an image is what it runs once all of its pods do."""
    done, status = is_ready(deployment), app.status
    if part.name == "backend":
        status.backend_image = part.image if done else status.backend_image
        status.ready_backends = deployment.status.ready_replicas or 0
    if part.name == "frontend":
        status.frontend_image = part.image if done else status.frontend_image


def add_visitors_app_controller(manager: kv.Manager, reconciler: VisitorsAppReconciler) -> None:
    """Reconcile each VisitorsApp, and look again when one of its children changes."""
    builder = kv.new_controller(manager).for_(VisitorsApp).owns(apps_v1.Deployment, core_v1.Service)
    builder.complete(reconciler)
