"""The success policy: when an indexed job has succeeded although not all of its indexes have."""

from __future__ import annotations

from konverge.cluster.controllers.job.indexes import Indexes
from konverge.models import batch_v1


def matched(job: batch_v1.Job, succeeded: Indexes) -> str:
    """Say which rule the succeeded indexes meet; nothing if none."""
    policy = job.spec.success_policy
    if policy is None or not succeeded:
        return ""
    for place, rule in enumerate(policy.rules):
        if _is_met(rule, succeeded, job.spec.completions or 0):
            return f"Matched rules at index {place}"
    return ""


def _is_met(rule: batch_v1.SuccessPolicyRule, succeeded: Indexes, completions: int) -> bool:
    if rule.succeeded_indexes is None:
        return rule.succeeded_count is not None and len(succeeded) >= rule.succeeded_count
    wanted = Indexes.parse(rule.succeeded_indexes, completions)
    reached = len(wanted & succeeded)
    enough = rule.succeeded_count is not None and reached >= rule.succeeded_count
    return bool(wanted) and (reached == len(wanted) or enough)
