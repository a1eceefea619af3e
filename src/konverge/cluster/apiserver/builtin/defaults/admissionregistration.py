"""Defaults of webhook configurations and admission policies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from konverge.cluster.apiserver.builtin.defaults.default import Default, constants

_MATCHING: Final = {"matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}}
_WEBHOOK: Final = {**_MATCHING, "failurePolicy": "Fail", "timeoutSeconds": 10}

default_service_reference = constants(port=443)

DEFAULTS: Final[Mapping[str, Default]] = {
    "MatchResources": constants(**_MATCHING),
    "MutatingAdmissionPolicySpec": constants(failurePolicy="Fail"),
    "MutatingWebhook": constants(**_WEBHOOK, reinvocationPolicy="Never"),
    "NamedRuleWithOperations": constants(scope="*"),
    "RuleWithOperations": constants(scope="*"),
    "ServiceReference": default_service_reference,
    "ValidatingAdmissionPolicySpec": constants(failurePolicy="Fail"),
    "ValidatingWebhook": constants(**_WEBHOOK),
}
