"""The controller of VisitorsApp: makes the cluster as each VisitorsApp says."""

import konverge as kv

from visitors.api.v1.visitors_app import VisitorsApp


class VisitorsAppReconciler:
    """Looks at one VisitorsApp at a time; it runs when something changed, when it starts, and after errors."""

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Make the cluster as the VisitorsApp says, however far along it is already."""
        visitors_app = await kv.ignore_not_found(ctx.client.get(VisitorsApp, request))
        if visitors_app is None or visitors_app.metadata.deletion_timestamp:
            return None
        # Here goes what the operator is for: apply the objects that visitors_app.spec asks for, and name their kinds in
        # `owns(…)` below, so that they come back when they are lost.
        ready = kv.Condition(type="Ready", status="True", reason="Reconciled", message="")
        ready.observed_generation = visitors_app.metadata.generation
        conditions = visitors_app.status.conditions or []
        if kv.set_condition(conditions, ready):
            visitors_app.status.conditions = conditions
            await ctx.client.status.update(visitors_app)
        return None


def add_visitors_app_controller(manager: kv.Manager) -> None:
    """Reconcile each VisitorsApp."""
    kv.new_controller(manager).for_(VisitorsApp).complete(VisitorsAppReconciler())
