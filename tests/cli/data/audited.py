"""An operator with one rule too few and one too many, for the tests of `konverge manifests --audit`."""

import konverge as kv
from konverge.models import core_v1


class ShopSpec(kv.Spec):
    """What is sold."""

    owner: str = "nobody"


class ShopStatus(kv.Status):
    """How it goes."""

    ready: int | None = None


@kv.resource(group="shops.konverge.dev", version="v1")
class Shop(kv.CustomResource[ShopSpec, ShopStatus]):
    """A shop."""


@kv.rbac("batch", "jobs", verbs=["create", "get"])
class ShopReconciler:
    """Reads a Secret that no rule allows, and makes none of the Jobs that one does."""

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> None:
        """Write the owner into a ConfigMap."""
        shop = await ctx.client.get(Shop, request)
        await kv.ignore_not_found(ctx.live.get(core_v1.Secret, "register", namespace=request.namespace))
        sign = core_v1.ConfigMap(metadata=kv.ObjectMeta(name=request.name, namespace=request.namespace))
        sign.data = {"owner": shop.spec.owner}
        kv.set_controller_reference(shop, sign)
        await ctx.client.apply(sign, force=True)
        shop.status.ready = 1
        await ctx.client.status.update(shop)


def add_to(manager: kv.Manager) -> kv.Manager:
    """Add the operator's controllers."""
    kv.new_controller(manager).for_(Shop).owns(core_v1.ConfigMap).complete(ShopReconciler())
    return manager


def make_manager() -> kv.Manager:
    """Return the whole operator."""
    return add_to(kv.Manager(leader_election=kv.LeaderElection(id="shop")))


if __name__ == "__main__":
    make_manager().run()
