"""The spec of a job, in a job or in a cron job's template."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_text
from konverge.cluster.apiserver.builtin.rules.job_policies import failure_policy_errors, success_policy_errors
from konverge.cluster.apiserver.builtin.rules.number_rules import nonnegative
from konverge.cluster.apiserver.builtin.rules.pod.template import template_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import dns_subdomain
from konverge.cluster.apiserver.strategy import JsonObject

_COUNTS: Final = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_MODES: Final = ("NonIndexed", "Indexed")
_MOST: Final = 100_000
_MOST_OF_MANY: Final = 10_000
_REPLACEMENTS: Final = ("Failed", "TerminatingOrFailed")
_LONGEST_MANAGER: Final = 63
_PER_INDEX: Final = ("backoffLimitPerIndex", "maxFailedIndexes")


def job_spec_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge a spec but for its selector."""
    yield from nonnegative(spec, _COUNTS, path)
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        yield field_error.required(f"{path}.backoffLimitPerIndex", "when maxFailedIndexes is specified")
    if (manager := spec.get("managedBy")) is not None:
        yield from _manager_errors(manager, f"{path}.managedBy")
    yield from _mode_errors(spec, path)
    if (failure := spec.get("podFailurePolicy")) is not None:
        yield from failure_policy_errors(failure, f"{path}.podFailurePolicy", spec=spec)
    if (success := spec.get("successPolicy")) is not None:
        if spec.get("completionMode") != "Indexed":
            shown = internal_text("batch.SuccessPolicy", success)
            yield field_error.invalid(f"{path}.successPolicy", shown, "requires indexed completion mode")
        else:
            yield from success_policy_errors(success, f"{path}.successPolicy", completions=spec.get("completions", 0))
    yield from _replacement_errors(spec, f"{path}.podReplacementPolicy")
    template = spec.get("template") or {}
    yield from template_errors(template, f"{path}.template")
    policy = (template.get("spec") or {}).get("restartPolicy", "")
    yield from _restart_errors(policy, f"{path}.template.spec.restartPolicy", is_strict="podFailurePolicy" in spec)


def _manager_errors(manager: str, path: str) -> Iterator[FieldError]:
    host, _, rest = manager.partition("/")
    if not manager:
        yield field_error.required(path)
    elif not host or not rest:
        wrong = 'must be a domain-prefixed path (such as "acme.io/foo")'
        yield field_error.invalid(path, manager, wrong)
    else:
        yield from (field_error.invalid(path, host, wrong) for wrong in dns_subdomain(host))
    if len(manager.encode()) > _LONGEST_MANAGER:
        yield field_error.too_long(path, _LONGEST_MANAGER)


def _mode_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    mode = spec.get("completionMode")
    if mode is not None and mode not in _MODES:
        yield field_error.not_supported(f"{path}.completionMode", mode, _MODES)
    if mode == "Indexed":
        yield from _indexed_errors(spec, path)
    elif mode in (None, "NonIndexed"):
        for name in _PER_INDEX:
            if spec.get(name) is not None:
                yield field_error.invalid(f"{path}.{name}", spec[name], "requires indexed completion mode")


def _indexed_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    completions, parallelism = spec.get("completions"), spec.get("parallelism")
    failed = spec.get("maxFailedIndexes")
    if completions is None:
        yield field_error.required(f"{path}.completions", "when completion mode is Indexed")
    if parallelism is not None and parallelism > _MOST:
        wrong = f"must be less than or equal to {_MOST} when completion mode is Indexed"
        yield field_error.invalid(f"{path}.parallelism", parallelism, wrong)
    if completions is not None and failed is not None and failed > completions:
        yield field_error.invalid(f"{path}.maxFailedIndexes", failed, "must be less than or equal to completions")
    if failed is not None and failed > _MOST:
        yield field_error.invalid(f"{path}.maxFailedIndexes", failed, f"must be less than or equal to {_MOST}")
    if completions is not None and completions > _MOST and spec.get("backoffLimitPerIndex") is not None:
        yield from _many_errors(path, parallelism=parallelism, failed=failed)


def _many_errors(path: str, *, parallelism: int | None, failed: int | None) -> Iterator[FieldError]:
    wrong = (
        f"must be less than or equal to {_MOST_OF_MANY} when completions are above {_MOST} "
        "and used with backoff limit per index"
    )
    if failed is None:
        needed = f"must be specified when completions is above {_MOST}"
        yield field_error.required(f"{path}.maxFailedIndexes", needed)
    if parallelism is not None and parallelism > _MOST_OF_MANY:
        yield field_error.invalid(f"{path}.parallelism", parallelism, wrong)
    if failed is not None and failed > _MOST_OF_MANY:
        yield field_error.invalid(f"{path}.maxFailedIndexes", failed, wrong)


def _replacement_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    policy: Any = spec.get("podReplacementPolicy")
    choices = ("Failed",) if spec.get("podFailurePolicy") is not None else _REPLACEMENTS
    if policy is not None and policy not in choices:
        yield field_error.not_supported(path, policy, choices)


def _restart_errors(policy: str, path: str, *, is_strict: bool) -> Iterator[FieldError]:
    if policy in ("Always", ""):
        yield field_error.required(path, 'valid values: "OnFailure", "Never"')
    elif policy not in ("OnFailure", "Never"):
        yield field_error.not_supported(path, policy, ("OnFailure", "Never"))
    elif is_strict and policy != "Never":
        wrong = 'only "Never" is supported when podFailurePolicy is specified'
        yield field_error.invalid(path, policy, wrong)
