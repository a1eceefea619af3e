"""The match conditions of webhooks: compiled when one is first asked, kept as long as its configuration stands."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from konverge.cluster.apiserver.access.authorization import Authorization
from konverge.cluster.apiserver.admission.webhook import Webhook
from konverge.cluster.apiserver.admission.webhook_review import Asked
from konverge.cluster.apiserver.failure import forbidden

if TYPE_CHECKING:
    from konverge.cluster.apiserver.admission.expression.match_conditions import MatchConditions  # CEL is large


class WebhookConditions:
    """Knows whether a webhook's conditions take a write."""

    def __init__(self, authorization: Authorization) -> None:
        self._authorization = authorization
        self._compiled: WeakKeyDictionary[Webhook, MatchConditions] = WeakKeyDictionary()

    def take(self, webhook: Webhook, asked: Asked) -> bool:
        """Whether all hold; where one cannot be told, the failure policy decides: a refusal, or that they do not."""
        if not webhook.match_conditions:
            return True
        from konverge.cluster.apiserver.admission.expression.inputs import (  # noqa: PLC0415 - CEL is large
            Inputs,
            MatchedResource,
        )

        conditions = self._compiled.get(webhook)
        if conditions is None:
            conditions = self._compiled[webhook] = _compiled(webhook)
        attributes, resource = asked.attributes, asked.resource
        inputs = Inputs(
            attributes,
            MatchedResource(resource.group, resource.version, resource.plural, asked.kind),
            value=asked.value,
            old=asked.old,
            authorization=self._authorization,
        )
        matched = conditions.match(inputs, fails=not webhook.fails_open)
        if matched.error:
            raise forbidden(attributes.resource.plural, attributes.resource.group, attributes.name, matched.error)
        return matched.is_matched


def _compiled(webhook: Webhook) -> MatchConditions:
    from konverge.cluster.apiserver.admission.expression.match_conditions import (  # noqa: PLC0415 - CEL is large
        MatchConditions,
    )

    return MatchConditions(webhook.match_conditions)
