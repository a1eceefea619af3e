"""The controller of MariaDB: makes the cluster as each MariaDB says."""

import konverge as kv

from mariadb.api.v1.maria_db import MariaDB


class MariaDBReconciler:
    """Looks at one MariaDB at a time; it runs when something changed, when it starts, and after errors."""

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Make the cluster as the MariaDB says, however far along it is already."""
        maria_db = await kv.ignore_not_found(ctx.client.get(MariaDB, request))
        if maria_db is None or maria_db.metadata.deletion_timestamp:
            return None
        # Here goes what the operator is for: apply the objects that maria_db.spec asks for, and name their kinds in
        # `owns(…)` below, so that they come back when they are lost.
        ready = kv.Condition(type="Ready", status="True", reason="Reconciled", message="")
        ready.observed_generation = maria_db.metadata.generation
        conditions = maria_db.status.conditions or []
        if kv.set_condition(conditions, ready):
            maria_db.status.conditions = conditions
            await ctx.client.status.update(maria_db)
        return None


def add_maria_db_controller(manager: kv.Manager) -> None:
    """Reconcile each MariaDB."""
    kv.new_controller(manager).for_(MariaDB).complete(MariaDBReconciler())
