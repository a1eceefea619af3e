"""The controller of MariaDB: a Service and a StatefulSet for each, and how many of its servers are ready."""

import konverge as kv
from konverge.models import apps_v1, core_v1

from mariadb.api.v1.maria_db import MariaDB
from mariadb.builder import build_service, build_stateful_set
from mariadb.children import copy_service, copy_stateful_set, reconcile_child


@kv.rbac("mariadb.example.com", "mariadbs", verbs=["get", "list", "watch"], only=True)
@kv.rbac("mariadb.example.com", "mariadbs/status", verbs="patch", only=True)
@kv.rbac("", "services", verbs=["get", "list", "watch", "create", "patch"], only=True)
@kv.rbac("apps", "statefulsets", verbs=["get", "list", "watch", "create", "patch"], only=True)
@kv.rbac("events.k8s.io", "events", verbs=(), only=True)  # it records none
class MariaDBReconciler:
    """Looks at one MariaDB at a time; it runs when something changed, when it starts, and after errors."""

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> None:
        """Build what is wanted, compare it with what is there, and patch the difference."""
        mariadb = await kv.ignore_not_found(ctx.client.get(MariaDB, request))
        if mariadb is None or mariadb.metadata.deletion_timestamp:
            return  # the garbage collector takes the children along
        await reconcile_child(ctx.client, build_service(mariadb), copy_service, owner=mariadb)
        await reconcile_child(ctx.client, build_stateful_set(mariadb), copy_stateful_set, owner=mariadb)
        stateful_set = await ctx.client.get(apps_v1.StatefulSet, request)
        mariadb.status.ready_replicas = stateful_set.status.ready_replicas or 0
        if kv.has_changes(mariadb):
            await ctx.client.status.patch(mariadb)


def add_maria_db_controller(manager: kv.Manager) -> None:
    """Reconcile each MariaDB, and look again when one of its children changes."""
    builder = kv.new_controller(manager).for_(MariaDB).owns(core_v1.Service, apps_v1.StatefulSet)
    builder.complete(MariaDBReconciler())
