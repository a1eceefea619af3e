"""Webhook: one entry of a webhook configuration, compiled once, and whether a write is one it wants to hear of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from konverge.api.label_selector import LabelSelector
from konverge.cluster.apiserver.admission.rules import Rule
from konverge.cluster.apiserver.admission.selectors import read_selector
from konverge.cluster.apiserver.admission.webhook_caller import WebhookTarget
from konverge.cluster.apiserver.storage import Storage

GROUP: Final = "admissionregistration.k8s.io"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class Webhook:
    """What a configuration says of one webhook."""

    name: str
    configuration: str
    key: str  # tells it from every other
    target: WebhookTarget
    rules: tuple[Rule, ...]
    is_exact: bool  # matchPolicy Exact: equivalent resources do not count
    namespace_selector: LabelSelector
    object_selector: LabelSelector
    match_conditions: tuple[Mapping[str, Any], ...]
    fails_open: bool  # failurePolicy Ignore
    has_side_effects: bool  # even in a dry run
    timeout: int  # seconds
    review_versions: tuple[str, ...]
    is_reinvoked: bool  # reinvocationPolicy IfNeeded

    @classmethod
    def of(cls, spec: Mapping[str, Any], configuration: str, key: str) -> Webhook:
        """Compile an entry of a stored configuration, which has its defaults."""
        return cls(
            name=spec["name"],
            configuration=configuration,
            key=key,
            target=WebhookTarget.of(spec["clientConfig"]),
            rules=tuple(Rule.of(each) for each in spec.get("rules") or ()),
            is_exact=spec.get("matchPolicy") == "Exact",
            namespace_selector=_selector(spec.get("namespaceSelector")),
            object_selector=_selector(spec.get("objectSelector")),
            match_conditions=tuple(spec.get("matchConditions") or ()),
            fails_open=spec.get("failurePolicy") == "Ignore",
            has_side_effects=spec.get("sideEffects") not in ("None", "NoneOnDryRun"),
            timeout=spec.get("timeoutSeconds") or 10,
            review_versions=tuple(spec.get("admissionReviewVersions") or ()),
            is_reinvoked=spec.get("reinvocationPolicy") == "IfNeeded",
        )


def _selector(spec: Mapping[str, Any] | None) -> LabelSelector:
    """Compile a selector; one that is not there takes everything, as the default does."""
    return read_selector(spec or {})


class StoredWebhooks:
    """The webhooks of one kind of configuration; each configuration is compiled once for each of its versions."""

    def __init__(self, storage: Storage, plural: str) -> None:
        self._storage = storage
        self._prefix = f"/{GROUP}/{plural}/"
        self._known: dict[str, tuple[int, tuple[Webhook, ...]]] = {}  # by key: the version, and what is in it

    def read(self) -> tuple[Webhook, ...]:
        """Return every webhook: by the configurations' names, then as they stand there."""
        known, self._known = self._known, {}
        for stored in self._storage.range(self._prefix).items:
            found = known.get(stored.key)
            if found is None or found[0] != stored.revision:
                found = stored.revision, tuple(_webhooks(msgspec.json.decode(stored.value)))
            self._known[stored.key] = found
        return tuple(webhook for _, webhooks in self._known.values() for webhook in webhooks)


def _webhooks(configuration: Mapping[str, Any]) -> Iterator[Webhook]:
    name, counts = configuration["metadata"]["name"], dict[str, int]()
    for spec in configuration.get("webhooks") or ():
        count = counts[spec["name"]] = counts.get(spec["name"], -1) + 1
        yield Webhook.of(spec, name, f"{name}/{spec['name']}/{count}")
