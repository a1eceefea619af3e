"""Operator webhooks: what a manager's webhooks need in a cluster: configurations, a Service, and a certificate."""

from __future__ import annotations

from konverge.errors import ConfigError
from konverge.manager.grants import converted_resources
from konverge.manager.manager import Manager
from konverge.manifest.operator import CertManaged, WebhookPart
from konverge.webhook.registration import WebhookService, configurations, conversion_config
from konverge.webhook.serving import WebhookServing


def webhook_part(manager: Manager, *, cert_manager: bool = False) -> WebhookPart | None:
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
        converted=tuple((resource.group, resource.kind) for resource in converted_resources(webhooks)),
        conversion=conversion_config(target),
        certificate=_certificate(serving) if cert_manager else None,
    )


def _certificate(serving: WebhookServing) -> CertManaged:
    """Return what cert-manager is to make; refuse an operator that would make it, or tell of it, itself."""
    if serving.certificate_folder is None:
        raise ConfigError(
            "--certificates cert-manager: the operator makes its own certificate: have it read cert-manager's, as in "
            'kv.WebhookServing(certificate_folder=Path("/certificates"), configurations="none", …)'
        )
    if serving.configurations != "none":
        raise ConfigError(
            "--certificates cert-manager: the operator tells the API server of its certificate, and so does "
            'cert-manager: leave it to one of them, as in kv.WebhookServing(configurations="none", …)'
        )
    folder = serving.certificate_folder
    if not folder.is_absolute():
        raise ConfigError(f"--certificates cert-manager: certificate_folder={str(folder)!r} is to be an absolute path")
    return CertManaged(secret=serving.secret, folder=folder.as_posix(), names=serving.names())
