"""Grants: all that a manager has to be allowed, but for its Lease, from what it is made of; nothing is run.

Its controllers say which kinds they touch and what they declare beside (`konverge.manifest.rules`); its webhooks keep a
certificate, and tell the API server of it. `konverge manifests` makes roles of it, tests give them to a user.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import structs

from konverge.api.kind import Resource
from konverge.api.rbac import Grant
from konverge.manager.manager import Manager
from konverge.manager.webhooks import Webhooks
from konverge.manifest.rules import grants
from konverge.webhook.registration import WebhookService, configuration_name

_ADMISSION: Final = "admissionregistration.k8s.io"


def controller_grants(manager: Manager) -> list[Grant]:
    """Return what its controllers need."""
    accesses = [controller.access for controller in manager.controllers.values()]
    return grants(accesses, namespaces=lambda form: manager.cache.selection_of(form).namespaces)


def declared_grants(manager: Manager) -> list[Grant]:
    """Return those of them that an author has declared."""
    accesses = [controller.access for controller in manager.controllers.values()]
    return [grant for access in accesses for grant in access.declared if grant.verbs]


def webhook_grants(manager: Manager) -> list[Grant]:
    """Return what its webhooks need; nothing where there are none."""
    return list(_of_webhooks(manager.webhooks)) if "webhook" in manager.ports else []


def applied_webhook_grants(manager: Manager) -> list[Grant]:
    """Return what its webhooks need where the manager writes their configurations itself, as it does in tests."""
    if "webhook" not in manager.ports:
        return []
    webhooks = manager.webhooks
    sorts = dict.fromkeys(each.mutating for each in webhooks.registrations)
    names = {mutating: configuration_name(webhooks.serving.name, mutating=mutating) for mutating in sorts}
    return [
        grant for mutating, name in names.items() for grant in _of_configuration(name, mutating=mutating, applying=True)
    ]


def converted_resources(webhooks: Webhooks) -> list[Resource]:
    """Return the kinds that are converted between versions."""
    return [form.resource for form in webhooks.server.conversions.kinds if form.resource is not None]


def _of_webhooks(webhooks: Webhooks) -> Iterator[Grant]:
    serving = webhooks.serving
    if serving.certificate_folder is None and isinstance(serving.target, WebhookService):
        making = Grant(groups=("",), resources=("secrets",), verbs=("create",), namespace=serving.target.namespace)
        yield from (making, structs.replace(making, verbs=("get", "update"), names=(serving.secret,)))
    if serving.configurations == "none":
        return
    for mutating in dict.fromkeys(each.mutating for each in webhooks.registrations):
        name = configuration_name(serving.name, mutating=mutating)
        yield from _of_configuration(name, mutating=mutating, applying=serving.configurations == "apply")
    if names := tuple(f"{each.plural}.{each.group}" for each in converted_resources(webhooks)):
        definitions = ("customresourcedefinitions",)
        yield Grant(groups=("apiextensions.k8s.io",), resources=definitions, verbs=("get", "update"), names=names)


def _of_configuration(name: str, *, mutating: bool, applying: bool) -> Iterator[Grant]:
    resources = (f"{'mutating' if mutating else 'validating'}webhookconfigurations",)
    verbs = ("get", "patch", "update") if applying else ("get", "update")
    yield Grant(groups=(_ADMISSION,), resources=resources, verbs=verbs, names=(name,))
    if applying:
        yield Grant(groups=(_ADMISSION,), resources=resources, verbs=("create",))
