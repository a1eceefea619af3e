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


def stored_webhooks(storage: Storage, plural: str) -> Iterator[Webhook]:
    """Yield every webhook of a kind of configuration: by the configurations' names, then as they stand there."""
    for stored in storage.range(f"/{GROUP}/{plural}/").items:
        configuration = msgspec.json.decode(stored.value)
        name = configuration["metadata"]["name"]
        counts: dict[str, int] = {}
        for spec in configuration.get("webhooks") or ():
            count = counts[spec["name"]] = counts.get(spec["name"], -1) + 1
            yield Webhook.of(spec, name, f"{name}/{spec['name']}/{count}")
