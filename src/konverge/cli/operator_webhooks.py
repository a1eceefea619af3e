"""Operator webhooks: what a manager's webhooks need in a cluster: configurations, a Service, and rights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import structs

from konverge.api.kind import Resource
from konverge.api.rbac import Grant
from konverge.manager.manager import Manager
from konverge.manager.webhooks import Webhooks
from konverge.manifest.operator import WebhookPart
from konverge.webhook.registration import WebhookService, configuration_name, configurations, conversion_config

_ADMISSION: Final = "admissionregistration.k8s.io"


def webhook_part(manager: Manager) -> WebhookPart | None:
    """Return the manifests' part of webhooks; None without any, or where no Service is named that leads to them."""
    if "webhook" not in manager.ports:
        return None
    webhooks = manager.webhooks
    serving = webhooks.serving
    target = serving.target
    if not isinstance(target, WebhookService):
        return None
    return WebhookPart(
        namespace=target.namespace,
        service=target.name,
        port=target.port,
        configurations=tuple(configurations(webhooks.registrations, name=serving.name, target=target)),
        converted=tuple((resource.group, resource.kind) for resource in _converted(webhooks)),
        conversion=conversion_config(target),
        grants=tuple(_grants(webhooks, target)),
    )


def _converted(webhooks: Webhooks) -> list[Resource]:
    return [form.resource for form in webhooks.server.conversions.kinds if form.resource is not None]


def _grants(webhooks: Webhooks, target: WebhookService) -> Iterator[Grant]:
    """What the manager does for its webhooks: keep a certificate, and tell the API server of it."""
    serving = webhooks.serving
    if serving.certificate_folder is None:
        making = Grant(groups=("",), resources=("secrets",), verbs=("create",), namespace=target.namespace)
        yield from (making, structs.replace(making, verbs=("get", "update"), names=(serving.secret,)))
    if serving.configurations == "none":
        return
    for mutating in dict.fromkeys(each.mutating for each in webhooks.registrations):
        name = configuration_name(serving.name, mutating=mutating)
        resources = (f"{'mutating' if mutating else 'validating'}webhookconfigurations",)
        applying = serving.configurations == "apply"
        verbs = ("get", "patch", "update") if applying else ("get", "update")
        yield Grant(groups=(_ADMISSION,), resources=resources, verbs=verbs, names=(name,))
        if applying:
            yield Grant(groups=(_ADMISSION,), resources=resources, verbs=("create",))
    if names := tuple(f"{each.plural}.{each.group}" for each in _converted(webhooks)):
        definitions = ("customresourcedefinitions",)
        yield Grant(groups=("apiextensions.k8s.io",), resources=definitions, verbs=("get", "update"), names=names)
