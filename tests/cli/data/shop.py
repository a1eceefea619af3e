"""An operator as an author would write it, for the tests of `konverge manifests`."""

from typing import Annotated

import konverge as kv
from konverge.models import apps_v1, core_v1


class ShopSpec(kv.Spec):
    """What is sold, and by how many."""

    owner: Annotated[str, kv.MinLength(3)]
    currency: Annotated[str, kv.Pattern("^[A-Z]{3}$"), kv.Example("EUR")]
    replicas: Annotated[int, kv.Minimum(1), kv.Maximum(5)] = 1
    shelves: Annotated[list[str], kv.MinItems(1)]


class ShopStatus(kv.Status):
    """How it goes."""

    ready: int | None = None


@kv.resource(group="shops.konverge.dev", version="v1", short_names=["sh"])
class Shop(kv.CustomResource[ShopSpec, ShopStatus]):
    """A shop."""


@kv.rbac("", "secrets", verbs="get", names="register", namespace="default")
@kv.rbac("autoscaling", "horizontalpodautoscalers", verbs=kv.ALL)
class ShopReconciler:
    """Does nothing: this is about what it would need."""

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> None:
        """Do nothing."""


def make_manager() -> kv.Manager:
    """Return the whole operator."""
    manager = kv.Manager(
        metrics_address=":8080",
        health_address=":8081",
        leader_election=kv.LeaderElection(id="shop-operator"),
    )
    kv.new_controller(manager).for_(Shop).owns(apps_v1.Deployment, core_v1.Service).watches(
        core_v1.ConfigMap, lambda _: []
    ).complete(ShopReconciler())
    return manager


if __name__ == "__main__":
    make_manager().run()
