"""Asking a webhook about a write: whether it wants to hear of it, the review, and what its failure means."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import msgspec

from konverge.cluster.apiserver.admission.attributes import Attributes, GroupVersionKind
from konverge.cluster.apiserver.admission.equivalents import Equivalents, converted
from konverge.cluster.apiserver.admission.rules import rule_matching
from konverge.cluster.apiserver.admission.selectors import takes_namespace, takes_object
from konverge.cluster.apiserver.admission.webhook import Webhook
from konverge.cluster.apiserver.admission.webhook_answer import read_answer
from konverge.cluster.apiserver.admission.webhook_caller import CallFailed, NoClient, WebhookCaller
from konverge.cluster.apiserver.admission.webhook_review import (
    Asked,
    BadReview,
    Verdict,
    admission_review,
    read_verdict,
    review_version,
)
from konverge.cluster.apiserver.failure import Failure, bad_request, timeout
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.ids import Ids
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.storage import Storage

_log = logging.getLogger(__name__)
_VERSIONS: Final = ("admission.k8s.io/v1", "admission.k8s.io/v1beta1")
_OVERDUE: Final = "request did not complete within requested timeout"

# Whether the match conditions of a webhook take a write; raises a `Failure` where that cannot be said.
Conditions = Callable[[Webhook, Asked], bool]


class CallingFailed(Exception):
    """A webhook could not be asked, or its answer was none: what its failurePolicy is about."""

    def __init__(self, webhook: Webhook, why: str) -> None:
        super().__init__(f"failed calling webhook {quoted(webhook.name)}: {why}")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookAsking:
    """What it takes to ask webhooks; the same for both phases."""

    storage: Storage
    equivalents: Equivalents
    ids: Ids
    caller: WebhookCaller
    conditions: Conditions

    async def wanted(self, webhook: Webhook, attributes: Attributes) -> Asked | None:
        """Return the write as a webhook wants to see it, or None where it does not."""
        is_in_namespace, missing = True, None
        try:
            is_in_namespace = takes_namespace(webhook.namespace_selector, attributes, self.storage)
        except Failure as failure:  # told only to whom a rule sends the write
            missing = failure
        if not is_in_namespace or not takes_object(webhook.object_selector, attributes):
            return None
        equivalents = None if webhook.is_exact else self.equivalents.of(attributes.resource)
        resource = rule_matching(webhook.rules, attributes, equivalents)
        if resource is None:
            return None
        if missing is not None:
            raise missing
        if attributes.resource.strategy.asks_webhook:
            both = [value for value in (attributes.value, attributes.old) if value is not None]
            await attributes.resource.strategy.prepare_converting(both, resource.version)
        asked = as_seen_by(resource, attributes)
        if webhook.match_conditions and not self.conditions(webhook, asked):
            return None
        return asked

    async def verdict(self, webhook: Webhook, asked: Asked, *, is_mutating: bool) -> Verdict:
        """Ask, and return the answer; raises `CallingFailed`, or a `Failure` that no policy lets pass."""
        attributes = asked.attributes
        if attributes.is_dry_run and webhook.has_side_effects:
            raise bad_request(f"admission webhook {quoted(webhook.name)} does not support dry run")
        uid = self.ids.uid()
        try:
            version = review_version(webhook.review_versions)
        except BadReview as error:
            raise CallingFailed(webhook, str(error)) from None
        body = msgspec.json.encode(admission_review(asked, version=version, uid=uid))
        review = await self._review(webhook, body, deadline=attributes.deadline)
        try:
            verdict = read_verdict(review, version=version, uid=uid, is_mutating=is_mutating)
        except BadReview as error:
            raise CallingFailed(webhook, f"received invalid webhook response: {error}") from None
        attributes.annotations.update({f"{webhook.name}/{key}": text for key, text in verdict.annotations.items()})
        attributes.warnings.extend(verdict.warnings)
        return verdict

    async def _review(self, webhook: Webhook, body: bytes, *, deadline: float) -> dict[str, object]:
        loop = asyncio.get_running_loop()
        ends = min(loop.time() + webhook.timeout, deadline)
        seconds = max(math.ceil(ends - loop.time()), 1)
        try:
            async with asyncio.timeout_at(ends):
                answer = await self.caller.call(webhook.target, body, seconds=seconds)
                return read_answer(answer, "AdmissionReview", _VERSIONS)
        except NoClient as error:
            raise CallingFailed(webhook, f"could not get REST client: {error}") from None
        except CallFailed as error:
            why = str(error)
        except TimeoutError:
            if loop.time() >= deadline:
                raise timeout(f"{_OVERDUE} - context deadline exceeded") from None
            why = f'Post "{webhook.target.shown_url}?timeout={seconds}s": context deadline exceeded'
        raise CallingFailed(webhook, f"failed to call webhook: {why}")


def as_seen_by(resource: Resource, attributes: Attributes) -> Asked:
    """Return a write as one to an equivalent resource; what a subresource takes is of one type for all of them."""
    own, value, old = attributes.resource, attributes.value, attributes.old
    if attributes.kind != GroupVersionKind.of(own):
        return Asked(attributes=attributes, resource=resource, kind=attributes.kind, value=value, old=old)
    return Asked(
        attributes=attributes,
        resource=resource,
        kind=GroupVersionKind.of(resource),
        value=None if value is None else converted(value, own, resource),
        old=None if old is None else converted(old, own, resource),
    )


def note_open_failure(webhook: Webhook, failure: CallingFailed) -> None:
    """Log a failure that lets the write pass."""
    _log.warning("%s; the write goes on (failurePolicy: Ignore of %s)", failure, webhook.configuration)
