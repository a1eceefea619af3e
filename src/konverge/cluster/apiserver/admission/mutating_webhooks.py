"""MutatingWebhooks: asked one after the other, each sees what those before it made of the object.

Where a later one changes the object, those that want it (reinvocationPolicy IfNeeded) are asked a second time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from konverge.api.invalid import InvalidPatch
from konverge.api.json_value import json_copy
from konverge.cluster.apiserver.admission.attributes import Attributes
from konverge.cluster.apiserver.admission.equivalents import converted
from konverge.cluster.apiserver.admission.kept import Kept
from konverge.cluster.apiserver.admission.patched_type import typed
from konverge.cluster.apiserver.admission.rules import is_exempt
from konverge.cluster.apiserver.admission.webhook import GROUP, StoredWebhooks, Webhook
from konverge.cluster.apiserver.admission.webhook_asking import CallingFailed, WebhookAsking, note_open_failure
from konverge.cluster.apiserver.admission.webhook_review import Asked, Verdict, denial
from konverge.cluster.apiserver.failure import Failure, internal
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing import go_json_patch
from konverge.cluster.apiserver.writing.decode import Malformed
from konverge.cluster.apiserver.writing.expected import Unreadable, expected_of

_PLURAL: Final = "mutatingwebhookconfigurations"
_NAME: Final = "MutatingAdmissionWebhook"


@dataclass(slots=True)
class _Rounds:
    """What is kept from the first round to the second."""

    output: JsonObject | None = None  # what the last round left
    asked: dict[str, None] = field(default_factory=dict)  # who may be asked again, and has been since the last change
    again: dict[str, None] = field(default_factory=dict)  # who is to be asked again

    def changed(self) -> None:
        """Take note of a change: whoever was asked before it is to be asked again."""
        self.again |= self.asked
        self.asked = {}


class MutatingWebhooks:
    """The plugin MutatingAdmissionWebhook."""

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

    async def mutate(self, attributes: Attributes) -> None:
        """Let each webhook change the object."""
        if is_exempt(attributes.kind):
            return
        rounds = attributes.memory.setdefault(_NAME, _Rounds())
        if not isinstance(rounds, _Rounds):
            raise TypeError(f"{_NAME} found {rounds!r} in the place of its rounds")
        if attributes.is_reinvoked and rounds.output != attributes.value:
            rounds.changed()
        for webhook in self._webhooks.value:
            asked = await self._asking.wanted(webhook, attributes)
            if asked is None or (attributes.is_reinvoked and webhook.key not in rounds.again):
                continue
            if await self._ask(webhook, asked):
                rounds.changed()
                attributes.wants_reinvocation = True
            if webhook.is_reinvoked:
                rounds.asked[webhook.key] = None
        rounds.output = None if attributes.value is None else json_copy(attributes.value)

    async def _ask(self, webhook: Webhook, asked: Asked) -> bool:
        """Ask one webhook; return whether it changed the object."""
        try:
            verdict = await self._asking.verdict(webhook, asked, is_mutating=True)
            if not verdict.is_allowed:
                raise denial(webhook.name, verdict.status)
            operations = _operations(webhook, verdict)
        except CallingFailed as failure:
            if not webhook.fails_open:
                raise internal(str(failure)) from None
            note_open_failure(webhook, failure)
            return False
        return bool(operations) and await _patch(webhook, asked, operations)


def _operations(webhook: Webhook, verdict: Verdict) -> list[Any]:
    """Return the patch of an answer."""
    if not verdict.patch:
        return []
    try:
        operations = go_json_patch.read(verdict.patch)
    except Malformed as error:
        raise CallingFailed(webhook, f"received undecodable patch in webhook response: {error}") from None
    if operations and verdict.patch_type != "JSONPatch":
        raise CallingFailed(webhook, f"unsupported patch type {quoted(verdict.patch_type)}")
    return operations


async def _patch(webhook: Webhook, asked: Asked, operations: list[Any]) -> bool:
    """Make the object what a patch makes of it; return whether that changed it."""
    attributes, resource = asked.attributes, asked.resource
    if asked.value is None or attributes.value is None:
        raise internal(
            f"admission webhook {quoted(webhook.name)} attempted to modify the object, which is not supported for this "
            "operation"
        )
    before = json_copy(attributes.value)
    try:
        patched = go_json_patch.apply(json_copy(asked.value), operations)
    except InvalidPatch as error:
        raise internal(str(error)) from None
    patched = typed(patched, asked.kind, is_custom=resource.is_custom)
    try:
        attributes.become(await _own_version(attributes, resource, patched))
    except Unreadable as error:
        raise internal(str(error)) from None
    except Failure as failure:
        raise internal(failure.message) from None
    return bool(before != attributes.value)


async def _own_version(attributes: Attributes, resource: Resource, patched: JsonObject) -> JsonObject:
    if resource is attributes.resource or patched.get("kind") != resource.kind:
        return patched
    if resource.is_custom:
        resource.strategy.default(patched)
        await resource.strategy.prepare_converting([patched], attributes.resource.version)
    else:
        expected_of(resource).read(patched)
    return converted(patched, resource, attributes.resource)
