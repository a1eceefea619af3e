"""The chain of a server: its plugins, made of what they look at, in the real server's order."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.access import Access
from konverge.cluster.apiserver.admission.chain import AdmissionChain, Mutator, Validator
from konverge.cluster.apiserver.admission.equivalents import Equivalents
from konverge.cluster.apiserver.admission.limit_ranger import LimitRanger
from konverge.cluster.apiserver.admission.mutating_webhooks import MutatingWebhooks
from konverge.cluster.apiserver.admission.policy import MutatingPolicies, ValidatingPolicies
from konverge.cluster.apiserver.admission.resource_quotas import ResourceQuotas
from konverge.cluster.apiserver.admission.validating_webhooks import ValidatingWebhooks
from konverge.cluster.apiserver.admission.webhook_asking import WebhookAsking
from konverge.cluster.apiserver.admission.webhook_caller import WebhookCaller
from konverge.cluster.apiserver.admission.webhook_conditions import WebhookConditions
from konverge.cluster.apiserver.ids import Ids
from konverge.cluster.apiserver.resource import Resource, Resources
from konverge.cluster.apiserver.storage import Storage

_BOUNDS: Final = ("limitranges", "resourcequotas")


def configured_chain(
    storage: Storage, resources: Resources, ids: Ids, *, access: Access, webhooks: WebhookCaller
) -> AdmissionChain:
    """Return the chain of a server, which reaches webhooks by a port."""
    asking = WebhookAsking(
        storage=storage,
        equivalents=Equivalents(resources),
        ids=ids,
        caller=webhooks,
        conditions=WebhookConditions(access.authorization).take,
    )
    mutators: tuple[Mutator, ...] = (
        MutatingPolicies(storage, resources, access.authorization),
        MutatingWebhooks(asking),
    )
    validators: tuple[Validator, ...] = (
        LimitRanger(storage),
        ValidatingPolicies(storage, resources, access.authorization),
        ValidatingWebhooks(asking),
        ResourceQuotas(storage, resources),
    )
    return AdmissionChain(mutators, validators, configured_by=_configures)


def _configures(resource: Resource) -> bool:
    """Whether objects of a kind are what the plugins of the chain go by."""
    return resource.group == "admissionregistration.k8s.io" or (not resource.group and resource.plural in _BOUNDS)
