"""WebhookConversion: the conversion of a CRD whose strategy is Webhook, and what it has converted so far.

The webhook is asked ahead (`prepare`); who needs an object then finds it (`converted`). What is kept is bounded by its
number; the same object in the same version converts to the same, so nothing kept is ever out of date.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.admission.webhook_answer import read_answer
from konverge.cluster.apiserver.admission.webhook_caller import CallFailed, WebhookCaller, WebhookTarget
from konverge.cluster.apiserver.conversion_needed import ConversionNeeded
from konverge.cluster.apiserver.crd.conversion_review import BadConversion, conversion_review, read_converted
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.apiserver.ids import Ids
from konverge.cluster.apiserver.strategy import JsonObject

_SECONDS: Final = 30
_MOST_KEPT: Final = 2000  # objects, or as many as one request needs
_VERSIONS: Final = ("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1")
_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(JsonObject).decode


class WebhookConversion:
    """Converts the objects of one CRD."""

    def __init__(self, conversion: Mapping[str, Any], caller: WebhookCaller, ids: Ids) -> None:
        webhook = conversion["webhook"]
        self._target = WebhookTarget.of(webhook["clientConfig"])
        self._versions: Sequence[str] = webhook.get("conversionReviewVersions") or ()
        self._caller = caller
        self._ids = ids
        self._kept: dict[tuple[bytes, str], bytes] = {}  # in the order in which they came

    def converted(self, value: JsonObject, api_version: str) -> JsonObject:
        """Return an object in another version, a copy of its own; raises `ConversionNeeded`."""
        if value.get("apiVersion") == api_version:
            return value
        if not value.keys() - {"kind", "apiVersion"}:
            return {**value, "apiVersion": api_version}  # nothing is in it that could be converted
        found = self._kept.get((_encode(value), api_version))
        if found is None:
            raise ConversionNeeded(partial(self.prepare, [value], api_version))
        return _decode(found)

    async def prepare(self, values: Sequence[JsonObject], api_version: str) -> None:
        """See to it that these objects can be had in a version; raises a `Failure` where the webhook says no."""
        wanted: dict[bytes, JsonObject] = {}
        for value in values:
            if value.get("apiVersion") != api_version and (key := _encode(value), api_version) not in self._kept:
                wanted[key] = _decode(key)
        # One version at a time, as a list has them: the message of an error names it.
        for version in dict.fromkeys(value["apiVersion"] for value in wanted.values()):
            some = {key: value for key, value in wanted.items() if value["apiVersion"] == version}
            found = await self._ask(list(some.values()), api_version)
            for key, value in zip(some, found, strict=True):
                self._kept[key, api_version] = _encode(value)
        too_many = len(self._kept) - max(_MOST_KEPT, len(values))
        for oldest in list(self._kept)[: max(0, too_many)]:
            del self._kept[oldest]

    async def _ask(self, values: Sequence[JsonObject], api_version: str) -> list[JsonObject]:
        group, _, version = values[0]["apiVersion"].rpartition("/")
        subject = f"conversion webhook for {group}/{version}, Kind={values[0]['kind']}"
        uid = self._ids.uid()
        try:
            review = conversion_review(values, api_version, versions=self._versions, uid=uid)
            async with asyncio.timeout(_SECONDS):
                answer = await self._caller.call(self._target, _encode(review), seconds=_SECONDS)
            return read_converted(
                read_answer(answer, "ConversionReview", _VERSIONS), values, asked=review, api_version=api_version
            )
        except CallFailed as error:
            raise Failure(500, "", f"{subject} failed: {error}") from None
        except BadConversion as error:
            raise Failure(500, "", f"{subject} {error}") from None
        except TimeoutError:
            why = f'Post "{self._target.shown_url}?timeout={_SECONDS}s": context deadline exceeded'
            raise Failure(500, "", f"{subject} failed: {why}") from None
