"""ServiceAccounts: every active namespace has one named `default`, which pods run as that name none."""

from __future__ import annotations

from typing import Final

from konverge.api.form import metadata_only
from konverge.api.meta import ObjectMeta
from konverge.builder import new_controller
from konverge.client.ignore import ignore_already_exists, ignore_not_found
from konverge.cluster.controllers.namespace_closed import ignore_closed
from konverge.controller import Context, DeleteEvent, Event, Request
from konverge.manager import Manager
from konverge.models import core_v1

NAME: Final = "serviceaccount-controller"
_DEFAULT: Final = "default"


def add_to(manager: Manager) -> None:
    """Register the controller."""
    (
        new_controller(manager)
        .named(NAME)
        .for_(core_v1.Namespace)
        .watches_metadata(core_v1.ServiceAccount, _its_namespace, predicates=[_is_lost])
        .complete(reconcile)
    )


def _is_lost(event: Event[core_v1.ServiceAccount]) -> bool:
    return isinstance(event, DeleteEvent) and event.key.name == _DEFAULT


def _its_namespace(account: core_v1.ServiceAccount) -> list[Request]:
    return [Request("", account.metadata.namespace or "")]


async def reconcile(ctx: Context, request: Request) -> None:
    """Create the account if the namespace lives and has none."""
    namespace = await ignore_not_found(ctx.client.get(core_v1.Namespace, request.name))
    if namespace is None or namespace.status.phase != "Active":
        return
    account = core_v1.ServiceAccount(metadata=ObjectMeta(name=_DEFAULT, namespace=request.name))
    known = ctx.client.get(metadata_only(core_v1.ServiceAccount), _DEFAULT, namespace=request.name)
    if await ignore_not_found(known) is None:
        await ignore_already_exists(ignore_closed(ctx.client.create(account)))
