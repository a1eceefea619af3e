"""ValidatingWebhooks: all asked at once; the first who says no is the answer."""

from __future__ import annotations

import asyncio
from typing import Final

from konverge.cluster.apiserver.admission.attributes import Attributes
from konverge.cluster.apiserver.admission.kept import Kept
from konverge.cluster.apiserver.admission.rules import is_exempt
from konverge.cluster.apiserver.admission.webhook import GROUP, StoredWebhooks, Webhook
from konverge.cluster.apiserver.admission.webhook_asking import CallingFailed, WebhookAsking, note_open_failure
from konverge.cluster.apiserver.admission.webhook_review import Asked, denial
from konverge.cluster.apiserver.failure import Failure, internal
from konverge.cluster.apiserver.resource import Resource

_PLURAL: Final = "validatingwebhookconfigurations"


class ValidatingWebhooks:
    """The plugin ValidatingAdmissionWebhook."""

    def __init__(self, asking: WebhookAsking) -> None:
        self._asking = asking
        self._webhooks = Kept(StoredWebhooks(asking.storage, _PLURAL).read, (GROUP, _PLURAL))

    @property
    def is_active(self) -> bool:
        """Whether there is any webhook."""
        return bool(self._webhooks.value)

    def changed(self, resource: Resource) -> None:
        """Read the configurations again when one has changed."""
        self._webhooks.changed(resource)

    async def validate(self, attributes: Attributes) -> None:
        """Let every webhook judge the object."""
        if is_exempt(attributes.kind):
            return
        wanted = [(webhook, await self._asking.wanted(webhook, attributes)) for webhook in self._webhooks.value]
        refusals: list[Failure] = []
        async with asyncio.TaskGroup() as group:
            for webhook, asked in ((webhook, asked) for webhook, asked in wanted if asked is not None):
                group.create_task(self._ask(webhook, asked, refusals))
        if refusals:
            raise refusals[0]

    async def _ask(self, webhook: Webhook, asked: Asked, refusals: list[Failure]) -> None:
        try:
            verdict = await self._asking.verdict(webhook, asked, is_mutating=False)
        except CallingFailed as failure:
            if webhook.fails_open:
                note_open_failure(webhook, failure)
            else:
                refusals.append(internal(str(failure)))
        except Failure as failure:
            refusals.append(failure)
        else:
            if not verdict.is_allowed:
                refusals.append(denial(webhook.name, verdict.status))
