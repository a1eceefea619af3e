"""Webhook configurations: names, rules, selectors and addresses that admission can work with.

A stored configuration is asked about every write, so one that makes no sense is refused here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.admission_expression import match_condition_errors
from konverge.cluster.apiserver.builtin.rules.admission_rule import rule_errors
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.label_selector import selector_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.repeated import repeated
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.webhook_address import service_faults, url_faults

_REVIEWS: Final = ("v1", "v1beta1")
_SIDE_EFFECTS: Final = ("None", "NoneOnDryRun")
_FAILURE_POLICIES: Final = ("Fail", "Ignore")
_MATCH_POLICIES: Final = ("Equivalent", "Exact")
_REINVOCATIONS: Final = ("IfNeeded", "Never")
_LONGEST_WAIT: Final = 30
_FEWEST_SEGMENTS: Final = 3


def _validate(value: JsonObject) -> list[FieldError]:
    errors, names = list[FieldError](), list[str]()
    for index, webhook in enumerate(value.get("webhooks") or ()):
        path, name = f"webhooks[{index}]", webhook.get("name", "")
        errors += _webhook_errors(webhook, path)
        errors += _review_errors(webhook.get("admissionReviewVersions") or [], f"{path}.admissionReviewVersions")
        if name in names:
            errors.append(field_error.duplicate(f"{path}.name", name))
        names += [name] if name else []
    return errors


def _webhook_errors(webhook: JsonObject, path: str) -> Iterator[FieldError]:
    yield from _name_errors(webhook.get("name", ""), f"{path}.name")
    for index, rule in enumerate(webhook.get("rules") or ()):
        yield from rule_errors(rule, f"{path}.rules[{index}]")
    yield from _choice_errors(webhook, "failurePolicy", path, _FAILURE_POLICIES)
    yield from _choice_errors(webhook, "matchPolicy", path, _MATCH_POLICIES)
    if webhook.get("sideEffects") is None:
        yield field_error.required(f"{path}.sideEffects", f"must specify one of {', '.join(_SIDE_EFFECTS)}")
    yield from _choice_errors(webhook, "sideEffects", path, _SIDE_EFFECTS)
    seconds = webhook.get("timeoutSeconds")
    if seconds is not None and not 1 <= seconds <= _LONGEST_WAIT:
        wrong = "the timeout value must be between 1 and 30 seconds"
        yield field_error.invalid(f"{path}.timeoutSeconds", seconds, wrong)
    for name in ("namespaceSelector", "objectSelector"):
        yield from selector_errors(webhook.get(name), f"{path}.{name}")
    yield from _choice_errors(webhook, "reinvocationPolicy", path, _REINVOCATIONS)
    yield from _address_errors(webhook.get("clientConfig") or {}, f"{path}.clientConfig")
    yield from match_condition_errors(webhook.get("matchConditions") or (), f"{path}.matchConditions")


def _name_errors(name: str, path: str) -> Iterator[FieldError]:
    if not name:
        yield field_error.required(path)
    elif wrong := name_rules.dns_subdomain(name):
        yield field_error.invalid(path, name, ",".join(wrong))
    elif name.count(".") + 1 < _FEWEST_SEGMENTS:
        yield field_error.invalid(path, name, "should be a domain with at least three segments separated by dots")


def _choice_errors(webhook: JsonObject, name: str, path: str, choices: tuple[str, ...]) -> Iterator[FieldError]:
    chosen = webhook.get(name)
    if chosen is not None and chosen not in choices:
        yield field_error.not_supported(f"{path}.{name}", chosen, choices)


def _address_errors(client: JsonObject, path: str) -> Iterator[FieldError]:
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        yield field_error.required(path, "exactly one of url or service is required")
    elif url is not None:
        yield from url_faults(url, f"{path}.url")
    else:
        yield from service_faults(service or {}, f"{path}.service")


def _review_errors(versions: list[str], path: str) -> Iterator[FieldError]:
    if not versions:
        yield field_error.required(path, f"must specify one of {', '.join(_REVIEWS)}")
        return
    again = repeated(versions)
    for index, version in enumerate(versions):
        if index in again:
            yield field_error.invalid(f"{path}[{index}]", version, "duplicate version")
            continue
        for wrong in name_rules.dns_1035_label(version):
            yield field_error.invalid(f"{path}[{index}]", version, wrong)
    if not any(version in _REVIEWS for version in versions):
        yield field_error.invalid(path, versions, f"must include at least one of {', '.join(_REVIEWS)}")


def _on_update(validate: Callable[[JsonObject], list[FieldError]]) -> KindRules:
    """Judge a change by all rules: nothing that breaks them was stored before."""
    return KindRules(validate=validate, validate_update=lambda value, _old, _subresource: validate(value))


WEBHOOK_CONFIGURATION: Final = _on_update(_validate)
