"""Webhooks: defaulting, validation and conversion, typed; the API server asks, the author's classes answer.

`admission` and `conversion` answer bytes with bytes, without I/O; `defaulting` and `validation` put typed handlers
behind them; `registration` says what the API server has to know; `server` is HTTPS, `certificate` what it shows, and
`ca_bundle` tells the API server whom to trust. `konverge.new_webhook` is the way in. The names here load no server.
"""

from __future__ import annotations

from konverge.webhook.admission import AdmissionRequest, AdmissionResponse, Denied, admit, current_request
from konverge.webhook.conversion import Conversion, Conversions, NotConvertible, Spoke
from konverge.webhook.defaulting import Defaulter, defaulter_handler
from konverge.webhook.field_errors import FieldErrors
from konverge.webhook.question import request_for
from konverge.webhook.registration import (
    MatchCondition,
    Registration,
    WebhookOptions,
    WebhookService,
    client_config,
    configurations,
    conversion_config,
    webhook_options,
)
from konverge.webhook.serving import WebhookServing
from konverge.webhook.validation import Validator, validator_handler

__all__ = [
    "AdmissionRequest",
    "AdmissionResponse",
    "Conversion",
    "Conversions",
    "Defaulter",
    "Denied",
    "FieldErrors",
    "MatchCondition",
    "NotConvertible",
    "Registration",
    "Spoke",
    "Validator",
    "WebhookOptions",
    "WebhookService",
    "WebhookServing",
    "admit",
    "client_config",
    "configurations",
    "conversion_config",
    "current_request",
    "defaulter_handler",
    "request_for",
    "validator_handler",
    "webhook_options",
]
