"""Former webhooks: what an earlier run registered on this machine, and nobody serves any more.

A server that keeps what is stored keeps these as well, and refuses every write for want of an answer. So an author who
takes a webhook out of the code, or gives it another name, is rid of it at the next run.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit

from konverge.api.form import unstructured
from konverge.client.client import Client
from konverge.errors import Conflict, NotFound
from konverge.webhook.ca_bundle import FIELD_OWNER

_GROUP: Final = "admissionregistration.k8s.io/v1"
_CONFIGURATIONS: Final = (
    unstructured(_GROUP, "MutatingWebhookConfiguration"),
    unstructured(_GROUP, "ValidatingWebhookConfiguration"),
)
_DEFINITION: Final = unstructured("apiextensions.k8s.io/v1", "CustomResourceDefinition")
LOOPBACK: Final = ("127.0.0.1", "localhost")  # another machine's may be out of reach for us alone
_PATIENCE: Final = 1.0  # seconds for a port of this machine to answer
Json = Mapping[str, Any]


async def forget(client: Client, *, configurations: Collection[str], converted: Collection[str]) -> AsyncIterator[str]:
    """Take back what was registered, but for configurations and CRDs of these names; yield a sentence for each."""
    for form in _CONFIGURATIONS:
        for found in await client.list(form):
            name = found.metadata.name or ""
            if name not in configurations and _is_ours(found.to_dict()) and await _is_unserved(found.to_dict()):
                with suppress(NotFound):
                    await client.delete(found)
                yield f"removed {form.gvk.kind} {name}: an earlier run served its webhooks, and nobody does now"
    for found in await client.list(_DEFINITION):
        config = ((found.to_dict()["spec"].get("conversion") or {}).get("webhook") or {}).get("clientConfig") or {}
        if found.metadata.name not in converted and config and await _is_dead(config):
            found["spec"]["conversion"] = {"strategy": "None"}
            with suppress(Conflict, NotFound):  # whoever wrote to it knows more
                await client.update(found)
            yield f"{found.metadata.name} is no longer converted: an earlier run did, and nobody does now"


def _is_ours(configuration: Json) -> bool:
    managers = configuration["metadata"].get("managedFields") or ()
    return any(entry.get("manager") == FIELD_OWNER for entry in managers)


async def _is_unserved(configuration: Json) -> bool:
    configs = [hook["clientConfig"] for hook in configuration.get("webhooks") or ()]
    return all([await _is_dead(config) for config in configs])


async def _is_dead(config: Json) -> bool:
    """Whether a webhook is at a port of this machine that nobody listens on."""
    place = urlsplit(str(config.get("url") or ""))
    if place.hostname not in LOOPBACK or place.port is None:
        return False
    try:
        async with asyncio.timeout(_PATIENCE):
            _, writer = await asyncio.open_connection(place.hostname, place.port)
    except OSError:  # a TimeoutError is one, too
        return True
    writer.close()
    return False
