"""The root CA: every namespace has a ConfigMap `kube-root-ca.crt`, by which pods know the API server's certificate.

The CA is the one that this manager's own client trusts; a server in process, which shows no certificate, has none.
"""

from __future__ import annotations

from typing import Final

from konverge.api.meta import ObjectMeta
from konverge.builder import new_controller
from konverge.client.ignore import ignore_already_exists, ignore_not_found
from konverge.cluster.controllers.namespace_closed import ignore_closed
from konverge.controller import Context, CreateEvent, Event, Request
from konverge.manager import Manager
from konverge.models import core_v1

NAME: Final = "root-ca-certificate-publisher-controller"
CONFIG_MAP: Final = "kube-root-ca.crt"
_ANNOTATION: Final = "kubernetes.io/description"
_DESCRIPTION: Final = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the "
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes "
    "clusters."
)


def add_to(manager: Manager) -> None:
    """Register the controller."""
    (
        new_controller(manager)
        .named(NAME)
        .for_(core_v1.Namespace, predicates=[_is_active])
        .watches(core_v1.ConfigMap, _its_namespace, predicates=[_is_ours])
        .complete(RootCaReconciler(manager.authority.decode()))
    )


def _is_active(event: Event[core_v1.Namespace]) -> bool:
    return event.metadata.deletion_timestamp is None


def _is_ours(event: Event[core_v1.ConfigMap]) -> bool:
    return event.key.name == CONFIG_MAP and not isinstance(event, CreateEvent)


def _its_namespace(config_map: core_v1.ConfigMap) -> list[Request]:
    return [Request("", config_map.metadata.namespace or "")]


class RootCaReconciler:
    """Keeps the ConfigMap of one namespace."""

    def __init__(self, authority: str) -> None:
        self._data = {"ca.crt": authority}

    async def reconcile(self, ctx: Context, request: Request) -> None:
        """Create the ConfigMap, or mend what has been changed in it."""
        found = await ignore_not_found(ctx.client.get(core_v1.ConfigMap, CONFIG_MAP, namespace=request.name))
        if found is None:
            await ignore_already_exists(ignore_closed(ctx.client.create(self._wanted(request.name))))
            return
        annotations = found.metadata.annotations or {}
        if found.data == self._data and annotations.get(_ANNOTATION):
            return
        found.data = self._data
        found.metadata.annotations = {**annotations, _ANNOTATION: _DESCRIPTION}
        await ctx.client.update(found)

    def _wanted(self, namespace: str) -> core_v1.ConfigMap:
        metadata = ObjectMeta(name=CONFIG_MAP, namespace=namespace, annotations={_ANNOTATION: _DESCRIPTION})
        return core_v1.ConfigMap(metadata=metadata, data=self._data)
