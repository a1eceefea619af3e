"""Quotas: what objects use of a namespace's resources, in pure arithmetic.

Both sides of a ResourceQuota count with it: the server, which charges a write, and the controller, which counts what is
there. Objects are plain JSON values; amounts are mappings of resource names to quantities.
"""

from konverge.api.quota.amounts import Amounts
from konverge.api.quota.evaluator import Evaluator
from konverge.api.quota.evaluators import IGNORED, evaluator_of
from konverge.api.quota.used import quota_used, tracked_resources

__all__ = ["IGNORED", "Amounts", "Evaluator", "evaluator_of", "quota_used", "tracked_resources"]
