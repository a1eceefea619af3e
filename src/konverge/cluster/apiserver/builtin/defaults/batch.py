"""Defaults of jobs and cron jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from konverge.cluster.apiserver.builtin.defaults.default import Default, texts
from konverge.cluster.apiserver.strategy import JsonObject

_RETRIES: Final = 6
_NO_LIMIT: Final = 2**31 - 1  # where each index has a limit of its own


def _job(value: JsonObject) -> None:
    spec = value.setdefault("spec", {})
    if "parallelism" not in spec:
        spec.setdefault("completions", 1)
        spec["parallelism"] = 1
    spec.setdefault("backoffLimit", _NO_LIMIT if "backoffLimitPerIndex" in spec else _RETRIES)
    spec.setdefault("completionMode", "NonIndexed")
    spec.setdefault("suspend", False)
    spec.setdefault("podReplacementPolicy", "Failed" if "podFailurePolicy" in spec else "TerminatingOrFailed")
    spec.setdefault("manualSelector", False)
    labels = spec.get("template", {}).get("metadata", {}).get("labels")
    if labels and not value["metadata"].get("labels"):
        value["metadata"]["labels"] = labels  # the same ones, as in Go: what a new job's pods get, it has itself


def _cron_job(value: JsonObject) -> None:
    spec = value.setdefault("spec", {})
    if not spec.get("concurrencyPolicy"):
        spec["concurrencyPolicy"] = "Allow"
    spec.setdefault("suspend", False)
    spec.setdefault("successfulJobsHistoryLimit", 3)
    spec.setdefault("failedJobsHistoryLimit", 1)


DEFAULTS: Final[Mapping[str, Default]] = {
    "CronJob": _cron_job,
    "Job": _job,
    "PodFailurePolicyOnPodConditionsPattern": texts(status="True"),
}
