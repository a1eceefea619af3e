"""Children: bring a live Service or StatefulSet to the wanted one, by a patch of what differs and of nothing else.

The API server fills in dozens of fields and others set some of their own. So the fields that are ours are copied, one by
one, to the live object: what differs then is what has to be written, and where nothing does nothing is.
"""

from collections.abc import Callable
from typing import TypeVar

import konverge as kv
from konverge.models import apps_v1, core_v1

from mariadb.builder import CONTAINER

T = TypeVar("T", bound=kv.Object)


async def reconcile_child(client: kv.Client, desired: T, copy: Callable[[T, T], None], *, owner: kv.Object) -> None:
    """Create the child, or patch it where it differs; `copy` brings our fields from the desired to the live one.

    One that nobody controls becomes the owner's; one that another controls is left alone, with `AlreadyOwned`.
    """
    live = await kv.ignore_not_found(client.get(type(desired), desired.metadata))
    if live is None:
        await client.create(desired)
        return
    kv.set_controller_reference(owner, live)
    live.metadata.labels = {**(live.metadata.labels or {}), **(desired.metadata.labels or {})}
    copy(desired, live)
    if kv.has_changes(live):
        await client.patch(live)  # a merge patch: no version in it, so nobody's write in between is a conflict


def copy_service(desired: core_v1.Service, live: core_v1.Service) -> None:
    """Copy what is ours of a Service; its addresses and the port on the nodes are the API server's."""
    live.spec.type = desired.spec.type
    live.spec.selector = desired.spec.selector
    [wanted] = desired.spec.ports or []
    found = next((port for port in live.spec.ports or [] if port.name == wanted.name), wanted)
    found.port, found.protocol, found.target_port = wanted.port, wanted.protocol, wanted.target_port
    live.spec.ports = [found]


def copy_stateful_set(desired: apps_v1.StatefulSet, live: apps_v1.StatefulSet) -> None:
    """Copy what is ours of a StatefulSet, but for what the API server never lets change."""
    live.spec.replicas = desired.spec.replicas
    live.spec.persistent_volume_claim_retention_policy = desired.spec.persistent_volume_claim_retention_policy
    wanted, found = server_of(desired), server_of(live)
    found.image, found.env = wanted.image, wanted.env
    found.ports, found.volume_mounts = wanted.ports, wanted.volume_mounts


def server_of(stateful_set: apps_v1.StatefulSet) -> core_v1.Container:
    """Return the container of the database, others may have put theirs beside it; where it is missing, put it there."""
    pod = stateful_set.spec.template.spec = stateful_set.spec.template.spec or core_v1.PodSpec(containers=[])
    found = next((each for each in pod.containers if each.name == CONTAINER), None)
    if found is None:
        found = core_v1.Container(name=CONTAINER)
        pod.containers = [*pod.containers, found]
    return found
