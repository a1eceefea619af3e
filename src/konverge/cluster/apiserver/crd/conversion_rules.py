"""How a CRD says that objects are converted between its versions: `None`, or by a webhook."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any

from konverge.cluster.apiserver.field_error import FieldError, forbidden, invalid, not_supported, required
from konverge.cluster.apiserver.name_rules import dns_1035_label
from konverge.cluster.apiserver.repeated import repeated
from konverge.cluster.apiserver.webhook_address import service_faults, url_faults

_ACCEPTED = ("v1", "v1beta1")
_PEM = re.compile(rb"-----BEGIN CERTIFICATE-----\s+(.+?)\s*-----END CERTIFICATE-----", re.DOTALL)


def has_known_review(conversion: Mapping[str, Any]) -> bool:
    """Whether the webhook speaks a version that the server speaks too, or none is given."""
    versions = (conversion.get("webhook") or {}).get("conversionReviewVersions") or ()
    return not versions or any(version in _ACCEPTED for version in versions)


def bundle_fault(encoded: str) -> str:
    """Say what is wrong with a CA bundle (in base64); empty: nothing."""
    try:
        bundle = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        bundle = b""
    if not bundle:
        return ""
    return "" if _PEM.search(bundle) else "unable to load root certificates: unable to parse bytes as PEM block"


def conversion_faults(
    conversion: Mapping[str, Any] | None, path: str, *, needs_known_review: bool, allows_bad_bundle: bool
) -> Iterator[FieldError]:
    """Say what is wrong with `spec.conversion`."""
    if conversion is None:
        return
    strategy = conversion.get("strategy") or ""
    if not strategy:
        yield required(f"{path}.strategy")
    elif strategy not in ("None", "Webhook"):
        yield not_supported(f"{path}.strategy", strategy, ("None", "Webhook"))
    webhook = conversion.get("webhook") or {}
    client, reviews = webhook.get("clientConfig"), webhook.get("conversionReviewVersions") or []
    if strategy == "Webhook":
        yield from _client_faults(client, f"{path}.webhookClientConfig", allows_bad_bundle=allows_bad_bundle)
        yield from _review_faults(reviews, f"{path}.conversionReviewVersions", needs_known=needs_known_review)
        return
    text = "should not be set when strategy is not set to Webhook"
    if client is not None:
        yield forbidden(f"{path}.webhookClientConfig", text)
    if reviews:
        yield forbidden(f"{path}.conversionReviewVersions", text)


def _client_faults(client: Mapping[str, Any] | None, path: str, *, allows_bad_bundle: bool) -> Iterator[FieldError]:
    if client is None:
        yield required(path, "required when strategy is set to Webhook")
        return
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        yield required(path, "exactly one of url or service is required")
    elif url is not None:
        yield from url_faults(url, f"{path}.url")
    else:
        yield from service_faults(service or {}, f"{path}.service")
    bundle = client.get("caBundle") or ""
    if bundle and not allows_bad_bundle and (fault := bundle_fault(bundle)):
        yield invalid(f"{path}.caBundle", bundle, fault)


def _review_faults(versions: list[str], path: str, *, needs_known: bool) -> Iterator[FieldError]:
    if not versions:
        yield required(path)
        return
    again = repeated(versions)
    for index, version in enumerate(versions):
        if index in again:
            yield invalid(f"{path}[{index}]", version, "duplicate version")
            continue
        yield from (invalid(f"{path}[{index}]", version, text) for text in dns_1035_label(version))
    if needs_known and not any(version in _ACCEPTED for version in versions):
        yield invalid(path, versions, f"must include at least one of {', '.join(_ACCEPTED)}")
