"""The pod failure policy: what the failure of a pod means for its job. The first rule that matches decides."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from konverge.models import batch_v1, core_v1


class Judgement(msgspec.Struct, frozen=True):
    """What a failure means."""

    counts: bool = True  # towards the limits
    action: str = ""  # of the rule that matched
    message: str = ""  # why the job fails, if it does


def judge(pod: core_v1.Pod, policy: batch_v1.PodFailurePolicy | None) -> Judgement:
    """Judge a pod that failed."""
    for place, rule in enumerate(policy.rules if policy else ()):
        what = _matching(pod, rule)
        if what:
            ends = f"{what} matching {rule.action} rule at index {place}" if rule.action == "FailJob" else ""
            return Judgement(counts=rule.action != "Ignore", action=rule.action, message=ends)
    return Judgement()


def _matching(pod: core_v1.Pod, rule: batch_v1.PodFailurePolicyRule) -> str:
    """Say what of the pod matches a rule; nothing if it does not."""
    name = f"{pod.metadata.namespace}/{pod.metadata.name}"
    if rule.on_exit_codes is not None:
        statuses = [*(pod.status.container_statuses or ()), *(pod.status.init_container_statuses or ())]
        return _exit_code(name, statuses, rule.on_exit_codes)
    for condition in pod.status.conditions or ():
        wanted = [(pattern.type, pattern.status or "True") for pattern in rule.on_pod_conditions or ()]
        if (condition.type, condition.status) in wanted:
            return f"Pod {name} has condition {condition.type}"
    return ""


def _exit_code(
    name: str,
    statuses: Iterable[core_v1.ContainerStatus],
    requirement: batch_v1.PodFailurePolicyOnExitCodesRequirement,
) -> str:
    for status in statuses:
        ended = status.state.terminated if status.state else None
        if ended is None or requirement.container_name not in {None, status.name} or not ended.exit_code:
            continue
        if (ended.exit_code in requirement.values) == (requirement.operator == "In"):
            return f"Container {status.name} for pod {name} failed with exit code {ended.exit_code}"
    return ""
