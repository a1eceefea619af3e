"""A whole operator: each Greeting gets a ConfigMap with a line for everyone it names, and gets it back when it is lost.

With a cluster in KUBECONFIG that has greeting-crd.yaml: `python hello.py`.
"""

import konverge as kv
from konverge.models import core_v1


class GreetingSpec(kv.Model):
    to: list[str] | None = None


class Greeting(kv.Object):
    __resource__ = kv.Resource(group="example.com", version="v1", kind="Greeting", plural="greetings", namespaced=True)
    spec: GreetingSpec = kv.field(default_factory=GreetingSpec)


async def reconcile(ctx: kv.Context, request: kv.Request) -> None:
    greeting = await kv.ignore_not_found(ctx.client.get(Greeting, request))
    if greeting is None or greeting.metadata.deletion_timestamp:
        return
    card = core_v1.ConfigMap(metadata=kv.ObjectMeta(name=request.name, namespace=request.namespace))
    card.data = {name: f"Hello, {name}!" for name in greeting.spec.to or []}
    kv.set_controller_reference(greeting, card)
    await ctx.client.apply(card, force=True)


def add_to(manager: kv.Manager) -> kv.Manager:
    kv.new_controller(manager).for_(Greeting).owns(core_v1.ConfigMap).complete(reconcile)
    return manager


if __name__ == "__main__":
    add_to(kv.Manager(metrics_address=None)).run()
